"""The first screen: shows a conversation, moves the focus, never lets a message act."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core import Conversation
from ctxtui.app import CtxtuiApp
from ctxtui.cli import main
from ctxtui.cli.inputs import open_conversation
from ctxtui.widgets.row_list import RowList

TOUR = Path(__file__).parents[2] / "sample_sessions" / "tour.json"
HOSTILE = [
    "[/foo] [bold]not markup[/bold] [@click=app.quit]x[/]",
    "\x1b[31mred\x1b]0;title\x07 \x9b2J",
    "\u202eright to left\u2066 \u200d\u200b\ufeff",
    "nul\x00 tab\t del\x7f line\nbreak\r\u2028",
    "\ud800 lone surrogate",
    "漢字かな 한국어 👩‍👩‍👧 e\u0301",
    "x" * 1_000_000,
]


def lines(pilot: Pilot[None], pane: str) -> list[str]:
    """Return what a pane shows, line by line."""
    rows = pilot.app.screen.query_one(f"#{pane}", RowList)
    return [rows.render_line(y).text for y in range(rows.size.height)]


async def test_the_tour_shows_raw_array_projection_and_batches() -> None:
    async with CtxtuiApp(open_conversation(str(TOUR)).conversation).run_test(
        size=(140, 42)
    ) as pilot:
        await pilot.pause()
        assert "compress 1" in lines(pilot, "raw")[3]
        assert "other branch" in lines(pilot, "raw")[16]
        assert lines(pilot, "visible")[2].split()[:3] == ["2", "26", "§"]
        assert "TRUNCATE keep the last four" in lines(pilot, "timeline")[1]
        assert "abandoned" in lines(pilot, "timeline")[1]
        assert "◉   3 INSERT" in lines(pilot, "timeline")[4]


async def test_number_keys_move_the_focus_and_the_projection_has_it_first() -> None:
    async with CtxtuiApp(open_conversation(str(TOUR)).conversation).run_test(
        size=(80, 24)
    ) as pilot:
        await pilot.pause()
        seen = [pilot.app.focused and pilot.app.focused.id]
        for key in "142":
            await pilot.press(key)
            seen.append(pilot.app.focused and pilot.app.focused.id)
        assert seen == ["visible", "raw", "timeline", "visible"]


async def test_j_and_k_scroll_and_g_goes_to_the_ends() -> None:
    many = Conversation([{"role": "user", "content": f"m{i}"} for i in range(200)])
    async with CtxtuiApp(many).run_test(size=(80, 24)) as pilot:
        pilot.app.animation_level = "none"
        await pilot.pause()
        await pilot.press("1", "G")
        await pilot.pause()
        assert "m199" in "".join(lines(pilot, "raw"))
        await pilot.press("k", "g", "j")
        await pilot.pause()
        assert "m1 " in lines(pilot, "raw")[0]


async def test_an_empty_conversation_says_so() -> None:
    async with CtxtuiApp(Conversation()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert lines(pilot, "visible")[0].strip() == "Nothing is sent."
        assert lines(pilot, "raw")[0].strip() == "No messages yet."


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_and_nothing_more(text: str) -> None:
    conversation = Conversation([{"role": "user", "content": text}], meta={"title": text[:50]})
    conversation.execute({"operation": "DELETE", "indices": [0], "description": text[:60]})
    conversation.rollback(0)
    async with CtxtuiApp(conversation).run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        shown = [line for pane in ("raw", "visible", "timeline") for line in lines(pilot, pane)]
        for pane in pilot.app.screen.query(RowList):
            width = pane.scrollable_content_region.width
            assert {pane.render_line(y).cell_length for y in range(pane.size.height)} == {width}
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for line in shown for c in line)
        assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2066" for c in "".join(shown))
        assert pilot.app.is_running


def test_a_file_that_is_no_script_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {
        "missing.json": None,
        "text.json": b"{",
        "latin.json": b'{"messages": "\xe9"}',
        "deep.json": b"[" * 100_000,
        "list.json": b"[1, 2]",
        "role.json": json.dumps({"messages": [{"role": "x", "content": "y"}]}).encode(),
        "step.json": json.dumps({"steps": [{"operation": "TRUNCATE"}]}).encode(),
    }
    for name, data in broken.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
        assert main([str(tmp_path / name)]) == 2, name
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("ctxtui: ")
        assert said.err.count("\n") == 1
    assert main([str(tmp_path)]) == 2


def test_without_a_terminal_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(TOUR)]) == 2
    assert capsys.readouterr().err == (
        "ctxtui: the app needs a terminal: standard input and output must both be one\n"
    )
