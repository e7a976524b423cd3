"""Tortures: each module has a function ``run(count, seed)`` that returns a ``Report``."""
