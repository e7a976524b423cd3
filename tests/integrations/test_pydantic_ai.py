"""Pydantic AI agents whose history a policy manages; needs the extra ``pydantic-ai``."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.integrations.message_map import plain
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Library

ai: Any = pytest.importorskip("pydantic_ai")
m: Any = pytest.importorskip("pydantic_ai.messages")
function: Any = pytest.importorskip("pydantic_ai.models.function")

from ctxtui.core.integrations.pydantic_ai import ContextHistory, ModelMessages  # noqa: E402

NOTHING = Policy({"when": {"messagesAbove": 1000}, "do": [{"operation": "CLEAR"}]})
WINDOW = Policy(
    {
        "when": {"messagesAbove": 4},
        "do": [{"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True, "keepPairs": "drop"}],
    }
)


class Model:
    """What the framework's own function model answers, and what it was sent."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)
        self.sent: list[list[Any]] = []

    def __call__(self, messages: list[Any], info: Any) -> Any:
        self.sent.append(list(messages))
        answer = next(self.answers, None)
        if answer is None:
            raise RuntimeError("there is no model")
        return m.ModelResponse(parts=answer)

    async def stream(self, messages: list[Any], info: Any) -> Any:
        self.sent.append(list(messages))
        (part,) = next(self.answers)
        yield part.content


def calls(*ids: str) -> list[Any]:
    return [m.ToolCallPart("look", {"place": "here"}, tool_call_id=id) for id in ids]


def says(text: str) -> list[Any]:
    return [m.TextPart(text)]


def agent_with(policy: Policy, place: Any, *answers: Any) -> tuple[Any, Model]:
    model = Model(*answers)
    agent = ai.Agent(
        function.FunctionModel(model, stream_function=model.stream),
        system_prompt="Be brief.",
        capabilities=[ContextHistory(policy, place)],
    )

    @agent.tool_plain  # type: ignore[untyped-decorator]
    def look(place: str) -> str:
        return f"{place} is empty"

    return agent, model


def run(agent: Any, text: str, **options: Any) -> Any:
    return asyncio.run(agent.run(text, **options))


def said(c: Conversation) -> list[str]:
    return [" ".join(message.search_text.split()) for message in c.log]


def test_a_run_is_a_conversation_and_its_own_messages_are_sent() -> None:
    c = Conversation()
    agent, model = agent_with(NOTHING, c, calls("t1", "t2"), says("Empty."))
    result = run(agent, "What is here?").all_messages()
    roles = ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert [one.role for one in c.visible] == roles
    assert c.lint("openai") == []
    assert [id(one) for one in model.sent[1]] == [id(one) for one in result[:-1]]
    assert len(c.calls) == 2
    assert {"APPEND"} == {record.operations[0].title for record in c.journal[1:]} - {"CALL"}


def test_what_a_policy_hides_is_not_sent_and_the_conversation_has_all_of_it() -> None:
    c = Conversation()
    answers = [calls("t1"), calls("t2"), calls("t3"), says("Empty.")]
    agent, model = agent_with(WINDOW, c, *answers)
    result = run(agent, "What is here?")
    assert len(c.log) == 9
    assert [len(sent) for sent in model.sent] == [1, 3, 3, 3]
    prompt, first, *_ = model.sent[2]
    assert [part.content for part in prompt.parts] == ["Be brief."]
    assert first.parts[0].tool_call_id == "t2"
    assert all(c.at(call.revision).lint("openai") == [] for call in c.calls)
    assert len(result.all_messages()) == 4


def test_a_request_of_which_only_a_part_is_sent_is_itself_untouched() -> None:
    request = m.ModelRequest(parts=[m.SystemPromptPart("Be brief."), m.UserPromptPart("a")])
    before = deepcopy(request)
    c = Conversation()
    context = ContextHistory(WINDOW, c).context
    context.before_call([request])
    c.execute({"operation": "DELETE", "indices": [1]})
    (cut,) = context.message_map.visible()
    assert cut.parts == [request.parts[0]]
    assert cut.parts[0] is request.parts[0]
    assert request == before


def test_a_second_run_goes_on_from_what_the_first_has_left() -> None:
    c = Conversation()
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "keepRoles": ["system"]}
    policy = Policy({"when": {"messagesAbove": 3}, "do": [old]}, summarise=lambda _: "Earlier.")
    agent, model = agent_with(policy, c, says("one"), says("two"), says("three"))
    history: list[Any] = []
    for text in ("a", "b", "c"):
        history = run(agent, text, message_history=history).all_messages()
    texts = [[part.content for one in sent for part in one.parts] for sent in model.sent]
    assert texts[1] == ["Be brief.", "Earlier.", "b"]
    assert texts[2] == ["Be brief.", "Earlier.", "c"]
    assert [one for one in said(c) if one != "Earlier."] == [
        "Be brief.",
        "a",
        "one",
        "b",
        "two",
        "c",
        "three",
    ]


def test_a_history_that_was_kept_as_json_is_the_same_conversation(tmp_path: Path) -> None:
    with Library(tmp_path).create(Conversation(), title="agent") as session:
        agent, _ = agent_with(WINDOW, session, calls("t1"), calls("t2"), says("Empty."))
        kept = run(agent, "What is here?").all_messages_json()
    history = m.ModelMessagesTypeAdapter.validate_json(kept)
    with Library(tmp_path).open(session.id) as session:
        agent, _ = agent_with(WINDOW, session, says("Done."))
        run(agent, "And now?", message_history=history)
        c = session.conversation
    assert len(c.log) == 9
    assert len(c.calls) == 4


def test_results_that_are_no_text_and_calls_come_back_as_they_were() -> None:
    c = Conversation()
    policy = Policy([{"operation": "REDACT", "select": {"roles": ["tool"], "exceptLast": 1}}])
    agent, model = agent_with(policy, c, calls("t1"), calls("t2"), says("Empty."))
    run(agent, "What is here?")
    (copy,) = model.sent[2][2].parts
    assert (copy.tool_name, copy.tool_call_id, copy.content) == ("look", "t1", "[cleared]")


def test_usage_tools_and_model_are_part_of_the_call() -> None:
    c = Conversation()
    agent, _ = agent_with(NOTHING, c, says("Hi"))
    run(agent, "a")
    (call,) = c.calls
    assert call.usage is not None
    assert call.usage.input
    assert call.model is not None
    assert call.tools is not None
    assert c.calls.tools[call.tools][0]["name"] == "look"


def test_a_request_that_fails_is_recorded_as_failed() -> None:
    c = Conversation()
    agent, _ = agent_with(NOTHING, c)
    with pytest.raises(RuntimeError):
        run(agent, "a")
    assert [call.outcome for call in c.calls] == ["failed"]
    assert said(c) == ["Be brief.", "a"]


def test_a_streamed_run_does_the_same() -> None:
    c = Conversation()
    agent, _ = agent_with(NOTHING, c, says("Hi"))

    async def stream() -> None:
        async with agent.run_stream("a") as result:
            await result.get_output()

    asyncio.run(stream())
    assert said(c) == ["Be brief.", "a", "Hi"]
    assert [call.outcome for call in c.calls] == ["complete"]


@pytest.mark.parametrize(
    "part",
    [
        m.UserPromptPart(["a", m.ImageUrl("https://example.org/a.png")]),
        m.UserPromptPart(["a", m.BinaryContent(b"\x00\xff", media_type="image/png")]),
        m.UserPromptPart(""),
        m.ToolReturnPart("look", {"size": 3}, tool_call_id="t1", outcome="failed"),
        m.SystemPromptPart("rule", dynamic_ref="f"),
    ],
)
def test_parts_of_a_request_are_read_and_written(part: Any) -> None:
    (read,) = ModelMessages().read([m.ModelRequest(parts=[part])])
    (written,) = ModelMessages().write(read, 0)
    assert plain(written.parts[0]) == plain(part)


@pytest.mark.parametrize(
    "part",
    [
        m.TextPart("a", id="x", provider_name="p"),
        m.ThinkingPart("hm", signature="s", provider_name="p"),
        m.ToolCallPart("look", '{"place": "here"}', tool_call_id="t1"),
        m.ToolCallPart("look", '{"place": ', tool_call_id="t1"),
        m.ToolCallPart("look", None, tool_call_id="t1"),
        m.NativeToolCallPart("web_search", {"query": "q"}, tool_call_id="t1"),
    ],
)
def test_parts_of_a_response_are_read_and_written(part: Any) -> None:
    response = m.ModelResponse(parts=[part], model_name="some-model")
    (read,) = ModelMessages().read([response])
    (written,) = ModelMessages().write(read, 0)
    assert written.parts == [part]
    assert written.model_name == "some-model"


def test_messages_that_nobody_has_read_are_written_too() -> None:
    c = Conversation([{"role": "system", "content": "a"}, {"role": "user", "content": "b"}])
    both = [ModelMessages().write(message, raw)[0] for raw, message in enumerate(c.log)]
    assert [type(one.parts[0]) for one in both] == [m.SystemPromptPart, m.UserPromptPart]
