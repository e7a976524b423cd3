"""Tortures: the same harm done a thousand times over, and a count of what did not survive it.

Each module has a function ``run(count, seed)`` that returns a ``Report``; ``python -m
tests.torture`` runs those that are listed here.
"""

MODULES = (
    "inputs",
    "keys",
    "storage_kills",
    "storage_power",
    "storage_saboteur",
)
