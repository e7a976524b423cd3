"""Random chat messages, with keys and values from small alphabets so that odd ones meet."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.formats import dump_json, read_json
from ctxtui.core.formats.openai import OpenAI
from ctxtui.core.formats.warnings import sentences

OPENAI = OpenAI()
KNOWN = ["role", "content", "tool_calls", "function_call", "tool_call_id", "type", "id", "text"]
KEYS = ["name", "weight", "refusal", "audio", "metadata", "openai", "function", "custom"]

texts = st.sampled_from(
    ["", "red", "{}", "5", '"5"', '{"a":1}', '{"a": 1}', "[", "ß\ud800", "null"]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, -0.0, 1e300])
    | texts,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2)
    ),
    max_leaves=4,
)


def with_more(known: Any, *optional: str, **maybe: Any) -> st.SearchStrategy[Any]:
    """Return objects that may have keys nobody knows, and some that others know."""
    more = {key: values for key in [*KEYS, *optional] if key not in known and key not in maybe}
    chosen = st.lists(st.sampled_from(sorted(more)), max_size=2, unique=True)
    extras = chosen.flatmap(
        lambda names: st.fixed_dictionaries({name: more[name] for name in names})
    )
    return st.builds(dict.__or__, extras, st.fixed_dictionaries(known, optional=maybe))


part = st.one_of(
    with_more({"type": st.just("text"), "text": texts}),
    with_more({"type": st.just("image_url"), "image_url": with_more({"url": texts}, detail=texts)}),
    with_more({"type": st.sampled_from(["file", "text", "image_url", "refusal"])}),
    st.dictionaries(st.sampled_from(["type", "text", "image_url"]), values, max_size=3),
)
content = st.none() | texts | st.lists(part, max_size=3)
body = with_more({"name": texts}, arguments=texts | values)
custom_body = with_more({"name": texts}, input=texts | values)
call = st.one_of(
    with_more({"id": texts, "type": st.just("function"), "function": body}, "function_call"),
    with_more({"id": texts, "function": body}, "function_call"),
    with_more({"id": texts, "type": st.just("custom"), "custom": custom_body}),
)
plain = with_more(
    {"role": st.sampled_from(["system", "developer", "user"])}, *KNOWN[2:], content=content
)
assistant = with_more(
    {"role": st.just("assistant")},
    content=content,
    tool_calls=st.lists(call, max_size=2) | st.none(),
    function_call=body | st.none(),
)
tool = with_more(
    {"role": st.sampled_from(["tool", "function"])}, *KNOWN[2:], content=content, tool_call_id=texts
)
rows = st.lists(plain | assistant | tool, max_size=4)
data = rows | with_more({"messages": rows}, "tools", "model")


@given(data)
def test_reading_and_writing_gives_the_same_data(given_data: Any) -> None:
    loaded = OPENAI.read_one(read_json(dump_json(given_data)))
    written = OPENAI.write(loaded.conversation)
    assert written.data == given_data
    # Equal is not enough where 1, 1.0 and true are equal.
    assert sorted_text(written.data) == sorted_text(given_data)
    assert sentences(written.warnings) == ()


def sorted_text(value: Any) -> str:
    """Return data as text in which the order of keys does not matter."""
    return dump_json(ordered(value))


def ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    return [ordered(item) for item in value] if isinstance(value, list) else value
