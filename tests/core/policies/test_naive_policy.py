"""The interpreter of policies agrees with a naive one, over recorded and over random runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import PolicyRun, run_policy
from tests.core.policies.naive_policy import UNITS, Item, Naive, item_of
from tests.core.policies.strategies import runs
from tests.core.policies.test_presets import PROVEN, read, told
from tests.core.samples import Data


def shown(one: Item) -> Data:
    """Return what a provider reads of a naive message."""
    results = one.results
    found = {
        "role": one.role,
        "content": "\n".join(part[2] for part in results) if results else one.text,
        "id": results[0][1] if results else None,
        "error": bool(results and results[0][3]),
        "calls": [{"id": p[1], "name": p[2], "args": p[3]} for p in one.parts if p[0] == "call"],
        "thinking": "\n".join(part[1] for part in one.parts if part[0] == "thinking"),
    }
    return {key: value for key, value in found.items() if value}


def agree(conversation: Conversation, policy: Policy, output: int | None = None) -> PolicyRun:
    """Check that both send the same at every call."""
    config = SimulationConfig.about(run_of(conversation), output=output)
    made = run_policy(config, policy)
    naive = Naive(policy.to_dict(), conversation.settings.token_limit, output)
    reached = 0
    for number, point in enumerate(config.run.calls, start=1):
        for message in config.run.messages[reached : point.at]:
            naive.add(item_of(message.to_dict()))
        reached = point.at
        sent = [shown(one) for one in naive.call()]
        assert [read(one) for one in made.at(number).visible] == sent, number
    assert len(made.figures.refused) == naive.refused
    return made


@pytest.mark.parametrize("name", PROVEN)
def test_the_naive_interpreter_reads_presets_as_they_are(name: str) -> None:
    conversation, policy, output, _, _ = told(name, "r1")
    assert agree(conversation, policy, output).figures.calls == 14


small = st.integers(0, 5)
numbers = st.one_of(
    small,
    st.sampled_from(
        ["50% * messages", "messages - 2", "$k", "min($k, 3)", "$k - limit", "sent / 9"]
    ),
)
units = st.sampled_from(UNITS)
blocks = st.sampled_from(["messages", "rows", "sides", "groups", "turns"])
edges = st.sampled_from(
    ["split", "back", "forward", "user", "userBack", "call", "results", "last", "end"]
)


@st.composite
def measured(draw: st.DrawFn) -> Data:
    """Return a tail or head by its size."""
    unit = draw(units)
    size: Any = draw(numbers)
    if unit in ("tokens", "characters") and isinstance(size, int):
        size *= 9
    found: Data = {unit: size}
    if draw(st.booleans()):
        found["reach"] = True
    if draw(st.integers(0, 3)) == 0:
        found["least"] = draw(st.integers(1, 2))
    if draw(st.integers(0, 3)) == 0:
        found["by"] = draw(blocks)
    if draw(st.booleans()):
        found["edge"] = draw(st.one_of(edges, st.lists(edges, min_size=1, max_size=2)))
    return found


filters: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {},
    optional={
        "roles": st.sampled_from([["tool"], ["user"], ["assistant", "user"], ["system"]]),
        "made": st.booleans(),
        "touched": st.booleans(),
        "in": st.just("exchange"),
        "exceptTools": st.just(["look"]),
        "superseded": st.just("sameCall"),
        "marks": st.just(["m"]),
        "contentContains": st.just(["question", "seen"]),
        "longerThan": st.fixed_dictionaries({"characters": small}),
    },
)
cuts = st.one_of(small, measured())
tails = st.one_of(
    measured(),
    st.fixed_dictionaries({"from": filters, "edge": edges}),
    st.fixed_dictionaries({"after": measured()}),
    st.fixed_dictionaries({"all": st.lists(measured(), min_size=1, max_size=2)}),
)
selections: st.SearchStrategy[Any] = st.recursive(
    filters,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=2),
        st.tuples(
            filters,
            st.fixed_dictionaries(
                {},
                optional={
                    "aside": inner,
                    "among": inner,
                    "except": inner,
                    "before": tails,
                    "within": tails,
                    "first": cuts,
                    "exceptFirst": cuts,
                    "last": cuts,
                    "exceptLast": cuts,
                },
            ),
        ).map(lambda both: {**both[0], **both[1]}),
        st.just("named"),
    ),
    max_leaves=4,
)


def operation(name: str, *fields: st.SearchStrategy[Data]) -> st.SearchStrategy[Data]:
    aside = st.fixed_dictionaries({}, optional={"aside": selections})
    return st.tuples(*fields, aside if name != "MARK" else st.just({})).map(
        lambda all_of: {"operation": name, **{k: v for one in all_of for k, v in one.items()}}
    )


chosen: st.SearchStrategy[Data] = st.fixed_dictionaries({"select": selections})
summaries: st.SearchStrategy[Any] = st.one_of(
    st.just({"role": "user", "template": "{count} gone, {tokens} tokens"}),
    st.just({"role": "user", "template": "short", "tokens": "10 + 50% * tokens"}),
    st.just(
        [{"template": "{count}"}, {"copyOf": {"roles": ["user"], "last": 1}, "prefix": "So: "}]
    ),
)
operations = st.one_of(
    operation("TRUNCATE", st.fixed_dictionaries({"keepLast": tails})),
    operation("TRUNCATE", st.fixed_dictionaries({"removeFirst": measured()})),
    operation("TRUNCATE", st.fixed_dictionaries({"max": measured()})),
    operation("DELETE", chosen),
    operation("DELETE", chosen, st.just({"pairs": "calls"})),
    operation("DELETE", chosen, st.just({"pairs": "calls", "note": "[{tool}]"})),
    operation(
        "REDACT",
        chosen,
        st.fixed_dictionaries(
            {"parts": st.lists(st.sampled_from(["texts", "results", "inputs"]), min_size=1)},
            optional={
                "text": st.sampled_from(["[x]", "{head:4}…{tail:2}", "{tool} {characters}"]),
                "onlyIfShorter": st.booleans(),
                "longerThan": st.fixed_dictionaries({"characters": small}),
                "enough": st.fixed_dictionaries({"tokens": small}),
            },
        ),
    ),
    operation(
        "COMPRESS",
        chosen,
        st.fixed_dictionaries(
            {"summary": summaries},
            optional={"at": st.sampled_from(["start", "end"]), "overlap": measured()},
        ),
    ),
    operation(
        "COMPRESS",
        chosen,
        st.just(
            {
                "each": "exchange",
                "summary": {
                    "role": "assistant",
                    "template": "({results})",
                    "each": "{tool}: {result}",
                    "between": "; ",
                    "none": "none",
                    "maxCharacters": 12,
                    "marker": "…",
                },
            }
        ),
    ),
    operation("MARK", chosen, st.just({"label": "m"})),
)
bounds: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {"atLeast": numbers}, optional={"of": selections, "atMost": st.just("3 * messages")}
)
plain: st.SearchStrategy[Data] = st.one_of(
    st.fixed_dictionaries({"tokensAbove": st.integers(0, 40)}),
    st.fixed_dictionaries({"messagesAbove": numbers}),
    st.tuples(units, bounds).map(lambda both: {both[0]: both[1]}),
    st.fixed_dictionaries({"turnStart": st.booleans()}),
    st.fixed_dictionaries({"used": st.fixed_dictionaries({"above": st.integers(0, 40)})}),
)
conditions: st.SearchStrategy[Data] = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"all": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"any": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=3,
)
stages: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {"do": st.lists(operations, min_size=1, max_size=2)},
    optional={
        "when": conditions,
        "lasting": st.booleans(),
        "again": st.integers(0, 2),
        "ensures": st.just({"tokens": {"atMost": "tokens - 2"}}),
        "giveUp": st.integers(1, 2),
    },
)
policies: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {
        "parameters": st.fixed_dictionaries({"k": small}),
        "selections": st.fixed_dictionaries({"named": filters}),
        "stages": st.lists(stages, min_size=1, max_size=3),
    },
    optional={"rounds": st.integers(0, 2), "act": st.sampled_from(["first", "all"])},
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(messages=runs(), policy=policies)
def test_both_send_the_same_for_any_policy_and_run(messages: list[Data], policy: Data) -> None:
    agree(Conversation(messages, {"tokenLimit": 60}), Policy(policy))
