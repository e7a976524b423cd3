"""What was said can be read again, the help is searched, and nothing is called ready unduly."""

from __future__ import annotations

from pathlib import Path

from ctxtui.app import CtxtuiApp
from ctxtui.core.storage import MemoryLibrary
from ctxtui.files.sessions import open_target
from ctxtui.help.screen import HelpScreen, NoticesScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.text.toast import note
from ctxtui.widgets.panes import TextPane
from tests.ui.opening import opened, painted
from tests.ui.test_library import wait


async def test_what_was_said_can_be_read_again() -> None:
    async with opened() as (pilot, _):
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        app.show_toast(note("The first thing", "with a detail"))
        app.show_toast(note("The second thing"))
        for toast in app.toasts:
            app.remove_toast(toast)
        await pilot.press("f4")
        assert isinstance(app.screen, NoticesScreen)
        drawn = painted(app.screen)
        assert drawn.index("The second thing") < drawn.index("The first thing")
        assert "with a detail" in drawn
        await pilot.press("escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_the_help_shows_only_what_is_searched_for_while_it_is_typed() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("question_mark")
        pane = pilot.app.screen.query_one(TextPane)
        whole = pane.virtual_size.height
        await pilot.press("slash", *"temporary")
        assert "Nothing here has these words." in painted(pilot.app.screen)
        await pilot.press(*["backspace"] * 9, *"clipboard")
        assert "Copy the message" in painted(pilot.app.screen)
        assert pane.virtual_size.height < 10
        await pilot.press("enter", "escape")
        assert pane.virtual_size.height == whole
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_hiding_says_which_messages_were_hidden() -> None:
    async with opened() as (pilot, screen):
        first, second = list(screen.conversation.view)[3:5]
        screen.change({"operation": "DELETE", "indices": [first, second]}, "DELETE")
        await wait(pilot)
        told = pilot.app.toasts[-1] if isinstance(pilot.app, CtxtuiApp) else None
        assert told is not None
        assert told.detail.startswith(f"Hidden: raw {first}, {second}. ")


async def test_a_session_whose_import_left_something_out_is_not_called_ready(
    tmp_path: Path,
) -> None:
    library = MemoryLibrary()
    lines = [
        '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}'
    ]
    for name, more in (("fine.jsonl", []), ("torn.jsonl", ["{broken"])):
        path = tmp_path / name
        path.write_text("\n".join([*lines, *more]), encoding="utf-8")
        open_target(library, str(path)).close()
    app = CtxtuiApp(library=library)
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        assert isinstance(app.screen, LibraryScreen)
        seen = {}
        for key in ("g", "G"):
            await pilot.press(key)
            await wait(pilot)
            assert app.screen.entry is not None
            seen[app.screen.entry.source] = painted(app.screen)
        fine, torn = (seen[str(tmp_path / name)] for name in ("fine.jsonl", "torn.jsonl"))
        assert "Ready for fine-tuning" in fine
        assert "Ready for fine-tuning" not in torn
        assert "1 import warning" in torn
