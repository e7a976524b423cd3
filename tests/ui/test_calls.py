"""Calls in the app: ticks in the timeline, figures in the tokens view, words in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.calls.models.call import RecordedCalls
from ctxtui.calls.words import call_ticks, call_words
from ctxtui.core import Conversation
from ctxtui.core.engine.calls import Call
from ctxtui.inspector.drawing.batch import batch_text
from ctxtui.inspector.drawing.timeline import TimelineSource
from ctxtui.inspector.drawing.tokens import token_lines
from ctxtui.inspector.drawing.words import record_words
from ctxtui.inspector.models.batch_story import BatchStory
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Frame, Look
from ctxtui.inspector.models.player import PointerHistory
from ctxtui.text.icons import to_ascii
from ctxtui.text.lines import Line, Piece
from ctxtui.text.symbols import unsafe
from ctxtui.widgets.styled import KINDS
from tests.ui.hostility import HOSTILE
from tests.ui.opening import lines as painted_lines
from tests.ui.opening import opened, painted

SIZES = (30, 42, 64, 78, 100, 140)
TOOLS = [{"name": "run", "description": "d" * 67}]
"""Definitions of 100 bytes in all, so 25 tokens."""


def said(role: str, tokens: int) -> dict[str, Any]:
    return {"role": role, "content": "abcd" * tokens}


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def shown(lines: Sequence[Line]) -> list[str]:
    return [text(line).rstrip() for line in lines]


def call(**given: Any) -> Call:
    return Call(revision=0, time=0, **given)


def ticks(calls: Sequence[Call], cells: int) -> Line:
    return call_ticks(list(RecordedCalls(Conversation(), calls)), cells)


def measured(sent: int, cached: int) -> dict[str, int]:
    return {"input": sent, "cached": cached}


def worked() -> Conversation:
    """Return 3 calls in batch 0, 1 on a branch that was left, none and then 12 on the path."""
    conversation = Conversation([said("system", 100), said("user", 200)], clock=lambda: 0)
    for cached in (0, 310, 320):
        conversation.record_call(model="m", tools=TOOLS, usage=measured(330, cached))
    conversation.execute({"operation": "CLEAR"})
    conversation.record_call(model="m", outcome="failed")
    conversation.rollback(0)
    conversation.execute({"operation": "DELETE", "indices": [1]})
    conversation.execute({"operation": "BATCH_START"})
    for _ in range(12):
        conversation.record_call(model="m", tools=TOOLS, usage=measured(150, 120))
    return conversation


def timeline(conversation: Conversation) -> TimelineSource:
    errors = ErrorCounts(conversation)
    errors.prepare(conversation.newest(one) for one in conversation.batches)
    return TimelineSource(Look(conversation), errors)


def test_a_call_is_a_tick_that_is_red_where_it_broke_a_cache() -> None:
    calls = [
        call(usage=measured(100, 10)),
        call(usage=measured(100, 50)),
        call(usage=measured(100, 99)),
        call(usage=measured(100, 20)),
        call(usage={"input": 100}),
        call(),
        call(usage=measured(100, 99), outcome="cut"),
    ]
    assert ticks(calls, 7) == [
        Piece("░", "muted"),
        Piece("║║", "ok"),
        Piece("░", "error"),
        Piece("╷╷", "muted"),
        Piece("╷", "warn"),
    ]
    assert to_ascii(text(ticks(calls, 7))) == ":||:,,,"


def test_the_recorder_knows_better_than_counts_whether_a_call_broke_a_cache() -> None:
    ruler = {"messages": 1, "tokens": 5, "total": 9}
    calls = [
        call(usage=measured(100, 99)),
        call(usage=measured(100, 0), wire={"cache": ruler}),
        call(usage=measured(100, 99), wire={"cache": {**ruler, "cause": "message 1 changed"}}),
    ]
    assert ticks(calls, 3) == [Piece("║", "ok"), Piece("░", "muted"), Piece("║", "error")]
    assert call_ticks([], 5) == [Piece("·", "faint")]


@pytest.mark.parametrize(
    ("count", "told"),
    [(6, "║║║║║║"), (7, "7 ║║║║"), (12, "12 ║║║"), (1_200, "1.2k ║"), (10**5, "100k ║")],
)
def test_more_calls_than_fit_are_a_count_and_the_newest(count: int, told: str) -> None:
    calls = [call(usage=measured(9, 0)), *([call(usage=measured(9, 9))] * (count - 1))]
    assert text(ticks(calls, 6)) == told.replace("║║║║║║", "░║║║║║")


def test_the_timeline_draws_the_calls_of_every_batch() -> None:
    source = timeline(worked())
    rows = [text(source.line(at, 100)) for at in range(4)]
    assert text(source.header(100) or []).split()[2:4] == ["calls", "add"]
    assert [row.split()[-7 if "━" in row else -6] for row in rows] == ["░║║", "╷", "·", "║║║"]
    assert " 12 ║║║ " in rows[3]
    assert {piece.kind for piece in source.line(1, 100)} <= {"faint", "text"}
    assert Piece("║║", "ok") in source.line(0, 100)


def test_the_bar_goes_before_the_calls_and_those_before_the_figures() -> None:
    source = timeline(worked())
    assert {"calls", "bar"} <= source.layout(100).figures
    assert source.layout(64).figures & {"calls", "bar"} == {"calls"}
    assert source.layout(50).figures == {"add", "hide", "vis", "tokens", "lint"}
    for width in SIZES:
        drawn = [source.header(width) or [], *(source.line(at, width) for at in range(4))]
        assert {cell_len(text(line)) for line in drawn} == {width}
        assert {piece.kind for line in drawn for piece in line} <= set(KINDS)


def test_without_calls_the_timeline_has_no_column_for_them() -> None:
    conversation = Conversation([said("user", 3)])
    conversation.record_usage(10)
    source = timeline(conversation)
    assert not source.layout(140).figures & {"calls"}


def test_the_newest_call_is_told_as_counted_here_and_by_the_provider() -> None:
    conversation = Conversation([said("system", 100), said("user", 200)])
    usage = {"input": 335, "cached": 0, "written": 320, "output": 9}
    conversation.record_call(model="some-model", tools=TOOLS, usage=usage)
    lines = shown(token_lines(Look(conversation), 100))
    assert "input               325        335   +3 %" in lines
    assert "cached                –          0" in lines
    assert "written               –        320" in lines
    assert "output                –          9" in lines
    assert "1 call on this path: 335 in, 0 % cached." in lines
    assert any("Newest call ─" in line and "some-model  batch 0" in line for line in lines)
    assert not any("provider said" in line for line in lines)
    assert "lifetime                344   1 request, as providers count" in lines


def test_what_a_cache_could_serve_is_the_prefix_of_the_call_before_with_its_tools() -> None:
    conversation = Conversation([said("system", 100), said("user", 200)])
    conversation.record_call(tools=TOOLS)
    conversation.append("user", "abcd" * 50)
    conversation.record_call(tools=TOOLS, usage=measured(380, 320))
    lines = shown(token_lines(Look(conversation), 100))
    assert "input               375        380   +1 %" in lines
    assert "cached              325        320   −2 %" in lines
    assert "2 calls on this path: 380 in, 84 % cached." in lines
    conversation.record_call(tools=[], usage=measured(350, 0))
    assert "cached                0          0" in shown(token_lines(Look(conversation), 100))


def test_an_earlier_batch_has_the_newest_call_of_its_own_path() -> None:
    conversation = worked()
    now, then = (shown(token_lines(look, 100)) for look in (Look(conversation), at(conversation)))
    assert any("m  batch 2  " in line for line in now)
    assert "15 calls on this path: 2.8k in, 74 % cached." in now
    assert any("m  batch 0  " in line for line in then)
    assert "3 calls on this path: 990 in, 64 % cached." in then
    branch = shown(token_lines(Look.at_batch(conversation, 1), 100))
    assert any(line.endswith("failed") for line in branch)


def at(conversation: Conversation) -> Look:
    return Look.at_batch(conversation, 0)


def test_usage_that_was_recorded_after_a_call_is_told_as_before() -> None:
    conversation = worked()
    conversation.record_usage(110)
    lines = shown(token_lines(Look(conversation), 100))
    assert "provider said           110   prompt of the newest request" in lines
    assert "counted then            100   by bytes/4, provider +10 %" in lines
    conversation.record_call(usage={})
    assert lines[:20] == shown(token_lines(Look(conversation), 100))[:20]


def test_figures_of_any_size_can_be_drawn() -> None:
    conversation = Conversation([said("user", 1)])
    conversation.record_call(usage=dict.fromkeys(("input", "cached", "written", "output"), 2**40))
    conversation.record_usage(10**4000)
    for width in SIZES:
        for line in shown(token_lines(Look(conversation), width)):
            assert cell_len(line) <= width


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ""),
        ({"outcome": "failed"}, "failed"),
        ({"usage": {"input": 1_200, "output": 7}}, "1,200 in, 7 out"),
        ({"usage": measured(9, 0), "outcome": "cut"}, "9 in, 0 cached, cut"),
    ],
)
def test_a_call_in_words_has_what_was_said_of_it(given: dict[str, Any], words: str) -> None:
    assert call_words(call(**given)) == words


def test_the_journal_and_the_batch_pane_tell_a_call_shortly() -> None:
    conversation = worked()
    conversation.record_call(
        model="m" * 500,
        request="r1",
        tools=[{"name": "x" * 5_000}],
        parameters={"temperature": 0.5},
        usage=measured(9_000, 1),
        answer={"role": "assistant", "content": "y" * 5_000},
    )
    place = len(conversation.journal) - 1
    frame = Frame(conversation, place)
    assert record_words(conversation.journal[1]) == "CALL m, 330 in, 0 cached"
    assert len(record_words(conversation.journal[place])) < 120
    errors = ErrorCounts(conversation)
    told = " ".join(shown(batch_text(BatchStory(frame, errors), 100, is_whole=True).head))
    assert "CALL  revision 3  outcome complete" in told
    assert "request r1" in told
    assert "input 9,000  cached 1" in told
    assert "parameters an object with 'temperature'" in told
    assert "answer an object with 'role', 'content'" in told
    assert "xxx" not in told
    assert "yyy" not in told


def test_a_call_is_no_change_that_undo_could_reach() -> None:
    conversation = worked()
    conversation.undo()
    conversation.record_call()
    conversation.redo()
    journey = PointerHistory(conversation)
    journey.catch_up()
    last = len(conversation.journal) - 1
    undone = next(
        place
        for place, record in enumerate(conversation.journal)
        if record.operations[0].title == "BATCH_START"
    )
    assert journey.turned == {last - 2: undone, last: undone}


def test_hostile_names_are_only_text() -> None:
    conversation = Conversation([said("user", 3)])
    conversation.record_call(model=HOSTILE, request=HOSTILE, answer=HOSTILE, tools=[{HOSTILE: 1}])
    drawn = shown(token_lines(Look(conversation), 100))
    drawn += shown([timeline(conversation).line(0, 100)])
    drawn.append(record_words(conversation.journal[-1]))
    story = BatchStory(Frame(conversation, 1), ErrorCounts(conversation))
    drawn += shown(batch_text(story, 100, is_whole=True).head)
    assert [one for one in drawn if unsafe(one) is not None] == []


async def test_in_the_app_calls_are_seen_in_the_timeline_in_ascii_too() -> None:
    async with opened(worked()) as (pilot, screen):
        assert any("12 ║║║" in line for line in painted_lines(screen, "timeline"))
        await pilot.app.run_action("ascii")
        assert any("12 |||" in line for line in painted_lines(screen, "timeline"))


async def test_in_the_app_the_tokens_view_has_the_newest_call() -> None:
    async with opened(worked()) as (pilot, screen):
        await pilot.press("8")
        assert "15 calls on this path: 2.8k in, 74 % cached." in painted(screen)
