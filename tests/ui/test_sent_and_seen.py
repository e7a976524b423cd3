"""Sent and seen: one key on all screens that show calls, the proofs, and findings over a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from ctxtui.calls.models.call import CallPath, is_managed
from ctxtui.calls.models.findings import CallFinding, thread_findings
from ctxtui.calls.models.seen import SeenLook, SeenSheet, seen_looks
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.calls.screen import CallScreen
from ctxtui.calls.seen import FINDINGS, FindingSource, seen_lines
from ctxtui.commands.common import SEEN
from ctxtui.core import Conversation
from ctxtui.core.policies.seen_run import NAME
from ctxtui.core.requests.as_seen import CLEARED
from ctxtui.core.requests.findings import FINDING_KINDS, RunFinding
from ctxtui.core.storage import MemoryLibrary
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.opening import open_source, parse_conversations
from ctxtui.inspector.keys import INSPECTING
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.screen import WhatIfScreen
from ctxtui.widgets.line_list import LineList
from tests.docs.keys_page import SCREENS
from tests.ui.opening import opened, painted, tour
from tests.ui.recorded_threads import cut_talk
from tests.ui.sent_calls import coder
from tests.ui.test_footers import told
from tests.ui.test_library import wait
from tests.ui.test_watch import at_work, watching

VECTORS = Path(__file__).parents[1] / "vectors"
GROWS, COMPACT, ITEMS = "a_tools_grow", "a_compact_pause", "o_compact"


def recorded(name: str, at: int = 0) -> Conversation:
    """Return a conversation of a recording of provider edits."""
    path = str(VECTORS / "seen" / f"{name}.jsonl")
    return [one.conversation for one in parse_conversations(path, open_source(path))][at]


def sheet(conversation: Conversation, number: int) -> CallSheet:
    return CallSheet(CallPath(conversation).at(number))


def seen(conversation: Conversation, number: int) -> SeenLook:
    return seen_looks(conversation, [conversation.calls.all[number - 1]])[0]


def text(shown: CallSheet, width: int = 100) -> str:
    return "\n".join("".join(piece.text for piece in line) for line in seen_lines(shown, width))


S = TypeVar("S", bound=Screen[Any])


def top(pilot: Pilot[str], kind: type[S]) -> S:
    """Return the screen that is shown, which is of some kind."""
    screen = pilot.app.screen
    assert isinstance(screen, kind)
    return screen


async def press(pilot: Pilot[str], *keys: str) -> str:
    """Press keys and return what is painted then."""
    for key in keys:
        await pilot.press(key)
        await wait(pilot)
    return painted(pilot.app.screen)


def test_the_key_means_the_same_wherever_it_is() -> None:
    commands = [one for some in (*SCREENS.values(), INSPECTING) for one in some]
    uses = [one.action for one in commands if SEEN.keys in one.keys.split(",")]
    assert len(uses) >= 4
    assert set(uses) == {SEEN.action}
    assert SEEN.keys not in ("S", "t")


# What was seen, as a branch of a copy


def test_a_result_that_was_cleared_is_replaced_and_the_rest_is_the_same() -> None:
    conversation = recorded(GROWS)
    size = len(conversation.log)
    look, sent = seen(conversation, 5), sheet(conversation, 5).look
    assert look.change is not None
    assert list(look.change.hidden) == [3, 5]
    cleared = [at for at, raw in enumerate(look.view) if CLEARED in look.state.log[raw].search_text]
    assert cleared == [3, 5]
    assert [raw for raw in look.view if raw < size] == [
        one for one in sent.view if one not in (3, 5)
    ]
    assert look.total < sent.total
    assert len(conversation.log) == size


def test_a_summary_is_text_and_what_is_before_an_item_is_hidden() -> None:
    look = seen(recorded(COMPACT), 8)
    assert look.change is not None
    (old,), (new,) = look.change.hidden, (*look.change.added, *look.change.shown)
    assert look.state.log[old].text == ""
    assert look.state.log[new].text
    items = seen(recorded(ITEMS), 4)
    assert items.change is not None
    assert list(items.change.hidden) == [1, 2, 3, 4, 5]


def test_nothing_is_claimed_where_it_is_unknown() -> None:
    conversation = recorded("o_chain", 1)
    look = seen(conversation, 1)
    assert look.seen.certainty == "unknown"
    assert not look.change
    shown = text(sheet(conversation, 1))
    assert "unknown" in shown
    assert "proven" not in shown
    assert "−" not in shown


def test_each_edit_is_shown_with_what_was_reported_and_what_the_rule_gives() -> None:
    shown = text(sheet(recorded(GROWS), 5))
    for said in (
        "2 × tool results cleared",
        "reported: type clear_tool_uses_20250919, cleared_tool_uses 2, cleared_input_tokens 794",
        "by the rule: cleared_tool_uses 2",
        "The provider counted 1,195 tokens; all that was sent would have been 1,989.",
        "1,116 tokens sent, 596 seen",
    ):
        assert said in shown
    likely = text(sheet(recorded(ITEMS), 4))
    assert "likely" in likely
    assert "proven" not in likely


def test_what_replaces_messages_in_the_call_itself_is_not_linted() -> None:
    assert not seen(recorded(ITEMS), 7).is_linted
    assert seen(recorded(ITEMS), 6).is_linted


def test_a_placeholder_that_was_there_before_is_no_change() -> None:
    conversation = recorded(GROWS)
    difference = SeenSheet(sheet(conversation, 9)).one.difference
    assert difference is not None
    assert not difference.hidden
    assert [*difference.added, *difference.shown] == [16, 17]


def test_a_run_that_no_provider_manages_is_known_without_reading_it() -> None:
    conversation = coder()
    assert not is_managed(conversation)
    assert sheet(conversation, 3).one.seen.certainty == "as sent"
    assert not conversation._seen
    assert is_managed(recorded(GROWS))


def test_why_a_call_was_sent_is_the_same_however_it_is_read() -> None:
    sent = sheet(recorded(GROWS), 5)
    other = SeenSheet(sent)
    assert other.evidence == sent.evidence
    assert other.cache is sent.cache
    assert (other.number, other.count) == (sent.number, sent.count)


# The screens


async def test_the_call_screen_switches_and_keeps_its_call() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        drawn = await press(pilot, "I", "h", "h")
        assert "as sent" in drawn
        assert "What the model saw" in drawn
        assert "Lint of what was sent" in drawn
        drawn = await press(pilot, "Y")
        screen = top(pilot, CallScreen)
        assert isinstance(screen.sheet, SeenSheet)
        assert screen.sheet.number == 8
        assert " as seen  proven" in drawn
        assert "Lint of what was seen" in drawn
        assert "Y sent or seen" in told(screen)
        assert "as sent" in await press(pilot, "Y")


async def test_a_call_that_was_seen_as_it_was_sent_has_nothing_new() -> None:
    async with opened(coder()) as (pilot, _):
        drawn = await press(pilot, "I")
        assert "What the model saw" not in drawn
        assert "as sent" in drawn


async def test_tokens_and_lint_show_what_the_newest_call_saw() -> None:
    async with opened(recorded(GROWS)) as (pilot, screen):
        drawn = await press(pilot, "8", "Y")
        assert "what the model saw of call 10 (proven)" in drawn
        assert " as seen " in drawn
        assert "657" in drawn
        assert "as seen" not in await press(pilot, "escape")
        assert " as seen " in await press(pilot, "9")
        drawn = await press(pilot, "Y", "8")
        assert "who holds them" in drawn
        assert screen.explorer.views.seen is None


async def test_a_session_without_managed_calls_shows_what_was_sent() -> None:
    async with opened(tour()) as (pilot, screen):
        assert "who holds them" in await press(pilot, "8", "Y")
        assert "Y sent or seen" not in told(screen)


async def test_the_choice_is_one_for_all_screens() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        await press(pilot, "I", "Y", "equals_sign")
        diff = top(pilot, DiffScreen)
        assert "from call 9 as seen  to call 10 as seen" in painted(diff)
        assert "hidden by the provider" not in await press(pilot, "Y")
        assert diff.sides is diff.wanted
        await press(pilot, "escape")
        top(pilot, CallScreen)
        assert " as sent" in painted(pilot.app.screen)
        await press(pilot, "Y", "escape", "8")
        top(pilot, InspectorScreen)
        assert "what the model saw of call 10" in painted(pilot.app.screen)


async def test_the_diff_as_seen_breaks_where_the_provider_cleared() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        await press(pilot, "I", "equals_sign")
        diff = top(pilot, DiffScreen)
        before = diff.sides.is_broken
        await press(pilot, "Y")
        assert (before, diff.sides.is_broken, diff.sides.prefix.messages) == (False, True, 13)


# Findings


def test_findings_name_the_call_the_operation_and_how_sure_it_is() -> None:
    found = thread_findings(recorded(GROWS))
    assert found.is_managed
    cuts = [one for one in found.findings if one.finding.kind == "providerCut"]
    assert [one.number for one in cuts] == [4, 5, 6, 7, 8, 10]
    source = FindingSource(cuts, 5)
    lines = ["".join(piece.text for piece in source.line(1, width)) for width in (90, 52)]
    assert "call 5" in lines[0]
    assert "tool results cleared" in lines[0]
    assert all("the provider changed it" in line and "proven" in line for line in lines)
    assert set(FINDINGS) == set(FINDING_KINDS)
    cut = RunFinding("questionVanished", 1, "TRUNCATE", "likely")
    (line,) = ["".join(piece.text for piece in FindingSource([CallFinding(2, cut)]).line(0, 90))]
    assert "TRUNCATE" in line
    assert "provider" not in line


@pytest.mark.parametrize("size", [(140, 42), (80, 24)], ids=str)
async def test_enter_on_a_finding_shows_its_call(size: tuple[int, int]) -> None:
    async with opened(recorded(GROWS), size) as (pilot, _):
        await press(pilot, "I")
        screen = top(pilot, CallScreen)
        listed = screen.query_one("#call-findings", LineList)
        assert listed.region.height > 0
        screen.set_focus(listed)
        at = next(at for at, one in enumerate(screen.findings) if one.number == 5)
        await press(pilot, "g", *["j"] * at, "enter")
        assert screen.sheet.number == 5
        assert screen.is_current
        await press(pilot, "n")
        assert screen.sheet.number == 6


# Watch


async def test_watch_lists_findings_and_enter_opens_their_call() -> None:
    library = MemoryLibrary()
    cut_talk(library, 4, 3)
    async with watching(library) as (pilot, screen):
        listed = screen.query_one("#watch-findings", LineList)
        assert "the first question vanished" in painted(screen)
        await press(pilot, "6", "g")
        assert screen.focused is listed
        assert screen.thread is not None
        recorded_call = screen.cursor.call(screen.thread)
        assert recorded_call is not None
        assert recorded_call.number == 5
        await press(pilot, "enter")
        assert top(pilot, CallScreen).sheet.number == 5
        await press(pilot, "escape")
        assert top(pilot, WatchScreen) is screen


async def test_watch_shows_what_the_model_saw() -> None:
    library = MemoryLibrary()
    session = library.create(recorded(GROWS), title="grows")
    async with watching(library) as (pilot, screen):
        assert "−6 results: the answer reports" in painted(screen)
        drawn = await press(pilot, "Y")
        assert "what the model saw of call 10 (proven)" in drawn
        assert "Watch   as seen " in drawn
        assert " seen 20 " in drawn
        assert CLEARED in drawn
        assert "what was sent in call 10" in await press(pilot, "Y")
    session.abandon()


async def test_the_timeline_stays_however_the_user_comes_back() -> None:
    library = MemoryLibrary()
    session = at_work("coder", library)
    async with watching(library) as (pilot, screen):
        await press(pilot, "5", "enter")
        top(pilot, CallScreen)
        await press(pilot, "escape")
        top(pilot, WatchScreen)
        await press(pilot, "escape")
        await pilot.resize_terminal(80, 24)
        await press(pilot, "W")
        assert top(pilot, WatchScreen) is screen
        await press(pilot, "O")
        await pilot.resize_terminal(140, 42)
        drawn = await press(pilot, "W")
        assert "4 Timeline" in drawn
        assert "TRUNCATE" in drawn
        assert screen.query_one("#watch-batches").region.height == 5
    session.abandon()


@pytest.mark.parametrize("size", [(100, 30), (140, 42), (200, 60)], ids=str)
async def test_each_pane_of_watch_has_the_rows_that_its_lines_need(size: tuple[int, int]) -> None:
    library = MemoryLibrary()
    cut_talk(library, 3, 2)
    async with watching(library, size) as (_, screen):
        calls = screen.query_one("#watch-calls", LineList)
        batches = screen.query_one("#watch-batches", LineList)
        explained = screen.query_one("#explained")
        assert calls.region.height <= len(calls.source) + 2
        assert not batches.display or batches.region.height <= len(batches.source) + 3
        if size[1] > 40:
            assert calls.region.height == len(calls.source) + 2
            assert explained.max_scroll_y == 0


# Over the run, and rules about what was not seen


async def test_over_the_run_shows_the_recorded_run_as_it_was_seen() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        await press(pilot, "w", "w")
        screen = top(pilot, WhatIfScreen)
        sent = screen.comparison.strategies[0].figures
        drawn = await press(pilot, "Y")
        seen_figures = screen.comparison.strategies[0].figures
        assert sent is not None
        assert seen_figures is not None
        assert seen_figures.tokens_sent < sent.tokens_sent
        assert "as seen" in drawn
        assert NAME in drawn
        await press(pilot, "Y")
        again = screen.comparison.strategies[0].figures
        assert again is not None
        assert again.tokens_sent == sent.tokens_sent


async def test_lint_of_what_was_seen_names_a_labelled_message_that_was_not() -> None:
    conversation = recorded(GROWS)
    conversation.execute({"operation": "MARK", "indices": [3], "label": "must"})
    async with opened(conversation) as (pilot, _):
        assert "P1" not in await press(pilot, "9")
        drawn = await press(pilot, "Y")
        assert "P1" in drawn
        assert "a labelled message that the model did not see" in drawn
        await press(pilot, "enter")
        assert top(pilot, InspectorScreen).explorer.raw == 3


async def test_the_choice_holds_while_the_run_is_still_read() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        await pilot.press("w", "Y", "w")
        await wait(pilot)
        assert NAME in painted(top(pilot, WhatIfScreen))


async def test_what_if_says_whose_run_it_is_and_what_the_first_row_is() -> None:
    async with opened(recorded(GROWS)) as (pilot, _):
        drawn = await press(pilot, "w", "w")
        assert drawn.startswith(" Library › Why is the nightly export")
        assert "what was really sent" in drawn
        assert "what the model saw of it" in await press(pilot, "Y")
