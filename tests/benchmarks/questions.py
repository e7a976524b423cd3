"""Questions about a conversation, on a path of ten thousand batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ctxtui.core import Batch, BatchStart, Conversation
from tests.benchmarks.clock import quickest
from tests.benchmarks.logs import EDITS, SEED, Logs, replaces, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.rivals import IndexArrays
from tests.benchmarks.table import Report, Target, micro, show, size_name, times

PATH = 10_000
RECENT = 3
GROWTH = 2.0
ASKED = 40


@dataclass(frozen=True)
class Answer:
    """Seconds to answer a question, and to answer it the plain way where there is one."""

    engine: float
    plain: float | None = None


LAST, TOTAL, FIGURES = f"last {RECENT} of a role", "visible token total", "tokens, with notCounted"
BLAME, FIND = "blame of a hidden message", f"a batch number among {PATH:,}"
IN_RUNS = (LAST, TOTAL, FIGURES)
"""Questions promised to cost what the runs of a view cost, whatever its length."""


def measure(size: int) -> dict[str, Answer]:
    """Return how long each question takes on one log."""
    logs = Logs(size, IndexArrays)
    while len(logs.conversation.path) <= PATH:
        logs.conversation.execute(BatchStart())
    with settled():
        return _measure(logs)


def _measure(logs: Logs[IndexArrays]) -> dict[str, Answer]:
    conversation = logs.conversation
    random = Random(SEED)
    numbers = [int(random.random() * PATH) for _ in range(ASKED)]
    hidden = [edit.index or 0 for edit in replaces(EDITS, logs.size)]
    batches = list(conversation.batches)
    few = [0, 0, 0]

    def recent(_: int) -> object:
        return conversation.query.recent(RECENT, roles="user")

    def recent_plain(_: int) -> object:
        return _recent(logs)

    def figures_plain(_: int) -> object:
        return sum([logs.rival.tokens[raw] for raw in logs.rival.view])

    return {
        LAST: Answer(quickest(recent, numbers), quickest(recent_plain, numbers)),
        TOTAL: Answer(
            quickest(lambda _: conversation.current.tokens, numbers),
            plain := quickest(figures_plain, few, rounds=3),
        ),
        FIGURES: Answer(quickest(lambda _: conversation.tokens, few), plain),
        BLAME: Answer(quickest(conversation.blame, hidden)),
        FIND: Answer(
            quickest(lambda number: conversation.path[number], numbers),
            quickest(lambda number: _walk(batches, conversation, number), numbers, rounds=3),
        ),
    }


def _recent(logs: Logs[IndexArrays]) -> list[int]:
    """Return the last few of a role by looking at one message after the other."""
    found: list[int] = []
    for raw in reversed(logs.rival.view):
        if logs.rival.log[raw].role == "user":
            found.append(raw)
            if len(found) == RECENT:
                break
    return found[::-1]


def _walk(batches: Sequence[Batch], conversation: Conversation, number: int) -> Batch:
    """Return a batch of the path by going from parent to parent."""
    batch = batches[conversation.current.batch]
    while batch.number > number and batch.parent is not None:
        batch = batches[batch.parent]
    return batch


def report(small: int, large: int, out: Report) -> None:
    """Measure, print the table and note the targets."""
    before, after = apart(measure, small), apart(measure, large)
    names = [size_name(small), size_name(large)]
    span = f"{names[0]}→{names[1]}"
    rows = []
    for question, first in before.items():
        last = after[question]
        growth = last.engine / first.engine
        said = ["", ""]
        if question in IN_RUNS:
            target = Target(f"growth {span} of {question}", growth, "×", GROWTH)
            said = [f"≤ {GROWTH:g}× (runs only)", out.judge(target)]
        ratio = "–" if last.plain is None else times(last.plain / last.engine)
        rows.append(
            [question, micro(first.engine), micro(last.engine), times(growth), ratio, *said]
        )
    show(
        f"Questions, on a path of {PATH:,} batches: µs each",
        [
            "the plain way: the visible messages one after the other, the path from the end",
            f"{TOTAL}: carried with the revision; {FIGURES}: Conversation.tokens",
        ],
        ["question", *names, span, f"× plain way {names[1]}", "target", ""],
        rows,
    )
