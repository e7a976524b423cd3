"""Messages in forms: parts as fields, JSON only where it is JSON, and nothing lost on the way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ctxtui.core import Conversation, Message
from ctxtui.forms.drawing import operation_lines
from ctxtui.forms.message_editor import MessageEditor, PartFields
from ctxtui.forms.message_parts import content_of, parts_of, read_parts
from ctxtui.widgets.choices import ChoiceBar
from tests.core.exchanges import result, text, use
from tests.core.message_strategies import messages
from tests.ui.opening import opened
from tests.ui.test_form_advice import entered, form, settle, shown, typed


@given(messages)
def test_a_message_that_is_not_edited_stays_what_it_is(given: list[dict[str, Any]]) -> None:
    for data in given:
        content = Message.from_dict(data).to_dict()["content"]
        parts = parts_of(content)
        if not any(part.is_empty for part in parts):  # One that is emptied is left out.
            assert content_of(parts, as_list=isinstance(content, list)) == content


def test_a_changed_part_loses_its_signature_and_what_a_format_kept_about_it() -> None:
    thought = {
        "type": "thinking",
        "thinking": {"text": "a secret", "signature": "s"},
        "metadata": {"responses": {"summary": ["a secret"]}, "own": 1},
    }
    (part,) = parts_of([thought])
    assert part.written("a secret", "", "").to_dict() == thought
    assert part.written("x", "", "").to_dict() == {
        "type": "thinking",
        "thinking": {"text": "x"},
        "metadata": {"responses": {}, "own": 1},
    }


@pytest.mark.parametrize("bad", [None, 5, [], {}, {"content": [1]}, {"content": [{"type": "x"}]}])
def test_what_is_no_message_is_not_taken_apart(bad: Any) -> None:
    assert read_parts(bad) is None


CALL: dict[str, Any] = {
    "role": "assistant",
    "content": [text("Ich schaue nach: 漢字"), use("call_1", {"frage": "größe", "n": [1]})],
}
ANSWER: dict[str, Any] = {"role": "tool", "content": [result("call_1")]}


def talk() -> Conversation:
    return Conversation([{"role": "user", "content": "go"}, CALL, ANSWER])


async def test_a_call_is_edited_by_name_id_and_input() -> None:
    async with opened(talk()) as (pilot, screen):
        await typed(pilot, "j", "r")
        editor = form(pilot).query_one(MessageEditor)
        assert editor.text == "Ich schaue nach: 漢字"
        parts = form(pilot).query(ChoiceBar).filter("#entry-message-parts").only_one(ChoiceBar)
        parts.pick(1)
        await settle(pilot)
        fields = form(pilot).query_one(PartFields)
        assert fields.display
        assert (fields.name_of_tool.value, fields.id_of_call.value) == ("look", "call_1")
        assert "größe" in editor.text
        fields.name_of_tool.value = "search"
        editor.area.load_text('{"frage": "Länge"}')
        await settle(pilot)
        assert entered(pilot)["message"] == {
            "role": "assistant",
            "content": [
                text("Ich schaue nach: 漢字"),
                {
                    "type": "tool_use",
                    "tool_use": {"id": "call_1", "name": "search", "input": {"frage": "Länge"}},
                },
            ],
        }
        editor.area.load_text('{"frage": ')
        await settle(pilot)
        assert "not JSON" in (form(pilot).rows[1].complaint or "")
        editor.area.load_text("{}")
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.is_current
        assert screen.conversation.visible[1].calls == ("call_1",)


async def test_a_result_is_text() -> None:
    async with opened(talk()) as (pilot, screen):
        await typed(pilot, "G", "r")
        editor = form(pilot).query_one(MessageEditor)
        assert editor.text == "seen"
        assert form(pilot).query_one(PartFields).id_of_call.value == "call_1"
        await typed(pilot, *"un")
        await pilot.press("ctrl+s")
        assert screen.conversation.visible[2].to_dict()["content"] == [
            {
                "type": "tool_result",
                "tool_result": {"tool_use_id": "call_1", "content": "unseen"},
            }
        ]


async def test_a_part_is_added_that_suits_the_role() -> None:
    async with opened(talk()) as (pilot, screen):
        await typed(pilot, "a")
        editor = form(pilot).query_one(MessageEditor)
        bars = list(editor.query(ChoiceBar))
        bars[0].pick("assistant")
        await settle(pilot)
        bars[1].pick("+")
        await settle(pilot)
        fields = form(pilot).query_one(PartFields)
        fields.name_of_tool.value, fields.id_of_call.value = "run", "call_9"
        await settle(pilot)
        call = {"id": "call_9", "name": "run", "input": {}}
        assert entered(pilot)["messages"] == [
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]}
        ]
        await pilot.press("ctrl+s")
        assert screen.conversation.log[-1].calls == ("call_9",)


async def test_replace_shows_the_neighbours_and_how_the_text_changes() -> None:
    async with opened(talk()) as (pilot, _):
        await typed(pilot, "r", *"let's ")
        drawn = shown(pilot)
        assert "Its position" in drawn
        lines = [line.strip() for line in drawn.split("\n")]
        old = next(line for line in lines if line.startswith("−"))
        new = next(line for line in lines if line.startswith("+"))
        assert old.split()[1] == new.split()[1] == "0", "both stand at the same position"
        assert "What changes in the text" in drawn
        assert "raw 0 stays in the log" in drawn


async def test_insert_shows_only_what_comes() -> None:
    async with opened(talk()) as (pilot, _):
        await typed(pilot, "j", "i", *"hi")
        drawn = shown(pilot)
        assert "Its position" in drawn
        assert "What changes" not in drawn
        assert "1 comes" in form(pilot).query_one("#apply").render_line(0).text


def test_an_operation_is_shown_in_any_language_and_never_harms() -> None:
    asked = {"operation": "APPEND", "messages": [{"role": "user", "content": "größe 漢字 \x1b[2J"}]}
    drawn = "".join(piece.text for line in operation_lines(asked, "messages", 60) for piece in line)
    assert "größe 漢字" in drawn
    assert "\x1b" not in drawn


def test_the_value_that_was_changed_last_is_lit() -> None:
    lines = operation_lines({"operation": "TRUNCATE", "keepLast": 8}, "keepLast", 80)
    assert [piece.text for line in lines for piece in line if piece.kind == "key"] == ["8"]


def test_a_huge_operation_takes_a_few_lines() -> None:
    asked = {"operation": "DELETE", "indices": list(range(100_000)), "description": "x" * 100_000}
    assert len(operation_lines(asked, "", 50)) <= 4
