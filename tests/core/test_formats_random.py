"""Random conversations, with all their history, written and read again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import Message, TextPart, ToolResultPart, ToolUsePart
from ctxtui.core.formats import dump_json, format_named, load, read_json
from ctxtui.core.formats.warnings import sentences
from tests.core.call_strategies import calls
from tests.profiles import examples

Data = dict[str, Any]
Make = Callable[[Conversation], st.SearchStrategy[Any]]

words = st.sampled_from(["red", "blue", "", "ß\ud800", "Available tools: red"])
said = words.filter(bool)
ids = st.sampled_from(["c1", "c2", "c3"])
roles = st.sampled_from(["system", "user", "assistant", "tool"])
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # A text that is JSON itself must not turn into what it says.
    | st.sampled_from(["5", '"a"', "{}", "[1", "true", "ß"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)
metadata = st.dictionaries(st.sampled_from(["note", "openai"]), values, max_size=2)


def part(kind: str, body: st.SearchStrategy[Any], key: str | None = None) -> st.SearchStrategy[Any]:
    fields = {"type": st.just(kind), key or kind: body}
    return st.fixed_dictionaries(fields, optional={"metadata": metadata})


text_part = part("text", words)
image_part = part("image", st.fixed_dictionaries({"url": words}), "image_url")
data_part = part("data", st.dictionaries(words | st.just("type"), values, max_size=2))
use = {"id": ids, "name": words, "input": values}
call_part = part("tool_use", st.fixed_dictionaries(use))
answers = words | st.lists(text_part | image_part | data_part, max_size=2)
result_part = part(
    "tool_result",
    st.fixed_dictionaries(
        {"tool_use_id": ids, "content": answers}, optional={"is_error": st.booleans()}
    ),
)
thinking_part = part(
    "thinking", st.fixed_dictionaries({"text": words}, optional={"signature": words})
)
parts = text_part | image_part | data_part | call_part | result_part | thinking_part
EXTRAS = {"id": words, "timestamp": st.integers(0, 9), "metadata": metadata}


def message_of(role: st.SearchStrategy[str], content: st.SearchStrategy[Any]) -> Any:
    return st.fixed_dictionaries({"role": role, "content": content}, optional=EXTRAS)


message = st.one_of(
    message_of(roles, said),
    message_of(st.just("assistant"), st.lists(call_part | text_part, min_size=1, max_size=3)),
    message_of(st.sampled_from(["tool", "user"]), st.lists(result_part, min_size=1, max_size=2)),
    message_of(roles, st.lists(parts, min_size=1, max_size=4)),
)
USE = {"id": "c1", "name": "red", "input": {"q": [1, None]}}
RESULT = {"tool_use_id": "c1", "content": "red"}
POOL: list[Data] = [
    {"role": "user", "content": "red"},
    {"role": "user", "content": "blue", "id": "u", "timestamp": 3, "metadata": {"n": [1]}},
    {"role": "system", "content": "Available tools: red"},
    {"role": "assistant", "content": [{"type": "tool_use", "tool_use": USE}]},
    {"role": "assistant", "content": [{"type": "tool_use", "tool_use": {**USE, "id": "c2"}}]},
    {"role": "tool", "content": [{"type": "tool_result", "tool_result": RESULT}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_result": RESULT}]},
]
# Mostly from a pool: long histories are worth more here than long messages.
some_message = st.sampled_from(POOL) | st.sampled_from(POOL) | message
messages = st.lists(some_message, min_size=1, max_size=3)
choice = st.sampled_from(
    [{"roles": ["user"]}, {"marks": ["a"]}, {"roles": ["tool"], "exceptLast": 1}]
)


def named(name: str, **fields: Any) -> st.SearchStrategy[Any]:
    drawn = {
        key: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for key, value in fields.items()
    }
    return st.fixed_dictionaries({"operation": st.just(name), **drawn})


def visible(c: Conversation) -> st.SearchStrategy[list[int]]:
    shown = list(c.view) or [0]
    return st.lists(st.sampled_from(shown), min_size=1, max_size=3, unique=True)


def picking(c: Conversation, name: str, **fields: Any) -> st.SearchStrategy[Any]:
    return named(name, indices=visible(c), **fields) | named(name, select=choice, **fields)


def made_on_path(c: Conversation) -> list[int]:
    """Return the revisions of the path that an operation made, or one that doesn't exist."""
    ids, revision = [], c.current
    while revision.parent is not None:
        ids.append(revision.id)
        revision = c.revisions[revision.parent]
    return ids or [0]


OPERATIONS: list[Make] = [
    lambda c: named("APPEND", messages=messages),
    lambda c: named("INSERT", position=st.integers(0, len(c.view)), messages=messages),
    lambda c: named("REPLACE", index=st.integers(0, len(c.view)), message=some_message),
    lambda c: named("REPLACE", indices=visible(c), messages=messages),
    lambda c: named("TRUNCATE", keepLast=st.integers(0, 5), keepPairs=st.booleans()),
    lambda c: named("CLEAR", keepSystemMessage=st.booleans()),
    lambda c: named("SELECT", indices=visible(c)),
    lambda c: picking(c, "DELETE"),
    lambda c: picking(c, "COMPRESS", summary=messages | some_message),
    lambda c: picking(c, "REDACT", text=said),
    lambda c: named("REPAIR", policy=st.sampled_from(["drop", "restore", "stub"])),
    lambda c: named("BATCH_START"),
    lambda c: named("ROLLBACK", targetBatchIndex=st.integers(0, len(c.path) - 1)),
    lambda c: named("CHECKOUT", revision=st.integers(0, len(c.revisions) - 1)),
    lambda c: named("TOGGLE", skip=st.sampled_from(made_on_path(c)).map(lambda id: [id])),
    lambda c: picking(c, "MARK", label=st.sampled_from(["a", "b"])),
    lambda c: named("DESCRIBE", batch=st.integers(0, len(c.batches) - 1), text=said),
    lambda c: named("CONFIGURE", toolDescription=said | st.none(), tokenLimit=st.integers(0, 9)),
]
TURNS: list[Make] = [lambda _: named("UNDO"), lambda _: named("REDO")]
MENDING = OPERATIONS[10:15]


@st.composite
def asks(draw: st.DrawFn, conversation: Conversation) -> Any:
    """Return an operation, or a list of them, that may well be accepted."""
    if draw(st.integers(0, 4)) == 4:
        size = draw(st.integers(1, 3))
        return [draw(draw(st.sampled_from(OPERATIONS))(conversation)) for _ in range(size)]
    kind = draw(st.sampled_from([OPERATIONS, MENDING, TURNS]))
    return draw(draw(st.sampled_from(kind))(conversation))


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Return a conversation that went through a few changes, undone and redone ones too."""
    ticks = count(1)
    meta = draw(st.dictionaries(st.sampled_from(["title", "openai"]), values, max_size=2))
    start = draw(st.lists(some_message, max_size=4))
    conversation = Conversation(start, meta=meta, clock=lambda: next(ticks))
    again: list[Any] = []
    for _ in range(draw(st.sampled_from([8, 12, 4, 1, 0]))):
        repeats = again and draw(st.integers(0, 5)) == 5
        ask = draw(st.sampled_from(again)) if repeats else draw(asks(conversation))
        try:
            conversation.execute(ask)
        except Refused:
            continue
        # The very same operation objects may be done a second time.
        done = conversation.journal[-1].operation
        again.append(list(done) if isinstance(done, tuple) else done)
        if draw(st.integers(0, 9)) == 9:
            conversation.record_usage(5)
        if draw(st.integers(0, 3)) == 3:
            conversation.record_call(**draw(calls))
    return conversation


@examples(3.4)
@given(conversations())
def test_native_gives_an_equal_conversation_back(conversation: Conversation) -> None:
    written = format_named("native").write(conversation)
    loaded = load(read_json(dump_json(written.data)))
    assert loaded.conversation == conversation
    assert loaded.conversation.usage == conversation.usage
    assert len(written.data["messages"]) == len(conversation.log)
    assert format_named("native").write(loaded.conversation).data == written.data


@given(conversations())
def test_openai_writes_any_conversation_in_a_way_it_can_read(conversation: Conversation) -> None:
    written = format_named("openai").write(conversation)
    data = read_json(dump_json(written.data))
    assert data == written.data
    loaded = load(data, "openai")
    again = format_named("openai").write(loaded.conversation)
    assert dump_json(again.data) == dump_json(data)


def facts(messages: list[Message]) -> list[Any]:
    """Return what some messages say, without their metadata."""
    return [
        (
            message.role,
            [
                (part.tool_use_id, part.content)
                if isinstance(part, ToolResultPart)
                else (part.id, part.name, part.input)
                if isinstance(part, ToolUsePart)
                else (part.type, part.body())
                for part in message.parts
                if part != TextPart("")
            ],
        )
        for message in messages
    ]


def bare(data: Any) -> Any:
    """Return data without metadata, ids and times, which chat has no place for."""
    if isinstance(data, dict):
        return {k: bare(v) for k, v in data.items() if k not in ("metadata", "timestamp")}
    return [bare(one) for one in data] if isinstance(data, list) else data


@given(st.lists(message.filter(lambda one: "id" not in one).map(bare), max_size=3))
def test_what_openai_does_not_report_it_holds(data: list[Data]) -> None:
    conversation = Conversation(data)
    written = format_named("openai").write(conversation)
    loaded = load(written.data, "openai")
    same = facts(list(loaded.conversation.log)) == facts(list(conversation.log))
    assert same or sentences(written.warnings)
