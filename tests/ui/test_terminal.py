"""What reaches the terminal: whatever a file or a user holds, nothing that a terminal acts on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.engine.operations import ALL
from ctxtui.core.storage import MemoryLibrary, Session
from ctxtui.forms.message_editor import MessageEditor
from ctxtui.forms.screen import JSON
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import ASKS, LibraryScreen
from ctxtui.opening import ProblemScreen
from ctxtui.progress import TaskProgress
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.prompt import Prompt, SafeInput
from tests.ui.hostility import HOSTILE, LABEL, hostile
from tests.ui.opening import kept, opened, refusal
from tests.ui.terminal import faults, watched
from tests.ui.test_library import shown, wait

FORMS = [operation.title for operation in ALL]


def app_of(conversation: Conversation) -> CtxtuiApp:
    library = MemoryLibrary()
    return CtxtuiApp(library.create(conversation, title=HOSTILE), library)


async def fill(pilot: Pilot[str], text: str) -> None:
    """Put a text into every field of the screen."""
    for field in pilot.app.screen.query(Input):
        field.value = text
    for area in pilot.app.screen.query(TextArea):
        area.load_text(text)
    await wait(pilot)


async def test_the_recorder_sees_what_a_terminal_would() -> None:
    async with watched(app_of(Conversation())) as (pilot, written):
        assert "Inspector" in "".join(written)
        assert not faults(written)
        pilot.app.copy_to_clipboard("x")
        assert faults(written)
    assert faults([HOSTILE])


@pytest.mark.parametrize("title", ["CONFIGURE", "DESCRIBE"])
async def test_no_form_lets_a_file_write_to_the_terminal(title: str) -> None:
    async with watched(app_of(hostile())) as (pilot, written):
        screen = pilot.app.screen
        assert isinstance(screen, InspectorScreen)
        screen.action_operate(title)
        await wait(pilot)
        assert any(field.value == HOSTILE for field in pilot.app.screen.query(Input))
        for _ in range(8):
            await pilot.press("tab", "end")
        assert faults(written) == []


async def test_no_field_of_any_form_writes_to_the_terminal() -> None:
    async with watched(app_of(hostile())) as (pilot, written):
        screen = pilot.app.screen
        assert isinstance(screen, InspectorScreen)
        for title in (*FORMS, JSON):
            screen.action_operate(title)
            await pilot.pause()
            await fill(pilot, HOSTILE)
            await pilot.press("escape")
            assert faults(written) == [], title


async def test_no_prompt_lets_a_file_write_to_the_terminal() -> None:
    async with watched(app_of(hostile())) as (pilot, written):
        for key in ("slash", "ampersand", "colon", "m", "M", "B"):
            await pilot.press(key)
            await pilot.pause()
            line = pilot.app.screen.query_one(Prompt).line
            assert line.display
            line.placeholder = HOSTILE
            await pilot.pause()
            line.value = HOSTILE
            await pilot.press("left", "enter")
            await wait(pilot)
            assert faults(written) == []


async def test_no_view_lets_a_file_write_to_the_terminal() -> None:
    async with watched(app_of(hostile()), (200, 50)) as (pilot, written):
        for key in (*"1234[]lhVz", *"z5jjj5jjj5jjj5jjj5jjj?", "escape", "equals_sign"):
            await pilot.press(key)
            await wait(pilot)
        await pilot.press("j", "k", "escape", "w")
        await wait(pilot)
        await pilot.press("plus")
        await wait(pilot)
        assert faults(written) == []


async def test_the_palette_shows_what_is_pasted_as_symbols() -> None:
    async with watched(app_of(hostile())) as (pilot, written):
        await pilot.press("C")
        await wait(pilot)
        pilot.app.screen.query_one(Input).value = HOSTILE
        await wait(pilot)
        assert faults(written) == []


async def test_the_library_shows_hostile_sessions_as_symbols(tmp_path: Path) -> None:
    library = MemoryLibrary()
    with library.create(hostile(), title="one") as session:
        session.describe(title=HOSTILE, note=HOSTILE, tags=[LABEL])
    app = CtxtuiApp(library=library)
    async with watched(app) as (pilot, written):
        for what in ASKS:
            assert isinstance(app.screen, LibraryScreen)
            app.screen.action_ask(what)
            await wait(pilot)
            pilot.app.screen.query_one(Prompt).line.value = HOSTILE
            await pilot.press("left", "enter")
            await wait(pilot)
            await pilot.press("escape")
        name = tmp_path / "[b]\x1b]52;c;x\x07\u202e\udcff.json"
        name.write_text(json.dumps([{"role": "user", "content": HOSTILE}]), encoding="utf-8")
        await pilot.press("i")
        app.screen.query_one(Prompt).line.value = str(name)
        await pilot.press("enter")
        await wait(pilot)
        assert len(library.list()) == 2
        for key in ("j", "D", "d", "u", "enter", "O"):
            await pilot.press(key)
            await wait(pilot)
        assert faults(written) == []


async def test_what_can_not_be_opened_is_named_in_symbols() -> None:
    def refuse(_: TaskProgress) -> Session:
        raise ValueError(HOSTILE)

    app = CtxtuiApp(refuse, MemoryLibrary(), HOSTILE)
    async with watched(app) as (pilot, written):
        await wait(pilot)
        assert isinstance(app.screen, ProblemScreen)
        assert faults(written) == []


async def test_a_field_shows_a_symbol_for_each_character_and_keeps_its_value() -> None:
    text = "a\x1b]52;c;x\x07\x9b\u202e漢\ud800\nz"
    async with opened() as (pilot, _):
        await pilot.press("comma")
        field = pilot.app.screen.query_one("#entry-counter", SafeInput)
        field.value = text
        await pilot.pause()
        assert field.render_line(0).text.rstrip() == "a␛]52;c;x␇�·漢�⏎z"
        assert field.value == text
        field.focus()
        cells = []
        for place in range(len(text) + 1):
            field.cursor_position = place
            cells.append(field.cursor_screen_offset.x - field.content_region.x)
        # One cell for each, two for a Chinese character, and one for a cursor behind them all.
        assert cells == [*range(13), 14, 15, 16, 18]
        assert [field._cell_offset_to_index(cell) for cell in cells[:-1]] == [*range(len(text))]


async def test_a_form_that_is_not_touched_keeps_hostile_text_as_it_is() -> None:
    app = CtxtuiApp(kept(hostile()))
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.press("comma")
        await wait(pilot)
        for field in app.screen.query(SafeInput):
            if field.value == "5":
                field.value = "50"
        await pilot.press("ctrl+s")
        await wait(pilot)
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        settings = screen.conversation.settings
        assert (settings.token_limit, settings.tool_description) == (50, HOSTILE)


async def test_a_message_that_can_not_be_shown_is_edited_as_json_and_stays_what_it_is() -> None:
    async with opened(hostile()) as (pilot, screen):
        await pilot.press("2", "g", "r")
        await wait(pilot)
        editor = pilot.app.screen.query_one(MessageEditor)
        assert "漢字" in editor.area.text
        assert "\\u001b]52" in editor.area.text
        assert editor.value["content"] == HOSTILE
        editor.load(editor.text.replace("漢字", "字"))
        await pilot.press("ctrl+s")
        await wait(pilot)
        newest = screen.conversation.log[-1].to_dict()
        assert newest["content"] == HOSTILE.replace("漢字", "字")


async def test_an_editor_may_bring_any_text_back() -> None:
    async with opened() as (pilot, _):
        await pilot.press("a")
        await wait(pilot)
        editor = pilot.app.screen.query_one(MessageEditor)
        editor.load(HOSTILE)
        await wait(pilot)
        assert editor.value == [{"role": "user", "content": HOSTILE}]
        assert editor.query_one(ChoiceBar).value == "JSON"


async def test_a_huge_text_in_a_field_is_shown() -> None:
    conversation = Conversation([{"role": "user", "content": "x"}])
    conversation.execute({"operation": "CONFIGURE", "toolDescription": "漢" * 200_000})
    async with watched(app_of(conversation)) as (pilot, written):
        await pilot.press("comma")
        await wait(pilot)
        await fill(pilot, "[/x]" * 50_000)
        assert faults(written) == []


async def test_a_title_with_control_characters_is_refused() -> None:
    library = MemoryLibrary()
    with library.create(Conversation(), title="one"):
        pass
    async with shown(library) as (pilot, app):
        await pilot.press("r")
        for bad, named in (("a\x1b]52;c;x\x07", "U+001B"), ("\u202eevil", "U+202E")):
            app.screen.query_one(Prompt).line.value = bad
            await pilot.press("enter")
            await wait(pilot)
            assert library.list()[0].title == "one"
            assert named in refusal(app.screen)
        app.screen.query_one(Prompt).line.value = "👩\u200d👧 漢"
        await pilot.press("enter")
        await wait(pilot)
        assert library.list()[0].title == "👩\u200d👧 漢"
