"""Tool calls and results for tests: parts, random messages, and a naive reading of G1 to G4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine.pairing import Linked, Pairing, pair
from tests.core.samples import Data, said

PAIR_RULES = ("G1", "G2", "G3", "G4")
ASK, TELL = said("user", "go"), said("assistant", "done")
NAMELESS = said("tool", "it rains")

Told = tuple[str, str, int | None]
"""Rule, severity and position of a finding."""


def text(content: str) -> Data:
    """Return a text part."""
    return {"type": "text", "text": content}


def use(id: str, input: Any = None) -> Data:
    """Return a part that calls a tool."""
    given = {} if input is None else input
    return {"type": "tool_use", "tool_use": {"id": id, "name": "look", "input": given}}


def result(id: str) -> Data:
    """Return a part with the result of a call."""
    return {"type": "tool_result", "tool_result": {"tool_use_id": id, "content": "seen"}}


def told(conversation: Conversation, *rules: str, profile: str | None = None) -> list[Told]:
    """Return rule, severity and position of the findings, of some rules if they are named."""
    findings = conversation.lint(profile)
    return [(f.rule, f.severity, f.position) for f in findings if not rules or f.rule in rules]


def pair_errors(conversation: Conversation) -> list[Told]:
    """Return the errors of G1 to G4."""
    return [one for one in told(conversation, *PAIR_RULES) if one[1] == "error"]


@contextmanager
def ending(conversation: Conversation) -> Iterator[None]:
    """Fail, instead of going on for ever, where a repair takes far more rounds than messages."""
    rounds = iter(range(3 * len(conversation.log) + 3))

    def counted(linked: Iterable[Linked]) -> Pairing:
        assert next(rounds, None) is not None, "the repair does not come to an end"
        return pair(linked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("ctxtui.core.engine.operations"), "pair", counted)
        yield


ids = st.sampled_from("abc")
parts = st.one_of(ids.map(use), ids.map(use), ids.map(result), ids.map(result), st.just(text("hm")))
role = st.sampled_from(["user", "assistant", "assistant", "tool", "tool", "system"])
messages = st.lists(
    st.builds(said, role, st.lists(parts, min_size=1, max_size=3)), min_size=1, max_size=9
)
"""Conversations in which calls and results meet in every legal and illegal way."""


def ids_of(message: Data, kind: str, name: str) -> list[str]:
    return [part[kind][name] for part in message["content"] if part["type"] == kind]


def naive(messages: list[Data]) -> Counter[Told]:
    """Return G1 to G4 as a reader of the rules would find them, without any haste."""
    whole = range(len(messages))
    calls = [
        ids_of(one, "tool_use", "id") if one["role"] == "assistant" else [] for one in messages
    ]
    results = [ids_of(one, "tool_result", "tool_use_id") for one in messages]
    holds = [bool(results[i]) or messages[i]["role"] == "tool" for i in whole]
    owner = {
        (i, id): max((j for j in range(i + 1) if id in calls[j]), default=None)
        for i in whole
        for id in results[i]
    }
    found: list[Told] = []
    for i in whole:
        found += [("G1", "error", i) for id in results[i] if owner[i, id] is None]
        if holds[i] and not results[i]:
            found.append(("G1", "error" if any(calls) else "warning", i))
    for j in [j for j in whole if calls[j]]:
        end = j + 1
        while end < len(messages) and holds[end] and messages[end]["role"] != "assistant":
            end += 1
        after = [(i, id) for i in range(j + 1, len(messages)) for id in results[i] or [""]]
        only_own = end == len(messages) and all(owner.get(one) == j for one in after)
        missing = "warning" if only_own else "error"
        own = [one for one in owner if owner[one] == j]
        repeats = [(i, id) for i, id in own for _ in range(results[i].count(id))]
        found += [("G2", missing, j) for id in calls[j] if id not in {id for _, id in own}]
        found += [("G3", "error", i) for i, _ in repeats if i >= end]
        near = {id for i, id in own if i < end}
        if len(calls[j]) > 1 and not near.issuperset(calls[j]):
            found.append(("G4", missing, j))
    return Counter(found)
