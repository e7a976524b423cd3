"""A program that uses a library, to be killed: started by tests as a process of its own.

``serve FOLDER ID`` forks a child for each line it reads; the child edits the session as fast as it
can and prints how far it got after each confirmed step. ``hold FOLDER ID`` opens a session and
keeps it until its input ends. ``share FOLDER ID`` writes a session in turns with others.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from random import Random
from typing import Any

import orjson

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.journal import Record
from ctxtui.core.storage import Library, Locked, Session, StorageError
from tests.storage.samples import append, said

FOLD_AT = 3_000


def say(*words: object) -> None:
    """Print a line in one piece, at once."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class Trail:
    """A checksum of a journal that goes on as the journal does."""

    def __init__(self) -> None:
        self._sum = blake2b(digest_size=8)
        self.length = 0

    def follow(self, records: list[Record]) -> str:
        for record in records:
            self._sum.update(orjson.dumps(record.to_dict()))
        self.length += len(records)
        return self._sum.hexdigest()


def some_edit(conversation: Conversation, random: Random) -> Any:
    """Return an operation, or a list of them, that is mostly legal."""
    shown = list(conversation.view) or [0]
    kind = random.choice(("append", "append", "edit", "list", "move", "move"))
    match kind:
        case "append":
            return append(*(f"text {random.random()}" for _ in range(random.randint(1, 3))))
        case "edit":
            at, text = random.randrange(len(shown)), f"other {random.random()}"
            return random.choice(
                [
                    {"operation": "REPLACE", "index": at, "message": said("assistant", text)},
                    {"operation": "TRUNCATE", "keepLast": random.randint(1, 12)},
                    {"operation": "MARK", "indices": [shown[at]], "label": "seen"},
                    {"operation": "DELETE", "indices": [shown[at]]},
                ]
            )
        case "list":
            return [append("in a list"), {"operation": "BATCH_START"}, append("and after")]
    back = {"operation": "ROLLBACK", "targetBatchIndex": random.randrange(len(conversation.path))}
    return random.choice([back, {"operation": "UNDO"}, {"operation": "REDO"}])


def edit_for_ever(session: Session, random: Random) -> None:
    """Edit, confirm, and print how far the journal is on disk, until somebody ends it."""
    trail = Trail()
    while True:
        try:
            session.conversation.execute(some_edit(session.conversation, random))
        except Refused:
            continue
        if random.random() < 0.3:
            continue  # Several changes are confirmed at once.
        if random.random() < 0.2:
            session.save()
        else:
            session.sync()
        told = trail.follow(list(session.conversation.journal[trail.length :]))
        say("confirmed", trail.length, told)


def serve(library: Library, id: str) -> None:
    """Fork an editing child for each seed that is read, and say when it is gone."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            edit_for_ever(library.open(id), Random(int(line)))
        say("child", child)
        os.waitpid(child, 0)
        say("gone")


def hold(library: Library, id: str) -> None:
    """Keep a session open, editing it once for each line that is read."""
    with library.open(id) as session:
        say("holding", os.getpid())
        for line in sys.stdin:
            session.execute(append(line.strip()))
            say("confirmed")


def share(library: Library, id: str) -> None:
    """Open a session again and again, as soon as nobody else has it, and add to it."""
    random = Random(os.getpid())
    for turn in count():
        try:
            session = library.open(id)
        except Locked:
            continue
        if session.id != id:
            say("recovered", session.id, *session.notes)
            return
        waiting = []
        for number in range(random.randint(1, 20)):
            waiting.append(f"{os.getpid()}:{turn}:{number}")
            session.change(append(waiting[-1]))
            with suppress(StorageError):  # The next one tries to save them all.
                session.sync()
                say("confirmed", *waiting)
                waiting = []
        try:
            (session.close if random.random() < 0.5 else session.abandon)()
        except StorageError:
            session.abandon()


if __name__ == "__main__":
    doing, folder, name = sys.argv[1:]
    {"serve": serve, "hold": hold, "share": share}[doing](Library(folder, fold_at=FOLD_AT), name)
