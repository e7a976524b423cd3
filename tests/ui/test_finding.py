"""Finding, selecting and taking along: search, go to, filter, copy, palette, help."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.command import CommandPalette

from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation
from ctxtui.core.engine.operations import ALL
from ctxtui.help.drawing import LEGEND, help_lines
from ctxtui.help.palette import INSPECTOR_COMMANDS
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.drawing.lists import COLOURS, mark_kind, star
from ctxtui.inspector.keys import INSPECTING
from tests.core.samples import said
from tests.ui.opening import lines, listed, opened, refusal, toasts


async def test_search_goes_from_hit_to_hit() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("/", *"upload", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        first = screen.explorer.raw
        assert first is not None
        assert "match" in str(screen.query_one(f"#{screen.explorer.pane}").border_subtitle)
        await pilot.press("n")
        assert screen.explorer.raw != first
        await pilot.press("N")
        assert screen.explorer.raw == first
        await pilot.press("/", *"nowhere", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(screen.explorer.searching.found) == 0
        assert screen.explorer.raw == first


async def test_what_is_only_in_other_fields_is_found_there() -> None:
    meta = {"fields": {"label": "a rare one", "note": "hi"}}
    async with opened(Conversation([said("user", "hi there")], meta=meta)) as (pilot, screen):
        await pilot.press("/", *"rare", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "Found in 1 other field: label" in toasts(pilot)
        assert screen.focused is screen.query_one("#other-fields")
        assert "a rare one" in lines(screen, "other-fields")[1]
        await pilot.press("escape", "/", *"hi", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        foot = str(screen.query_one(f"#{screen.explorer.pane}").border_subtitle)
        assert screen.explorer.raw == 0
        assert "also in 1 other field: note" in foot


async def test_go_to_finds_messages_and_batches_and_refuses_others() -> None:
    async with opened() as (pilot, screen):
        await pilot.press(":", "1", "2", "enter")
        assert (screen.explorer.raw, screen.explorer.pane) == (12, "raw")
        await pilot.press(":", "#", "1", "enter")
        assert screen.look.batch.number == 1
        for text in ("99", "#9", "x", "-1"):
            await pilot.press(":", *text, "enter")
            assert screen.look.batch.number == 1
        await pilot.press(":", "escape")
        assert screen.focused is screen.query_one("#raw")


async def test_copying_goes_to_the_clipboard_or_a_file() -> None:
    big = Conversation(
        [{"role": "user", "content": "short"}, {"role": "user", "content": "x" * 200_000}]
    )
    async with opened(big) as (pilot, screen):
        await pilot.press("y")
        assert pilot.app.clipboard == "short"
        await pilot.press("j", "y")
        await screen.explorer.run_action("copy_all")
        assert pilot.app.clipboard == "short"
    async with opened(Conversation([{"role": "user", "content": "hi"}])) as (pilot, screen):
        await screen.explorer.run_action("copy_all")
        assert pilot.app.clipboard == '[{"role": "user", "content": "hi"}]'


async def test_messages_are_selected_one_by_one_or_as_a_range() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("space", "space")
        assert screen.explorer.selection.raws == {0, 1}
        await pilot.press("v", "j", "j", "v")
        assert screen.explorer.selection.raws == {0, 1, 26, 2, 18}
        assert "5 selected" in str(screen.query_one("#visible").border_subtitle)
        await pilot.press("g", "space")
        assert screen.explorer.selection.raws == {1, 26, 2, 18}
        await pilot.press("escape")
        assert screen.explorer.selection.raws == set()


async def test_a_filter_narrows_both_lists_until_it_is_lifted() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("&", *"pytest", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(listed(screen, "visible").source) == 1
        assert len(listed(screen, "raw").source) == 2
        assert "with 'pytest'" in str(screen.query_one("#raw").border_subtitle)
        await pilot.press("&", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(listed(screen, "raw").source) == 27


async def test_every_command_is_bound_described_and_in_the_palette() -> None:
    async with opened() as (pilot, screen):
        for command in INSPECTING:
            name = command.action.split("(")[0].removeprefix("app.")
            parts = (screen, screen.explorer, screen.explorer.panes)
            owners = [pilot.app] if command.action.startswith("app.") else parts
            assert any(hasattr(owner, f"action_{name}") for owner in owners), command.action
            assert command.about
        await pilot.press("C")
        await pilot.pause()
        assert isinstance(pilot.app.screen, CommandPalette)
        await pilot.press("escape")
        await pilot.pause()
        assert len(pilot.app.screen_stack) == 2


async def test_help_opens_and_closes() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("?")
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press("?")
        await pilot.pause()
        assert screen.is_current


@pytest.mark.parametrize("width", [20, 70, 110, 156])
def test_help_tells_of_every_command_and_fits(width: int) -> None:
    told = help_lines((*INSPECTING, *LISTS), (), width)
    assert all(sum(cell_len(piece.text) for piece in line) <= width for line in told)
    keys = [piece.text.strip() for line in told for piece in line if piece.kind == "key"]
    keys = keys[: -sum(sign.kind == "key" for signs in LEGEND.values() for sign in signs)]
    commands = [one for one in (*INSPECTING, *LISTS) if one.keys]  # The others are in the palette.
    assert sorted(keys) == sorted(command.shown_keys() for command in commands)


async def test_a_pattern_between_slashes_is_a_regular_expression() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("/")
        screen.query_one("#ask").value = r"/UPLOAD_\w+ = '.*'/"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert (screen.explorer.raw, len(screen.explorer.searching.found)) == (21, 1)
        await pilot.press("/", *"/(/", "enter")
        await pilot.pause()
        assert "not a regular expression" in refusal(screen)
        assert len(screen.explorer.searching.found) == 1


async def test_a_pattern_that_takes_years_leaves_the_message_out_and_says_so() -> None:
    slow = Conversation([{"role": "user", "content": text} for text in ("ac", "a" * 60 + "b")])
    async with opened(slow) as (pilot, screen):
        await pilot.press("/", *"/(a|aa)+c/", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.explorer.searching.found.raws == (0,)
        assert "left out" in toasts(pilot)


async def test_escape_stops_a_search_that_is_still_at_work() -> None:
    many = Conversation([{"role": "user", "content": "a" * 60 + "b"}] * 2)
    async with opened(many) as (pilot, screen):
        await pilot.press("/", *"/(a|aa)+c/", "enter")
        states = [screen.explorer.searching.is_running]
        await pilot.press("escape")
        states.append(screen.explorer.searching.is_running)
        assert states == [True, False]
        await pilot.app.workers.wait_for_complete()
        assert len(screen.explorer.searching.found) == 0


async def test_matches_are_lit_in_lists_and_in_the_message() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("/", *"LOCK", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        for name in ("raw", "message"):
            widget = screen.query_one(f"#{name}")
            strips = [widget.render_line(y) for y in range(widget.size.height)]
            lit = [s.text for strip in strips for s in strip if s.style and s.style.underline]
            assert "lock" in {text.casefold() for text in lit}, name


async def test_a_markdown_message_is_laid_out_and_shown_as_it_is_on_demand() -> None:
    source = "# Title\n\nSome **bold** words and `code`."
    async with opened(Conversation([{"role": "user", "content": source}])) as (pilot, screen):
        told = "\n".join(lines(screen, "message"))
        assert "Title" in told
        assert "# Title" not in told
        assert "**" not in told
        await pilot.press("V")
        assert "# Title" in "\n".join(lines(screen, "message"))
        await pilot.press("V")
        assert "# Title" not in "\n".join(lines(screen, "message"))


async def test_the_lists_are_narrowed_to_marked_messages() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("&", *"*instruction", "enter")
        await pilot.pause()
        assert [listed(screen, name).key for name in ("raw", "visible")] == [10, 10]
        await pilot.press("&", *"*nobody", "enter")
        await pilot.pause()
        assert len(listed(screen, "raw").source) == 1
        assert "'nobody' is outside" in refusal(screen)
        await pilot.press("escape", "escape")
        assert len(listed(screen, "raw").source) == 27


async def test_labels_have_colours_of_their_own() -> None:
    async with opened() as (pilot, screen):
        screen.change({"operation": "MARK", "indices": [0], "label": "apple"}, "Marked")
        await pilot.pause()
        kinds = {raw: found.kind for raw in (0, 10) if (found := star(screen.look, raw))}
        assert kinds == {0: mark_kind("apple"), 10: mark_kind("instruction")}
        assert len({mark_kind(f"label {at}") for at in range(20)}) == len(COLOURS)


async def test_the_palette_has_every_operation() -> None:
    actions = {command.action for command in INSPECTOR_COMMANDS}
    assert {f"operate('{one.title}')" for one in ALL} <= actions
