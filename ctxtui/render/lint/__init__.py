"""The lint view: why a finding is one, and what each repair would do. Start with ``why.py``."""
