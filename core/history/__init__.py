"""History: the raw log, revisions and batches, and the drafts that operations write to.

Start with ``state.py`` (what a conversation is at one moment) and ``draft.py`` (what it may be).
``journal.py`` and ``replaying.py`` are the way to build the same conversation again.
"""
