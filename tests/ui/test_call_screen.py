"""The call screen: its ways in, other calls, and where its keys lead."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.calls.models.call import RecordedCall
from ctxtui.calls.screen import CallScreen
from ctxtui.diff.screen import DiffScreen
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.text.symbols import unsafe
from ctxtui.what_if.screen import WhatIfScreen
from tests.core.requests.traffic import recorded
from tests.ui.hostility import called
from tests.ui.opening import listed, opened, painted, refusal, toasts
from tests.ui.sent_calls import coder
from tests.ui.test_bursts import burst
from tests.ui.test_call_models import read
from tests.ui.test_following import following, look, watched
from tests.ui.test_footers import told
from tests.ui.test_library import wait

SIZES = [(80, 24), (120, 40), (200, 60)]


def shown(pilot: Pilot[str]) -> CallScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CallScreen)
    return screen


async def test_a_key_shows_the_newest_call_up_to_what_is_looked_at() -> None:
    async with opened(coder()) as (pilot, screen):
        await pilot.press("I")
        assert shown(pilot).sheet.number == 5
        assert "CALL 5 of 5" in painted(shown(pilot))
        await pilot.press("escape", "left_square_bracket", "I")
        assert screen.look.batch.number == 0
        assert shown(pilot).sheet.number == 4


async def test_enter_on_a_call_in_its_batch_shows_that_one() -> None:
    async with opened(coder()) as (pilot, screen):
        await pilot.press("4", "k", "enter")
        pane = listed(screen, "batch")
        assert pilot.app.screen.focused is pane
        await pilot.press("g")
        rows = [pane.source.line(at, 80) for at in range(len(pane.source))]
        at = next(n for n, row in enumerate(rows) if row and row[0].text == "call 3")
        pane.cursor = at
        await pilot.pause()
        assert "enter open call" in painted(screen)
        await pilot.press("enter")
        assert shown(pilot).sheet.number == 3
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, InspectorScreen)


async def test_the_line_of_keys_says_what_they_lead_to() -> None:
    async with opened(coder(), (200, 60)) as (pilot, screen):
        assert "I calls" in told(screen)
        await pilot.press("I")
        await wait(pilot)
        there = told(pilot.app.screen)
        for one in ("← → call", "enter what was sent", "= diff", "L lint"):
            assert one in there
        await pilot.press("colon", "1", "enter")
        assert not [one for one in told(pilot.app.screen) if one.startswith("= ")]
    async with opened() as (_, screen):
        assert "I calls" not in told(screen)


async def test_without_calls_the_key_says_so() -> None:
    async with opened() as (pilot, _):
        await pilot.press("I")
        assert isinstance(pilot.app.screen, InspectorScreen)
        assert "No call was recorded on this path" in toasts(pilot)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_part_can_be_seen_at_every_size(size: tuple[int, int]) -> None:
    async with opened(coder(), size) as (pilot, _):
        await pilot.press("I")
        await wait(pilot)
        seen = painted(shown(pilot))
        for _ in range(12):
            await pilot.press("pagedown")
            seen += painted(shown(pilot))
        for title in ("Prompt cache", "Request", "Usage", "Tools", "The operation", "Lint of"):
            assert title in seen
        assert "run_tests vanished" in seen
        assert "likely" in seen


async def test_arrows_go_to_other_calls_and_say_where_they_end() -> None:
    async with opened(coder()) as (pilot, _):
        await pilot.press("I", "left", "h")
        assert shown(pilot).sheet.number == 3
        await pilot.press("right", "l", "l")
        assert shown(pilot).sheet.number == 5
        assert "This is the newest call" in toasts(pilot)


async def test_keys_in_a_burst_are_none_lost() -> None:
    async with opened(coder()) as (pilot, _):
        await burst(pilot, "I", "h", "h", "h", "h", "l")
        assert shown(pilot).sheet.number == 2
        await burst(pilot, "y", "l", "l", "escape")
        await wait(pilot)
        assert isinstance(pilot.app.screen, InspectorScreen)
        assert "Copied request-2" in toasts(pilot)


async def test_keys_after_a_copy_wait_until_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def slowly(one: RecordedCall) -> object:
        gate.wait(60)
        return {"call": one.number}

    monkeypatch.setattr("ctxtui.calls.screen.body_of", slowly)
    async with opened(coder()) as (pilot, _):
        await pilot.press("I")
        for key in ("y", "h", "h", "escape"):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause(0.1)
        assert shown(pilot).sheet.number == 5
        gate.set()
        await wait(pilot)
        assert isinstance(pilot.app.screen, InspectorScreen)
        assert json.loads(pilot.app.clipboard) == {"call": 5}


async def test_the_next_call_that_lost_its_cache_is_a_key_away() -> None:
    async with opened(read("ag_headtail")) as (pilot, _):
        await pilot.press("I", "colon", "1", "enter")
        assert shown(pilot).sheet.number == 1
        await pilot.press("n", "n")
        assert shown(pilot).sheet.number == 3
        await pilot.press("N", "N")
        assert shown(pilot).sheet.number == 2
        assert "No earlier call has a finding" in toasts(pilot)


async def test_a_number_outside_is_refused_where_it_was_typed() -> None:
    async with opened(coder()) as (pilot, _):
        await pilot.press("I", "colon", "9", "enter")
        assert "call 9 is outside 1…5" in refusal(shown(pilot))
        await pilot.press("escape", "colon", "x", "enter")
        assert "is no call" in refusal(shown(pilot))


async def test_enter_looks_at_what_was_sent_without_changing_anything() -> None:
    conversation = coder()
    async with opened(conversation) as (pilot, screen):
        before = len(screen.conversation.journal)
        await pilot.press("I", "h", "h", "enter")
        assert pilot.app.screen is screen
        assert screen.look.revision.id == screen.conversation.calls[2].revision
        assert not screen.look.is_live
        assert len(screen.conversation.journal) == before


async def test_diff_compares_with_the_call_before_and_comes_back() -> None:
    async with opened(coder()) as (pilot, screen):
        await pilot.press("I", "equals_sign")
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen)
        revisions = [call.revision for call in screen.conversation.calls]
        assert [side.revision.id for side in (diff.sides.left, diff.sides.right)] == revisions[3:]
        await pilot.press("escape")
        assert shown(pilot).sheet.number == 5
        await pilot.press("equals_sign", "enter")
        assert pilot.app.screen is screen
        await pilot.press("I", "colon", "1", "enter", "equals_sign")
        assert "This is the first call" in toasts(pilot)


async def test_what_if_tries_on_what_was_sent() -> None:
    async with opened(coder()) as (pilot, _):
        await pilot.press("I", "h", "w")
        await wait(pilot)
        tried = pilot.app.screen
        assert isinstance(tried, WhatIfScreen)
        assert tried.comparison.revision == 3
        await pilot.press("escape")
        assert shown(pilot).sheet.number == 4


async def test_lint_and_help_lead_where_they_say() -> None:
    async with opened(coder()) as (pilot, screen):
        await pilot.press("I", "question_mark")
        opened_over = pilot.app.screen
        assert isinstance(opened_over, HelpScreen)
        await pilot.press("escape", "L")
        assert isinstance(pilot.app.screen, InspectorScreen)
        assert screen.explorer.views.current == "lint-view"


async def test_the_copied_body_is_what_was_sent() -> None:
    async with opened(read("oa_chat")) as (pilot, _):
        await pilot.press("I", "y")
        await wait(pilot)
        assert json.loads(pilot.app.clipboard) == recorded("oa_chat")[-1]["request"]


async def test_profiles_are_counted_behind_the_scenes() -> None:
    async with opened(coder(), (200, 60)) as (pilot, _):
        await pilot.press("I")
        await wait(pilot)
        assert shown(pilot).sheet.profiles["generic"].errors == 1
        assert "generic  ✖1" in painted(shown(pilot))


async def test_hostile_calls_do_nothing_to_the_terminal() -> None:
    for size in SIZES:
        async with opened(called(), size) as (pilot, _):
            await pilot.press("I", "h")
            await wait(pilot)
            drawn = painted(shown(pilot)).splitlines()
            assert [line for line in drawn if unsafe(line) is not None] == []


async def test_a_live_session_brings_calls_and_f_follows_them() -> None:
    writer, reader = _live()
    async with following(reader) as (pilot, screen):
        await pilot.press("I", "h")
        writer.conversation.record_call(model="third")
        writer.sync()
        await look(pilot, screen)
        one = shown(pilot)
        assert (one.sheet.number, one.sheet.count, one.news) == (1, 3, 1)
        assert "1 new" in painted(one)
        await pilot.press("f")
        assert one.sheet.number == 3
        writer.conversation.record_call(model="fourth")
        writer.sync()
        await look(pilot, screen)
        assert (one.sheet.number, one.sheet.one.call.model) == (4, "fourth")
        await pilot.press("w")
        assert "Read-only" in toasts(pilot)
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_where_nobody_writes_there_is_nothing_to_follow() -> None:
    async with opened(coder()) as (pilot, _):
        await pilot.press("I", "h", "f")
        assert shown(pilot).sheet.number == 4
        assert "follow" not in painted(shown(pilot)).splitlines()[-1]


def _live() -> Any:
    writer, reader = watched()
    for model in ("first", "second"):
        writer.conversation.record_call(model=model)
    writer.sync()
    return writer, reader


async def test_one_resize_after_the_other_keeps_the_focus_somewhere() -> None:
    async with opened(coder(), (140, 42)) as (pilot, _):
        await pilot.press("I")
        for size in ((80, 24), (140, 42), (20, 5), (1, 1), (200, 60)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert isinstance(pilot.app, CtxtuiApp)
            focused = pilot.app.screen.focused
            assert focused is not None
            assert (focused.id or "").startswith("call-")
