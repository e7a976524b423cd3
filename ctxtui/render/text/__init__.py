"""Pieces of text and what they are made of: lines, wrapping, numbers, bars, times."""
