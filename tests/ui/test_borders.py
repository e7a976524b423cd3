"""Borders of the panes: a title at one end, words at the other, lines between, at any width."""

from __future__ import annotations

import pytest

from tests.ui.opening import listed, opened, painted


def edges(screen_text: str, corner: str) -> list[str]:
    return [line for line in screen_text.splitlines() if corner in line]


async def test_each_border_says_what_its_pane_is_and_how_much_of_it_there_is() -> None:
    async with opened() as (pilot, screen):
        tops = edges(painted(screen), "╭")
        assert tops[0].startswith("╭─  1 Raw ──")
        assert "── everything ever added 27 ─╮┏━  2 Visible ━━" in tops[0]
        assert tops[0].rstrip().endswith("━━ what the model is sent 16 ━┓")
        assert "── 5 batches, 1 abandoned ─╮╭─  3 Message ──" in tops[1]
        assert tops[1].rstrip().endswith("── raw 0  position 0 ─╮")
        bottoms = edges(painted(screen), "╰")
        assert "11 hidden ─╯" in bottoms[0]
        assert bottoms[0].rstrip().endswith("all 16 ━┛")
        await pilot.press("1")
        assert "┏━  1 Raw ━━" in painted(screen)
        assert "━━ everything ever added 27 ━┓" in painted(screen)
        assert "╭─  2 Visible ──" in painted(screen)


async def test_the_bottom_tells_which_messages_are_in_sight() -> None:
    async with opened(size=(140, 30)) as (pilot, screen):
        first, last = listed(screen, "visible").in_sight
        assert f"0–{last - 1} of 16" in painted(screen)
        await pilot.press("G")
        first, last = listed(screen, "visible").in_sight
        assert (first > 0, last) == (True, 16)
        assert f"{first}–15 of 16" in painted(screen)


async def test_while_stepping_the_borders_tell_of_then() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("[", "[")
        assert "at batch 1 24" in painted(screen)
        assert "in batch 1, against batch 0 15" in painted(screen)


@pytest.mark.parametrize("width", [132, 140, 179, 200])
async def test_borders_fill_their_width_again_when_it_changes(width: int) -> None:
    async with opened() as (pilot, screen):
        await pilot.resize_terminal(width, 42)
        await pilot.pause()
        for line in painted(screen).splitlines():
            assert "…" not in line or not line.startswith(("╭", "╰", "┏", "┗"))
        tops = edges(painted(screen), "╭")
        assert "everything ever added 27 ─╮" in tops[0]


async def test_borders_are_ascii_where_that_is_wanted() -> None:
    async with opened() as (pilot, screen):
        await pilot.app.run_action("ascii")
        drawn = painted(screen)
        assert not set(drawn) & set("─━╭╮╰╯┏┓┗┛│┃▆▁·…→★")
        assert "+-  1 Raw ---" in drawn
        assert "--- everything ever added 27 -+" in drawn
