"""The difference of two batches as text."""
