"""The journal as a player: every record in time order, and exactly what each of them left."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.diff.screen import DiffScreen
from ctxtui.inspector.drawing.player import Curve, JournalSource, array_lines, narration, told_line
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.look import Frame
from ctxtui.inspector.models.player import PointerHistory, playlist_of
from ctxtui.inspector.panes import BatchPane
from ctxtui.inspector.player import PlayerView
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.text.lines import Line
from ctxtui.text.symbols import unsafe
from tests.ui.hostility import HOSTILE, hostile
from tests.ui.opening import lines, listed, opened
from tests.ui.test_batch_pane import FIVE, whole_tour

STORY: list[Any] = [
    {"operation": "MARK", "indices": [1, 2], "label": "keep"},
    {"operation": "TRUNCATE", "keepLast": 2},
    {"operation": "APPEND", "messages": FIVE[:2]},
    {"operation": "ROLLBACK", "targetBatchIndex": 0},
    {"operation": "CHECKOUT", "batch": 1},
    {"operation": "UNDO"},
    {"operation": "REDO"},
    {"operation": "DESCRIBE", "batch": 1, "text": "short"},
    {"operation": "CONFIGURE", "tokenLimit": 50},
    {"operation": "UNDO"},
    [{"operation": "CLEAR"}, {"operation": "APPEND", "messages": FIVE[:1]}],
    {"operation": "TOGGLE", "skip": [3]},
    {"operation": "UNMARK", "indices": [1], "label": "keep"},
    {"operation": "SELECT", "indices": [5]},
]
WORDS = [
    "START with 5 messages in batch 0. All of them are sent.",
    "MARK puts ★ keep on raw 1–2. No message moves",
    "TRUNCATE opens batch 1 after batch 0: 3 messages are no longer sent. What went is still in",
    "APPEND adds 2 messages at the end, raw 5–6. It opens no batch",
    "ROLLBACK moves the pointer from batch 1 back to batch 0, nothing else: 3 messages are sent",
    "CHECKOUT moves the pointer from batch 0 to batch 1 (#1), nothing else",
    "UNDO takes back record 5, CHECKOUT: the pointer is in batch 0 again.",
    "REDO does record 5, CHECKOUT, again: the pointer is in batch 1",
    "DESCRIBE names batch #1 “short”. Only the name changes.",
    "CONFIGURE sets tokenLimit – → 50, from now on.",
    "UNDO takes back record 9, CONFIGURE, which moved no message.",
    "LIST of 2 as one change: CLEAR, APPEND. 4 messages went, 1 came",
    "TOGGLE leaves out revision 3 and runs what came after it again",
    "UNMARK takes ★ keep off raw 1.",
    "SELECT opens batch 2 after batch 1: 4 messages are no longer sent.",
    "USAGE: a provider counted 1,200 tokens in and 30 out.",
    "CALL: what is visible was sent to some-model, 1 message, 1 by bytes/4. "
    "The provider says: 1,200 in, 900 cached, cut.",
]


def lived() -> Conversation:
    """Return a conversation with every kind of record."""
    conversation = Conversation(FIVE)
    for step in STORY:
        conversation.execute(step)
    conversation.record_usage(1200, 30)
    usage = {"input": 1200, "cached": 900}
    conversation.record_call(model="some-model", usage=usage, outcome="cut")
    return conversation


def journey_of(conversation: Conversation) -> PointerHistory:
    pointers = PointerHistory(conversation)
    pointers.catch_up()
    return pointers


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def arrays_of(frame: Frame, width: int) -> list[Line]:
    return array_lines(frame, IndexArrays(frame), width)


# Where the pointer was


def test_the_pointer_is_where_a_replay_would_have_left_it() -> None:
    conversation = lived()
    pointers = journey_of(conversation)
    for place in range(len(conversation.journal)):
        then = Conversation.replay(conversation.journal[: place + 1])
        assert pointers.numbers[place] == then.batch.number
        frame = Frame(conversation, place)
        assert (list(frame.view), frame.log_size) == (list(then.view), len(then.log))
        assert frame.total == then.tokens.total
        assert set(frame.marked) == {raw for one in then.marks.values() for raw in one}


def test_undo_and_redo_are_told_which_record_they_turned() -> None:
    assert journey_of(lived()).turned == {6: 5, 7: 5, 10: 9}


def test_a_journey_goes_on_where_the_journal_does() -> None:
    conversation = lived()
    pointers = journey_of(conversation)
    conversation.execute({"operation": "CLEAR"})
    conversation.execute({"operation": "UNDO"})
    pointers.catch_up()
    assert list(pointers.numbers) == list(journey_of(conversation).numbers)
    assert pointers.turned == journey_of(conversation).turned


def test_the_next_turn_back_is_a_rollback_checkout_or_undo() -> None:
    pointers = journey_of(lived())
    turns, place = [], 0
    while (found := pointers.next_turn(place)) is not None:
        turns.append(found)
        place = found
    assert turns == [4, 5, 6, 10]


def test_a_batch_that_was_left_is_a_dotted_bump() -> None:
    conversation = Conversation(FIVE)
    conversation.execute({"operation": "CLEAR"})
    conversation.rollback(0)
    shown = [text(line) for line in Curve(journey_of(conversation), 34).lines(2, 4)]
    assert shown == [
        " 1           ╭╌╌╌╌◌╌╌╌╌╮         ",
        " 0 ─────○────╯         ╰────●────",
    ]


@pytest.mark.parametrize("width", [20, 76, 137])
@pytest.mark.parametrize("height", [1, 2, 4, 9])
def test_the_curve_of_many_records_keeps_to_its_room(width: int, height: int) -> None:
    conversation = Conversation(FIVE)
    for turn in range(400):
        conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
        if turn % 50 == 49:
            conversation.rollback(0)
    curve = Curve(journey_of(conversation), width)
    for place in (0, 1, 200, len(conversation.journal) - 1):
        shown = curve.lines(place, height)
        assert len(shown) == height
        assert all(cell_len(text(line)) <= width for line in [*shown, curve.bar(place)])
        assert sum(text(line).count("●") for line in shown) == 1


# What is told


def test_every_kind_of_record_has_its_sentence() -> None:
    conversation = lived()
    pointers = journey_of(conversation)
    for place, words in enumerate(WORDS):
        told = narration(Frame(conversation, place), pointers)
        assert f"{told.title}{told.words}".startswith(words)


def test_a_rollback_says_what_stays_on_a_branch_that_nobody_follows() -> None:
    conversation = whole_tour()
    told = narration(Frame(conversation, 4), journey_of(conversation))
    assert "12 messages are sent again, since none was ever deleted." in told.words
    assert told.words.endswith("Raw 16–17 stay in the log, on an abandoned branch: 0-1-0.")


def test_a_narration_takes_two_lines_and_ends_with_a_sentence() -> None:
    conversation = lived()
    pointers = journey_of(conversation)
    for place in range(len(conversation.journal)):
        told = narration(Frame(conversation, place), pointers)
        for width in (80, 100, 140):
            rows = [text(told_line(told, 2, at, width)) for at in (0, 1)]
            assert all(cell_len(row) <= width for row in rows)
            assert "…" not in "".join(rows)


def test_the_list_names_every_record_and_the_first_is_no_wall_of_nulls() -> None:
    conversation = lived()
    source = JournalSource(playlist_of(conversation), journey_of(conversation))
    shown = [text(source.line(at, 60)) for at in range(len(source))]
    assert "START     5 messages" in shown[0]
    assert "null" not in shown[0]
    assert "★ keep raw 1–2" in shown[1]
    assert shown[2].rstrip().endswith("0→1")
    assert "to batch 0" in shown[4]
    assert "CHECKOUT, record 5" in shown[6]
    assert "LIST 2" in shown[11]
    assert "1,230 tokens" in shown[15]
    for width in (30, 41, 60):
        assert all(cell_len(text(source.line(at, width))) <= width for at in range(len(source)))


def test_the_arrays_show_what_left_and_what_came() -> None:
    shown = [text(line) for line in arrays_of(Frame(whole_tour(), 4), 136)]
    assert "originalIndices" in shown[0]
    assert "16" in next(line for line in shown if "❯ user" in line)
    assert "batchBoundaries 0 12 → 0" in "\n".join(shown)
    assert "currentBatch    1 → 0" in "\n".join(shown)


def test_hostile_text_is_only_text() -> None:
    conversation = hostile()
    conversation.execute({"operation": "DESCRIBE", "batch": 0, "text": HOSTILE})
    conversation.record_usage(1, request=HOSTILE)
    pointers = journey_of(conversation)
    source = JournalSource(playlist_of(conversation), pointers)
    for place in range(len(conversation.journal)):
        told = narration(Frame(conversation, place), pointers)
        shown = [text(source.line(place, 80)), *(text(told_line(told, 2, at, 80)) for at in (0, 1))]
        shown += [text(line) for line in arrays_of(Frame(conversation, place), 120)]
        assert [one for one in shown if unsafe(one) is not None] == []


# In the app


def player(screen: InspectorScreen) -> PlayerView:
    return screen.query_one(PlayerView)


async def test_the_arrows_show_the_state_after_each_record() -> None:
    conversation = lived()
    async with opened(conversation) as (pilot, screen):
        await pilot.press("7")
        assert player(screen).is_at_now
        await pilot.press("g")
        for place in range(len(conversation.journal)):
            frame = player(screen).frame
            assert frame is not None
            assert frame.place == place
            then = Conversation.replay(conversation.journal[: place + 1])
            assert list(frame.view) == list(then.view)
            shown = listed(screen, "played-raw").source
            assert len(shown) == len(then.log)
            await pilot.press("right")
        await pilot.press("left", "left")
        assert player(screen).entry.record == len(conversation.journal) - 3
        assert conversation.journal[-2].operations[0].title == "USAGE"


@pytest.mark.parametrize(("size", "numbers"), [((140, 42), "43210"), ((80, 24), "43210")])
async def test_going_to_a_batch_and_back_is_a_bump_from_the_first_sight_on(
    size: tuple[int, int], numbers: str
) -> None:
    async with opened(whole_tour(), size) as (pilot, screen):
        await pilot.press("7")
        await pilot.pause()
        curve = lines(screen, "curve")
        assert "".join(line[:3].strip() for line in curve) == numbers
        assert any("╭╌" in line and "╌╮" in line for line in curve)


async def test_what_moved_is_tinted_against_the_record_before() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("7", "g", *("j" * 4))
        raw, visible = listed(screen, "played-raw").source, listed(screen, "played-visible").source
        assert [raw.tint(at) for at in (0, 11, 12, 16, 17)] == [
            "added",
            "added",
            "",
            "hidden",
            "hidden",
        ]
        assert [visible.tint(at) for at in (0, 11, 12, 16)] == ["added", "added", "", "hidden"]
        assert "RECORD 4 OF 10" in lines(screen, "player-bar")[0]
        assert "2 went, 12 came back" in lines(screen, "player-bar")[0]


class Clockwork:
    """A timer that only a test winds up."""

    def stop(self) -> None:
        """Do nothing: it never goes by itself."""


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the player go on only where a test ticks."""
    monkeypatch.setattr(PlayerView, "set_interval", lambda *_: Clockwork())


@pytest.mark.usefixtures("by_hand")
async def test_space_plays_to_the_end_and_pauses() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("7", "space")
        play = player(screen)
        states = [play.is_playing]
        assert play.entry.record == 0
        assert "PLAYING RECORD 0 OF 10" in lines(screen, "player-bar")[0]
        await pilot.press("space")
        states.append(play.is_playing)
        await pilot.press("space")
        assert states == [True, False]
        while play.is_playing:
            play.tick()
            await pilot.pause()
        assert play.is_at_now
        await pilot.press("less_than_sign")
        assert play.speed == 0
        await pilot.press(*["greater_than_sign"] * 9)
        assert play.speed == 3


async def test_n_goes_to_the_next_turn_back_and_escape_to_now_and_out() -> None:
    async with opened(lived()) as (pilot, screen):
        await pilot.press("7", "g", "n")
        assert player(screen).entry.record == 4
        await pilot.press("n", "n")
        assert player(screen).entry.record == 6
        await pilot.press("escape")
        assert player(screen).is_at_now
        assert screen.explorer.views.current == "journal"
        await pilot.press("escape")
        assert screen.explorer.views.current == "inspector"


async def test_enter_opens_the_state_in_the_inspector_and_escape_leads_back() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("7", "g", *("j" * 4), "enter")
        assert screen.explorer.views.current == "inspector"
        look = screen.look
        assert isinstance(look, Frame)
        assert look.place == 4
        assert "VIEWING RECORD 4 OF 10" in lines(screen, "viewing")[0]
        pane = screen.query_one(BatchPane)
        assert pane.has_focus
        assert "3 Record 4" in str(pane.border_title)
        await pilot.press("escape")
        assert screen.explorer.views.current == "journal"
        assert player(screen).entry.record == 4
        await pilot.press("escape")
        assert player(screen).is_at_now
        assert screen.look.is_live


async def test_the_journal_begins_with_what_was_looked_at() -> None:
    async with opened(whole_tour()) as (pilot, screen):
        await pilot.press("4", "k", "k", "7")
        assert player(screen).entry.record == 7
        assert screen.explorer.look.is_live


async def test_equals_compares_with_now_and_r_goes_back_to_exactly_that() -> None:
    conversation = lived()
    async with opened(conversation) as (pilot, screen):
        await pilot.press("7", "g", "j", "j")
        frame = player(screen).frame
        assert frame is not None
        await pilot.press("equals_sign")
        assert isinstance(pilot.app.screen, DiffScreen)
        await pilot.press("escape")
        wanted = list(frame.view)
        await pilot.press("R")
        assert list(conversation.view) == wanted
        assert player(screen).is_at_now


async def test_y_copies_the_record_as_json() -> None:
    conversation = whole_tour()
    async with opened(conversation) as (pilot, _):
        await pilot.press("7", "g", "j", "y")
        assert json.loads(pilot.app.clipboard) == conversation.journal[1].to_dict()


async def test_a_change_made_in_the_journal_is_shown_as_its_newest_record() -> None:
    conversation = whole_tour()
    async with opened(conversation) as (pilot, screen):
        await pilot.press("7", "g", "u")
        assert player(screen).entry.record == len(conversation.journal) - 1
        assert "UNDO" in lines(screen, "player-bar")[0]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (140, 42), (200, 60)])
async def test_every_size_has_the_list_the_sentence_and_what_is_visible(
    size: tuple[int, int],
) -> None:
    async with opened(whole_tour(), size=size) as (pilot, screen):
        await pilot.press("7", "g", *("j" * 4))
        assert "ROLLBACK moves the pointer" in lines(screen, "narration")[0]
        assert any("ROLLBACK" in line for line in lines(screen, "records"))
        assert any("You are a careful" in line for line in lines(screen, "played-visible"))
        assert any("●" in line for line in lines(screen, "curve"))


async def test_ten_thousand_records_are_played_like_ten() -> None:
    conversation = Conversation(FIVE)
    for turn in range(5_100):
        conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
        conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 0})
        if turn % 1000 == 0:
            conversation.record_usage(turn)
    async with opened(conversation) as (pilot, screen):
        await pilot.press("7")
        await pilot.app.workers.wait_for_complete()
        await pilot.press("g", "j", "j", "n")
        assert player(screen).entry.record == 5
        assert any("●" in line for line in lines(screen, "curve"))
        assert "ROLLBACK" in lines(screen, "narration")[0]


async def test_the_arrays_of_a_long_log_are_worked_out_behind_the_scenes() -> None:
    conversation = Conversation(FIVE * 2_500)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("7", "g", "j")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        shown = "\n".join(lines(screen, "arrays"))
        assert "3 visible" in shown
        assert "12497–12499" in shown
