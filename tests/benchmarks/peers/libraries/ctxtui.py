"""ctxtui itself: messages, a conversation with its history, and a session in a library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ctxtui.core import Append, Conversation, Message, Replace, Truncate
from ctxtui.core.formats import format_named, load
from ctxtui.core.formats.openai import read_chat
from ctxtui.core.storage import Library
from ctxtui.core.values.models import KeepPairs
from tests.benchmarks.peers.peer import CutWay, DiskWay, Peer, Place, Way, Work
from tests.benchmarks.peers.rows import Row, fresh_text
from tests.benchmarks.peers.tasks import KEPT, NEWEST


def conversation_of(rows: Sequence[Row]) -> Conversation:
    """Return the rows as a conversation, as any program would read them."""
    return load(list(rows), "openai").conversation


def _messages(rows: Sequence[Row]) -> Work:
    return Work(lambda: read_chat(rows)[0])


def _conversation(rows: Sequence[Row]) -> Work:
    return Work(lambda: conversation_of(rows), lambda made: len(made.log))


def _cut(rows: Sequence[Row], cut: Truncate) -> Work:
    conversation = conversation_of(rows)

    def run() -> list[Message]:
        conversation.execute(cut)
        return list(conversation.visible)

    return Work(run, renew=conversation.undo)


def _keep(rows: Sequence[Row]) -> Work:
    return _cut(rows, Truncate(keep_last=KEPT))


def _trim(rows: Sequence[Row]) -> Work:
    return _cut(rows, Truncate(max_tokens=conversation_of(rows).current.tokens // 2))


def _role(rows: Sequence[Row]) -> Work:
    conversation = conversation_of(rows)
    return Work(lambda: conversation.messages(conversation.query.recent(NEWEST, ["user"])))


def _replace(rows: Sequence[Row]) -> Work:
    conversation, message = conversation_of(rows), Message("user", fresh_text(0))

    def run() -> Conversation:
        conversation.execute(Replace(index=len(rows) // 2, message=message))
        return conversation

    return Work(run, lambda changed: len(changed.view))


def _make(rows: Sequence[Row], folder: Path) -> None:
    Library(folder).create(conversation_of(rows)).close()


def _open(folder: Path) -> Place:
    library = Library(folder)
    (entry,) = library.list()
    session = library.open(entry.id)

    def change(number: int) -> None:
        session.execute(Append(messages=[Message("user", fresh_text(number))]))

    return Place(change, session.close)


def _cut_way(call: str, pairs: KeepPairs) -> CutWay:
    def cut(rows: Sequence[Row], count: int) -> Sequence[Row]:
        conversation = conversation_of(rows)
        conversation.execute(Truncate(keep_last=count, keep_pairs=pairs))
        left: Sequence[Row] = format_named("openai").write(conversation).data
        return left

    return CutWay(call, cut)


BUILD = [
    Way("`read_chat(rows)`, messages only", _messages),
    Way('`load(rows, "openai").conversation`', _conversation),
]
PEER = Peer(
    "ctxtui",
    {
        "build-plain": BUILD,
        "build-tools": BUILD,
        "keep": [Way(f"TRUNCATE keepLast {KEPT}", _keep)],
        "trim": [Way("TRUNCATE maxTokens; bytes/4, counted when built", _trim)],
        "role": [Way(f'`c.query.recent({NEWEST}, ["user"])`', _role)],
        "replace": [Way("REPLACE", _replace)],
        "disk": [DiskWay("APPEND in a session of the library", _make, _open, syncs=True)],
        "cuts": [
            _cut_way("TRUNCATE keepLast", False),
            _cut_way("TRUNCATE keepLast, keepPairs `drop`", "drop"),
            _cut_way("TRUNCATE keepLast, keepPairs `extend`", "extend"),
        ],
    },
)
