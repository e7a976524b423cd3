"""Shapes of parts: what is read is written again, whatever keys and forms it has."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.engine.messages import ThinkingPart, ToolUsePart
from ctxtui.core.formats.format_metadata import (
    FormatMetadata,
    PartField,
    Shape,
    Usual,
    content_entry,
)
from ctxtui.core.values.frozen import same_json
from tests.core.samples import Data

OWN = FormatMetadata("openai")
CALL = Shape(
    ToolUsePart,
    {
        "id": PartField("id", "id"),
        "type": Usual("function"),
        "function": {"name": PartField("name"), "arguments": PartField("input", "json")},
    },
)
THOUGHT = Shape(
    ThinkingPart,
    {
        "type": "thinking",
        "thinking": PartField("text"),
        "signature": PartField("signature", "optional"),
    },
)
VALUES = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "{}", '{"a":1}', "x"])
)
MORE = st.dictionaries(st.sampled_from(["index", "x", "signature"]), VALUES, max_size=2)


def call(**changes: Any) -> Data:
    return {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}, **changes}


@given(
    st.fixed_dictionaries(
        {"function": st.fixed_dictionaries({"name": st.just("f")}, optional={"arguments": VALUES})},
        optional={"id": st.sampled_from(["a", None]), "type": st.just("function")},
    ),
    MORE,
)
def test_a_call_of_any_form_is_written_as_it_was_read(data: Data, more: Data) -> None:
    data = {**more, **data}
    part = CALL.read(OWN, data, "call_0_0")
    assert same_json(CALL.write(OWN, part), data)


@given(st.fixed_dictionaries({"type": st.just("thinking"), "thinking": st.text(max_size=3)}), MORE)
def test_an_optional_field_of_another_type_is_stored(data: Data, more: Data) -> None:
    data = {**data, **more}
    part = THOUGHT.read(OWN, data)
    assert part.signature is None or part.signature == data["signature"]
    assert same_json(THOUGHT.write(OWN, part), data)


@pytest.mark.parametrize(
    "data",
    [
        {},
        call(type="custom"),
        call(id=5),
        call(function=None),
        call(function={"arguments": "{}"}),
        call(function={"name": 5}),
    ],
    ids=json.dumps,
)
def test_data_of_another_shape_is_not_read(data: Data) -> None:
    assert CALL.read(OWN, data, "call_0_0") is None


def test_usual_data_needs_no_metadata() -> None:
    assert CALL.read(OWN, call()).metadata is None
    assert CALL.read(OWN, call(id=None)) is None  # No id to give it is at hand.


def test_a_form_counts_only_as_long_as_it_says_the_same() -> None:
    part = CALL.read(OWN, call(function={"name": "f", "arguments": '{"a":1}'}))
    other = ToolUsePart(part.id, part.name, {"a": True}, part.metadata)
    assert CALL.write(OWN, other)["function"]["arguments"] == '{"a": true}'


@pytest.mark.parametrize(
    ("items", "text", "form", "entry"),
    [
        ([], "", "absent", {}),
        ([], "", "null", {"content": None}),
        ([], "", "empty list", {"content": []}),
        ([], None, "text", {"content": ""}),
        (["x"], "x", "null", {"content": "x"}),
        (["x"], "x", "list", {"content": ["x"]}),
        (["x", "y"], None, "text", {"content": ["x", "y"]}),
    ],
)
def test_a_content_has_the_first_form_that_is_possible(
    items: list[Any], text: str | None, form: str, entry: Data
) -> None:
    assert content_entry(items, text, form, "text") == entry
