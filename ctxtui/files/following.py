"""Following a file that another program is writing: its session grows as the file does."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from ctxtui.core import Conversation
from ctxtui.core.formats.follow_file import Tail
from ctxtui.core.storage import Library, NotSaved, Session, Source
from ctxtui.files.fences import Unreadable
from ctxtui.files.following_requests import follow_requests
from ctxtui.files.growing import FileFollower
from ctxtui.files.opening import Opened
from ctxtui.files.reading import check_readable, read_bytes, spelled
from ctxtui.files.sessions import new_session, open_session


def follow_file(
    library: Library, name: str, clock: Callable[[], float] = monotonic
) -> FileFollower | Session:
    """Return what adds to the session of a growing file as the file grows.

    It is the session that was made from the file before, whatever that said then, or a new one. If
    another program is adding to it already, it comes back alone and read-only, to be followed.
    """
    check_readable(name)
    path = os.path.abspath(name)  # noqa: PTH100 - links are kept
    tail = Tail(path, clock=clock)
    growth = tail.look()
    if tail.problem is not None:
        raise Unreadable(tail.problem)
    session = _made_before(library, spelled(path))
    if session is not None and session.read_only:
        return session

    def make(opened: Opened) -> Session:
        return new_session(library, opened, Source.of(spelled(path), read_bytes(str(tail.path))))

    if tail.holds_requests:
        return _saved(follow_requests(growth, tail, session, make))
    loaded = tail.loaded
    if session is None:
        empty = Opened(Conversation(), "native")
        session = make(
            empty
            if loaded is None
            else Opened(loaded.conversation, loaded.format, warnings=loaded.warnings)
        )
        return FileFollower(session, tail, session.conversation.view)
    follower = FileFollower(session, tail, ())
    if loaded is not None:
        follower.rejoin(loaded.conversation)
    return _saved(follower)


def _saved(follower: FileFollower) -> FileFollower:
    """Save what had come into a file while nobody followed it; the session tells if it can't be."""
    with suppress(NotSaved):
        follower.session.sync()
    return follower


def _made_before(library: Library, path: str) -> Session | None:
    """Return the newest session of the first conversation of a file, if there is one."""
    entries = (one for one in library.list() if one.source == path and one.problem is None)
    made = next((one for one in entries if one.part == 0), None)
    return None if made is None else open_session(library, made.id)
