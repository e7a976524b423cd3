"""Proven means that nothing else fits: rivals are tried over the recorded bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.engine.views import View
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests import Recorder
from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.managers import Run
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import Row, answer, chat, exchange_of, said

FILES = [
    *sorted((VECTORS / "threads").glob("*.jsonl")),
    *sorted((VECTORS / "requests").glob("*.jsonl")),
    *sorted((VECTORS / "seen").glob("*_[ct]o*.jsonl")),
]
MOST_WAYS = 5_000
"""Ways to keep equal messages that are tried; with more of them nothing is called proven."""


class Rival(NamedTuple):
    """An explanation by one operation or two: which old message each new one is, by position."""

    kept: Mapping[int, int]

    def hidden(self, old: int) -> set[int]:
        return set(range(old)) - set(self.kept.values())

    def added(self, new: int) -> set[int]:
        return set(range(new)) - set(self.kept)


def rivals(
    old: Sequence[bytes], new: Sequence[bytes], answered: bytes | None, most: int = 2
) -> Iterator[Rival]:
    """Yield all ways in which so many operations lead from some messages to others.

    None hides what it adds again, which explains nothing; so ways differ in which of several equal
    messages they keep. None adds an answer before what it answers, nor swaps equal messages.
    """
    ways = []
    for key in dict.fromkeys(old):
        olds = [at for at, one in enumerate(old) if one == key]
        news = [at for at, one in enumerate(new) if one == key]
        size = min(len(olds), len(news))
        pairs = product(combinations(news, size), combinations(olds, size))
        ways.append([dict(zip(*pair, strict=True)) for pair in pairs])
    count = prod(map(len, ways))
    assert count <= MOST_WAYS, "too many equal messages"
    for chosen in product(*ways):
        found = Rival({place: at for part in chosen for place, at in part.items()})
        if _operations(found, len(old), len(new)) > most:
            continue
        last = max(found.kept, default=-1)
        if answered is None or not any(new[at] == answered for at in found.added(last + 1)):
            yield found


def _operations(rival: Rival, old: int, new: int) -> int:
    """Return how few operations do it: SELECT, DELETE, REPLACE, COMPRESS, INSERT and APPEND."""
    order = [rival.kept[place] for place in sorted(rival.kept)]
    hidden, added = rival.hidden(old), sorted(rival.added(new))
    runs = [at for at in added if at - 1 not in added]
    if order != sorted(order):
        return 1 + len(runs)
    places = []
    for start in runs:
        before = [rival.kept[place] for place in rival.kept if place < start]
        places.append(max(before, default=-1) + 1)
    swaps = sum(place in hidden for place in places)
    if not hidden:
        return len(runs)
    return max(1, swaps) + len(runs) - swaps


def check(exchanges: Sequence[Exchange]) -> int:
    """Check that nothing else fits what is called proven; return how many such steps there are."""
    recorder, reader = Recorder(BodyReader()), BodyReader()
    last: dict[int, tuple[list[bytes], bytes | None, View]] = {}
    proven = 0
    for exchange in exchanges:
        recorded = recorder.record(exchange)
        thread, conversation = recorded.thread.id, recorder.conversation(recorded.thread.id)
        assert conversation is not None
        keys = [one.key for one in reader.parse_request(exchange).sent]
        view = conversation.revisions[recorded.revision].view
        if thread in last and len(view) == len(keys) and not recorded.facts.wire.get("carried"):
            old, answered, before = last[thread]
            now = list(view)
            for step, operation in zip(recorded.explanations, recorded.operations, strict=False):
                if step.certainty != "proven" or operation.title not in CHECKED:
                    continue
                hidden, added = _effect(operation, before, now)
                for rival in rivals(old, keys, answered):
                    assert hidden <= rival.hidden(len(old)), (recorded.explanations, rival)
                    assert added <= rival.added(len(keys)), (recorded.explanations, rival)
                proven += 1
        response = reader.parse_response(exchange)
        answered = response.sent[0].key if response is not None and response.sent else None
        if len(view) == len(keys):
            last[thread] = keys, answered, view
        else:
            last.pop(thread, None)
    return proven


CHECKED = ("APPEND", "COMPRESS", "DELETE", "INSERT", "REDACT", "REPLACE", "TRUNCATE")


def _effect(operation: Any, before: View, now: list[int]) -> tuple[set[int], set[int]]:
    """Return which old positions an operation hides, and at which new ones its messages are."""
    gone = [before.position(raw) for raw in getattr(operation, "indices", None) or ()]
    hidden = {at for at in gone if at is not None and before[at] not in now}
    if operation.title == "APPEND":
        size = len(operation.messages)
        return set(), set(range(len(now) - size, len(now)))
    return hidden, set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_else_explains_what_is_proven_of_a_real_run(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for row in rows:
        row.setdefault("t", row.get("time", 0) / 1000)
    found = check([exchange_of(row) for row in rows])
    assert found > 0 or file.stem == "ag-team"  # Its two agents are only told apart at the end.


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_nothing_else_explains_what_is_proven_of_any_run(seed: int) -> None:
    run = Run(Random(seed), "a")
    check([run.turn() for _ in range(12)])


@pytest.mark.parametrize("seed", [365, 409, 595, 3800, 5816])
def test_messages_that_were_said_twice_prove_nothing(seed: int) -> None:
    """Each of these runs was once explained by what a rival refutes."""
    run = Run(Random(seed), "a")
    assert check([run.turn() for _ in range(12)]) > 0


YES, MORE = said("user", "yes"), said("user", "go on")


@pytest.mark.parametrize(
    ("first", "second", "response"),
    [
        ([YES], [YES, said("assistant", "ok"), YES], None),
        ([MORE, YES], [MORE, YES, MORE, YES], None),
    ],
)
def test_what_could_have_been_inserted_is_not_proven(
    first: list[Row], second: list[Row], response: Row | None
) -> None:
    recorder = Recorder(BodyReader())
    recorder.record(chat(*first, response=response, tag="t"))
    found = recorder.record(chat(*second, tag="t"))
    assert [(one.operation, one.certainty) for one in found.explanations] == [("APPEND", "likely")]


def test_an_answer_shows_that_the_same_words_came_again() -> None:
    recorder = Recorder(BodyReader())
    recorder.record(chat(YES, response=answer("ok"), tag="t"))
    found = recorder.record(chat(YES, said("assistant", "ok"), YES, tag="t"))
    assert [(one.operation, one.certainty) for one in found.explanations] == [("APPEND", "proven")]


def test_a_summary_of_something_else_proves_nothing() -> None:
    prompt = said("system", "You keep the minutes of the garden society.")
    told = [said("user", f"Point {n} was about plant number {n} in bed {n}.") for n in range(6)]
    title = "A short title for another talk altogether"
    asks = said("user", "Name the talk we had about the pond and its fish last year.")
    lone = chat(said("system", "You name talks."), asks, response=answer(title), tag="t")
    recorder = Recorder(BodyReader())
    recorder.record(chat(prompt, *told, tag="t"))
    assert recorder.record(lone).thread.role == "sideCalls"
    holds = said("user", f"See also: {title}.")
    found = recorder.record(chat(prompt, holds, *told[4:], said("user", "Go on."), tag="t"))
    steps = [(one.operation, one.certainty) for one in found.explanations]
    assert steps[0] == ("COMPRESS", "likely")


@pytest.mark.parametrize("is_first", [True, False])
def test_an_answer_that_is_only_quoted_is_no_summary(is_first: bool) -> None:
    prompt = said("system", "You write about the river.")
    thoughts = [f"Here is thought {n} about the long and winding river." for n in range(4)]
    rows = [said("user", thought) for thought in thoughts]
    verse = "Slowly the river runs past the mill, and never comes back."
    recorder = Recorder(BodyReader())
    recorder.record(chat(prompt, *rows, response=answer(verse), tag="t"))
    quoted = said("user", f"You wrote: {verse} Make it shorter, please.")
    both = [quoted, said("assistant", verse)]
    found = recorder.record(chat(prompt, *(both if is_first else both[::-1]), tag="t"))
    assert "proven" not in [
        one.certainty for one in found.explanations if one.operation == "COMPRESS"
    ]


@pytest.mark.parametrize("is_answered", [True, False])
def test_what_follows_a_likely_cut_is_only_proven_by_the_answer(is_answered: bool) -> None:
    rows = [said("user", f"Thing {n} to remember about the river.") for n in range(4)]
    reply = said("assistant", "I will remember all four of these things.")
    recorder = Recorder(BodyReader())
    recorder.record(chat(*rows, response=answer(reply) if is_answered else None, tag="t"))
    found = recorder.record(chat(*rows[2:], reply, MORE, tag="t"))
    assert [(one.operation, one.certainty) for one in found.explanations] == [
        ("TRUNCATE", "likely"),
        ("APPEND", "proven" if is_answered else "likely"),
    ]


def test_what_was_said_again_after_a_way_back_may_be_what_was_left() -> None:
    """The same answer to the same question: it is new, or the old state was gone back to."""
    ask, more = said("user", "Which bed?"), said("user", "And now?")
    old, later = said("assistant", "The left one."), said("assistant", "The right one.")
    rows = [([ask], old), ([ask, old, more], later), ([ask], old), ([ask, old, more], later)]
    recorder = Recorder(BodyReader())
    made = [recorder.record(chat(*sent, response=answer(row), tag="t")) for sent, row in rows]
    (step,) = made[-1].explanations
    assert (step.operation, step.certainty) == ("APPEND", "likely")
    new = chat(*rows[-1][0], later, said("user", "Thanks."), response=answer("Bye."), tag="t")
    assert recorder.record(new).explanations[-1].certainty == "proven"
