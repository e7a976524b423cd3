"""The player as text: where the pointer was, what a record did and why. Start with ``curve.py``."""
