"""Messages: what is read, what is refused, and what of them can be searched."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Message
from ctxtui.core.values.models import ROLES
from ctxtui.core.values.times import LATEST
from tests.core.samples import Data, answer, call, facts, refusal, said

EMPTY = "a non-empty text or list of parts"
KEYS = "role, content, id, timestamp, metadata"

texts = st.text(st.characters(codec=None, categories=None), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, width=32) | texts
values = st.recursive(
    scalars.filter(lambda value: not isinstance(value, float) or math.isfinite(value)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, values, max_size=3)
plain_parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
    st.fixed_dictionaries(
        {"type": st.just("image"), "image_url": st.fixed_dictionaries({"url": texts})}
    ),
    st.fixed_dictionaries({"type": st.just("data"), "data": objects}),
)
uses = st.fixed_dictionaries({"id": texts, "name": texts, "input": values})
results = st.fixed_dictionaries(
    {"tool_use_id": texts, "content": texts | st.lists(plain_parts, max_size=2)},
    optional={"is_error": st.booleans()},
)
thoughts = st.fixed_dictionaries({"text": texts}, optional={"signature": texts})
parts = st.one_of(
    plain_parts,
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"metadata": objects}),
    st.fixed_dictionaries({"type": st.just("tool_use"), "tool_use": uses}),
    st.fixed_dictionaries({"type": st.just("tool_result"), "tool_result": results}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": thoughts}),
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(ROLES),
        "content": texts.filter(bool) | st.lists(parts, min_size=1, max_size=3),
    },
    optional={"id": texts, "timestamp": st.integers(0, LATEST), "metadata": objects},
)


@given(messages)
def test_a_message_comes_back_from_json_as_it_was_given(data: Data) -> None:
    message = Message.from_dict(data)
    assert message.to_dict() == data
    assert Message.from_dict(json.loads(json.dumps(message.to_dict()))) == message
    assert hash(Message.from_dict(data)) == hash(message)


@given(messages)
def test_every_legal_message_is_accepted_and_survives_the_journal(data: Data) -> None:
    conversation = Conversation([data])
    assert conversation.log[0].to_dict() == data
    written = json.dumps([record.to_dict() for record in conversation.journal])
    assert Conversation.replay(json.loads(written)) == conversation


def nested(levels: int) -> Data:
    """Return objects within objects, the given number of levels deep."""
    value: Data = {}
    for _ in range(levels - 1):
        value = {"in": value}
    return value


def test_a_hundred_levels_of_nesting_are_legal() -> None:
    message = Message.from_dict(said("user", "x", metadata=nested(100)))
    assert message.to_dict()["metadata"] == nested(100)


loop: Data = {}
loop["again"] = loop
endless: list[Any] = []
endless.append(endless)


@pytest.mark.parametrize(
    "deep", [nested(101), loop, {"list": endless}], ids=["101 levels", "object loop", "list loop"]
)
def test_nesting_deeper_than_a_hundred_levels_is_refused(deep: Data) -> None:
    in_metadata = refusal(lambda: Message.from_dict(said("user", "x", metadata=deep)))
    assert str(in_metadata) == "metadata is nested deeper than 100 levels"
    assert facts(in_metadata) == ("metadata", None, "at most 100 levels")
    part = {"type": "tool_use", "tool_use": {"id": "a", "name": "b", "input": deep}}
    in_part = refusal(lambda: Message.from_dict(said("assistant", [part])))
    assert str(in_part) == "content[0].tool_use.input is nested deeper than 100 levels"


def test_a_list_that_holds_itself_is_refused_as_content() -> None:
    caught = refusal(lambda: Message.from_dict(said("user", endless)))
    assert str(caught) == "content[0] a list of 1 is not an object with a type"


def test_ten_megabytes_of_content_are_fine() -> None:
    conversation = Conversation([said("user", "x" * 10_000_000)])
    assert len(conversation.log[0].text) == 10_000_000
    assert conversation.tokens.total == 2_500_000


def test_a_lone_surrogate_is_kept_and_counts_as_three_bytes() -> None:
    conversation = Conversation([said("user", "ab\ud800")])
    assert conversation.log[0].text == "ab\ud800"
    assert conversation.tokens.total == 2


def test_a_list_with_one_empty_text_is_an_empty_message() -> None:
    message = Message.from_dict(said("user", [{"type": "text", "text": ""}]))
    assert (message.text, message.search_text) == ("", "")


@pytest.mark.parametrize(
    ("data", "sentence", "expected"),
    [
        ({"content": "x"}, "the message has no role", ("role", None, "role and content")),
        ({"role": "user"}, "the message has no content", ("content", None, "role and content")),
        (
            said("robot", "x"),
            "role 'robot' is not one of system, user, assistant, tool",
            ("role", "robot", "one of system, user, assistant, tool"),
        ),
        (
            said("User", "x"),
            "role 'User' is not one of system, user, assistant, tool",
            ("role", "User", "one of system, user, assistant, tool"),
        ),
        (
            said("user", ""),
            "content '' is empty; an empty message is [{type: 'text', text: ''}]",
            ("content", "", EMPTY),
        ),
        (
            said("user", []),
            "content [] is empty; an empty message is [{type: 'text', text: ''}]",
            ("content", [], EMPTY),
        ),
        (
            said("user", None),
            "content null is not text or a list of parts",
            ("content", None, "text or a list of parts"),
        ),
        (
            said("user", "x", name="Bob"),
            f"'name' is not a field of a message; it takes {KEYS}; "
            "import the file if it comes from a provider",
            ("name", "Bob", KEYS),
        ),
        (said("user", "x", id=5), "id 5 is not text", ("id", 5, "text")),
        (
            said("user", "x", timestamp=-1),
            "timestamp -1 is outside 0…253402214400000 (milliseconds, up to the year 9999)",
            ("timestamp", -1, "0…253402214400000"),
        ),
        (
            said("user", "x", timestamp=1.5),
            "timestamp 1.5 is not a whole number of milliseconds",
            ("timestamp", 1.5, "a whole number of milliseconds"),
        ),
        (
            said("user", "x", timestamp=True),
            "timestamp true is not a whole number of milliseconds",
            ("timestamp", True, "a whole number of milliseconds"),
        ),
        (
            said("user", "x", metadata=[]),
            "metadata [] is not a JSON object",
            ("metadata", [], "a JSON object"),
        ),
        (
            said("user", "x", metadata={1: "one"}),
            "metadata has the key 1; keys of a JSON object are text",
            ("metadata", 1, "text"),
        ),
        ("hello", "message 'hello' is not an object with role and content", None),
        (None, "message null is not an object with role and content", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_message_is_refused_in_a_sentence(
    data: Any, sentence: str, expected: tuple[str, object, str] | None
) -> None:
    caught = refusal(lambda: Message.from_dict(data))
    assert str(caught) == sentence
    if expected is not None:
        assert facts(caught) == expected


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_has_no_name_for_are_refused(number: float) -> None:
    caught = refusal(lambda: Message.from_dict(said("user", "x", metadata={"a": [number]})))
    assert str(caught) == (
        f"metadata {number!r} is not a JSON number (NaN and Infinity can't be stored)"
    )


def test_what_is_no_json_value_is_refused() -> None:
    caught = refusal(lambda: Message.from_dict(said("user", "x", metadata={"a": {1, 2}})))
    assert str(caught).startswith("metadata a set is not a JSON value")


@pytest.mark.parametrize("given", ["text", 5, None, said("user", "x")], ids=repr)
def test_messages_are_given_as_a_list(given: Any) -> None:
    caught = refusal(lambda: Conversation(given))
    assert (caught.field, caught.legal) == ("messages", "a list of messages")


def test_a_refusal_within_a_list_says_where() -> None:
    caught = refusal(lambda: Conversation([said("user", "x"), said("robot", "y")]))
    assert str(caught).startswith("messages[1]: role 'robot'")
    assert caught.field == "messages[1].role"


def test_text_joins_the_text_parts_and_nothing_else() -> None:
    content = [
        {"type": "text", "text": "one"},
        {"type": "thinking", "thinking": {"text": "hm"}},
        {"type": "image", "image_url": {"url": "http://x"}},
        {"type": "text", "text": "two"},
    ]
    message = Message.from_dict(said("assistant", content))
    assert message.text == "one\ntwo"
    assert message.search_text == "one\nhm\ntwo"


def test_search_text_has_tool_names_every_leaf_of_the_input_and_results() -> None:
    given = {"path": "a.txt", "deep": [{"n": 1, "yes": True}, None, 0.5], "word": "é"}
    inner = [{"type": "text", "text": "in"}, {"type": "image", "image_url": {"url": "u"}}]
    content = [
        {"type": "tool_use", "tool_use": {"id": "secret", "name": "open", "input": given}},
        {"type": "tool_result", "tool_result": {"tool_use_id": "secret", "content": "out"}},
        {"type": "tool_result", "tool_result": {"tool_use_id": "secret", "content": inner}},
        {"type": "data", "data": {"seen": "data", "signature": "sealed"}},
    ]
    message = Message.from_dict(said("assistant", content))
    assert message.search_text == "open\na.txt\n1\ntrue\nnull\n0.5\né\nout\nin\ndata"
    assert message.text == ""


def test_calls_are_those_of_an_assistant_and_results_those_of_anybody() -> None:
    calling = Message.from_dict(call("a", "b"))
    assert (calling.calls, calling.results) == (("a", "b"), ())
    assert Message.from_dict({**call("a"), "role": "user"}).calls == ()
    assert Message.from_dict(answer("a", "b")).results == ("a", "b")
    plain = Message("user", "x")
    assert (plain.calls, plain.results, plain.uncounted) == ((), (), 0)
