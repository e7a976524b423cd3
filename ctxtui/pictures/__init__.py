"""Pictures without a terminal: the app is run unseen, led to a screen, and drawn.

Start with ``taking.py``; ``screens.py`` has the screens that can be named.
"""
