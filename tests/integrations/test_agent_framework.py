"""Agents of Agent Framework whose context a policy manages; needs ``agent-framework``."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Library

af: Any = pytest.importorskip("agent_framework")

from ctxtui.core.integrations.agent_framework import AgentMessages, ContextStrategy  # noqa: E402

Message, Content = af.Message, af.Content
NOTHING = Policy({"when": {"messagesAbove": 1000}, "do": [{"operation": "CLEAR"}]})
WINDOW = Policy(
    {
        "when": {"messagesAbove": 3},
        "do": [{"operation": "TRUNCATE", "keepLast": 2, "keepPairs": "drop"}],
    }
)


class Client(af.FunctionInvocationLayer, af.ChatMiddlewareLayer, af.BaseChatClient):  # type: ignore[misc]
    """A chat client with answers of its own, which notes what it is sent."""

    def __init__(self, *answers: Any) -> None:
        super().__init__()
        self.answers = iter(answers)
        self.sent: list[list[Any]] = []

    def _inner_get_response(self, *, messages: Any, **options: Any) -> Any:
        async def respond() -> Any:
            self.sent.append(list(messages))
            return af.ChatResponse(messages=[next(self.answers)])

        return respond()


@af.tool(approval_mode="never_require")  # type: ignore[untyped-decorator]
def look(place: str) -> str:
    """Look at a place."""
    return f"{place} is empty"


def calls(id: str) -> Any:
    call = Content.from_function_call(call_id=id, name="look", arguments='{"place": "here"}')
    return Message("assistant", [call])


def says(text: str) -> Any:
    return Message("assistant", [text])


def agent_with(policy: Policy, place: Any, *answers: Any) -> tuple[Any, Client]:
    client, strategy = Client(*answers), ContextStrategy(policy, place)
    agent = af.Agent(
        client=client,
        instructions="Be brief.",
        tools=[look],
        compaction_strategy=strategy,
        context_providers=[af.InMemoryHistoryProvider(), strategy],
    )
    return agent, client


def run(agent: Any, *texts: str) -> Any:
    async def all_of_them() -> Any:
        session = agent.create_session()
        for text in texts:
            await agent.run(text, session=session)
        return session

    return asyncio.run(all_of_them())


def said(c: Conversation) -> list[str]:
    return [" ".join(message.search_text.split()) for message in c.log]


def test_a_run_is_a_conversation_and_its_own_messages_are_sent() -> None:
    c = Conversation()
    agent, client = agent_with(NOTHING, c, calls("t1"), says("Empty."))
    session = run(agent, "What is here?")
    assert [one.role for one in c.visible] == ["user", "assistant", "tool", "assistant"]
    assert c.lint("openai") == []
    stored = session.state["in_memory"]["messages"]
    assert [id(one) for one in client.sent[1][1:]] == [id(one) for one in stored[1:3]]
    assert len(c.calls) == 2
    assert {"APPEND"} == {record.operations[0].title for record in c.journal[1:]} - {"CALL"}


def test_what_a_policy_hides_is_not_sent_and_the_frameworks_history_stays() -> None:
    c = Conversation()
    answers = [calls("t1"), calls("t2"), calls("t3"), says("Empty."), says("Bye.")]
    agent, client = agent_with(WINDOW, c, *answers)
    session = run(agent, "What is here?", "Thanks.")
    assert [len(sent) for sent in client.sent] == [1, 3, 2, 2, 2]
    assert len(c.log) == len(session.state["in_memory"]["messages"]) == 10
    assert all(c.at(call.revision).lint("openai") == [] for call in c.calls)


def test_a_summary_stays_from_one_run_to_the_next() -> None:
    c = Conversation()
    old = {"operation": "COMPRESS", "select": {"exceptLast": 2}, "keepPairs": True}
    policy = Policy({"when": {"messagesAbove": 3}, "do": [old]}, summarise=lambda _: "Earlier.")
    agent, client = agent_with(policy, c, *map(says, ("one", "two", "three")))
    run(agent, "a", "b", "c")
    texts = [[one.text for one in sent] for sent in client.sent]
    assert texts == [["a"], ["a", "one", "b"], ["Earlier.", "two", "c"]]
    assert said(c) == ["a", "one", "b", "two", "c", "Earlier.", "three"]


def test_messages_are_never_changed_by_the_strategy() -> None:
    redact = Policy([{"operation": "REDACT", "select": {"exceptLast": 1}}])
    strategy = ContextStrategy(redact, Conversation())
    messages = [Message("user", ["a"]), Message("user", ["b"])]
    first, second = messages
    before = deepcopy([one.to_dict() for one in messages])
    assert asyncio.run(strategy(messages))
    assert messages[0].text == "[cleared]"
    assert messages[1] is second
    assert [one.to_dict() for one in (first, second)] == before
    assert not asyncio.run(ContextStrategy(NOTHING, Conversation())(messages))


def test_a_session_of_the_library_goes_on(tmp_path: Path) -> None:
    with Library(tmp_path).create(Conversation(), title="agent") as kept:
        agent, _ = agent_with(NOTHING, kept, calls("t1"), says("Empty."))
        session = run(agent, "What is here?")
    with Library(tmp_path).open(kept.id) as kept:
        agent, _ = agent_with(NOTHING, kept, says("Done."))
        again = af.AgentSession.from_dict(session.to_dict())
        asyncio.run(agent.run("And now?", session=again))
        c = kept.conversation
    told = ["What is here?", "look here", "here is empty", "Empty.", "And now?", "Done."]
    assert said(c) == told
    assert len(c.calls) == 3


@pytest.mark.parametrize(
    "message",
    [
        Message(
            "user", ["a", Content.from_uri("https://example.org/a.png", media_type="image/png")]
        ),
        Message("user", [Content.from_data(b"ab", media_type="audio/wav")]),
        Message("assistant", [Content.from_text_reasoning(text="hm", protected_data="x"), "b"]),
        Message("assistant", [Content.from_function_call(call_id="t", name="f", arguments="{bad")]),
        Message("tool", [Content.from_function_result(call_id="t", result="r", exception="e")]),
        Message("tool", [Content.from_function_result(call_id="t", result={"a": 1})]),
        Message(
            "tool",
            [
                Content.from_function_result(
                    call_id="t",
                    result=[
                        Content.from_text("t"),
                        Content.from_data(b"ab", media_type="image/png"),
                    ],
                )
            ],
        ),
        Message("critic", ["c"], author_name="someone", message_id="m1"),
    ],
)
def test_messages_of_all_kinds_are_read_and_written(message: Any) -> None:
    (read,) = AgentMessages().read([message])
    (written,) = AgentMessages().write(read, 0)
    assert written.to_dict() == message.to_dict()


USAGE = {"input_token_count": 90, "cache_read_input_token_count": 64, "output_token_count": 7}


class Counting(Client):
    """A client that says what each call cost, in one piece or in several."""

    def _inner_get_response(self, *, messages: Any, stream: bool = False, **options: Any) -> Any:
        async def respond() -> Any:
            answer = next(self.answers)
            if isinstance(answer, Exception):
                raise answer
            return af.ChatResponse(messages=[answer], usage_details=USAGE, response_id="r1")

        async def pieces() -> Any:
            contents = [*next(self.answers).contents, Content.from_usage(USAGE)]
            yield af.ChatResponseUpdate(contents=contents, role="assistant", response_id="r1")

        if not stream:
            return respond()
        return af.ResponseStream(pieces(), finalizer=af.ChatResponse.from_updates)


def counting(place: Any, *answers: Any) -> Any:
    strategy = ContextStrategy(NOTHING, place)
    return af.Agent(
        client=Counting(*answers),
        tools=[look],
        default_options={"model": "m", "temperature": 0.5},
        compaction_strategy=strategy,
        context_providers=[af.InMemoryHistoryProvider(), strategy],
        middleware=[strategy.middleware],
    )


def test_with_the_middleware_each_call_is_recorded_with_what_it_cost() -> None:
    c = Conversation()
    run(counting(c, calls("t1"), says("Empty.")), "What is here?")
    assert [call.usage and call.usage.to_dict() for call in c.calls] == [
        {"input": 90, "cached": 64, "output": 7}
    ] * 2
    assert [len(c.at(call.revision).visible) for call in c.calls] == [1, 3]
    assert {call.model for call in c.calls} == {"m"}
    assert c.calls[0].request == "r1"
    assert c.calls[0].parameters == {"temperature": 0.5, "tool_choice": "auto"}


def test_a_streamed_call_is_recorded_with_what_it_cost_too() -> None:
    c = Conversation()
    agent = counting(c, calls("t1"), says("Empty."))

    async def stream() -> None:
        async for _ in agent.run("What is here?", stream=True, session=agent.create_session()):
            pass

    asyncio.run(stream())
    assert [call.usage and call.usage.input for call in c.calls] == [90, 90]
    assert [len(c.at(call.revision).visible) for call in c.calls] == [1, 3]


def test_a_call_that_fails_is_recorded_as_failed() -> None:
    c = Conversation()
    with pytest.raises(Exception, match="no"):
        run(counting(c, RuntimeError("no")), "What is here?")
    assert [(call.outcome, call.usage) for call in c.calls] == [("failed", None)]


def test_what_a_client_counts_apart_is_part_of_the_input() -> None:
    from ctxtui.core.integrations.agent_framework import _usage  # noqa: PLC0415 - only here

    apart = {**USAGE, "input_token_count": 10, "cache_creation_input_token_count": 5}
    assert _usage(apart) == {"input": 79, "cached": 64, "written": 5, "output": 7}
    assert _usage({}) is None
