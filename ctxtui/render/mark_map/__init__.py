"""The index arrays of the source documents as text. Start with ``view.py``."""
