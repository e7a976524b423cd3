"""Random operations.

An operation is made legal for the state it is drawn for, or nearly so (an index may be one too
high); one in a few is then spoiled. Its form is drawn with it.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.core.asking import FORMS, Ask
from tests.core.message_strategies import TOOLS, message, messages, role, word
from tests.core.naive_fields import TAKES
from tests.core.naive_messages import Fields
from tests.core.naive_state import State

Draw = st.DrawFn
Ops = st.SearchStrategy[Ask]

LABELS = ("a", "b", "c")
EVERY = tuple(TAKES)
BAD_MESSAGES: tuple[Any, ...] = (
    {"role": "robot", "content": "red"},
    {"role": "user", "content": ""},
    {"role": "user", "content": []},
    {"role": "user", "content": None},
    {"role": "user"},
    {"role": "user", "content": "red", "name": "x"},
    {"role": "user", "content": "red", "timestamp": -1},
    {"role": "user", "content": "red", "metadata": {"x": float("nan")}},
    {"role": "user", "content": [{"type": "sound"}]},
    "red",
)
BAD_VALUES: tuple[Any, ...] = (-1, True, 2.0, "5", 1000, "", "a\nb", "x" * 65, [], {}, [7], [-1])

label = st.sampled_from(LABELS)
small = st.integers(0, 6)
words = st.lists(word, min_size=1, max_size=2)
labels = st.lists(label, min_size=1, max_size=2)
roles = st.lists(role, min_size=1, max_size=2)


@st.composite
def some_of(draw: Draw, required: Fields, optional: Fields, at_least: int = 0) -> Fields:
    """Return fields: all the required ones and any of the optional ones."""
    name = st.sampled_from(sorted(optional)) if optional else st.nothing()
    names = draw(st.lists(name, unique=True, min_size=at_least))
    wanted = {**required, **{name: optional[name] for name in names}}
    return {name: draw(strategy) for name, strategy in wanted.items()}


BOUND = st.integers(-4, 6)
POSITIONS = some_of({}, {"start": BOUND, "end": BOUND}, at_least=1)
CHOICE = some_of(
    {},
    {
        "roles": roles,
        "marks": labels,
        "contentContains": words,
        "contentExcludes": words,
        "positions": POSITIONS,
        "exceptLast": st.integers(0, 2),
    },
    at_least=1,
)
RANGE = st.tuples(small, small).map(lambda pair: {"start": min(pair), "end": max(pair)})
KEEPING: Fields = {"keepRoles": roles, "keepMarks": labels}
NAMING: Fields = {"description": st.sampled_from(["one", "two"])}
CUTS: Fields = {
    "keepFirst": small,
    "keepLast": small,
    "removeFirst": st.integers(0, 2),
    "removeLast": st.integers(0, 2),
    "range": RANGE,
}
OTHERS: tuple[Fields, ...] = ({}, {"role": role}, {"role": role, "keepOthers": st.just(True)})
PAIRS = ("drop", "extend", True, False)
CONFIG = some_of(
    {},
    {
        "enabled": st.booleans(),
        "threshold": st.integers(0, 30),
        "targetTokens": st.integers(0, 30),
        "keepPairs": st.sampled_from(PAIRS),
        "keepRoles": st.one_of(st.none(), roles),
        "keepMarks": st.one_of(st.none(), labels),
    },
)
SETTINGS: Fields = {
    "compressionConfig": CONFIG,
    "toolDescription": st.one_of(st.none(), st.just(TOOLS)),
    "counter": st.sampled_from(["bytes/4", "bytes/4", "letters", "unheard of"]),
    "profile": st.sampled_from(["generic", "openai"]),
}


def raws(state: State, hidden_too: bool = False) -> st.SearchStrategy[list[int]]:
    """Return raw indices: visible ones mostly, or any, with a chance of one too many."""
    known = list(range(len(state.log) + 1))
    any_one = st.lists(st.sampled_from(known), min_size=1, max_size=4)
    if hidden_too or not state.view:
        return any_one
    few = st.lists(st.sampled_from(state.view), min_size=1, max_size=5, unique=True)
    start = st.integers(0, max(0, len(state.view) - 9))
    many = start.flatmap(lambda at: st.permutations(state.view[at:]))
    branches = {7: any_one, 3: many, 5: many}
    return st.integers(0, 9).flatmap(lambda i: branches.get(i, few))


def picking(state: State, required: Fields, optional: Fields, hidden_too: bool = False) -> Any:
    """Return fields that name messages by index or by choice."""
    by_index = some_of({"indices": raws(state, hidden_too), **required}, optional)
    return st.one_of(by_index, some_of({"select": CHOICE, **required}, optional))


@st.composite
def truncation(draw: Draw, cuts: Fields) -> Fields:
    """Return the fields of a TRUNCATE: one cut or several, and what they spare."""
    first = draw(st.sampled_from(sorted(cuts)))
    several = draw(st.booleans())
    cut = draw(some_of({first: cuts[first]}, cuts if several else {}))
    others: Fields = draw(st.sampled_from(OTHERS))
    pairs = draw(st.sampled_from([{}, *({"keepPairs": how} for how in PAIRS)]))
    spared = {"keepOthers": st.just(False), "keepSystem": st.booleans(), **KEEPING, **NAMING}
    return {**draw(some_of({}, spared)), **draw(some_of(others, {})), **cut, **pairs}


def fields_of(name: str, state: State) -> Any:  # noqa: PLR0911, PLR0912 - one case an operation
    """Return the fields of an operation, legal or nearly so."""
    match name:
        case "APPEND":
            return some_of({"messages": messages}, {})
        case "INSERT":
            position = st.one_of(st.integers(0, len(state.view) + 1), st.just(-1))
            return some_of({"position": position, "messages": messages}, {})
        case "REPLACE":
            index = st.integers(0, len(state.view))
            return st.one_of(
                some_of({"index": index, "message": message}, NAMING),
                some_of({"indices": raws(state), "messages": messages}, NAMING),
            )
        case "TRUNCATE":
            tight = st.integers(0, len(state.view)).map(lambda at: state.total(state.view[at:]))
            return truncation({**CUTS, "maxTokens": st.one_of(small, tight)})
        case "CLEAR":
            return some_of({}, {"keepSystemMessage": st.booleans(), **KEEPING, **NAMING})
        case "FILTER":
            conditions: Fields = {
                "roles": roles,
                "contentContains": words,
                "contentExcludes": words,
                "marks": labels,
            }
            more = some_of({}, {"ignoreCase": st.booleans(), **KEEPING, **NAMING})
            return st.builds(dict.__or__, some_of({}, conditions, at_least=1), more)
        case "SELECT":
            return some_of({"indices": raws(state)}, NAMING)
        case "DELETE":
            return picking(state, {}, NAMING)
        case "COMPRESS":
            summary = st.one_of(message, messages)
            pairs = st.sampled_from(PAIRS)
            return picking(state, {}, {"summary": summary, "keepPairs": pairs, **KEEPING, **NAMING})
        case "REDACT":
            return picking(state, {}, {"text": word, **NAMING})
        case "BATCH_START":
            low = state.batches[state.here.batch].boundary
            boundary = st.integers(low - 1, len(state.log) + 1)
            return some_of({}, {"boundary": boundary, "initialTools": st.booleans(), **NAMING})
        case "ROLLBACK":
            return some_of({"targetBatchIndex": st.integers(0, len(state.path()))}, {})
        case "CHECKOUT":
            return st.one_of(
                some_of({"batch": st.integers(0, len(state.batches))}, {}),
                some_of({"revision": st.integers(0, len(state.revisions))}, {}),
            )
        case "MARK" | "UNMARK":
            return picking(state, {"label": label}, {}, hidden_too=True)
        case "DESCRIBE":
            batch = st.integers(0, len(state.batches))
            return some_of({"batch": batch, "text": st.sampled_from(["one", "two"])}, {})
        case "CONFIGURE":
            total = state.total(state.view)
            limit = st.sampled_from([None, 0, total, total + 1, max(0, total - 1), 60])
            return some_of({}, {**SETTINGS, "tokenLimit": limit}, at_least=1)
    return st.just({})


@st.composite
def spoiled(draw: Draw, fields: Fields) -> Fields:
    """Return fields with one thing wrong, or at least odd."""
    how = draw(st.sampled_from(["value", "missing", "unknown", "message"]))
    names = sorted(fields)
    if how == "unknown" or not names:
        return {**fields, draw(st.sampled_from(["bogus", "createNewBatch"])): True}
    name = draw(st.sampled_from(names))
    if how == "missing":
        return {key: value for key, value in fields.items() if key != name}
    if how == "message" and "messages" in fields:
        return {**fields, "messages": [*fields["messages"], draw(st.sampled_from(BAD_MESSAGES))]}
    return {**fields, name: draw(st.sampled_from(BAD_VALUES))}


@st.composite
def operation(draw: Draw, state: State, *names: str, may_spoil: bool = True) -> Ask:
    """Return one of the named operations in a form that can express it."""
    name = draw(st.sampled_from(names))
    fields = draw(fields_of(name, state))
    if may_spoil and draw(st.integers(0, 9)) == 7:
        fields = draw(spoiled(fields))
    return Ask(name, fields, draw(st.sampled_from(FORMS)), snake=draw(st.booleans()))


@st.composite
def modification(draw: Draw, state: State) -> Ask:
    """Return an operation in the form that marks raw indices, hidden ones too."""
    name = draw(
        st.sampled_from(["insert", "delete", "replace", "compress", "batch_start", "batch_end"])
    )
    few = st.lists(st.integers(0, len(state.log)), max_size=4)
    many = st.lists(st.sampled_from(range(max(1, len(state.log)))), min_size=9, max_size=20)
    anywhere = st.one_of(few, few.map(list), many)
    data = st.one_of(message, messages)
    match name:
        case "insert":
            fields = draw(some_of({"data": data}, {"indices": anywhere}))
        case "delete":
            fields = draw(some_of({"indices": anywhere}, {}))
        case "replace":
            fields = draw(some_of({"indices": anywhere, "data": data}, {}))
        case "compress":
            fields = draw(some_of({"indices": anywhere}, {"data": data}))
        case "batch_start":
            boundary = st.integers(0, len(state.log) + 1).map(lambda raw: [raw])
            number = st.integers(len(state.path()) - 1, len(state.path()))
            fields = draw(some_of({}, {"indices": boundary, "batch": number}))
        case _:
            number = st.integers(-1, len(state.path()))
            key = draw(st.sampled_from(["batch", "indices"]))
            fields = {key: draw(number) if key == "batch" else [draw(number)]}
    return Ask(name, fields, "modification")


@st.composite
def transaction(draw: Draw, state: State) -> list[Ask]:
    """Return a list of operations, each legal where the list begins, if not where it stands."""
    spoils = draw(st.integers(0, 5)) == 5
    names = EVERY if spoils else tuple(name for name in EVERY if name not in ("UNDO", "REDO"))
    every = operation(state, *names, may_spoil=spoils)
    length = draw(st.sampled_from([2, 3, 1, 4, 0]))
    steps = st.one_of(every, modification(state))
    return [draw(steps) for _ in range(length)]
