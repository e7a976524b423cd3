"""The conversation: the class that programs use.

Start with ``conversation.py`` (what changes it) and ``readable.py`` (what can be read). The outcome
of an operation is in ``results.py``, the native file in ``native.py``.
"""
