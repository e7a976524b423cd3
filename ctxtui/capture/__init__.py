"""Capture: a proxy on this machine that passes calls of models on, and records them.

The only room that knows aiohttp. ``proxy`` passes bytes on in both directions and keeps copies of
them on *tapes*; nothing that happens to a copy ever reaches the call. ``reading`` makes an exchange
of a finished call: bodies are decoded, streamed answers put together (``answers``), and secrets
removed. ``keeping`` hands it to the recorder of ``core.requests`` on a thread of its own, and saves
the lane it belongs to as a session. ``running`` puts these together; start reading there.
"""
