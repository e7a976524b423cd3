"""Drawing of sessions that are being written: a few rows for each, and one of them at length."""
