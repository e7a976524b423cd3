"""Tests of lessons: the format, checking, playing, and every lesson that comes with ctxtui."""
