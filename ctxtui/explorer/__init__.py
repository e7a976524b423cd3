"""The explorer: a widget that shows a conversation and lets one look around in it.

Start with ``explorer.py``. It shows a ``Look`` in ``panes.py`` and the other ``views.py``; the
screen around it decides what is done to the conversation.
"""
