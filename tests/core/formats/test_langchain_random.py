"""Random LangChain messages in every envelope, and core messages as LangChain would have them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine.messages import ToolUsePart
from ctxtui.core.formats import dump_json, read_json
from ctxtui.core.formats.langchain import LangChain, is_valid
from ctxtui.core.formats.warnings import sentences
from tests.core.message_strategies import beginnings
from tests.core.test_formats_openai_random import sorted_text, texts, values

LANGCHAIN = LangChain()
CLASSES = ["HumanMessage", "AIMessage", "AIMessageChunk", "SystemMessage", "ToolMessage", "Odd"]
TYPES = ["human", "ai", "AIMessageChunk", "system", "tool", "function", "chat", "robot"]
IDS = ["c1", "c2", "call_0_0", ""]

ids = st.sampled_from(IDS)
objects = st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2)
extras = st.dictionaries(st.sampled_from(["index", "extras", "metadata", "langchain"]), values)


def block(type: str, **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(dict.__or__, extras, st.fixed_dictionaries({"type": st.just(type), **known}))


calls = st.lists(
    st.fixed_dictionaries(
        {"name": st.just("look") | texts, "args": objects | values},
        optional={"id": ids | st.none(), "type": st.just("tool_call") | values, "error": values},
    ),
    max_size=3,
)
raw_calls = st.lists(
    st.fixed_dictionaries(
        {
            "id": ids,
            "function": st.fixed_dictionaries({"name": st.just("look"), "arguments": texts}),
            "type": st.just("function"),
        }
    ),
    max_size=2,
)
blocks = st.one_of(
    texts,
    block("text", text=texts),
    block("thinking", thinking=texts),
    block("thinking", thinking=texts, signature=texts | st.none()),
    block("reasoning", reasoning=texts | st.none()),
    block(
        "image_url", image_url=texts | st.fixed_dictionaries({"url": texts}, optional={"b": texts})
    ),
    block("image", url=texts),
    block("image", base64=st.just("aGk="), mime_type=st.sampled_from(["image/png", "odd", ""])),
    block("image", data=st.just("aGk="), mime_type=st.just("image/png"), source_type=texts),
    block("tool_use", id=ids, name=st.just("look"), input=objects),
    block("tool_call", id=ids, name=st.just("look"), args=objects),
    block("document"),
    objects,
)
content = texts | st.none() | st.lists(blocks, max_size=3)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "content": content,
        "id": ids | st.none(),
        "type": st.sampled_from(TYPES),
        "role": texts,
        "name": texts | st.none(),
        "tool_calls": calls | st.none(),
        "invalid_tool_calls": calls,
        "additional_kwargs": objects | st.fixed_dictionaries({"tool_calls": raw_calls}) | values,
        "usage_metadata": values,
        "tool_call_id": ids,
        "status": st.sampled_from(["error", "success", "odd", None]),
        "artifact": values,
        "body": values,
    },
)


@st.composite
def mirrored(draw: st.DrawFn) -> dict[str, Any]:
    """Return a body in which a provider's blocks and raw calls say the same as its calls."""
    asked = draw(st.lists(st.tuples(ids, objects), max_size=3))
    listed = [{"name": "look", "args": args, "id": id, "type": "tool_call"} for id, args in asked]
    body = draw(bodies) | {"tool_calls": listed}
    if draw(st.booleans()):
        said = draw(st.lists(block("text", text=texts), max_size=1))
        body["content"] = said + [
            {"type": "tool_use", "id": id, "name": "look", "input": args} | draw(extras)
            for id, args in asked[: draw(st.integers(0, 3))]
        ]
    if draw(st.booleans()):
        spaced = draw(st.booleans())
        body["additional_kwargs"] = {"tool_calls": [raw(id, args, spaced) for id, args in asked]}
    return body


def raw(id: str, args: Any, spaced: bool) -> dict[str, Any]:
    text = dump_json(args, indent=1 if spaced else None)
    return {"id": id, "type": "function", "function": {"name": "look", "arguments": text}}


def enveloped(body: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    outer = st.dictionaries(st.sampled_from(["name", "graph"]), values, max_size=1)
    names = st.sampled_from(CLASSES).map(lambda name: ["langchain", "schema", "messages", name])
    dump = st.fixed_dictionaries({"lc": st.just(1), "type": st.just("constructor"), "id": names})
    return st.one_of(
        st.builds(lambda more, row: {**more, **row, "kwargs": body}, outer, dump),
        st.builds(
            lambda more, type: {**more, "type": type, "data": body}, outer, st.sampled_from(TYPES)
        ),
        st.sampled_from(TYPES).map(lambda type: {"content": "", **body, "type": type}),
    )


rows = st.lists((bodies | mirrored()).flatmap(enveloped), min_size=1, max_size=4)
data = (
    rows
    | st.builds(lambda rows, more: {**more, "messages": rows}, rows, objects)
    | rows.map(lambda rows: rows[0])
)


@given(data)
def test_reading_and_writing_gives_the_same_data(given_data: Any) -> None:
    loaded = LANGCHAIN.read_one(read_json(dump_json(given_data)))
    written = LANGCHAIN.write(loaded.conversation)
    assert sorted_text(written.data) == sorted_text(given_data)
    assert sentences(written.warnings) == ()


@given(beginnings)
def test_what_is_written_is_read_as_the_same_messages(messages: list[Any]) -> None:
    """Messages that are split or put in order are the same once they are."""
    first = LANGCHAIN.write(Conversation(messages)).data
    if not first:
        return
    again = LANGCHAIN.write(LANGCHAIN.read_one(first).conversation)
    assert again.data == first
    assert sentences(again.warnings) == ()


PLAIN = {"text", "image", "thinking", "tool_use"}


@given(beginnings)
def test_messages_that_it_can_hold_come_back_with_their_parts(messages: list[Any]) -> None:
    known = Conversation(messages)
    kept = [
        one
        for one in known.visible
        if {part.type for part in one.parts} <= PLAIN
        and all(is_valid(part) for part in one.parts if isinstance(part, ToolUsePart))
        and (one.role == "assistant" or not any(part.type == "tool_use" for part in one.parts))
    ]
    if not kept:
        return
    written = LANGCHAIN.write(Conversation(kept)).data
    back = LANGCHAIN.read_one(written).conversation.visible
    assert [(one.role, one.id, bodies_of(one)) for one in back] == [
        (one.role, one.id, bodies_of(one)) for one in kept
    ]


def bodies_of(message: Any) -> list[Any]:
    """Return the parts without metadata, and without the empty text of a message that had none."""
    return [(part.type, part.body()) for part in message.parts]
