"""The other sides of the mark map: the state with its batch snapshots, and the other fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.files.sessions import open_target
from ctxtui.inspector.drawing.mark_map import SnapshotSource, field_lines
from ctxtui.inspector.models.look import Look
from ctxtui.library.models.library import take_in
from ctxtui.text.lines import Line
from ctxtui.widgets.styled import KINDS
from tests.ui.opening import lines, listed, opened, toasts, tour


def text(line: Line) -> str:
    return "".join(piece.text for piece in line).rstrip()


def test_there_is_a_line_for_each_snapshot_with_the_figures_of_the_engine() -> None:
    conversation = tour()
    source = SnapshotSource(Look(conversation))
    state, figures = conversation.state(), conversation.stats()
    assert len(source) == len(state.batch_snapshots) == 4
    heads = " ".join(text(line) for line in source.headers(140))
    assert f"totalMessageCount {state.total_message_count}" in heads
    assert f"currentBatchIndex {state.current_batch_index}" in heads
    assert f"currentBatchMessages {figures.current_batch_messages}" in heads
    for at, snapshot in enumerate(state.batch_snapshots):
        told = text(source.line(at, 140)).split()
        assert told[1] == str(snapshot.batch_index)
        assert told[4] == str(snapshot.message_count)
        assert " ".join(told[5:]) == snapshot.description


def test_an_open_snapshot_has_a_line_for_each_message() -> None:
    conversation = Conversation(
        [{"role": "user", "content": 'say "hi"'}, {"role": "assistant", "content": "hi"}]
    )
    written = "".join(text(line) for line in SnapshotSource(Look(conversation)).expanded(0, 140))
    found = json.loads(written)
    snapshot = conversation.snapshot(0)
    assert snapshot is not None
    assert found == snapshot.to_dict()


def test_a_state_of_the_past_is_the_state_of_then() -> None:
    conversation = tour()
    source = SnapshotSource(Look.at_batch(conversation, conversation.path[1].id))
    assert len(source) == 2
    assert "currentBatchIndex 1" in text(source.headers(140)[0])


def test_only_what_is_in_sight_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation([{"role": "user", "content": "x"}] * 20_000)
    look = Look(conversation)
    asked: list[object] = []
    log = type(conversation.log)
    real: Any = log.__getitem__

    def watched(*given: Any) -> object:
        asked.append(given)
        return real(*given)

    monkeypatch.setattr(log, "__getitem__", watched)
    source = SnapshotSource(look)
    source.line(0, 80)
    found = source.expanded(0, 80)
    assert len(found) == 20_003
    assert [found[at] for at in range(20)]
    assert len(asked) <= 20


@pytest.mark.parametrize("width", [10, 40, 79, 200])
def test_hostile_text_does_no_harm(width: int) -> None:
    evil = "\x1b[31m[/x] \u202e漢字\ud800\n" * 50
    conversation = Conversation(
        [
            {"role": "user", "content": evil},
            {"role": "assistant", "content": [{"type": "text", "text": ""}] * 9},
        ]
    )
    conversation.execute({"operation": "BATCH_START", "description": evil})
    source = SnapshotSource(Look(conversation))
    for line in [*source.headers(width), source.line(1, width), *source.expanded(1, width)]:
        shown = "".join(piece.text for piece in line)
        assert shown.isprintable()
        assert {piece.kind for piece in line} <= set(KINDS)
    assert all(cell_len(text(line)) <= width for line in source.expanded(1, width)[3:-1])


async def test_the_mark_map_is_turned_over_and_back() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("6")
        assert "originalIndices" in "\n".join(lines(screen, "index-arrays"))
        await pilot.press("6")
        shown = lines(screen, "snapshots")
        assert screen.focused is listed(screen, "snapshots")
        assert "totalMessageCount 27" in shown[0]
        assert any('"messages": [' in line for line in shown)
        await pilot.press("left")
        assert not any('"messages": [' in line for line in lines(screen, "snapshots"))
        await pilot.press("g", "enter")
        assert (screen.look.batch.number, screen.explorer.views.current) == (0, "markmap")
        assert len(listed(screen, "snapshots").source) == 1
        await pilot.press("escape", "6")
        assert screen.focused is screen.query_one("#index-arrays")


async def test_an_empty_session_has_a_state_too() -> None:
    async with opened(Conversation()) as (pilot, screen):
        await pilot.press("6", "6")
        assert "totalMessageCount 0" in lines(screen, "snapshots")[0]
        for key in "056789":
            await pilot.press(key)
        assert screen.look.findings == []


HOSTILE = "[/b] \x1b[31m\x07 \u202e 标题 \ud800 👩\u200d👧"
FIELDS: dict[str, Any] = {
    "label": "good",
    "东京": {"checks": [{"by": "标题" * 200}, None]},
    HOSTILE: HOSTILE * 9,
    "long": HOSTILE * 2_000,
    "empty": "",
    "none": [],
}


@pytest.mark.parametrize("width", [10, 40, 78, 140])
def test_other_fields_fit_whatever_is_in_them(width: int) -> None:
    shown = field_lines(FIELDS, width)
    for line in shown:
        assert all(piece.text.isprintable() for piece in line)
        assert cell_len(text(line)) <= width
    told = "\n".join(map(text, shown))
    assert told.startswith("label ─")
    assert told.count("(empty)") == 2
    if width > 70:
        assert "checks[0].by: 标题标题" in told
        assert "checks[1]: null" in told


async def test_other_fields_are_a_side_of_the_mark_map() -> None:
    talk = Conversation([{"role": "user", "content": "x"}], meta={"fields": FIELDS})
    async with opened(talk, size=(80, 24)) as (pilot, screen):
        await pilot.press("@")
        assert screen.focused is screen.query_one("#other-fields")
        assert "good" in lines(screen, "other-fields")[1]
        await pilot.press("6")
        assert "originalIndices" in "\n".join(lines(screen, "index-arrays"))
        await pilot.press("6")
        assert "totalMessageCount" in "\n".join(lines(screen, "snapshots"))
    async with opened() as (pilot, screen):
        await pilot.press("@")
        assert "no other fields" in lines(screen, "other-fields")[0]


async def test_a_session_that_was_just_made_names_its_other_fields(tmp_path: Path) -> None:
    path, library = tmp_path / "a.json", MemoryLibrary()
    chat = [{"role": "user", "content": "hi"}]
    path.write_text(json.dumps({"messages": chat, "label": 1}), encoding="utf-8")
    taken = take_in(MemoryLibrary(), str(path)).toast
    assert taken is not None
    assert (taken.severity, taken.detail) == ("done", "1 other field: label.")
    for count in (1, 0):
        app = CtxtuiApp(open_target(library, str(path)))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert toasts(pilot).count("1 other field: label") == count
