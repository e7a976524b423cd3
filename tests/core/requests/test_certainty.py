"""Proven means that nothing else fits: rivals are tried over the recorded bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests import Recorder
from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.managers import Run
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import Row, answer, chat, exchange_of, said

FILES = sorted((VECTORS / "threads").glob("*.jsonl")) + sorted(
    (VECTORS / "requests").glob("*.jsonl")
)
HIDING = {"COMPRESS", "TRUNCATE", "DELETE"}
MOST_REPLACED = 3


def rivals(
    old: Sequence[bytes], new: Sequence[bytes], answered: bytes | None
) -> Iterator[tuple[int, int, int]]:
    """Yield all ways to hide a run, put some messages there, and append the rest.

    That is every TRUNCATE, DELETE, COMPRESS, INSERT and APPEND, and every pair with an APPEND. One
    that hides what it adds again explains nothing, and an answer is later than what was asked.
    """
    size = len(old)
    for start, end in ((a, b) for a, b in product(range(size + 1), repeat=2) if a <= b):
        for put in range(MOST_REPLACED + 1):
            middle = start + put
            rest = middle + size - end
            if rest > len(new) or new[:start] != old[:start] or new[middle:rest] != old[end:]:
                continue
            added = [*new[start:middle], *new[rest:]]
            if set(old[start:end]) & set(added):
                continue
            if answered in added and answered in new[start:middle] and end < size:
                continue
            if put and end == size:
                continue  # The same as appending it.
            if start < end or put or start == 0:
                yield start, end, put


def check(exchanges: Sequence[Exchange]) -> int:
    """Check that nothing fits beside what is called proven; return how much is."""
    recorder, reader = Recorder(BodyReader()), BodyReader()
    last: dict[int, tuple[list[bytes], bytes | None]] = {}
    proven = 0
    for exchange in exchanges:
        recorded = recorder.record(exchange)
        keys = [one.key for one in reader.parse_request(exchange).sent]
        response = reader.parse_response(exchange)
        before = last.get(recorded.thread.id)
        sure = {one.operation for one in recorded.explanations if one.certainty == "proven"}
        if (
            before is not None
            and not recorded.thread.is_side
            and sure
            and "carried" not in (recorded.facts.wire)
        ):
            names = {one.operation for one in recorded.explanations}
            ways = list(rivals(before[0], keys, before[1]))
            if names <= {"APPEND"} or (sure & HIDING and names <= {*HIDING, "APPEND"}):
                assert len(ways) <= 1, (recorded.explanations, ways)
                proven += 1
        answered = response.sent[0].key if response is not None and response.sent else None
        last[recorded.thread.id] = keys, answered
    return proven


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_else_explains_what_is_proven_of_a_real_run(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for row in rows:
        row.setdefault("t", row.get("time", 0) / 1000)
    assert check([exchange_of(row) for row in rows]) > 0


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_nothing_else_explains_what_is_proven_of_any_run(seed: int) -> None:
    run = Run(Random(seed), "a")
    check([run.turn() for _ in range(12)])


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
