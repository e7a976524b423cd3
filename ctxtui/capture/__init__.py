"""Capture: a proxy on this machine that passes calls of models on, and records them.

The only package that knows aiohttp. ``proxy`` passes bytes on in both directions and copies them
into ``calls``; nothing that happens to a copy ever reaches the call. ``keeper`` writes each call to
the spool, without secrets, before the client sees its end, and hands finished ones to the recorder
of ``core.requests`` on a thread of its own. ``thread_sessions`` stores each thread as a session,
which may be one of an earlier run. ``running`` puts these together; start reading there.
"""
