"""Five policies over a long run, against building the conversation once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy
from tests.benchmarks.clock import seconds
from tests.benchmarks.logs import settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, show, size_name, times

SIZES = (2_500, 10_000, 40_000)
SIZE, ROUNDS = 10_000, 3
MOST, GROWTH = 5.0, 1.5
EVERY = {"keepRoles": ["system"], "keepMarks": ["rule"], "keepPairs": "drop"}
OLD_RESULTS = {
    "roles": ["tool"],
    "positions": {"start": -60},
    "contentExcludes": ["[cleared]"],
    "exceptLast": 4,
}
SUMMARY = {"role": "user", "template": "[{count} messages, {tokens} tokens: {excerpt}]"}
POLICIES: dict[str, Any] = {
    "plain window": [{"operation": "TRUNCATE", "keepLast": 60}],
    "window with marks": {
        "when": {"messagesAbove": 80},
        "do": [{"operation": "TRUNCATE", "keepLast": 60, **EVERY}],
    },
    "token budget": {
        "when": {"tokensAbove": 7_500},
        "do": [{"operation": "TRUNCATE", "maxTokens": 5_500, **EVERY}],
    },
    "clear tool results": {
        "when": {"tokensAbove": 3_500},
        "do": [{"operation": "REDACT", "select": OLD_RESULTS}],
    },
    "summarise": {
        "when": {"tokensAbove": 9_000},
        "do": [
            {"operation": "COMPRESS", "select": {"exceptLast": 50}, "summary": SUMMARY, **EVERY}
        ],
    },
}


def agent(count: int) -> list[dict[str, Any]]:
    """Return an agent's run of about three messages a call, parallel calls among them."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You fix what is broken. " * 8}]
    turn = 0
    while len(messages) < count:
        if turn % 12 == 0:
            messages.append(
                {"role": "user", "content": f"Go on with part {turn} of the plan. " * 3}
            )
        ids = [f"call_{turn}_{n}" for n in range((1, 2, 1, 3, 2, 1)[turn % 6])]
        calls = [
            {"id": id, "name": "read_file", "input": {"path": f"src/{turn}/{id}.py"}} for id in ids
        ]
        uses = [{"type": "tool_use", "tool_use": call} for call in calls]
        said = {"type": "text", "text": f"I look at {turn}."}
        messages.append({"role": "assistant", "content": [said, *uses]})
        for id in ids:
            result = {"tool_use_id": id, "content": f"{turn}: value = compute(value)\n" * 6}
            messages.append(
                {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]}
            )
        turn += 1
    return messages[:count]


def append_all(messages: Iterable[dict[str, Any]]) -> None:
    """Build a conversation as an agent does: a message at a time."""
    conversation = Conversation()
    for message in messages:
        conversation.append(message)


def measure(size: int) -> tuple[int, float, float, dict[str, float]]:
    """Return the calls, the times to build at once and bit by bit, and that of each policy."""
    messages = agent(size)
    at_once = min(seconds(lambda: Conversation(messages)) for _ in range(ROUNDS))
    bit_by_bit = min(seconds(lambda: append_all(messages)) for _ in range(ROUNDS))
    conversation = Conversation(messages)
    conversation.execute({"operation": "MARK", "indices": [1], "label": "rule"})
    with settled():
        question = SimulationConfig.about(run_of(conversation))
        spent = {name: _walked(question, Policy(data)) for name, data in POLICIES.items()}
    return len(question.run.calls), at_once, bit_by_bit, spent


def _walked(question: SimulationConfig, policy: Policy) -> float:
    return min(seconds(lambda: run_policy(question, policy)) for _ in range(ROUNDS))


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    found = {size: apart(measure, size) for size in SIZES}
    rows = []
    for size, (calls, at_once, bit_by_bit, spent) in found.items():
        total = sum(spent.values())
        each = [f"{1e6 * spent[name] / calls:.0f}" for name in POLICIES]
        whole = [times(total / bit_by_bit), times(total / at_once)]
        rows.append([size_name(size), f"{calls:,}", *each, *whole])
    _, at_once, bit_by_bit, spent = found[SIZE]
    total = sum(spent.values())
    name = size_name(SIZE)
    out.judge(
        Target(
            f"5 policies over {name} messages against appending them", total / bit_by_bit, "×", MOST
        )
    )
    out.judge(
        Target(
            f"5 policies over {name} messages against reading a list", total / at_once, "×", MOST
        )
    )
    small, large = (sum(found[size][3].values()) / found[size][0] for size in (SIZES[0], SIZES[-1]))
    growth = f"a call of the 5 policies, {size_name(SIZES[-1])} against {size_name(SIZES[0])}"
    out.judge(Target(growth, large / small, "×", GROWTH))
    show(
        "Policies: every call of a run judged, µs a call",
        ["against building the conversation once, message by message or from a list"],
        ["run", "calls", *POLICIES, "appended", "from a list"],
        rows,
    )
