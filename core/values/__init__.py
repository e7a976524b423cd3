"""Values: what is read from JSON at the border of the engine, checked and frozen once.

Start with ``models.py``, the base of everything that is read; ``frozen.py`` keeps it unchanged.
"""
