"""Pane 3 with the timeline in focus: the batch, before and after, and every message that moved."""

from __future__ import annotations

import json
from typing import Any

from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.scripts import Script
from ctxtui.inspector.drawing.batch import StorySource
from ctxtui.inspector.models.batch_story import BatchStory
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Frame, Look
from ctxtui.inspector.panes import BatchPane
from ctxtui.text.symbols import unsafe
from tests.ui.hostility import HOSTILE, LABEL
from tests.ui.opening import TOUR, lines, listed, opened, painted

FIVE = [{"role": "user", "content": str(number)} for number in range(5)]
WIDTH = 68


def whole_tour() -> Conversation:
    """Return the tour with its last cut, which breaks a tool call."""
    return Script.from_dict(json.loads(TOUR.read_text(encoding="utf-8"))).run()


def told(look: Look, width: int = WIDTH, *, is_open: bool = False) -> list[str]:
    """Return what the pane shows of a look."""
    errors = ErrorCounts(look.conversation)
    errors.prepare(look.conversation.revisions)
    source = StorySource(BatchStory(look, errors), width, 99, is_open=is_open)
    shown = ["".join(piece.text for piece in source.line(at, width)) for at in range(len(source))]
    assert all(cell_len(line.rstrip()) <= width for line in shown)
    return shown


def of_batch(conversation: Conversation, batch: int, width: int = WIDTH) -> str:
    return "\n".join(told(Look.at_batch(conversation, batch), width))


def of_record(conversation: Conversation, place: int) -> str:
    return "\n".join(told(Frame(conversation, place)))


# What is told


def test_a_batch_is_told_with_fields_figures_runs_and_the_difference_to_now() -> None:
    shown = of_batch(whole_tour(), 2)
    for words in (
        "COMPRESS  indices 3–9  summary 1 message",
        "then APPEND 5 messages, 19–23",
        "messages     16 →    15",
        "10 after it, 5 appended",
        "tokens      441 →   287",
        "−154  bytes/4",
        "no error came or went",
        "breaks at 3, 226 again",
        "− 3–9      7 messages  ◆4 ↳3",
        "−296",
        "+ 18       ◆ asst Summary: the test failed",
        "+ 19–23    5 appended  ❯1 ◆2 ↳2",
        "Against now, batch 4  10 only here  6 only in 4  ★ 10 only here",
    ):
        assert words in shown


def test_a_batch_that_breaks_something_says_so_and_the_newest_one_is_now() -> None:
    shown = of_batch(whole_tour(), 5)
    assert "✓ →    ✖1" in shown
    assert "1 error came" in shown
    assert shown.endswith("This is now.")


def test_the_first_batch_is_what_it_started_with() -> None:
    shown = of_batch(Conversation(FIVE), 0)
    assert shown.startswith("START  5 messages\n")
    assert "+ 0–4      5 messages  ❯5" in shown


def test_a_name_that_was_given_to_a_batch_is_told() -> None:
    conversation = Conversation(FIVE)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    assert "first cut" not in of_batch(conversation, 1)
    conversation.execute({"operation": "DESCRIBE", "batch": 1, "text": "first cut"})
    assert "first cut" in of_batch(conversation, 1)


def test_more_runs_than_fit_are_counted() -> None:
    conversation = Conversation(FIVE * 8)
    conversation.execute({"operation": "DELETE", "indices": list(range(0, 40, 2))})
    assert "… 14 messages more; enter lists them all" in of_batch(conversation, 1)


def test_moved_messages_are_neither_lost_nor_new() -> None:
    conversation = Conversation(FIVE)
    conversation.execute({"operation": "SELECT", "indices": [4, 0, 1, 2, 3]})
    assert "~ 4        ❯ user 4" in of_batch(conversation, 1)


def test_an_open_pane_lists_every_message_and_the_fields_that_were_not_given() -> None:
    shown = told(Look.at_batch(whole_tour(), 2), is_open=True)
    rows = [line for line in shown if line[:1] in "−+" and line[:1]]
    assert len(rows) == 13
    assert any("keepPairs –" in line for line in shown)


def test_nothing_is_cut_in_half_a_screen() -> None:
    for width in (40, 46, 60, 100):
        assert "226 again" in of_batch(whole_tour(), 2, width)


def test_hostile_text_is_only_text() -> None:
    conversation = Conversation([{"role": "user", "content": HOSTILE}, *FIVE])
    conversation.execute({"operation": "DELETE", "indices": [0], "description": HOSTILE})
    conversation.execute({"operation": "MARK", "indices": [0], "label": LABEL})
    conversation.execute({"operation": "FILTER", "contentExcludes": [HOSTILE]})
    conversation.execute({"operation": "CONFIGURE", "toolDescription": HOSTILE})
    for place in range(len(conversation.journal)):
        shown = of_record(conversation, place).replace("\n", "")
        assert unsafe(shown) is None
    for batch in conversation.batches:
        assert unsafe(of_batch(conversation, batch.id).replace("\n", "")) is None


# A line of the journal


def test_each_kind_of_record_is_told_with_what_it_changed() -> None:
    conversation = Conversation(FIVE, {"tokenLimit": 100})
    steps: list[Any] = [
        {"operation": "MARK", "indices": [1, 2], "label": "keep"},
        {"operation": "CONFIGURE", "tokenLimit": 50, "profile": "openai"},
        {"operation": "TRUNCATE", "keepLast": 2},
        {"operation": "DESCRIBE", "batch": 1, "text": "short"},
        {"operation": "ROLLBACK", "targetBatchIndex": 0},
        {"operation": "UNDO"},
        {"operation": "REDO"},
        {"operation": "UNMARK", "indices": [1], "label": "keep"},
        [{"operation": "CLEAR"}, {"operation": "APPEND", "messages": FIVE[:1]}],
    ]
    for step in steps:
        conversation.execute(step)
    conversation.record_usage(120, 30, request="r-1")
    shown = [of_record(conversation, place) for place in range(len(conversation.journal))]
    assert shown[0].startswith("START  5 messages  tokenLimit 100")
    assert "null" not in shown[0]
    assert "★ keep  now on raw 1–2" in shown[1]
    assert "tokenLimit 100 → 50" in shown[2]
    assert "profile generic → openai" in shown[2]
    assert "− 0–2      3 messages" in shown[3]
    assert "batch #1 is now called “short”" in shown[4]
    assert "+ 0–2      3 shown again" in shown[5]
    assert "− 0–2" in shown[6]
    assert "+ 0–2" in shown[7]
    assert "− keep  no longer on raw 1" in shown[8]
    assert "LIST of 2  one change" in shown[9]
    assert "USAGE  prompt 120  completion 30  request r-1" in shown[10]


# In the app


async def test_the_timeline_shows_the_batch_in_pane_three_and_the_lists_the_message() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("4", "k", "k", "k")
        pane = screen.query_one(BatchPane)
        assert pane.display
        assert not screen.query_one("#message").display
        assert "╭─  3 Batch 1 ──" in painted(screen)
        assert "─ #2  parent 0  " in painted(screen)
        assert "COMPRESS" in lines(screen, "batch")[0]
        await pilot.press("2")
        assert [screen.query_one(name).display for name in ("#message", "#batch")] == [True, False]


async def test_enter_goes_into_the_batch_and_on_to_a_message_and_escape_comes_out() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("4", "k", "k", "k", "enter")
        pane = screen.query_one(BatchPane)
        assert pane.has_focus
        assert pane.key == 3
        assert screen.look.batch.number == 1
        await pilot.press("escape")
        assert listed(screen, "timeline").has_focus
        assert not screen.look.is_live
        await pilot.press("enter", "j", "j", "enter")
        assert screen.explorer.raw == 5
        assert listed(screen, "raw").has_focus
        assert not screen.look.is_live
        await pilot.press("escape")
        assert screen.look.is_live


async def test_on_a_narrow_screen_the_batch_is_below_the_timeline_until_one_goes_in() -> None:
    async with opened(whole_tour(), size=(80, 24)) as (pilot, screen):
        await pilot.press("4", "k", "k", "k", "enter")
        pane = screen.query_one(BatchPane)
        assert pane.has_focus
        assert pane.key == 3
        assert not listed(screen, "timeline").display
        await pilot.press("escape")
        assert listed(screen, "timeline").display
        assert pane.display
        assert pane.region.y >= listed(screen, "timeline").region.bottom


async def test_a_click_into_the_timeline_shows_the_batch_too() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.click("#timeline", offset=(10, 4))
        assert screen.explorer.pane == "timeline"
        assert screen.query_one(BatchPane).display


async def test_errors_of_long_batches_are_counted_behind_the_scenes() -> None:
    conversation = Conversation(FIVE * 1000)
    conversation.execute({"operation": "DELETE", "indices": [0]})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("4")
        panes = screen.explorer.panes
        while panes.errors is None or panes.errors.is_wanting:
            panes.count_errors()
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "no error came or went" in "\n".join(lines(screen, "batch"))
