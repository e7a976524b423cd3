"""The app in a browser: ``server.py`` is what a browser talks to, ``visitor.py`` what it shows.

Each browser gets a process of its own, which is the app behind a fence.
"""
