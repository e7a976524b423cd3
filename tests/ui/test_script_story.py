"""A script opens as the story of its steps: what each did, what was expected, what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_target
from ctxtui.inspector.drawing.player import JournalSource, journal_foot, narration
from ctxtui.inspector.models.look import Frame
from ctxtui.inspector.models.player import PointerHistory, playlist_of
from ctxtui.inspector.player import PlayerView
from tests.ui.opening import TOUR
from tests.ui.test_library import told
from tests.ui.test_player import by_hand, text

__all__ = ["by_hand"]

SCRIPTS = sorted((TOUR.parent / "scripts").glob("*.json"))
RUN = TOUR.with_name("refactor-parcel.json")
FAILING: dict[str, Any] = {
    "meta": {"title": "Failing", "about": "What a failing step looks like."},
    "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
    "steps": [
        {"operation": "batch_start", "indices": []},
        {"operation": "APPEND", "messages": [{"role": "user", "content": "one"}]},
        {"query": {"kind": "recent", "k": 2}},
        {"expect": {"visible": [0, 1, 2], "batch": 1}},
        {"operation": "ROLLBACK", "targetBatchIndex": 7, "refused": "is outside"},
        {"expect": {"visible": [0, 1], "batch": 0}},
        {"operation": "ROLLBACK", "targetBatchIndex": 0},
        {"operation": "ROLLBACK", "targetBatchIndex": 0},
        {"operation": "TRUNCATE", "keepLast": 1, "refused": True},
        [{"operation": "CLEAR"}, {"operation": "UNDO"}],
        {"expect": {"visible": [1]}},
    ],
}


def written(folder: Path, data: object) -> str:
    path = folder / "script.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def shown(session: Any, width: int = 100) -> list[str]:
    """Return the lines of the journal."""
    pointers = PointerHistory(session.conversation)
    pointers.catch_up()
    source = JournalSource(playlist_of(session.conversation), pointers)
    return [text(source.line(at, width)).strip() for at in range(len(source))]


def test_each_step_stands_beside_its_record_with_what_became_of_it(tmp_path: Path) -> None:
    session = open_target(MemoryLibrary(), written(tmp_path, FAILING))
    told = shown(session)
    assert len(told) == 1 + len(FAILING["steps"])
    for line, words in zip(
        told,
        (
            "START     2 messages",
            "BATCH_START",
            "APPEND    1 message",
            "✓ query recent",
            "✓ expect visible, batch",
            "✓ refused, as expected: targetBatchIndex 7 is outside 0…1",
            "✖ expect: visible is [0, 1, 2], not [0, 1]; batch is 1, not 0",
            "ROLLBACK  to batch 0",
            "✓ changes nothing",
            "TRUNCATE  keepLast 1",
            "✖ operation: step 1:",
            "✓ expect visible",
        ),
        strict=True,
    ):
        assert words in line
    assert "✖" in told[9]
    assert text(journal_foot(playlist_of(session.conversation))) == "script: ✖ 3 of 11 steps failed"


def test_a_failing_step_is_said_when_the_script_is_opened(tmp_path: Path) -> None:
    session = open_target(MemoryLibrary(), written(tmp_path, FAILING))
    (note,) = session.notes
    assert "step 5 failed: visible is [0, 1, 2], not [0, 1]; batch is 1, not 0" in note
    assert "step 9 failed: step 1: UNDO can't be part of a list of operations" in note


def test_the_story_tells_the_about_the_refusals_and_the_failures(tmp_path: Path) -> None:
    conversation = open_target(MemoryLibrary(), written(tmp_path, FAILING)).conversation
    pointers = PointerHistory(conversation)
    pointers.catch_up()
    playlist = playlist_of(conversation)
    told = []
    for at in range(len(playlist)):
        entry = playlist[at]
        frame = Frame(conversation, entry.record, is_still=not entry.is_record)
        one = narration(frame, pointers, entry)
        told.append(f"{one.title}{one.words}")
        assert entry.is_record or not frame.difference
    assert told[0].endswith("What a failing step looks like.")
    assert told[3].startswith("Asked: the answer is 1–2")
    assert told[4] == "Expected, and so it is: visible 0–2, batch 1."
    assert told[5].startswith("Refused, as expected: targetBatchIndex 7 is outside")
    assert told[6] == "Step 5 failed: visible is [0, 1, 2], not [0, 1]; batch is 1, not 0."
    assert told[9].startswith("Step 8 failed: it was accepted, and should have been refused")


@pytest.mark.parametrize("path", [TOUR, RUN, *SCRIPTS], ids=lambda path: path.stem)
def test_the_samples_are_scripts_whose_steps_all_went_as_expected(path: Path) -> None:
    conversation = open_target(MemoryLibrary(), str(path)).conversation
    playlist = playlist_of(conversation)
    assert playlist.is_script
    assert playlist.failed == 0
    last = playlist[len(playlist) - 1]
    assert last.record == len(conversation.journal) - 1


def test_the_story_is_still_there_when_the_session_is_opened_again(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    name = written(tmp_path, FAILING)
    with open_target(library, name) as session:
        first = shown(session)
        session.change({"operation": "CLEAR"})
    with open_target(library, name) as again:
        assert shown(again)[: len(first)] == first
        assert "CLEAR" in shown(again)[-1]


def test_a_conversation_of_its_own_is_not_told_by_another_script(tmp_path: Path) -> None:
    conversation = open_target(MemoryLibrary(), written(tmp_path, FAILING)).conversation
    assert not playlist_of(conversation.squash()).is_script


def test_what_cannot_be_read_as_a_script_is_still_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="steps"):
        open_target(MemoryLibrary(), written(tmp_path, {"messages": [], "steps": 5}))


@pytest.mark.usefixtures("by_hand")
async def test_opening_a_script_says_what_it_is_about_and_where_its_steps_are(
    tmp_path: Path,
) -> None:
    library = MemoryLibrary()
    app = CtxtuiApp(open_target(library, written(tmp_path, FAILING)), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        assert "A script of 11 steps. What a failing step looks like. The journal" in told(pilot)


@pytest.mark.usefixtures("by_hand")
async def test_a_script_can_be_played_from_its_first_step(tmp_path: Path) -> None:
    session = open_target(MemoryLibrary(), written(tmp_path, FAILING))
    app = CtxtuiApp(session)
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        await pilot.press("7", "space")
        player = app.screen.query_one(PlayerView)
        records = []
        while player.is_playing:
            records.append(player.entry.record)
            player.tick()
            await pilot.pause()
        assert records == [0, 1, 2, 2, 2, 2, 2, 3, 3, 4, 4]
        assert player.is_at_now
