"""The batch pane as text: what a batch or a record of the journal did. Start with ``pane.py``."""
