"""A small run for tests of what-if, and policies that do something with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.simulation import StillWanted
from ctxtui.files.policies import PolicyFile, save_policy
from ctxtui.what_if.models.comparison import StrategyComparison

Data = dict[str, Any]

WINDOW: Data = {"do": [{"operation": "TRUNCATE", "keepLast": 5}]}
CAREFUL: Data = {
    "parameters": {"keepLast": 6},
    "when": {"messagesAbove": "$keepLast+4"},
    "do": [
        {
            "operation": "TRUNCATE",
            "keepLast": "$keepLast",
            "keepSystem": True,
            "keepPairs": "drop",
            "keepMarks": ["rule"],
        }
    ],
}
IDLE: Data = {"when": {"messagesAbove": 900}, "do": [{"operation": "CLEAR"}]}
REFUSED: Data = {"do": [{"operation": "DELETE", "indices": [999]}]}
ROUNDS = 12


def always() -> bool:
    """Say that the answer is wanted."""
    return True


def run(rounds: int = ROUNDS, *, limit: int | None = 200) -> Conversation:
    """Return a run of an agent: a rule at its start, then calls with their results.

    Message 1 is the rule; two calls are made in each round, one before each answer.
    """
    messages: list[Data] = [
        {"role": "system", "content": "You are careful."},
        {"role": "user", "content": "Never change the public API."},
    ]
    for at in range(rounds):
        use = {"id": f"c{at}", "name": "read", "input": {"file": f"{at}.py"}}
        told = {"tool_use_id": f"c{at}", "content": f"the content of file {at} " * 3}
        messages += [
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": use}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": told}]},
            {"role": "assistant", "content": f"File {at} is read."},
        ]
    settings = {} if limit is None else {"tokenLimit": limit}
    made = Conversation(messages, settings, meta={"title": "a run"})
    made.execute({"operation": "MARK", "indices": [1], "label": "rule"})
    return made


def written(folder: Path, name: str, data: object) -> PolicyFile:
    """Return a policy in a file of that name, called so where it has no name of its own."""
    path = folder / f"{name}.json"
    data = {"name": name, **data} if isinstance(data, dict) else data
    path.write_text(json.dumps(data), encoding="utf-8")
    return PolicyFile(path, "file")


def saved(**policies: Data) -> None:
    """Save policies, so that a comparison begins with them."""
    for name, data in policies.items():
        save_policy(name, Policy(data))


def compared(
    folder: Path, *policies: object, conversation: Conversation | None = None, **named: Any
) -> StrategyComparison:
    """Return a comparison of some policies, called a, b, c, of which nothing is known yet."""
    files = [written(folder, name, data) for name, data in zip("abcdefgh", policies, strict=False)]
    return StrategyComparison(conversation or run(), "a run", files, **named)


def found_out(comparison: StrategyComparison, wanted: StillWanted = always) -> StrategyComparison:
    """Find out everything, as a screen does it in a thread."""
    for answer in comparison.answers(wanted):
        comparison.take(answer)
    return comparison
