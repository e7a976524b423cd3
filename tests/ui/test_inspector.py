"""The inspector: what it shows, how it moves, how it steps through time."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation
from ctxtui.diff.screen import DiffScreen
from ctxtui.library.screen import LibraryScreen
from tests.ui.opening import lines, listed, opened, tour


async def test_the_tour_shows_raw_array_projection_and_batches() -> None:
    async with opened() as (_, screen):
        raw, visible, timeline = (lines(screen, p) for p in ("raw", "visible", "timeline"))
        assert "compress 1" in raw[4]
        assert "other branch" in raw[17]
        assert visible[3].split()[:4] == ["2", "⋮", "26", "§"]
        assert "TRUNCATE keep" in timeline[2]
        assert timeline[2].rstrip().endswith("✖1")
        assert "├╌◌" in timeline[2]
        assert any("◉    3 INSERT" in line for line in timeline)
        assert timeline[1].split()[:3] == ["○", "0", "START"]
        assert "+16    ·  16" in timeline[1]
        assert "16 visible of 27 raw" in lines(screen, "status")[0]
        assert lines(screen, "ribbon")[0].startswith(" raw ▆┃▆ ▆▆▆▆ ▆▆▆▆ ▁▁▁▁")


async def test_the_cursor_is_followed_in_every_pane() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("j", "j", "j", "j", "j")
        assert screen.explorer.raw == 10
        assert listed(screen, "raw").cursor == 10
        assert "Makes sense" in "\n".join(lines(screen, "message"))
        assert "★ instruction" in "\n".join(lines(screen, "message"))
        await pilot.press("1", "g")
        assert screen.explorer.raw == 0
        assert listed(screen, "visible").cursor == 0
        await pilot.press("G", "k", "ctrl+u", "pagedown", "up", "home", "end")
        assert screen.explorer.raw == 26


async def test_the_message_is_that_of_the_pane_in_focus() -> None:
    cut = tour()
    cut.execute({"operation": "TRUNCATE", "keepLast": 3})
    async with opened(cut) as (pilot, screen):
        assert screen.explorer.raw == 21
        await pilot.press("1", "g")
        assert screen.explorer.raw == 0
        await pilot.press("2")
        await pilot.pause()
        assert screen.explorer.raw == 21


async def test_number_keys_and_tab_move_the_focus() -> None:
    async with opened(size=(120, 40)) as (pilot, screen):
        seen = [screen.focused and screen.focused.id]
        for key in "1342":
            await pilot.press(key)
            seen.append(screen.focused and screen.focused.id)
        assert seen == ["visible", "raw", "message", "timeline", "visible"]
        await pilot.press("enter")
        assert screen.focused is screen.query_one("#message")


async def test_stepping_looks_and_changes_nothing() -> None:
    async with opened() as (pilot, screen):
        before = screen.conversation.copy()
        await pilot.press("[")
        assert screen.look.batch.number == 2
        assert screen.explorer.has_class("-stepping")
        assert "VIEWING BATCH 2 OF 3" in lines(screen, "viewing")[0]
        assert any(line.startswith(" −   –    12") for line in lines(screen, "visible"))
        await pilot.press("h", "h", "h", "h")
        assert screen.look.batch.number == 0
        await pilot.press("l", "]")
        assert screen.look.batch.number == 2
        await pilot.press("escape")
        assert screen.look.is_live
        assert not screen.explorer.has_class("-stepping")
        assert screen.conversation == before


async def test_the_timeline_steps_with_its_cursor_and_reaches_abandoned_batches() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "g", "j")
        assert screen.look.batch.id == 1
        assert len(screen.look.view) == 6
        await pilot.press("R")
        assert screen.conversation.batch.id == 1
        assert len(screen.conversation.view) == 6
        await pilot.press("u")
        assert screen.conversation.batch.number == 3
        await pilot.press("U")
        assert screen.conversation.batch.id == 1


async def test_rolling_back_is_acting_and_can_be_undone() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("R")
        assert screen.conversation.batch.number == 3
        await pilot.press("[", "[", "R")
        assert screen.conversation.batch.number == 1
        assert screen.look.is_live
        await pilot.press("u", "ctrl+r")
        assert screen.conversation.batch.number == 1


async def test_every_view_is_filled_and_findings_lead_to_messages() -> None:
    conversation = tour()
    conversation.execute({"operation": "DELETE", "indices": [20]})
    async with opened(conversation) as (pilot, screen):
        shown = {}
        for key in "056789":
            await pilot.press(key)
            await pilot.pause()
            view = screen.explorer.views.current or ""
            parts = {"roles": "role-user", "lint-view": "lint", "markmap": "index-arrays"}
            target = {**parts, "journal": "records"}.get(view, view)
            shown[view] = "\n".join(lines(screen, target))
        assert "Makes sense" in shown["roles"]
        assert "originalIndices" in shown["markmap"]
        assert "0–1  26" in shown["markmap"]
        assert "COMPRESS  7 messages" in shown["journal"]
        assert "Largest visible" in shown["tokens"]
        assert "✖ G1" in shown["lint-view"]
        await pilot.press("enter")
        assert screen.explorer.views.current == "inspector"
        assert screen.explorer.raw == 21
        assert "✖ G1" in "\n".join(lines(screen, "message"))
        told = " ".join(" ".join(lines(screen, "message")).split())
        assert "Its call, raw 20, is hidden by batch 4 DELETE" in told
        await pilot.press("L", "escape")
        assert screen.explorer.views.current == "inspector"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (140, 42), (200, 60), (40, 10)], ids=str)
async def test_every_size_shows_the_focused_pane(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        for key, pane in (("1", "raw"), ("2", "visible"), ("3", "message"), ("4", "timeline")):
            await pilot.press(key)
            await pilot.pause()
            widget = screen.query_one(f"#{pane}")
            assert widget.display
            assert widget.size.height > 1
        await pilot.resize_terminal(200, 60)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert screen.focused is screen.query_one("#timeline")


async def test_the_mouse_moves_opens_and_chooses_tabs() -> None:
    async with opened() as (pilot, screen):
        await pilot.click("#visible", offset=(10, 4))
        assert listed(screen, "visible").cursor == 2
        await pilot.click("#timeline", offset=(10, 2))
        assert screen.look.batch.id == 0
        await pilot.press("escape")
        await pilot.click("#tabs", offset=(lines(screen, "tabs")[0].index("Roles"), 0))
        assert screen.explorer.views.current == "roles"
        await pilot.hover("#role-user", offset=(5, 5))
        assert listed(screen, "role-user").hovered == 1


async def test_escape_goes_one_step_out_and_z_toggles() -> None:
    async with opened(size=(80, 24)) as (pilot, screen):
        panes = []
        for key in ("enter", "escape"):
            await pilot.press(key)
            panes.append(screen.explorer.pane)
        assert panes == ["message", "visible"]
        seen = []
        for _ in range(2):
            await pilot.press("z")
            seen.append(screen.maximized is not None)
        assert seen == [True, False]
        await pilot.press("tab", "tab", "tab", "shift+tab")
        assert screen.explorer.pane == "timeline"


async def test_a_key_right_after_a_pane_key_goes_to_that_pane() -> None:
    async with opened() as (pilot, screen):
        screen.explorer.action_pane("timeline")
        assert screen.focused is screen.query_one("#timeline")
        await pilot.press("g", "j")
        assert screen.look.batch.id == 1
        hidden = [line[2:].split()[1] for line in lines(screen, "visible") if line[1] == "−"]
        assert hidden == [str(raw) for raw in range(12)]


async def test_errors_of_long_batches_are_counted_behind_the_scenes() -> None:
    orphan = {"type": "tool_result", "tool_result": {"tool_use_id": "c", "content": "x"}}
    messages = [{"role": "user", "content": "x"}] * 600
    conversation = Conversation([*messages, {"role": "tool", "content": [orphan]}])
    async with opened(conversation) as (pilot, screen):
        screen.explorer.panes.count_errors()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "✖1" in "\n".join(lines(screen, "timeline"))


async def test_a_hidden_label_is_in_the_status_and_keys_go_to_hidden_and_labelled_messages() -> (
    None
):
    conversation = tour()
    conversation.execute({"operation": "DELETE", "indices": [10]})
    async with opened(conversation) as (pilot, screen):
        assert "★ 1 hidden" in lines(screen, "status")[0]
        await pilot.press("1", "g", "quotation_mark")
        assert screen.explorer.raw == 10
        await pilot.press("g", "apostrophe", "apostrophe")
        assert screen.explorer.raw == 4
        await pilot.press("u")
        assert "★" not in lines(screen, "status")[0]


async def test_two_picked_batches_are_compared() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "g", "space", "j", "j", "space")
        assert screen.explorer.panes.picked_batches == (0, 2)
        await pilot.press("equals_sign")
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen)
        assert (diff.sides.left.batch.id, diff.sides.right.batch.id) == (0, 2)
        await pilot.press("escape", "space", "j", "space")
        assert screen.explorer.panes.picked_batches == (0, 3)


async def test_escape_leads_to_the_library_at_last() -> None:
    async with opened() as (pilot, screen):
        assert "Library › " in lines(screen, "tabs")[0]
        await pilot.press("3", "escape")
        assert pilot.app.screen is screen
        await pilot.press("escape")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(pilot.app.screen, LibraryScreen)


async def test_a_click_on_the_count_of_errors_opens_them() -> None:
    conversation = tour()
    conversation.execute({"operation": "DELETE", "indices": [20, 10]})
    async with opened(conversation) as (pilot, screen):
        line = lines(screen, "status")[0]
        await pilot.click("#status", offset=(line.index("★ 1 hidden") + 3, 0))
        assert screen.explorer.raw == 10
        await pilot.click("#status", offset=(line.index("1 error"), 0))
        assert screen.explorer.views.current == "lint-view"
        assert "click opens them" in str(screen.query_one("#status").tooltip)


async def test_the_way_to_a_screen_is_in_its_head_line() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("equals_sign")
        title = pilot.app.screen.query_one("#diff-title").render_line(0).text
        assert title.startswith(f" Library › {screen.session.title} › Diff  from batch")
        await pilot.resize_terminal(80, 24)
        title = pilot.app.screen.query_one("#diff-title").render_line(0).text
        assert f"{screen.session.title[:8]}" in title
        assert "› Diff" in title
