"""Policies over a run as text: a table, lines of tokens, strips of what goes wrong, one call.

Start with ``axis.py`` (where a call stands) and ``picture.py`` (what stands above each other).
"""
