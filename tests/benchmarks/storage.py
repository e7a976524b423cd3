"""The library: what confirming, saving and opening cost, and what they do not depend on."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from ctxtui.core import Append, Conversation, Replace
from ctxtui.core.engine.messages import read_messages
from ctxtui.core.storage import Library
from ctxtui.core.values.times import gc_paused
from tests.benchmarks.clock import seconds
from tests.benchmarks.linting import turns
from tests.benchmarks.logs import fresh_message, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, micro, show, size_name, times

FEW, MANY, OTHERS = 100, 100_000, 100
ROUNDS, IN_A_ROUND, TRIES = 7, 20, 3
CONFIRMING, SAVING, OPENING = 3, 1.5, 3


def confirming(size: int) -> float:
    """Return the time of one operation that is confirmed on disk, in a session of some size."""
    with TemporaryDirectory() as folder:
        session = Library(folder).create(Conversation(turns(size)))

        def some() -> None:
            for number in range(IN_A_ROUND):
                session.execute(Append(messages=[fresh_message(number)]))
                session.execute(Replace(index=number, message=fresh_message(number)))

        with settled():
            some()
            return min(seconds(some) for _ in range(ROUNDS)) / IN_A_ROUND / 2


def saving(others: int) -> float:
    """Return the time to save a changed session beside some others."""
    with TemporaryDirectory() as folder:
        library = Library(folder)
        for _ in range(others):
            library.create(Conversation(turns(FEW))).close()
        session = library.create(Conversation(turns(10 * FEW)))

        def once() -> float:
            session.execute(Append(messages=[fresh_message(0)]))
            return seconds(session.save)

        with settled():
            return min(once() for _ in range(3 * ROUNDS))


def opening(size: int, one_by_one: bool) -> tuple[float, float]:
    """Return the time to open a session, and to parse its bytes and build its messages."""
    messages = turns(size)
    conversation = Conversation(messages[:1] if one_by_one else messages)
    for message in messages[1:] if one_by_one else ():
        conversation.execute(Append(messages=[message]))
    with TemporaryDirectory() as folder:
        library = Library(folder)
        with library.create(conversation) as session:
            path = Path(folder) / f"{session.id}.json"
        data = path.read_bytes()
        with settled():
            opened = min(seconds(lambda: library.open(session.id).close()) for _ in range(TRIES))
            with gc_paused():  # As when a session is opened.
                plain = min(seconds(lambda: _build(data)) for _ in range(TRIES))
    return opened, plain


def _build(data: bytes) -> None:
    read_messages(list(orjson.loads(data)["messages"].values()))


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    small, large = apart(confirming, FEW), apart(confirming, MANY)
    alone, beside = apart(saving, 0), apart(saving, OTHERS)
    imported, plain = apart(opening, MANY, False)
    grown, grown_plain = apart(opening, MANY, True)
    many = size_name(MANY)
    rows = []
    for name, value, base, bound in (
        (f"confirming an operation: {many} messages against {FEW}", large, small, CONFIRMING),
        (f"saving a session: beside {OTHERS} others against alone", beside, alone, SAVING),
        (f"opening {many} imported messages against building them", imported, plain, OPENING),
    ):
        said = out.judge(Target(name, value / base, "×", bound))
        rows.append([name, micro(base), micro(value), times(value / base), f"≤ {bound:g}×", said])
    name = f"the same, each message an APPEND of its own ({many} revisions)"
    ratio = times(grown / grown_plain)
    rows.append([name, micro(grown_plain), micro(grown), ratio, "", ""])
    show(
        "The library on disk: µs of the processor; waiting for the disk is not counted",
        ["building: orjson.loads of the file's bytes, then a Message for each row of messages"],
        ["", "base", "measured", "ratio", "target", ""],
        rows,
    )
