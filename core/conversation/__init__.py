"""The conversation: the class that programs use.

Start with ``conversation.py`` (what changes it) and ``readable.py`` (what can be read).
``transactions.py`` works out an operation or a list of them, ``results.py`` is what comes of it.
"""
