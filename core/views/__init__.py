"""Views: ordered sequences of raw indices that cost what their runs cost, not their length.

Start with ``view.py``; it is made of ``chunks.py``, which views share.
"""
