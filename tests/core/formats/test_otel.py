"""OpenTelemetry in detail: lanes, orders, names and what is left out."""

import json
import random
from typing import Any

import pytest

from ctxtui.core.engine.messages import ToolUsePart
from ctxtui.core.formats import Loaded, Source, load_all
from ctxtui.core.formats.bodies import rewritten
from tests.core.formats.vectors import FOLDER
from tests.core.samples import refusal

ASKED = {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
ANSWER = {"role": "assistant", "parts": [{"type": "text", "content": "ho"}]}


def span(start: int = 0, trace: str = "t", **said: Any) -> dict[str, Any]:
    """Return a span whose attributes are named without their prefix."""
    attributes = {f"gen_ai.{name.replace('__', '.')}": value for name, value in said.items()}
    found = {"gen_ai.operation.name": "chat", **attributes}
    return {"traceId": trace, "spanId": "s", "startTimeUnixNano": str(start), "attributes": found}


def read(*spans: Any) -> list[Loaded]:
    return list(load_all(Source.of_data(list(spans))))


@pytest.mark.parametrize("name", ["traces.jsonl", "pydantic-ai.jsonl", "openllmetry.jsonl"])
def test_spans_have_no_order(name: str) -> None:
    lines = (FOLDER / "otel" / name).read_text().splitlines()
    first = [one.conversation.visible for one in load_all(Source.of_text("\n".join(lines)))]
    random.Random(1).shuffle(lines)
    for some in (lines, lines[::-1]):
        found = [one.conversation.visible for one in load_all(Source.of_text("\n".join(some)))]
        assert found == first


def test_every_request_is_a_call_in_the_order_of_time() -> None:
    (one,) = read(
        span(3_000_000_000, input__messages=[ASKED, ANSWER, ASKED], output__messages=[ANSWER] * 2),
        span(1_000_000_000, input__messages=[ASKED], usage__input_tokens=7, request__model="m"),
    )
    talk = one.conversation
    assert [len(talk.at(call.revision).view) for call in talk.calls.all] == [1, 3]
    assert [row.role for row in talk.visible] == ["user", "assistant"] * 2
    first, _ = talk.calls.all
    assert first.usage is not None
    assert (first.model, first.usage.input, first.time) == ("m", 7, 1_000)
    (_, about) = talk.meta["fields"]["records"]
    assert len(about["other answers"]) == 1


def test_conversations_agents_and_traces_are_apart() -> None:
    found = read(
        span(1, conversation__id="a", input__messages=[ASKED]),
        span(2, conversation__id="b", input__messages=[ASKED]),
        span(3, conversation__id="b", agent__name="helper", input__messages=[ASKED]),
        span(4, input__messages=[ASKED], trace="u"),
        span(5, conversation__id="a", input__messages=[ASKED], trace="u"),
    )
    assert [one.title for one in found] == ["a", "b", "b helper", "u"]


def test_arguments_are_an_object_also_where_they_came_as_text() -> None:
    (one,) = load_all(Source.of_path(FOLDER / "otel" / "pydantic-ai.jsonl"))
    calls = [part for row in one.conversation.log for part in row.parts if part.type == "tool_use"]
    assert [part.input for part in calls if isinstance(part, ToolUsePart)] == [{"place": "a"}]


@pytest.mark.parametrize("name", ["traces.jsonl", "openinference.json", "openllmetry.jsonl"])
def test_tools_are_kept_with_the_conversation(name: str) -> None:
    talk = next(load_all(Source.of_path(FOLDER / "otel" / name))).conversation
    bodies = [one.body for one in rewritten(talk)]
    ((tool,), *_) = [body["tools"] for body in bodies if "tools" in body]
    assert tool["function"]["name"] in ("weather", "look")
    assert tool["function"]["parameters"]["type"] == "object"
    records = talk.meta["fields"]["records"]
    assert not any("messages" in key for record in records for key in record)


def test_calls_without_ids_and_their_results_belong_together() -> None:
    call = {"type": "tool_call", "name": "look", "arguments": {}}
    rows = [
        {"role": "model", "parts": [call, call]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "response": n} for n in (1, 2)]},
    ]
    (one,) = read(span(input__messages=rows))
    asked, *seen = one.conversation.visible
    assert asked.calls == ("call_0_0", "call_0_1")
    assert [row.results for row in seen] == [("call_0_0",), ("call_0_1",)]


def test_the_whole_request_is_read_where_nothing_else_is() -> None:
    said = {
        "llm.model_name": "m",
        "input.value": json.dumps({"messages": [{"role": "user", "content": "hi"}]}),
    }
    (one,) = read({"traceId": "t", "spanId": "s", "attributes": said})
    assert [row.text for row in one.conversation.visible] == ["hi"]


def test_traces_without_content_are_refused_with_the_reason() -> None:
    caught = refusal(lambda: read(span(request__model="m"), span(request__model="m")))
    assert str(caught).startswith("the traces have 2 requests, but not what was said in them")
    assert str(refusal(lambda: read(span(operation__name="execute_tool")))).startswith(
        "the traces have no requests to a model"
    )
