"""Tortures: the same harm done a thousand times over, and a count of what did not survive it.

Each module has a function ``run(count, seed)`` that returns a ``Report``; ``python -m
tests.torture`` runs those that are listed here.
"""

COUNTS = {
    "capture_kills": 200,
    "inputs": 100_000,
    "keys": 20_000,
    "storage_kills": 1_000,
    "storage_power": 1_000,
    "storage_saboteur": 1_000,
}
"""How often each torture is done by ``make torture``; one key in forty is followed by a resize."""
