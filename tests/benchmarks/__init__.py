"""What the engine costs, measured beside two simpler engines: ``python -m tests.benchmarks``.

Nothing here passes or fails; the figures depend on the machine, the ratios far less.
"""
