"""Random messages from small alphabets, so that ids, words and calls meet again and again."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.core.naive_messages import Fields

WORDS = ("red", "Red", "blue", "ß", "日本", "ss")
ROLES = ("system", "user", "assistant", "tool")
IDS = ("c1", "c2", "c3")
TOOLS = "Tools: none"
SYSTEM_TEXTS = (TOOLS, "Available tools: red", "  可用工具: blue", "about Available tools:")

word = st.sampled_from(WORDS)
role = st.sampled_from(ROLES)
call_id = st.sampled_from(IDS)
texts = st.lists(word, min_size=1, max_size=3).map(" ".join)


def text(said: str) -> Fields:
    return {"type": "text", "text": said}


def call(known_as: str, asked: Any = "blue") -> Fields:
    return {"type": "tool_use", "tool_use": {"id": known_as, "name": "red", "input": asked}}


def result(known_as: str, answer: Any = "ss") -> Fields:
    return {"type": "tool_result", "tool_result": {"tool_use_id": known_as, "content": answer}}


def thinking(thought: str) -> Fields:
    return {"type": "thinking", "thinking": {"text": thought, "signature": "blue"}}


IMAGE: Fields = {"type": "image", "image_url": {"url": "http://pictures.test/1"}}


def each(who: str, *contents: Any) -> list[Fields]:
    return [{"role": who, "content": content} for content in contents]


COMMON: tuple[Fields, ...] = (
    *each("user", "red", "Red blue", "a longer text of 日本 about nothing"),
    *each("assistant", "blue", "STRASSE"),
    *each("assistant", [call("c1")], [call("c2")], [call("c3", {"q": "Red"})]),
    *each("assistant", [text("red"), call("c1"), call("c2")], [result("c1"), call("c2")]),
    *each("assistant", [call("c2"), result("c2")], [result("c3"), call("c3")]),
    *each("assistant", [thinking("red"), call("c1")], [thinking("ß"), text("Red")], [IMAGE]),
    *each("tool", [result("c1")], [result("c2", "blue")], [result("c3", [text("red")])]),
    *each("tool", [result("c1"), result("c2")], "ss"),
    *each("user", [result("c1"), text("red")], [result("c3")]),
    *each("system", "red", *SYSTEM_TEXTS, [result("c2")]),
)
"""Most messages are one of these: cheap to draw, and many are calls and results."""


def part(kind: str, body: st.SearchStrategy[Any], key: str | None = None) -> st.SearchStrategy[Any]:
    return body.map(lambda value: {"type": kind, key or kind: value})


text_part = part("text", st.one_of(texts, st.just("")))
image_part = st.just(IMAGE)
data_part = part("data", st.fixed_dictionaries({"red": word}))
inputs: st.SearchStrategy[Any] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"q": word, "n": st.sampled_from([1, 2.5, True, None])}),
    st.lists(word, max_size=2),
    word,
)
call_part = part("tool_use", st.fixed_dictionaries({"id": call_id, "name": word, "input": inputs}))
answers = st.one_of(texts, st.lists(st.one_of(text_part, image_part, data_part), max_size=2))
result_part = part(
    "tool_result",
    st.fixed_dictionaries(
        {"tool_use_id": call_id, "content": answers}, optional={"is_error": st.booleans()}
    ),
)
thinking_part = part(
    "thinking", st.fixed_dictionaries({"text": texts}, optional={"signature": word})
)
any_part = st.one_of(text_part, image_part, data_part, call_part, result_part, thinking_part)

rare = st.fixed_dictionaries(
    {"role": role, "content": st.lists(any_part, min_size=1, max_size=3)},
    optional={"id": call_id, "timestamp": st.integers(0, 6), "metadata": st.just({"n": [1]})},
)
message: st.SearchStrategy[Fields] = st.integers(0, 5).flatmap(
    lambda i: rare if i == 5 else st.sampled_from(COMMON)
)
SCENES: tuple[list[Fields], ...] = (
    [
        *each("user", "red"),
        *each("assistant", [call("c1"), call("c2")]),
        *each("tool", [result("c1")], [result("c2", "blue")]),
        *each("assistant", "blue"),
    ],
    [
        *each("system", "  可用工具: red"),
        *each("assistant", [call("c3", {"q": "Red"})]),
        *each("tool", [result("c3")]),
        *each("user", "a longer text of 日本 about nothing"),
        *each("assistant", [call("c1")]),
        *each("user", [result("c1"), text("red")]),
    ],
    [
        *each("assistant", [thinking("STRASSE"), call("c1")], [result("c1"), call("c2")]),
        *each("tool", [result("c2")], [result("c1")]),
    ],
)
messages = st.one_of(st.lists(message, min_size=1, max_size=4), st.sampled_from(SCENES))
beginnings = st.lists(messages, max_size=3).map(
    lambda lists: [one for some in lists for one in some]
)
