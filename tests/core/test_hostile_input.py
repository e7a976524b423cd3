"""Input nobody would write by hand: each is refused in a sentence, or does no harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Append, Conversation, Delete, Message, Refused, Toggle
from ctxtui.core.errors import format_value
from ctxtui.core.formats import dump_json, format_named
from ctxtui.core.formats.native import Native
from ctxtui.core.scripts import Script
from ctxtui.core.values.frozen import FrozenDict
from tests.core.samples import five

HUGE = 10**5000
LONG = 10**4000
CONFIG = {"enabled": True, "threshold": LONG, "targetTokens": 1}


def deep(levels: int) -> list[Any]:
    """Return a list in a list in a list."""
    return [deep(levels - 1)] if levels else []


def with_reference(run: list[int]) -> dict[str, Any]:
    """Return a native file whose first operation names its messages by a run."""
    create = {"operation": "CREATE", "messages": {"raw": [run]}}
    record = {"operation": create, "time": 0, "counter": "bytes/4", "counts": []}
    return {"format": "ctxtui", "version": 1, "messages": [], "journal": [record]}


@pytest.mark.parametrize(
    "operation",
    [
        {"operation": "CLEAR", "self": 1},
        {"operation": "CLEAR", "\ud800": 1},
        {"operation": "CLEAR", "data": 1},
        {"operation": "\u017felect", "indices": [0]},
        {"operation": "TRUNCATE", "keepLast": HUGE},
        {"operation": "TRUNCATE", "range": {"start": HUGE, "end": 1}},
        {"operation": "DELETE", "indices": [HUGE]},
        {"operation": "DELETE", "indices": range(10**30)},
        {"operation": "TOGGLE", "skip": [HUGE]},
        {"operation": "INSERT", "position": 0, "messages": range(3)},
        {"operation": "CONFIGURE", "tokenLimit": HUGE},
        {"operation": "clear", "clear": {"operation": HUGE}},
        {"operation": "CLEAR", HUGE: 1},
        {"operation": "clear", "clear": {}, HUGE: 1},
        {"operation": "APPEND", "messages": [{"role": "user", "content": "x", HUGE: 1}]},
    ],
)
def test_an_odd_operation_is_refused_and_changes_nothing(operation: dict[Any, Any]) -> None:
    conversation = five()
    before = conversation.copy()
    with pytest.raises(Refused) as caught:
        conversation.execute(operation)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert conversation == before


def test_what_is_accepted_can_be_saved() -> None:
    for bad in (HUGE, -1):
        with pytest.raises(Refused):
            Message("user", "x", timestamp=bad)
        with pytest.raises(Refused):
            five().record_usage(bad)
    big = Conversation([Message("user", "x", metadata=FrozenDict(n=10**4000))])
    data = json.loads(dump_json(format_named("native").write(big).data))
    assert Native().read_one(data).conversation == big


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.view[HUGE],
        lambda c: c.path[HUGE],
        lambda c: c.log[HUGE],
        lambda c: c.messages([HUGE]),
        lambda c: c.blame(HUGE),
        lambda c: c.at(HUGE),
        lambda c: c.snapshot(HUGE),
        lambda c: c.on_path(HUGE),
        lambda c: c.diff(HUGE, 0),
        lambda c: c.query.recent(HUGE),
        lambda c: c.query.search(HUGE),
        lambda c: c.lint(HUGE),
        lambda c: c.append(HUGE, "x"),
        lambda c: Conversation(meta={"n": HUGE}),
        lambda c: Conversation(settings={"tokenLimit": HUGE}),
        lambda c: Conversation(settings={"compressionConfig": {"threshold": HUGE}}),
        lambda c: Conversation(settings={"tokenLimit": 1, "compressionConfig": CONFIG}),
        lambda c: Conversation.replay([{"time": HUGE}]),
        lambda c: Native().read_one({"format": "ctxtui", "version": HUGE}),
        lambda c: Native().read_one(with_reference([HUGE, HUGE])),
        lambda c: Native().read_one(with_reference([0, -HUGE])),
    ],
)
def test_a_number_of_thousands_of_digits_is_refused_in_a_sentence(
    ask: Callable[[Conversation], object],
) -> None:
    with pytest.raises((Refused, IndexError)) as caught:
        ask(five())
    assert "4300" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("time", [-5, 1.5, "now", None, True])
def test_a_clock_that_tells_no_time_is_refused(time: Any) -> None:
    with pytest.raises(Refused, match="clock"):
        Conversation(clock=lambda: time)


@pytest.mark.parametrize(
    "value", [HUGE, range(3), object(), float("nan"), deep(900)], ids=format_value
)
def test_the_report_of_a_step_nobody_could_read_is_ready_for_json(value: Any) -> None:
    script = Script.from_dict({"steps": [{"operation": "CLEAR", "odd": value, "refused": True}]})
    (report,) = script.take(script.start())
    assert report.ok
    assert json.loads(json.dumps(report.to_dict()))["ok"] is True


def test_frozen_values_can_not_be_made_anew() -> None:
    message = Message.from_dict({"role": "user", "content": "x", "metadata": {"a": 1}})
    assert message.metadata is not None
    with pytest.raises(TypeError, match="frozen"):
        message.metadata.__init__({"a": 2})  # type: ignore[misc]
    assert message.metadata == {"a": 1}


def test_every_new_revision_above_the_limit_is_told_also_by_a_toggle() -> None:
    conversation = five(tokenLimit=3)
    for text in ("a", "b", "c"):
        conversation.execute(Append(messages=[{"role": "user", "content": text}]))
    result = conversation.execute(Toggle(skip=[1]))
    assert [notice.kind for notice in result.notices] == ["overLimit", "overLimit"]


def test_an_index_named_twice_among_many_is_found_at_once() -> None:
    many = Conversation([{"role": "user", "content": "m"}] * 50_000)
    with pytest.raises(Refused, match="indices names 49999 twice"):
        many.execute(Delete(indices=[*range(50_000), 49_999]))


def test_thousands_of_parallel_calls_are_linted_at_once() -> None:
    calls = [
        {"type": "tool_use", "tool_use": {"id": f"c{i}", "name": "f", "input": {}}}
        for i in range(20_000)
    ]
    results = [
        {"type": "tool_result", "tool_result": {"tool_use_id": f"c{i}", "content": "r"}}
        for i in range(20_000)
    ]
    conversation = Conversation(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
        ]
    )
    assert conversation.lint() == []
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1, "keepPairs": "drop"})
    assert conversation.view == []
