"""Messages: what a conversation is made of, and the facts found in each once.

Start with ``message.py``; ``parts.py`` has what a content can hold.
"""
