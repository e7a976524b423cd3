"""A sweep as text: calls that fail against what it costs, a table of settings, one to ship.

Start with ``plot.py``; ``points.py`` says what of a setting is drawn, and where.
"""
