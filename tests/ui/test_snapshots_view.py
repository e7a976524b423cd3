"""The other side of the mark map: the state, its batch snapshots, and the open one as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.cells import cell_len

from core import Conversation
from ctxtui.lists.snapshots import SnapshotSource
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line
from ctxtui.widgets.inked import KINDS
from tests.ui.opening import lines, listed, opened, tour


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
        await pilot.press("W")
        assert "originalIndices" in "\n".join(lines(screen, "index-arrays"))
        await pilot.press("W")
        shown = lines(screen, "snapshots")
        assert screen.focused is listed(screen, "snapshots")
        assert "totalMessageCount 27" in shown[0]
        assert any('"messages": [' in line for line in shown)
        await pilot.press("left")
        assert not any('"messages": [' in line for line in lines(screen, "snapshots"))
        await pilot.press("g", "enter")
        assert (screen.look.batch.number, screen.explorer.views.current) == (0, "markmap")
        assert len(listed(screen, "snapshots").source) == 1
        await pilot.press("escape", "W")
        assert screen.focused is screen.query_one("#index-arrays")


async def test_an_empty_session_has_a_state_too() -> None:
    async with opened(Conversation()) as (pilot, screen):
        await pilot.press("W", "W")
        assert "totalMessageCount 0" in lines(screen, "snapshots")[0]
        for _ in range(6):
            await pilot.press("5")
        assert screen.look.findings == []
