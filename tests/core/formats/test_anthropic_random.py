"""Random Anthropic data comes back as it was; any conversation is written and read again."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats import dump_json, format_named, load, read_json
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.projecting import projected
from tests.core.message_strategies import beginnings
from tests.core.test_formats_openai_random import sorted_text, texts, values, with_more
from tests.core.test_formats_random import conversations

ANTHROPIC = format_named("anthropic")
source = st.one_of(
    with_more({"type": st.just("base64"), "media_type": texts, "data": texts}),
    with_more({"type": st.just("url"), "url": texts | st.just("data:a;base64,b")}),
    with_more({"type": st.sampled_from(["file", "base64", "url"])}),
    values,
)
text = with_more({"type": st.just("text"), "text": texts | values})
image = with_more({"type": st.just("image"), "source": source})
odd = with_more({"type": st.sampled_from(["document", "tool_use", "tool_result", "thinking"])})
result = with_more(
    {"type": st.just("tool_result"), "tool_use_id": texts | values},
    content=values | texts | st.lists(text | image | odd, max_size=2),
    is_error=values,
)
block = st.one_of(
    *(text, image, odd, result),
    with_more({"type": st.just("thinking"), "thinking": texts}, signature=texts | values),
    with_more({"type": st.just("tool_use"), "id": texts, "name": texts}, input=values),
)
content = st.none() | texts | st.lists(block, max_size=3)
role = st.sampled_from(["user", "assistant", "system", "tool", "robot", "developer"])
row = with_more({"role": role}, "type", "id", "usage", content=content)
rows = st.lists(row, max_size=4)
tool = with_more({"name": texts}, "type", "input_schema", "description")
data = st.one_of(
    rows,
    row.map(lambda one: {**one, "type": "message"}),
    with_more(
        {"messages": rows},
        "model",
        system=texts | values | st.lists(text, max_size=2),
        tools=st.lists(tool, max_size=2) | values,
    ),
)


@given(data)
def test_reading_and_writing_gives_the_same_data(given_data: Any) -> None:
    loaded = ANTHROPIC.read_one(read_json(dump_json(given_data)))  # type: ignore[attr-defined]
    written = ANTHROPIC.write(loaded.conversation)
    assert sorted_text(written.data) == sorted_text(given_data)
    assert sentences(written.warnings) == ()


@given(conversations())
def test_any_conversation_is_written_in_a_way_that_can_be_read(conversation: Conversation) -> None:
    written = ANTHROPIC.write(conversation)
    data = read_json(dump_json(written.data))
    again = ANTHROPIC.write(load(data, "anthropic").conversation)
    assert dump_json(again.data) == dump_json(data)


@given(beginnings)
def test_what_is_not_reported_is_held(messages: list[Any]) -> None:
    conversation = Conversation(messages)
    written = ANTHROPIC.write(conversation)
    again = load(written.data, "anthropic").conversation
    assert sentences(written.warnings) or projected(again) == projected(conversation)
