"""Tests of curation: choosing sessions, changing many, and what comes out."""
