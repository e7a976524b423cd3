"""Capture: a proxy on this machine that passes calls of models on, and records them.

The only room that knows aiohttp. ``proxy`` passes bytes on in both directions and keeps copies of
them on *tapes*; nothing that happens to a copy ever reaches the call. ``reading`` makes an exchange
of a call: bodies are decoded, streamed answers put together, and secrets removed; ``noting`` puts
it down in the spool before the client hears the end. ``keeping`` hands finished ones to the
recorder of ``core.requests`` on a thread of its own, and saves the thread each belongs to as a
session (``thread_sessions``), which may be one of an earlier run (``resuming``). ``running`` puts
these together; start reading there.
"""
