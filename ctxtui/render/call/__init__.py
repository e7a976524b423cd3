"""The call screen: one request that was really sent, part by part. Start with ``sections.py``."""
