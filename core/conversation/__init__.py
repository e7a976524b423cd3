"""The conversation: the class that programs use.

Start with ``conversation.py`` (what changes it, and the results) and ``readable.py`` (what can be
read). The native file is in ``native.py``.
"""
