"""The inspector at every size: nothing is cut, nothing is outside, no half of it is empty."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.widget import Widget

from ctxtui.core import Conversation
from ctxtui.inspector.drawing.head import (
    VIEW_KEYS,
    LogRibbon,
    narrow_tabs,
    session_line,
    status,
    viewing,
    viewing_choice,
)
from ctxtui.inspector.drawing.message import around_lines, heading, peek_lines
from ctxtui.inspector.drawing.timeline import batch_strip, strip_head
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Line, Piece
from tests.cases import case
from tests.ui.hostility import HOSTILE
from tests.ui.opening import lines, listed, opened, painted, tour

SIZES = [(60, 20), (80, 24), (100, 30), (200, 60)]
WIDTHS = (30, 40, 60, 72, 80, 99, 100, 120, 140, 200)
SAVED = [Piece("✓ saved ", "ok")]


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def broken() -> Conversation:
    """Return the tour after a cut that took a call from its result."""
    conversation = tour()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
    orphan = {"type": "tool_result", "tool_result": {"tool_use_id": "none", "content": "x" * 50}}
    conversation.execute(
        {"operation": "APPEND", "messages": [{"role": "tool", "content": [orphan]}]}
    )
    return conversation


def hostile() -> Conversation:
    conversation = Conversation([{"role": "user", "content": HOSTILE * n} for n in (1, 2, 3)])
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2, "description": HOSTILE})
    return conversation


# Lines


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [tour, broken, hostile, Conversation])
def test_no_line_of_the_head_is_longer_or_shorter_than_its_width(
    width: int, make: type[Conversation]
) -> None:
    conversation = make()
    errors = ErrorCounts(conversation)
    errors.prepare(conversation.newest(batch) for batch in conversation.batches)
    for batch in range(len(conversation.batches)):
        look = Look.at_batch(conversation, batch)
        drawn = [
            status(look, width),
            viewing(look, width),
            session_line(look, HOSTILE, SAVED, width),
            narrow_tabs(look, "inspector", "raw", width).line,
            narrow_tabs(look, "lint-view", "raw", width).line,
            strip_head(look, width),
            batch_strip(look, errors, width),
            LogRibbon(look, width, is_narrow=width < 100).line(0, 0),
        ]
        for raw in range(look.log_size):
            drawn += [heading(look, raw, width), *around_lines(look, raw, width)]
        assert {cell_len(text(line)) for line in drawn} == {width}


@pytest.mark.parametrize("width", [60, 72, 80, 100, 140])
def test_the_viewing_bar_loses_words_and_never_parts_of_them(width: int) -> None:
    conversation = tour()
    name = "a very long sentence of many words about what this batch was good for"
    conversation.execute({"operation": "TRUNCATE", "keepLast": 3, "description": name})
    conversation.execute({"operation": "CLEAR"})
    look = Look.at_batch(conversation, len(conversation.batches) - 2)
    bar = text(viewing(look, width))
    assert "VIEWING BATCH 4 OF 5" in bar
    assert bar.rstrip().endswith(("esc return to 5", "esc return", "esc"))
    told = bar.split("TRUNCATE")[-1].split("  ")[0]
    assert all(word in (*name.split(), "…") for word in told.split())
    at = bar.index("esc")
    assert viewing_choice(look, width, at) == "back"
    assert viewing_choice(look, width, bar.index(" R ") + 1) == "roll_back"
    assert viewing_choice(look, width, 3) == ""


def test_the_viewing_bar_says_the_whole_sentence_before_it_says_read_only() -> None:
    bar = text(viewing(Look.at_batch(broken(), 3), 80))
    assert "VIEWING BATCH 2 OF 4  REDACT clear old tool results  R roll back  esc return" in bar


def test_the_status_line_loses_words_before_figures() -> None:
    look = Look(broken())
    for width in range(56, 200):
        line = text(status(look, width))
        assert "…" not in line
        assert "batch 4 of 4" in line
        assert "%" in line


def test_a_small_head_tells_session_saved_batch_and_errors() -> None:
    look = Look(broken())
    line = text(session_line(look, "fix-flaky-upload", SAVED, 80))
    assert line.startswith(" fix-flaky-upload  ✓ saved")
    assert line.endswith("batch 4 of 4   ✖ 2 errors  ★ 1 hidden ")
    assert "fix-flaky-uplo… " in text(session_line(look, "fix-flaky-upload", SAVED, 50))
    ribbon = text(LogRibbon(look, 80, is_narrow=True).line(0, None))
    assert ribbon.startswith(" 4 of 28 ")
    assert "of 1.0k  " in ribbon
    assert "─" * 5 in ribbon


def test_tabs_have_names_and_numbers_and_can_be_hit() -> None:
    look = Look(tour())
    tabs = narrow_tabs(look, "inspector", "visible", 80)
    told = " 1 Raw 27  2 Visible 16  3 Message  4 Timeline 5  0 Text  5 Views "
    assert text(tabs.line).startswith(told)
    assert text(tabs.line).endswith("tab next ")
    assert [tabs.at(told.index(name)) for name in ("Raw", "Message", "Views")] == [
        "raw",
        "message",
        "roles",
    ]
    assert tabs.at(75) == ""
    assert text(narrow_tabs(look, "inspector", "raw", 50).line).startswith(" 1 Raw  2 Visible ")


def test_the_batch_strip_tells_lint_of_each_batch_and_keeps_the_shown_one() -> None:
    conversation = broken()
    errors = ErrorCounts(conversation)
    errors.prepare(conversation.newest(batch) for batch in conversation.batches)
    look = Look(conversation)
    whole = text(batch_strip(look, errors, 120)).strip()
    assert whole.startswith("○ 0 START ✓ ─◌╌ ○ 1 COMPRESS ✓ ─ ○ 2 REDACT ✓ ─ ○ 3 INSERT ✓")
    assert whole.endswith("─ ◉ 4 TRUNCATE ✖2")
    small = text(batch_strip(look, errors, 40)).strip()
    assert small.startswith("… ")
    assert small.endswith("◉ 4 TRUNCATE ✖2")
    past = text(batch_strip(Look.at_batch(conversation, 2), errors, 40)).strip()
    assert "● 1 COMPRESS ✓" in past


def test_a_peek_begins_with_what_is_wrong_and_shows_neighbours_where_there_is_room() -> None:
    look = Look(broken())
    told = [text(line) for line in peek_lines(look, 27, 80, 12)]
    assert told[0].startswith("── ↳ tool  raw 27  position 3 ──")
    assert told[1].startswith(" ✖ G1")
    assert any("E " in line or "X " in line for line in told[:4])
    assert any("around it in the raw log" in line for line in told)
    hidden = text(peek_lines(look, 3, 80, 2)[0])
    assert "hidden by batch 1 COMPRESS" in hidden


# Layout


@pytest.mark.parametrize("size", SIZES)
async def test_nothing_is_outside_the_screen_and_no_half_is_empty(size: tuple[int, int]) -> None:
    async with opened(broken(), size=size) as (pilot, screen):
        for key, pane in enumerate(("raw", "visible", "message", "timeline"), 1):
            await pilot.press(str(key))
            for _ in range(2):
                with case(pane):
                    whole = screen.region
                    for widget in screen.walk_children(Widget):
                        if widget.is_on_screen and widget.region.area:
                            assert whole.contains_region(widget.region), widget
                    drawn = painted(screen).splitlines()
                    empty = [not set(line) - set(" │┃▌▏▁▂▃▄▅▆▇█") for line in drawn]
                    runs = "".join("x" if e else " " for e in empty).split(" ")
                    assert max(map(len, runs)) <= size[1] // 2
                    assert listed(screen, "visible").is_on_screen or pane != "visible"
                    await pilot.press("[")
                    assert "…" not in lines(screen, "viewing")[0].rsplit("  ", 2)[-1]
                    assert "VIEWING" in lines(screen, "viewing")[0]
            await pilot.press("]", "]")
            assert screen.look.is_live


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_a_small_screen_has_rows_message_and_batches(size: tuple[int, int]) -> None:
    async with opened(broken(), size=size) as (pilot, screen):
        await pilot.press("G")
        drawn = painted(screen).splitlines()
        assert "untitled" in drawn[0] or "✓" in drawn[0]
        assert " 4 of 28 " in drawn[1]
        assert "2 Visible" in drawn[2]
        assert any(line.startswith("── ↳ tool  raw 27") for line in drawn)
        assert any(line.startswith(" ✖ G1") for line in drawn)
        assert drawn[-3].startswith("─ batches ──")
        assert "◉ 4 TRUNCATE ✖2" in drawn[-2]


async def test_tabs_of_a_small_screen_can_be_clicked_and_show_the_views() -> None:
    async with opened(size=(80, 24)) as (pilot, screen):
        await pilot.click("#pane-tabs", offset=(4, 0))
        assert screen.explorer.pane == "raw"
        at = lines(screen, "pane-tabs")[0].index("Views")
        await pilot.click("#pane-tabs", offset=(at, 0))
        assert screen.explorer.views.current == "roles"
        assert " esc Panes " in lines(screen, "pane-tabs")[0]
        at = lines(screen, "pane-tabs")[0].index("Tokens")
        await pilot.click("#pane-tabs", offset=(at, 0))
        assert screen.explorer.views.current == "tokens"


async def test_the_lint_tab_tells_how_much_there_is() -> None:
    async with opened(broken()) as (_, screen):
        assert " 9 Lint 2 " in lines(screen, "tabs")[0]
    async with opened() as (_, screen):
        assert " 9 Lint " in lines(screen, "tabs")[0]
        assert "Lint 0" not in lines(screen, "tabs")[0]


async def test_a_range_is_tinted_while_the_cursor_moves() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("j", "v", "j", "j")
        pane = listed(screen, "visible")
        tints = [pane._tint(at) for at in range(5)]
        assert tints == ["plain", "select", "select", "cursor", "plain"]
        assert "from raw 1, v end range" in painted(screen)
        await pilot.press("v")
        assert pane.range_from is None
        assert screen.explorer.selection.raws == {1, 2, 26}
        await pilot.press("escape", "v", "j", "escape")
        assert pane.range_from is None
        assert not screen.explorer.selection


async def test_a_very_large_screen_shows_neighbours_and_a_legend() -> None:
    async with opened(size=(240, 60)) as (_, screen):
        assert "◉ now  ○ on the path  ◌ abandoned  ! over limit" in painted(screen)
        assert "around it in the raw log" in painted(screen)
        assert "clear old tool results " in "\n".join(lines(screen, "timeline"))


SAID = "错误：上传失败正在重试文件已锁定"
"""What messages of the tour say that is not ASCII."""


@pytest.mark.parametrize("size", [(80, 24), (140, 42), (200, 60)])
async def test_ascii_covers_all_that_is_ours(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        await pilot.app.run_action("ascii")
        await pilot.press("[", "4")
        for key in ("1", "2", "3", "4", "0", "5", "6", "7", "8", "9"):
            await pilot.press(key)
            left = {sign for sign in painted(screen) if not (sign.isascii() or sign in SAID)}
            assert not left, (key, left)


async def test_a_view_is_made_when_it_is_first_shown() -> None:
    """Widgets that nobody sees would delay the first frame."""
    async with opened() as (pilot, screen):
        views = screen.explorer.views
        first = {child.id for child in views.children}
        assert first == {"inspector", "markmap"}
        for name, key in VIEW_KEYS.items():
            await pilot.press(key or "2")
            assert views.current == name
            assert screen.focused is not None
        assert len(views.children) == len(VIEW_KEYS)
        await pilot.press("0", "5")
        assert len(views.children) == len(VIEW_KEYS)
