"""Queries: everything that can be asked of a state, and nothing that changes it.

Start with ``query.py``; ``blame.py`` tells what hid a message, ``comparison.py`` what differs.
"""
