"""Operating from the keyboard: every operation from its key to the saved state, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from ctxtui.core import Conversation
from ctxtui.core.engine.operations import ALL
from ctxtui.forms.paste import PasteScreen
from ctxtui.forms.screen import FormScreen, OperationPicker
from ctxtui.forms.widgets import FieldRow
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.widgets.choices import ChoiceBar
from tests.cases import case
from tests.ui.opening import lines, opened, painted, toasts, tour

TEXTS: dict[str, dict[str, str]] = {
    "APPEND": {"messages": "Something new, written by hand."},
    "INSERT": {"messages": "Between two others."},
    "REPLACE": {"message": "Instead of that."},
    "COMPRESS": {"summary": "In short: nothing."},
}
FIELDS: dict[str, dict[str, str]] = {
    "TRUNCATE": {"keepLast": "4"},
    "FILTER": {"contentExcludes": "upload"},
    "SELECT": {"indices": "0-2, 10"},
    "MARK": {"label": "good"},
    "UNMARK": {"label": "instruction"},
    "DESCRIBE": {"text": "a better name"},
    "BATCH_START": {"boundary": "5"},
    "CHECKOUT": {"batch": "1"},
    "CONFIGURE": {"tokenLimit": "5000"},
}


async def settle(pilot: Pilot[str]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def form(pilot: Pilot[str]) -> FormScreen:
    screen = pilot.app.screen
    assert isinstance(screen, FormScreen)
    return screen


def entry(pilot: Pilot[str], name: str) -> Any:
    return form(pilot).query_one(f"#row-{name}", FieldRow).entry


def told(pilot: Pilot[str]) -> str:
    return toasts(pilot)


def start(title: str) -> Conversation:
    conversation = tour()
    if title == "REPAIR":
        conversation.execute({"operation": "DELETE", "indices": [20]})
    if title == "REDO":
        conversation.undo()
    return conversation


@pytest.mark.parametrize("title", [operation.title for operation in ALL])
async def test_every_operation_goes_from_its_form_to_disk(title: str) -> None:
    async with opened(start(title)) as (pilot, screen):
        await pilot.press(*["j"] * 5)
        before = len(screen.conversation.journal)
        screen.action_operate(title)
        await settle(pilot)
        for name, text in FIELDS.get(title, {}).items():
            entry(pilot, name).value = text
        for name, text in TEXTS.get(title, {}).items():
            entry(pilot, name).area.load_text(text)
        await settle(pilot)
        assert form(pilot).prospect is not None, lines_of(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert isinstance(pilot.app.screen, InspectorScreen), told(pilot)
        assert len(screen.conversation.journal) == before + 1
        assert screen.session.is_saved
        assert screen.conversation.check() == []
        assert screen.look.is_live


def lines_of(pilot: Pilot[str]) -> str:
    widget = pilot.app.screen.query_one("#outcome")
    return "\n".join(widget.render_line(y).text for y in range(widget.size.height))


async def test_keys_open_forms_and_escape_leaves_them() -> None:
    keys = {
        **{"a": "APPEND", "i": "INSERT", "r": "REPLACE", "t": "TRUNCATE", "f": "FILTER"},
        **{"c": "CLEAR", "d": "DELETE", "s": "COMPRESS", "x": "REDACT", "F": "REPAIR"},
        **{"b": "BATCH_START", ",": "CONFIGURE"},
    }
    async with opened() as (pilot, screen):
        for key, title in keys.items():
            with case(key):
                await pilot.press(key)
                assert form(pilot).operation.title == title
                await pilot.press("escape")
                assert screen.is_current
                assert len(screen.conversation.journal) == len(tour().journal)


async def test_typing_changes_the_preview_and_enter_applies() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("t", "tab", "4")
        await settle(pilot)
        assert "16 →     4" in lines_of(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert len(screen.conversation.view) == 4
        assert "TRUNCATE opened batch 4. 16 → 4 messages" in told(pilot)
        await pilot.press("u")
        assert len(screen.conversation.view) == 16


async def test_a_wrong_value_is_told_at_its_field_and_nothing_happens() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("i")
        await settle(pilot)
        entry(pilot, "messages").area.load_text("hello")
        entry(pilot, "position").value = "99"
        await settle(pilot)
        row = form(pilot).query_one("#row-position", FieldRow)
        assert row.has_class("-wrong")
        await pilot.press("ctrl+s")
        assert isinstance(pilot.app.screen, FormScreen)
        assert "position 99 is outside 0…16" in told(pilot)
        assert len(screen.conversation.view) == 16
        entry(pilot, "position").value = "0"
        await settle(pilot)
        assert not row.has_class("-wrong")


async def test_a_long_text_survives_escape_and_a_short_one_is_let_go() -> None:
    text = "A long text that took a while to write, and would be missed."
    async with opened() as (pilot, _):
        await pilot.press("a")
        entry(pilot, "messages").area.load_text(text)
        await pilot.press("escape")
        assert "draft is kept" in told(pilot)
        await pilot.press("a")
        assert entry(pilot, "messages").text == text
        entry(pilot, "messages").area.load_text("short")
        await pilot.press("escape", "a")
        assert entry(pilot, "messages").text == ""


async def test_several_messages_and_parts_are_written_at_once() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("a")
        editor = entry(pilot, "messages")
        editor.area.load_text("first")
        editor.action_another()
        editor.area.load_text("second")
        assert [one["content"] for one in editor.value] == ["first", "second"]
        editor.query_one(ChoiceBar).pick("JSON")
        await settle(pilot)
        data = json.loads(editor.text)
        assert len(data) == 2
        call = {"id": "c9", "name": "look", "input": {"at": 1}}
        data.append({"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]})
        editor.area.load_text(json.dumps(data)[:-1])
        await settle(pilot)
        assert form(pilot).query_one("#row-messages").has_class("-wrong")
        await pilot.press("ctrl+s")
        assert isinstance(pilot.app.screen, FormScreen)
        editor.area.load_text(json.dumps(data))
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert len(screen.conversation.log) == 30


async def test_hostile_content_is_edited_as_json() -> None:
    hostile = Conversation([{"role": "user", "content": "\x1b[2J\u202e\ud800 [/b]"}])
    async with opened(hostile) as (pilot, _):
        await pilot.press("r")
        text = entry(pilot, "message").text
        assert json.loads(text)["content"] == "\x1b[2J\u202e\ud800 [/b]"
        assert text.isascii()


async def test_all_operations_are_listed_and_open_their_forms() -> None:
    async with opened() as (pilot, _):
        await pilot.press("o")
        screen = pilot.app.screen
        assert isinstance(screen, OperationPicker)
        widget = screen.query_one("#picks")
        drawn = "\n".join(widget.render_line(y).text for y in range(widget.size.height))
        assert all(operation.title in drawn for operation in ALL)
        await pilot.press("j", "j", "j", "enter")
        await settle(pilot)
        assert form(pilot).operation.title == "TRUNCATE"


async def test_a_list_is_pasted_or_loaded_and_is_all_or_nothing(tmp_path: Path) -> None:
    recipe = [{"operation": "truncate", "truncate": {"keepLast": 6}}, {"operation": "CLEAR"}]
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(recipe), encoding="utf-8")
    async with opened() as (pilot, screen):
        screen.action_operate("JSON")
        await settle(pilot)
        paste = pilot.app.screen
        assert isinstance(paste, PasteScreen)
        area = paste.query_one("#recipe", TextArea)
        bad = [*recipe, {"operation": "ROLLBACK", "targetBatchIndex": 50}]
        area.load_text(json.dumps(bad))
        await settle(pilot)
        await pilot.press("ctrl+s")
        assert pilot.app.screen is paste
        assert "Nothing was changed" in told(pilot)
        paste.query_one("#recipe-path", Input).value = str(path)
        paste.query_one("#recipe-path", Input).focus()
        await pilot.press("enter")
        await settle(pilot)
        assert json.loads(area.text) == recipe
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.is_current
        assert screen.conversation.batch.number == 5
        await pilot.press("u")
        assert screen.conversation.batch.number == 3


async def test_marks_are_put_on_and_taken_off() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("m", *"good", "enter")
        await settle(pilot)
        assert screen.conversation.marks["good"] == [0]
        await pilot.press("j", "space", "space", "m", "enter")
        await settle(pilot)
        assert screen.conversation.marks["keep"] == [1, 26]
        await pilot.press("g", "m", *"good", "enter")
        await settle(pilot)
        assert "good" not in screen.conversation.marks
        await pilot.press("m", "escape")
        assert "keep" in screen.conversation.marks


async def test_a_form_from_the_past_says_that_the_present_is_changed() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("[", "[")
        lives = [screen.look.is_live]
        await pilot.press("t")
        lives.append(screen.look.is_live)
        assert lives == [False, True]
        assert "Back at the latest state" in told(pilot)
        assert "0–16 messages" in form(pilot).query_one("#row-keepLast").render_line(0).text


async def test_a_form_complains_only_when_something_was_entered() -> None:
    async with opened() as (pilot, _):
        await pilot.press("t")
        await settle(pilot)
        assert not form(pilot).query(".-wrong")
        await pilot.press("x")
        await settle(pilot)
        assert form(pilot).query(".-wrong")


async def test_the_editor_is_opened_from_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    async with opened() as (pilot, _):
        await pilot.press("a", "ctrl+e")
        await settle(pilot)
        # A terminal of a test can't be lent; that is said, and nothing is lost.
        assert "can't be lent" in told(pilot)


async def test_a_hidden_message_is_put_back_as_a_copy_in_its_place() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("p")
        assert "go to a hidden message" in told(pilot)
        await pilot.press("1", "g", "j", "j", "j", "p")
        await settle(pilot)
        view = list(screen.conversation.view)
        at = view.index(27)
        assert view[at - 1] == 2
        copied = screen.conversation.log[27]
        assert copied.metadata is not None
        assert copied.metadata["copiedFrom"] == 3
        assert copied.content == screen.conversation.log[3].content
        assert screen.explorer.raw == 27


async def test_new_errors_are_told_and_repaired_with_one_key() -> None:
    async with opened() as (pilot, screen):
        screen.change({"operation": "DELETE", "indices": [20]}, "Deleted")
        await settle(pilot)
        assert "1 new error" in told(pilot)
        assert "✖ 1 error" in lines(screen, "status")[0]
        await pilot.press("F")
        await settle(pilot)
        assert "✓ goes" in lines_of(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.look.errors == 0


async def test_an_append_above_the_threshold_offers_a_cut_that_one_key_previews() -> None:
    settings = {
        "tokenLimit": 400,
        "compressionConfig": {"enabled": True, "threshold": 300, "targetTokens": 100},
    }
    conversation = tour()
    conversation.execute({"operation": "CONFIGURE", **settings})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("a")
        entry(pilot, "messages").area.load_text("many words " * 40)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.is_current, "an offer took the focus"
        assert "K previews" in told(pilot)
        before = len(screen.conversation.journal)
        await pilot.press("enter")
        await settle(pilot)
        assert len(screen.conversation.journal) == before
        await pilot.press("K")
        assert form(pilot).operation.title == "TRUNCATE"
        assert entry(pilot, "maxTokens").value == "100"
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.is_current
        assert screen.look.total <= 220


async def test_a_message_of_a_megabyte_does_not_slow_its_form_down_and_is_kept() -> None:
    huge = "word " * 200_000
    async with opened(Conversation([{"role": "user", "content": huge}])) as (pilot, screen):
        await pilot.press("r")
        await settle(pilot)
        assert "too many to edit here" in entry(pilot, "message").area.text
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.conversation.log[1].content == huge


async def test_what_is_pasted_holds_nothing_a_terminal_acts_on() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("/")
        pilot.app.post_message(events.Paste("a\x00b\x7fc\x1b[2J\u202ed"))
        await settle(pilot)
        assert screen.query_one("#ask", Input).value == "abc[2Jd"
        await pilot.press("escape", "a")
        pilot.app.post_message(events.Paste("one\n\x1b[31mtwo"))
        await settle(pilot)
        assert entry(pilot, "messages").text == "one\n[31mtwo"
        assert "1 control character" in told(pilot)


async def test_what_changes_nothing_says_so_and_leaves_undo_alone() -> None:
    async with opened() as (pilot, screen):
        screen.change({"operation": "DELETE", "indices": [0]}, "Deleted")
        await settle(pilot)
        before = len(screen.conversation.journal)
        screen.action_operate("CHECKOUT")
        await settle(pilot)
        await pilot.press("ctrl+s")
        assert form(pilot).operation.title == "CHECKOUT"
        assert "change nothing" in told(pilot)
        await pilot.press("escape")
        screen.change({"operation": "UNMARK", "indices": [1], "label": "nobody"}, "Unmarked")
        await settle(pilot)
        assert "No change" in told(pilot)
        assert len(screen.conversation.journal) == before


async def test_hostile_messages_are_copied_and_pasted_without_harm() -> None:
    hostile = Conversation([{"role": "user", "content": "\ud800 \x1b]0;OWNED\x07A \u202e"}])
    async with opened(hostile) as (pilot, _):
        await pilot.press("g", "y", "a", "ctrl+v")
        await settle(pilot)
        text = entry(pilot, "messages").text
        assert "OWNED" in text
        assert not set("\x1b\x07\u202e\ud800") & set(text)


async def test_a_large_paste_is_kept_aside() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("a")
        pilot.app.post_message(events.Paste("word " * 20_000))
        await settle(pilot)
        assert "too many to edit here" in entry(pilot, "messages").area.text
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.conversation.log[-1].content == "word " * 20_000


async def test_an_operation_with_more_than_its_form_has_keeps_all_of_it() -> None:
    offered = {"operation": "TRUNCATE", "max": {"turns": 1}, "aside": {"roles": ["system"]}}
    async with opened() as (pilot, screen):
        screen._open_form("TRUNCATE", offered)
        await settle(pilot)
        assert isinstance(pilot.app.screen, PasteScreen)
        assert "has fields that its form lacks" in painted(pilot.app.screen)
        await pilot.press("ctrl+s")
        await settle(pilot)
        opened_by = screen.conversation.batch.operation
        assert opened_by is not None
        assert opened_by.to_dict() == offered
