"""Runs of the OpenAI Agents SDK whose context a policy manages; needs ``openai-agents``."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Library

sdk: Any = pytest.importorskip("agents")
testing: Any = pytest.importorskip("agents.testing")

from ctxtui.core.integrations.openai_agents import ContextSession, ResponseItems  # noqa: E402

NOTHING = Policy({"when": {"messagesAbove": 1000}, "do": [{"operation": "CLEAR"}]})
WINDOW = Policy(
    {
        "when": {"messagesAbove": 4},
        "do": [{"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True, "keepPairs": "drop"}],
    }
)


sdk.set_tracing_disabled(True)


def look(place: str) -> str:
    """Look at a place."""
    return f"{place} is empty"


def calls(*ids: str) -> list[Any]:
    return [testing.function_call("look", {"place": "here"}, call_id=id) for id in ids]


def says(text: str) -> list[Any]:
    return [testing.assistant_message(text, item_id=f"m-{text}")]


def agent_with(*answers: Any) -> tuple[Any, Any]:
    model = testing.ScriptedModel(answers)
    tools = [sdk.function_tool(look)]
    return sdk.Agent(name="agent", instructions="Be brief.", model=model, tools=tools), model


def run(agent: Any, text: Any, session: ContextSession, **options: Any) -> Any:
    config = sdk.RunConfig(call_model_input_filter=session.filter)
    kept: dict[str, Any] = {"session": session} if options.get("kept", True) else {}
    kept |= {"hooks": session.hooks} if options.get("hooked") else {}
    if options.get("streamed"):

        async def stream() -> Any:
            result = sdk.Runner.run_streamed(agent, text, run_config=config, **kept)
            async for _ in result.stream_events():
                pass
            return result

        return asyncio.run(stream())
    return asyncio.run(sdk.Runner.run(agent, text, run_config=config, **kept))


def told(c: Conversation) -> list[str]:
    return [f"{one.role} {' '.join(one.search_text.split())}".strip() for one in c.log]


WHOLE = [
    "user What is here?",
    "assistant look here look here",
    "tool here is empty",
    "tool here is empty",
    "assistant Empty.",
]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_run_is_a_conversation(streamed: bool) -> None:
    c = Conversation()
    agent, model = agent_with(calls("t1", "t2"), says("Empty."))
    run(agent, "What is here?", ContextSession(NOTHING, c), streamed=streamed)
    assert sorted(told(c)) == sorted([*WHOLE, "system Be brief."])
    assert [one.role for one in c.visible] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert c.lint("openai") == []
    assert len(c.calls) == 2
    assert model.calls[1].system_instructions == "Be brief."


def test_the_filter_gives_back_the_very_items_it_was_given() -> None:
    session = ContextSession(NOTHING, Conversation())
    agent, _ = agent_with()
    items = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    before = deepcopy(items)
    given = sdk.run.ModelInputData(input=items, instructions="Be brief.")
    made = session.filter(sdk.run.CallModelData(model_data=given, agent=agent, context=None))
    assert [id(one) for one in made.input] == [id(one) for one in items]
    assert items == before
    assert made.instructions == "Be brief."


def test_without_a_session_the_filter_alone_manages_what_is_sent() -> None:
    c = Conversation()
    agent, model = agent_with(calls("t1"), calls("t2"), calls("t3"), says("Empty."))
    result = run(agent, "What is here?", ContextSession(WINDOW, c), kept=False)
    assert len(result.to_input_list()) == 8
    assert [len(call.input) for call in model.calls] == [1, 3, 2, 2]
    assert all(c.at(call.revision).lint("openai") == [] for call in c.calls)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_second_run_goes_on_from_what_is_visible(streamed: bool) -> None:
    c = Conversation()
    old = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "keepRoles": ["system"]}
    policy = Policy({"when": {"messagesAbove": 3}, "do": [old]}, summarise=lambda _: "Earlier.")
    session = ContextSession(policy, c)
    agent, model = agent_with(says("one"), says("two"), says("three"))
    for text in ("a", "b", "c"):
        run(agent, text, session, streamed=streamed)
    texts = [[item["content"] for item in call.input] for call in model.calls]
    assert texts[1] == ["Earlier.", "b"]
    assert texts[2][0] == "Earlier."
    assert texts[2][-1] == "c"
    said = [one.text for one in c.log if one.text != "Earlier."]
    assert sorted(said) == sorted(["Be brief.", "a", "one", "b", "two", "c", "three"])


def test_a_session_of_the_library_is_taken_up_again(tmp_path: Path) -> None:
    with Library(tmp_path).create(Conversation(), title="agent") as kept:
        agent, _ = agent_with(calls("t1", "t2"), says("Empty."))
        run(agent, "What is here?", ContextSession(NOTHING, kept))
        first = len(kept.conversation.log)
    with Library(tmp_path).open(kept.id) as kept:
        session = ContextSession(NOTHING, kept)
        assert session.session_id == kept.id
        agent, model = agent_with(says("Done."))
        run(agent, "And now?", session)
        c = kept.conversation
    assert len(c.log) == first + 2
    assert [item.get("call_id") for item in model.calls[0].input[1:5]] == ["t1", "t2", "t1", "t2"]
    assert len(c.calls) == 3


def test_the_session_alone_lets_the_policy_act_once_a_run() -> None:
    c = Conversation()
    session = ContextSession(Policy([{"operation": "TRUNCATE", "keepLast": 1}]), c)
    agent, model = agent_with(says("one"), says("two"))
    for text in ("a", "b"):
        asyncio.run(sdk.Runner.run(agent, text, session=session))
    assert [len(call.input) for call in model.calls] == [1, 2]
    assert [one.text for one in c.log] == ["a", "one", "b", "two"]


def test_a_limit_of_the_session_is_followed() -> None:
    c = Conversation()
    session = ContextSession(NOTHING, c)
    session.session_settings = sdk.memory.SessionSettings(limit=1)
    agent, model = agent_with(says("one"), says("two"))
    run(agent, "a", session)
    run(agent, "b", session)
    assert [len(call.input) for call in model.calls] == [1, 2]
    assert [one.text for one in c.visible] == ["Be brief.", "one", "b", "two"]
    assert len(c.log) == 5


def test_items_can_be_taken_back_and_all_of_them_cleared() -> None:
    async def take_back() -> None:
        c = Conversation()
        session = ContextSession(NOTHING, c)
        items = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
        await session.add_items(items)
        assert await session.pop_item() is items[1]
        assert await session.get_items() == items[:1]
        await session.add_items(items[1:])
        assert [one["content"] for one in await session.get_items()] == ["a", "b"]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        assert len(c.log) == 3

    asyncio.run(take_back())


def test_it_is_a_session_of_the_sdk() -> None:
    assert isinstance(ContextSession(NOTHING, Conversation()), sdk.memory.Session)


def test_a_run_that_fails_loses_nothing() -> None:
    c = Conversation()
    session = ContextSession(NOTHING, c)
    agent, _ = agent_with(RuntimeError("no model"), says("one"))
    with pytest.raises(RuntimeError):
        run(agent, "a", session)
    run(agent, "b", session)
    assert [one.text for one in c.log if one.role != "system"] == ["a", "b", "one"]


@pytest.mark.parametrize(
    "item",
    [
        {"role": "developer", "content": "rule"},
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x"},
        {"type": "item_reference", "id": "i"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "t"}],
        },
    ],
)
def test_items_of_all_kinds_are_read_and_written(item: dict[str, Any]) -> None:
    (read,) = ResponseItems().read([item])
    assert list(ResponseItems().write(read, 0)) == [item]


def costing(output: list[Any], sent: int, cached: int) -> Any:
    """Return an answer that says what it cost."""
    details = sdk.usage.InputTokensDetails(cached_tokens=cached, cache_write_tokens=0)
    usage = sdk.Usage(1, sent, details, 7, total_tokens=sent + 7)
    return sdk.ModelResponse(output=output, usage=usage, response_id="resp_1")


@pytest.mark.parametrize("streamed", [False, True])
def test_with_its_hooks_each_call_is_recorded_with_what_it_cost(streamed: bool) -> None:
    c = Conversation()
    agent, _ = agent_with(costing(calls("t1"), 100, 0), costing(says("Empty."), 140, 64))
    run(agent, "What is here?", ContextSession(NOTHING, c), streamed=streamed, hooked=True)
    assert [call.usage and call.usage.input for call in c.calls] == [100, 140]
    assert [call.usage and call.usage.cached for call in c.calls] == [0, 64]
    assert [len(c.at(call.revision).visible) for call in c.calls] == [2, 4]
    assert [one.role for one in c.visible][-1] == "assistant"


def test_a_call_whose_answer_never_came_is_recorded_all_the_same() -> None:
    c = Conversation()
    session = ContextSession(NOTHING, c)
    assert session.hooks is session.hooks
    agent, _ = agent_with()
    given = sdk.run.ModelInputData(input=[{"role": "user", "content": "a"}], instructions=None)
    data = sdk.run.CallModelData(model_data=given, agent=agent, context=None)
    session.filter(data)
    assert len(c.calls) == 0
    asyncio.run(session.add_items([{"role": "user", "content": "more"}]))
    assert [(call.usage, len(c.at(call.revision).visible)) for call in c.calls] == [(None, 1)]


def test_a_model_that_does_not_say_what_it_cost_leaves_no_figures() -> None:
    c = Conversation()
    agent, _ = agent_with(says("Empty."))
    run(agent, "What is here?", ContextSession(NOTHING, c), hooked=True)
    assert [call.usage for call in c.calls] == [None]
