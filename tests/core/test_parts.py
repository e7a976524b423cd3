"""The parts of a message: both spellings, refusals, and being frozen to the bottom."""

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from ctxtui import core
from ctxtui.core import Conversation, Message
from ctxtui.core.engine.messages import (
    FORMAT_KEYS,
    DataPart,
    TextPart,
    ToolResultPart,
    ToolUsePart,
    read_part,
    usual_part,
)
from ctxtui.core.formats import FORMATS
from ctxtui.core.values.frozen import FrozenDict
from tests.core.samples import Data, facts, refusal, said

CALL = {"id": "a", "name": "open", "input": {"x": [1]}}
RESULT = {"tool_use_id": "a", "content": "out", "is_error": True}
PARTS: dict[str, Data] = {
    "text": {"type": "text", "text": "hi"},
    "image": {"type": "image", "image_url": {"url": "http://x"}},
    "tool_use": {"type": "tool_use", "tool_use": CALL},
    "tool_result": {"type": "tool_result", "tool_result": RESULT},
    "thinking": {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}},
    "data": {"type": "data", "data": {"kind": "audio", "bytes": [1, 2]}},
}
TYPES = "text, image, tool_use, tool_result, thinking, data"


def read(part: Any) -> Message:
    """Return a message with one part."""
    return Message.from_dict(said("assistant", [part]))


@pytest.mark.parametrize("kind", PARTS)
def test_every_part_is_read_and_may_carry_metadata(kind: str) -> None:
    part = {**PARTS[kind], "metadata": {"from": "import"}}
    assert read(part).to_dict()["content"] == [part]


@pytest.mark.parametrize(
    ("camel", "kind"),
    [
        ({"type": "image", "imageUrl": {"url": "http://x"}}, "image"),
        ({"type": "tool_use", "toolUse": CALL}, "tool_use"),
        (
            {
                "type": "tool_result",
                "toolResult": {"toolUseId": "a", "content": "out", "isError": True},
            },
            "tool_result",
        ),
    ],
    ids=["image", "tool_use", "tool_result"],
)
def test_both_spellings_are_read_as_the_same_part(camel: Data, kind: str) -> None:
    assert read(camel) == read(PARTS[kind])


@pytest.mark.parametrize(
    ("part", "sentence", "expected"),
    [
        ("hi", "content[0] 'hi' is not an object with a type", None),
        (
            {"text": "hi"},
            f"content[0].type null is not one of {TYPES}",
            ("content[0].type", None, f"one of {TYPES}"),
        ),
        (
            {"type": "video"},
            f"content[0].type 'video' is not one of {TYPES}",
            ("content[0].type", "video", f"one of {TYPES}"),
        ),
        ({"type": ["text"]}, f"content[0].type a list of 1 is not one of {TYPES}", None),
        ({"type": "text"}, "content[0] has no text", ("content[0].text", None, "type, text")),
        ({"type": "text", "text": None}, "content[0].text null is not text", None),
        (
            {"type": "text", "text": "x", "cache_control": {}},
            "content[0] has the key 'cache_control', which is not one of type, text, metadata; "
            "import a provider's file instead of pasting its messages",
            ("content[0]", "cache_control", "type, text, metadata"),
        ),
        (
            {"type": "image", "image_url": {"url": "u"}, "imageUrl": {"url": "u"}},
            "content[0] has the key 'imageUrl', which is given twice; "
            "import a provider's file instead of pasting its messages",
            None,
        ),
        (
            {"type": "text", "text": "x", 5: 1},
            "content[0] has the key 5, which is not one of type, text, metadata; "
            "import a provider's file instead of pasting its messages",
            None,
        ),
        (
            {"type": "text", "text": "x", "metadata": "m"},
            "content[0].metadata 'm' is not a JSON object",
            None,
        ),
        (
            {"type": "image", "image_url": "http://x"},
            "content[0].image_url 'http://x' is not an object",
            None,
        ),
        (
            {"type": "image", "image_url": {"url": 5}},
            "content[0].image_url.url 5 is not text",
            None,
        ),
        (
            {"type": "tool_use", "tool_use": {"id": "a", "name": "b"}},
            "content[0].tool_use has no input",
            None,
        ),
        (
            {"type": "tool_result", "tool_result": {"tool_use_id": "a", "content": None}},
            "content[0].tool_result.content null is not text or a list of parts",
            None,
        ),
        (
            {"type": "tool_result", "tool_result": {**RESULT, "content": [PARTS["tool_use"]]}},
            "content[0].tool_result.content[0].type 'tool_use' is not one of text, image, data",
            None,
        ),
        (
            {"type": "tool_result", "tool_result": {**RESULT, "is_error": 1}},
            "content[0].tool_result.is_error 1 is not true or false",
            None,
        ),
        (
            {"type": "thinking", "thinking": {"text": "hm", "signature": 1}},
            "content[0].thinking.signature 1 is not text",
            None,
        ),
        (
            {"type": "data", "data": [1]},
            "content[0].data a list of 1 is not a JSON object",
            None,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_part_is_refused_in_a_sentence(
    part: Any, sentence: str, expected: tuple[str, object, str] | None
) -> None:
    caught = refusal(lambda: read(part))
    assert str(caught) == sentence
    if expected is not None:
        assert facts(caught) == expected


def test_a_tool_result_may_hold_text_image_and_data_parts() -> None:
    inner = [PARTS["text"], PARTS["image"], PARTS["data"]]
    part = {"type": "tool_result", "tool_result": {"tool_use_id": "a", "content": inner}}
    message = read(part)
    assert message.to_dict()["content"] == [part]
    assert message.uncounted == 1  # The image; data is counted like text.


def test_ready_parts_are_read_like_json() -> None:
    given: Any = [TextPart("hi"), ToolUsePart("a", "open", {"x": [1]})]
    message = Message("assistant", given)
    assert message == Message.from_dict(said("assistant", [PARTS["text"], PARTS["tool_use"]]))


def test_no_edit_of_what_the_caller_gave_reaches_the_engine() -> None:
    data = copy.deepcopy(said("assistant", list(PARTS.values()), metadata={"a": {"b": [1]}}))
    messages, meta = [data], {"tools": [{"name": "open"}]}
    conversation = Conversation(messages, meta=meta)
    before = copy.deepcopy(data)
    data["content"][2]["tool_use"]["input"]["x"].append(2)
    data["content"][5]["data"]["bytes"].clear()
    data["content"].pop()
    data["metadata"]["a"]["b"].append(2)
    meta["tools"].clear()
    messages.clear()
    assert conversation.log[0].to_dict() == before
    assert conversation.meta == {"tools": ({"name": "open"},)}


def test_a_ready_part_with_an_open_inside_is_frozen_too() -> None:
    given: Any = {"x": [1]}
    call: Any = ToolUsePart("a", "open", given)
    data: Any = DataPart(given)
    message = Message("assistant", (call, data))
    given["x"].append(2)
    assert [part.to_dict() for part in [message]] == [
        said("assistant", [PARTS["tool_use"], {"type": "data", "data": {"x": [1]}}])
    ]


def test_no_edit_of_what_a_query_returned_reaches_the_engine() -> None:
    conversation = Conversation([said("assistant", list(PARTS.values()), metadata={"a": [1]})])
    before = conversation.copy()
    returned = conversation.log[0].to_dict()
    returned["content"].clear()
    returned["metadata"]["a"].append(2)
    conversation.state().batch_snapshots.clear()
    conversation.mark_map().type_indices.clear()
    conversation.mark_map().batch_boundaries.append(9)
    conversation.marks["x"] = [0]
    conversation.settings.to_dict()["tokenLimit"] = 5
    list(conversation.journal).clear()
    assert conversation == before
    assert len(conversation.log[0].parts) == 6


EDITS: dict[str, Callable[[Any], object]] = {
    "set": lambda frozen: frozen.__setitem__("a", 1),
    "delete": lambda frozen: frozen.__delitem__("a"),
    "clear": lambda frozen: frozen.clear(),
    "pop": lambda frozen: frozen.pop("a"),
    "popitem": lambda frozen: frozen.popitem(),
    "setdefault": lambda frozen: frozen.setdefault("b", 1),
    "update": lambda frozen: frozen.update(b=1),
    "or": lambda frozen: frozen.__ior__({"b": 1}),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_a_frozen_object_refuses_every_edit(edit: Callable[[Any], object]) -> None:
    frozen = Message.from_dict(said("user", "x", metadata={"a": {"a": 1}})).metadata
    assert frozen is not None
    for level in (frozen, frozen["a"]):
        with pytest.raises(TypeError, match="frozen"):
            edit(level)
    assert frozen == {"a": {"a": 1}}


def test_messages_and_parts_have_no_field_that_can_be_set() -> None:
    message: Any = read(PARTS["tool_use"])
    with pytest.raises(FrozenInstanceError):
        message.role = "user"
    with pytest.raises(FrozenInstanceError):
        message.parts[0].name = "shut"
    assert isinstance(message.parts[0].input["x"], tuple)


def test_a_frozen_object_can_be_pickled_and_deeply_copied() -> None:
    frozen = FrozenDict({"a": FrozenDict({"b": (1, 2)})})
    for twin in (pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen)):
        assert twin == frozen
        assert type(twin["a"]) is FrozenDict
        assert hash(twin) == hash(frozen)


def test_redaction_keeps_role_ids_and_calls_and_drops_what_else_was_said() -> None:
    content = [*PARTS.values()]
    message = Message.from_dict(said("assistant", content, id="m", timestamp=5, metadata={"k": 1}))
    clean = message.redacted("gone")
    assert (clean.role, clean.id, clean.timestamp, clean.metadata) == (("assistant", "m", 5, None))
    assert clean.to_dict()["content"] == [
        {"type": "text", "text": "gone"},
        PARTS["tool_use"],
        {"type": "tool_result", "tool_result": {**RESULT, "content": "gone"}},
        {"type": "thinking", "thinking": {"text": "gone"}},
    ]
    assert Message("user", "x").redacted("gone").content == "gone"
    assert read(PARTS["image"]).redacted("gone").content == "gone"


def noted(text: str, **more: Any) -> dict[str, Any]:
    notes = {"openai": {"raw": text, "name": "n", "type": "t"}, "own": text}
    return {"type": "text", "text": text, "metadata": notes, **more}


def test_an_edited_copy_loses_what_formats_kept_about_the_old_content() -> None:
    message = Message.from_dict(
        said(
            "user",
            [noted("40712"), noted("stays")],
            metadata={"anthropic": {"content": "40712", "role": "user"}, "own": 1, "copiedFrom": 2},
        )
    )
    first, second = message.parts
    assert isinstance(first, TextPart)
    assert message.edited((first, second)) is message
    edited = message.edited((replace(first, text="gone"), second))
    assert edited.metadata == {"anthropic": {"role": "user"}, "own": 1, "copiedFrom": 2}
    assert edited.parts[0].metadata == {"openai": {"name": "n", "type": "t"}, "own": "40712"}
    assert edited.parts[1] == second
    assert (edited.id, edited.role) == (message.id, message.role)


def test_a_redacted_copy_has_nothing_of_the_text_in_its_metadata() -> None:
    message = Message.from_dict(
        said(
            "user",
            [noted("40712")],
            metadata={"x": {"of": "40712"}, "squashedFrom": 3, "copiedFrom": ["40712"]},
        )
    )
    redacted = message.redacted("[cleared]")
    assert "40712" not in str(redacted.to_dict())
    assert redacted.metadata == {"squashedFrom": 3}


def test_a_redacted_message_of_calls_alone_keeps_nothing_but_its_calls() -> None:
    notes = {"openai": {"refusal": "40712", "loss": 1, "score": ["40712"]}, "own": "40712"}
    call = {**PARTS["tool_use"], "metadata": {"openai": {"index": 0}}}
    message = Message.from_dict(said("assistant", [call], metadata=notes))
    redacted = message.redacted("[cleared]")
    assert redacted.metadata == {"openai": {"loss": 1}}
    assert redacted.parts == message.parts


@pytest.mark.parametrize("text", ["[cleared]", ""])
def test_what_is_noted_of_a_text_that_is_the_replacement_already_is_gone_too(text: str) -> None:
    notes = {"anthropic": {"citations": ["40712"]}}
    part = {"type": "text", "text": text, "metadata": notes}
    message = Message.from_dict(said("assistant", [part], metadata=notes))
    assert "40712" not in str(message.redacted(text).to_dict())


def test_every_format_keeps_its_notes_under_a_key_that_an_edit_drops() -> None:
    found = set()
    for path in sorted(Path(core.__file__).parent.rglob("*.py")):
        found |= set(
            re.findall(
                r"\b(?:FormatMetadata|ChatDialect)\(\s*\"([\w-]+)\"", path.read_text("utf-8")
            )
        )
    assert len(found) > 15
    assert found | {one.name for one in FORMATS if one.reads} - {"native"} <= FORMAT_KEYS


def test_a_result_with_parts_is_redacted_as_a_whole() -> None:
    message = read({"type": "tool_result", "tool_result": {**RESULT, "content": [PARTS["text"]]}})
    part = message.redacted("gone").parts[0]
    assert isinstance(part, ToolResultPart)
    assert (part.content, part.is_error) == ("gone", True)


ODD_PARTS: list[Any] = [
    {"type": "text", "text": "hi", "metadata": {"a": [1]}},
    {"type": "text", "text": "hi", "metadata": None},
    {"type": "text", "text": "hi", "metadata": 1},
    {"type": "text", "text": "hi", "metadata": {1: 2}},
    {"type": "text", "text": 1},
    {"type": "text", "txt": "hi"},
    {"type": "tool_use", "tool_use": {**CALL, "input": float("nan")}},
    {"type": "tool_use", "tool_use": {"id": "a", "name": "b"}},
    {"type": "toolUse", "tool_use": CALL},
    {"type": "tool_use", "toolUse": CALL},
    {"type": "tool_result", "tool_result": {"toolUseId": "a", "content": "out"}},
    {"type": "tool_result", "tool_result": {"tool_use_id": "a", "content": [PARTS["text"]]}},
    {"type": "tool_result", "tool_result": {"tool_use_id": 1, "content": "out"}},
    {"type": ["text"], "text": "hi"},
    {"metadata": {}, "text": "hi"},
]


@pytest.mark.parametrize("data", [*PARTS.values(), *ODD_PARTS, TextPart("hi"), None], ids=repr)
def test_the_quick_way_to_read_a_part_gives_what_the_long_one_does_or_leaves_it(data: Any) -> None:
    quick = usual_part(data)
    assert quick is None or quick == read_part(data, "content[0]")
    assert quick is None or type(quick) is type(read_part(data, "content[0]"))


def test_usual_parts_are_read_the_quick_way() -> None:
    result = {"type": "tool_result", "tool_result": {"tool_use_id": "a", "content": "out"}}
    read = [usual_part(part) for part in (PARTS["text"], PARTS["tool_use"], result, ODD_PARTS[0])]
    assert None not in read
