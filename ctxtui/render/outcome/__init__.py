"""What an operation would do, before it is done; start with ``view.py``."""
