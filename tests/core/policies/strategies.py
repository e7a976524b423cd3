"""Random runs of an agent, with every kind of accident, and random policies for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Data = dict[str, Any]
Draw = st.DrawFn


def use(id: str) -> Data:
    return {"type": "tool_use", "tool_use": {"id": id, "name": "look", "input": {}}}


def result(id: str, said: str = "seen") -> Data:
    return {"type": "tool_result", "tool_result": {"tool_use_id": id, "content": said}}


@st.composite
def turns(draw: Draw, number: int) -> list[Data]:
    """Return what happens in one turn: mostly a question or a whole exchange, sometimes odd."""
    kind = draw(
        st.sampled_from(["ask", "say", "call", "call", "call", "call", "odd", "system", "stray"])
    )
    if kind == "ask":
        return [{"role": "user", "content": f"question {number} " * draw(st.integers(1, 4))}]
    if kind == "say":
        return [{"role": "assistant", "content": f"answer {number}"}]
    if kind == "system":
        return [{"role": "system", "content": f"rule {number}"}]
    if kind == "stray":
        return [{"role": "tool", "content": "a result of nothing"}]
    fresh = [f"c{number}", f"d{number}"][: draw(st.integers(1, 2))]
    if kind == "odd":
        fresh = draw(st.lists(st.sampled_from(["x", "y", f"c{number}"]), min_size=1, max_size=2))
    call = {"role": "assistant", "content": [use(id) for id in fresh]}
    answers = [{"role": "tool", "content": [result(id, "seen " * 3)]} for id in fresh]
    if kind == "odd":
        answers = draw(st.permutations(answers))[: draw(st.integers(0, 2))]
        if draw(st.booleans()):
            answers.append({"role": "tool", "content": "no id"})
    return [call, *answers]


@st.composite
def runs(draw: Draw, most: int = 14) -> list[Data]:
    """Return the messages of a run."""
    count = draw(st.integers(0, most))
    return [message for number in range(count) for message in draw(turns(number))]


small = st.integers(0, 9)
keeping: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {},
    optional={"keepRoles": st.just(["system"]), "keepMarks": st.just(["m"])},
)
pairs = st.sampled_from([{}, {"keepPairs": "drop"}, {"keepPairs": "extend"}])
selects: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {"exceptLast": small},
    optional={
        "roles": st.sampled_from([["tool"], ["user", "assistant"]]),
        "positions": st.sampled_from([{"start": -6}, {"start": 1}, {"end": 5}]),
    },
)


def _op(name: str, *fields: st.SearchStrategy[Data]) -> st.SearchStrategy[Data]:
    def joined(all_of: tuple[Data, ...]) -> Data:
        return {"operation": name, **{key: value for one in all_of for key, value in one.items()}}

    return st.tuples(*fields).map(joined)


operations = st.one_of(
    _op("TRUNCATE", st.fixed_dictionaries({"keepLast": small}), keeping, pairs),
    _op("TRUNCATE", st.fixed_dictionaries({"maxTokens": st.integers(0, 60)}), keeping, pairs),
    _op("TRUNCATE", st.fixed_dictionaries({"removeFirst": st.integers(0, 3)})),
    _op("REDACT", st.fixed_dictionaries({"select": selects})),
    _op("DELETE", st.fixed_dictionaries({"select": selects})),
    _op("FILTER", st.fixed_dictionaries({"roles": st.just(["user", "assistant"])}), keeping),
    _op("CLEAR"),
    _op("DELETE", st.fixed_dictionaries({"indices": st.lists(small, min_size=1, max_size=2)})),
    _op("INSERT", st.just({"position": 2, "messages": [{"role": "user", "content": "note"}]})),
    _op("MARK", st.fixed_dictionaries({"select": selects, "label": st.just("m")})),
    _op("REPAIR", st.sampled_from([{"policy": "drop"}, {"policy": "stub"}, {"policy": "restore"}])),
    _op("ROLLBACK", st.just({"targetBatchIndex": 0})),
    _op(
        "COMPRESS",
        st.fixed_dictionaries(
            {
                "select": selects,
                "summary": st.just({"role": "user", "template": "{count} gone, {tokens} tokens"}),
            }
        ),
        keeping,
        pairs,
    ),
)
whens = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["tokensAbove", "messagesAbove", "everyCalls"]),
        st.integers(1, 12),
        min_size=1,
        max_size=2,
    ),
)


@st.composite
def stages(draw: Draw) -> list[Data]:
    """Return the stages of a policy."""
    made = []
    for _ in range(draw(st.integers(1, 2))):
        when, do = draw(whens), draw(st.lists(operations, min_size=1, max_size=2))
        made.append({"do": do} if when is None else {"when": when, "do": do})
    return made
