"""The tokens view: plots and tables. Start with ``view.py``."""
