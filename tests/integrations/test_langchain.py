"""LangChain agents whose context a policy manages; needs the extra ``langchain``."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Library

agents: Any = pytest.importorskip("langchain.agents")
fakes: Any = pytest.importorskip("langchain_core.language_models.fake_chat_models")
messages: Any = pytest.importorskip("langchain_core.messages")
saving: Any = pytest.importorskip("langgraph.checkpoint.memory")

from ctxtui.core.integrations.langchain import ContextMiddleware, LangChainMessages  # noqa: E402

AI, Human, Tool = messages.AIMessage, messages.HumanMessage, messages.ToolMessage
NOTHING = Policy({"when": {"messagesAbove": 1000}, "do": [{"operation": "CLEAR"}]})
WINDOW = Policy(
    {
        "when": {"messagesAbove": 4},
        "do": [
            {"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True, "keepPairs": "drop"},
        ],
    }
)


class Model(fakes.GenericFakeChatModel):  # type: ignore[misc]
    """The framework's own fake model, which also notes what it is sent."""

    sent: list[list[Any]] = []  # noqa: RUF012 - a field of a pydantic model is copied

    def bind_tools(self, tools: Any, **options: Any) -> Model:
        return self

    def _generate(self, messages: Any, *rest: Any, **options: Any) -> Any:
        self.sent.append(list(messages))
        return super()._generate(messages, *rest, **options)


def look(place: str) -> str:
    """Look at a place."""
    return f"{place} is empty"


def calls(id: str) -> Any:
    return AI("", tool_calls=[{"name": "look", "args": {"place": "here"}, "id": id}])


def agent_with(policy: Policy, place: Any, *answers: Any, **options: Any) -> tuple[Any, Model]:
    model = Model(messages=iter(answers))
    middleware = [ContextMiddleware(policy, place), *options.pop("others", [])]
    made = agents.create_agent(model, tools=[look], middleware=middleware, **options)
    return made, model


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


THREAD = {"configurable": {"thread_id": "1"}}


def test_a_run_is_a_conversation_and_the_model_gets_the_frameworks_own_messages() -> None:
    c = Conversation()
    agent, model = agent_with(NOTHING, c, calls("t1"), AI("Empty."), system_prompt="Be brief.")
    result = agent.invoke(said("What is here?"))["messages"]
    assert [one.role for one in c.visible] == ["system", "user", "assistant", "tool", "assistant"]
    assert c.lint("openai") == []
    assert [id(one) for one in model.sent[1][1:]] == [id(one) for one in result[:-1]]
    assert len(c.calls) == 2
    assert {"APPEND"} == {record.operations[0].title for record in c.journal[1:]} - {"CALL"}


def test_what_a_policy_hides_is_not_sent_and_stays_in_the_graph() -> None:
    c = Conversation()
    answers = [calls("t1"), calls("t2"), calls("t3"), AI("Empty.")]
    agent, model = agent_with(WINDOW, c, *answers, system_prompt="Be brief.")
    result = agent.invoke(said("What is here?"))["messages"]
    assert len(result) == len(c.log) - 1 == 8
    for request, call in zip(model.sent, c.calls, strict=True):
        projection = c.at(call.revision).visible
        read = [LangChainMessages().read([one])[0].search_text for one in request]
        assert read == [one.search_text for one in projection]
        assert c.at(call.revision).lint("openai") == []
    assert len(model.sent[-1]) < len(result)


def test_a_summary_is_written_and_what_it_stands_for_is_untouched() -> None:
    c = Conversation()
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "keepPairs": True}
    policy = Policy({"when": {"messagesAbove": 2}, "do": [old]}, summarise=lambda _: "Earlier.")
    agent, model = agent_with(policy, c, AI("one"), AI("two"), checkpointer=saving.InMemorySaver())
    first = agent.invoke(said("a"), THREAD)["messages"]
    before = deepcopy(first)
    agent.invoke(said("b"), THREAD)
    assert [one.text for one in model.sent[1]] == ["Earlier.", "b"]
    assert isinstance(model.sent[1][0], Human)
    assert first == before
    assert len(agent.get_state(THREAD).values["messages"]) == 4


def test_redacted_results_keep_their_ids_and_calls() -> None:
    c = Conversation()
    policy = Policy([{"operation": "REDACT", "select": {"roles": ["tool"], "exceptLast": 1}}])
    agent, model = agent_with(policy, c, calls("t1"), calls("t2"), AI("Empty."))
    result = agent.invoke(said("What is here?"))["messages"]
    copy, original = model.sent[2][2], result[2]
    assert (copy.content, original.content) == ("[cleared]", "here is empty")
    assert (copy.id, copy.tool_call_id) == (original.id, "t1")


def test_a_reloaded_thread_is_the_same_conversation(tmp_path: Path) -> None:
    saver = saving.InMemorySaver()
    with Library(tmp_path).create(Conversation(), title="agent") as session:
        agent, _ = agent_with(NOTHING, session, calls("t1"), AI("Empty."), checkpointer=saver)
        agent.invoke(said("a"), THREAD)
    with Library(tmp_path).open(session.id) as session:
        agent, _ = agent_with(NOTHING, session, AI("Done."), checkpointer=saver)
        agent.invoke(said("b"), THREAD)
        c = session.conversation
    told = ["a", "", "here is empty", "Empty.", "b", "Done."]
    assert [(one.results and one.search_text) or one.text for one in c.log] == told
    assert len(c.calls) == 3


def test_messages_that_the_graph_removes_are_hidden() -> None:
    c = Conversation()
    agent, model = agent_with(NOTHING, c, AI("one"), AI("two"), checkpointer=saving.InMemorySaver())
    first = agent.invoke(said("a"), THREAD)["messages"]
    agent.update_state(THREAD, {"messages": [messages.RemoveMessage(id=first[0].id)]})
    agent.invoke(said("b"), THREAD)
    assert [one.text for one in model.sent[1]] == ["one", "b"]
    assert [one.text for one in c.log] == ["a", "one", "b", "two"]


def test_an_answer_that_another_middleware_rewrites_is_replaced() -> None:
    class Louder(agents.middleware.AgentMiddleware):  # type: ignore[misc]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            answer = handler(request).result[0]
            return AI(answer.content.upper())

    c = Conversation()
    model = Model(messages=iter([AI("one"), AI("two")]))
    both = [Louder(), ContextMiddleware(NOTHING, c)]
    agent = agents.create_agent(model, middleware=both, checkpointer=saving.InMemorySaver())
    agent.invoke(said("a"), THREAD)
    agent.invoke(said("b"), THREAD)
    assert [one.text for one in model.sent[1]] == ["a", "ONE", "b"]
    assert [one.text for one in c.log] == ["a", "one", "ONE", "b", "two"]


def test_usage_tools_and_model_are_part_of_the_call() -> None:
    c = Conversation()
    told = {
        "input_tokens": 10,
        "output_tokens": 2,
        "total_tokens": 12,
        "input_token_details": {"cache_read": 8},
    }
    agent, _ = agent_with(NOTHING, c, AI("Hi", usage_metadata=told))
    agent.invoke(said("a"))
    (call,) = c.calls
    assert call.usage is not None
    assert (call.usage.input, call.usage.cached, call.usage.output) == (10, 8, 2)
    assert call.tools is not None
    (tool,) = c.calls.tools[call.tools]
    assert tool["function"]["name"] == "look"


def test_a_call_that_fails_is_recorded_as_failed() -> None:
    c = Conversation()
    agent, _ = agent_with(NOTHING, c)
    with pytest.raises(RuntimeError):
        agent.invoke(said("a"))
    assert [call.outcome for call in c.calls] == ["failed"]
    assert [one.text for one in c.visible] == ["a"]


def test_an_asynchronous_agent_does_the_same() -> None:
    c = Conversation()
    agent, model = agent_with(WINDOW, c, calls("t1"), calls("t2"), AI("Empty."))
    asyncio.run(agent.ainvoke(said("What is here?")))
    assert len(c.calls) == 3
    assert len(model.sent[2]) == 2
    assert len(c.log) == 6


@pytest.mark.parametrize(
    "message",
    [
        Human([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]),
        AI(
            [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "b"},
            ]
        ),
        Tool("done", tool_call_id="t1", artifact=object(), status="error"),
        messages.ChatMessage("c", role="critic"),
        AI(""),
    ],
)
def test_messages_of_all_kinds_are_read_and_written(message: Any) -> None:
    (read,) = LangChainMessages().read([message])
    (written,) = LangChainMessages().write(read, 0)
    assert (type(written), written.content) == (type(message), message.content)
