"""The policy that is simulated does what the agent's does, request by request.

Each framework makes a run without a policy; a policy is simulated over what was kept of it, and the
same run is made again with the policy. A framework that is not installed is skipped.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import simulate

Turn = tuple[str, Sequence[str]]
"""A question, and the places that are looked at before it is answered, one call each."""

RUNS: dict[str, list[Turn]] = {
    "questions": [(f"Question {n}?", ()) for n in range(8)],
    "one long loop": [("Look everywhere.", [f"place {n}" for n in range(9)])],
    "loops": [(f"Look around {n}.", [f"place {n}-{m}" for m in range(n % 3)]) for n in range(7)],
}
PAIRS = {"keepPairs": "drop"}
POLICIES = {
    "window": {
        "when": {"messagesAbove": 5},
        "do": [{"operation": "TRUNCATE", "keepLast": 4, "keepSystem": True, **PAIRS}],
    },
    "clearing": {
        "when": {"everyCalls": 3},
        "do": [{"operation": "REDACT", "select": {"roles": ["tool"], "exceptLast": 1}}],
    },
    "summary": {
        "when": {"tokensAbove": 60},
        "do": [
            {
                "operation": "COMPRESS",
                "select": {"exceptLast": 3},
                "keepRoles": ["system"],
                "keepPairs": True,
                "summary": {"role": "user", "template": "{count} messages, {tokens} tokens"},
            }
        ],
    },
}
NOTHING = Policy({"when": {"messagesAbove": 1_000}, "do": [{"operation": "CLEAR"}]})


def played(framework: str, policy: Policy, turns: Sequence[Turn]) -> Conversation:
    """Return what an integration keeps of a run of its framework's agent."""
    parts: Any = importlib.import_module(f"tests.integrations.test_{framework}")
    answers, number = [], 0
    for question, places in turns:
        for _ in places:
            number += 1
            answers.append(parts.calls(f"t{number}"))
        says = parts.AI if framework == "langchain" else parts.says
        answers.append(says(f"Answer to {question}"))
    kept = Conversation()
    FRAMEWORKS[framework](parts, policy, kept, answers, [question for question, _ in turns])
    return kept


def langchain(
    parts: Any, policy: Policy, kept: Conversation, answers: list[Any], questions: list[str]
) -> None:
    agent, _ = parts.agent_with(policy, kept, *answers, system_prompt="Be brief.")
    messages: list[Any] = []
    for question in questions:
        state = {"messages": [*messages, {"role": "user", "content": question}]}
        messages = agent.invoke(state, {"recursion_limit": 100})["messages"]


def openai_agents(
    parts: Any, policy: Policy, kept: Conversation, answers: list[Any], questions: list[str]
) -> None:
    agent, _ = parts.agent_with(*answers)
    session = parts.ContextSession(policy, kept)
    for question in questions:
        parts.run(agent, question, session, hooked=True)


def pydantic_ai(
    parts: Any, policy: Policy, kept: Conversation, answers: list[Any], questions: list[str]
) -> None:
    agent, _ = parts.agent_with(policy, kept, *answers)
    history: list[Any] = []
    for question in questions:
        made = asyncio.run(agent.run(question, message_history=history or None))
        history = made.all_messages()


def agent_framework(
    parts: Any, policy: Policy, kept: Conversation, answers: list[Any], questions: list[str]
) -> None:
    agent, _ = parts.agent_with(policy, kept, *answers)
    parts.run(agent, *questions)


FRAMEWORKS: dict[str, Callable[..., None]] = {
    "langchain": langchain,
    "openai_agents": openai_agents,
    "pydantic_ai": pydantic_ai,
    "agent_framework": agent_framework,
}
PACKAGES = {"openai_agents": "agents"}
Sent = list[list[tuple[str, str]]]


def said(conversation: Any) -> list[tuple[str, str]]:
    return [(one.role, " ".join(one.search_text.split())) for one in conversation.visible]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_agent_sends_what_was_simulated(framework: str, run: str, policy: str) -> None:
    pytest.importorskip(PACKAGES.get(framework, framework))
    chosen = Policy(POLICIES[policy])
    config = SimulationConfig.about(run_of(played(framework, NOTHING, RUNS[run])))
    simulated: Sent = [said(one) for one, _ in simulate(config, chosen)]
    managed = played(framework, chosen, RUNS[run])
    sent: Sent = [said(managed.at(call.revision)) for call in managed.calls]
    assert len(sent) == len(simulated) == sum(len(places) + 1 for _, places in RUNS[run])
    assert sent == simulated
