"""Which exchanges a cut splits: a look at the cut finds what a look at everything would find."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine import log, pairing
from ctxtui.core.engine.log import ToolIdIndex
from ctxtui.core.engine.messages import Links
from ctxtui.core.engine.pairing import exchanges
from tests.core.samples import Data, answer, call, said, shown, talk

LABEL = "m"
NAMES = "abcdef"
COUNTS = st.integers(0, 12)


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    """Let small logs be looked at as large ones are: with blocks, and without reading it all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "BLOCKS", (8, 4, 2))
        patch.setattr(pairing, "FEW_MESSAGES", 0)
        patch.setattr(pairing, "SHORT", 1)
        yield


ids = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)
both = st.builds(
    lambda calls, results: said(
        "assistant", [*call(*calls)["content"], *answer(*results)["content"]]
    ),
    ids,
    ids,
)
message = st.one_of(
    ids.map(lambda some: call(*some)),
    ids.map(lambda some: call(*some)),
    st.builds(
        lambda some, role: answer(*some, role=role),
        ids,
        st.sampled_from(["tool", "tool", "user", "system"]),
    ),
    both,
    st.sampled_from([said("user", "go"), said("system", "be brief"), said("assistant", "done")]),
)
messages = st.lists(message, min_size=1, max_size=24)
roles = st.sampled_from(["system", "user", "assistant", "tool"])


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Return a conversation with ids used again, hidden halves, copies between and any order."""
    conversation = talk(*draw(messages))
    for _ in range(draw(st.integers(0, 3))):
        size = len(conversation.view)
        kind = draw(st.sampled_from(["append", "insert", "order", "delete"]))
        if kind == "append":
            conversation.execute({"operation": "APPEND", "messages": draw(messages)})
        elif kind == "insert":
            at = draw(st.integers(0, size))
            conversation.execute(
                {"operation": "INSERT", "position": at, "messages": [draw(message)]}
            )
        elif size > 1:
            some = st.lists(st.sampled_from(shown(conversation)), unique=True, min_size=1)
            if kind == "order":
                some = st.permutations(shown(conversation))
            name = "SELECT" if kind == "order" else "DELETE"
            conversation.execute({"operation": name, "indices": draw(some)})
    marked = draw(st.lists(st.integers(0, len(conversation.log) - 1), unique=True, max_size=3))
    if marked:
        conversation.execute({"operation": "MARK", "indices": marked, "label": LABEL})
    return conversation


@st.composite
def cuts(draw: st.DrawFn) -> Data:
    """Return the fields of any TRUNCATE but keepPairs."""
    start, end = sorted(draw(st.lists(COUNTS, min_size=2, max_size=2, unique=True)))
    every = {
        "keepFirst": draw(COUNTS),
        "keepLast": draw(COUNTS),
        "removeFirst": draw(COUNTS),
        "removeLast": draw(COUNTS),
        "range": {"start": start, "end": end},
        "maxTokens": draw(st.integers(0, 40)),
    }
    names = st.lists(st.sampled_from(sorted(every)), min_size=1, max_size=2, unique=True)
    fields: Data = {name: every[name] for name in draw(names)}
    if draw(st.booleans()):
        fields["role"] = draw(roles)
        fields["keepOthers"] = draw(st.booleans())
    if draw(st.booleans()):
        fields["keepSystem"] = True
    if draw(st.booleans()):
        fields["keepRoles"] = [draw(roles)]
    if draw(st.booleans()):
        fields["keepMarks"] = [LABEL]
    return {"operation": "TRUNCATE", **fields}


def by_reading_it_all(
    conversation: Conversation, cut: Data, mode: str, kept: set[int]
) -> list[int]:
    """Return what stays, by a look at every exchange there is."""
    log, marked = conversation.log, set(conversation.marks.get(LABEL, ()))
    firm_roles = {*cut.get("keepRoles", ()), *(["system"] if cut.get("keepSystem") else [])}
    stays = set(kept)
    for exchange in exchanges(conversation.moment.log, conversation.view):
        staying = [raw for raw in exchange if raw in kept]
        if len(staying) in (0, len(exchange)):
            continue
        whole = any(
            log[raw].role in firm_roles or (cut.get("keepMarks") and raw in marked)
            for raw in exchange
        )
        if mode == "extend" and "maxTokens" not in cut:
            whole |= not (
                cut.get("keepOthers") and all(log[raw].role != cut["role"] for raw in staying)
            )
        stays = stays.union(exchange) if whole else stays.difference(exchange)
    return [raw for raw in conversation.view if raw in stays]


steps = st.sampled_from([4, 12, 2048])
"""After how many steps it is given up, and everything is read: at once, in the midst, or never."""


@given(conversations(), cuts(), st.sampled_from(["drop", "extend"]), steps)
def test_every_truncate_leaves_what_reading_everything_would_leave(
    conversation: Conversation, cut: Data, mode: str, most: int
) -> None:
    kept = set(conversation.preview(cut).revision.view)
    expected = by_reading_it_all(conversation, cut, mode, kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "FEW_STEPS", most)
        conversation.execute({**cut, "keepPairs": mode})
    assert shown(conversation) == expected
    assert conversation.check() == []


@given(conversations(), messages, cuts(), st.sampled_from(["drop", "extend"]))
def test_messages_of_the_same_list_are_part_of_their_exchanges(
    conversation: Conversation, more: list[Data], cut: Data, mode: str
) -> None:
    together, append = conversation.copy(), {"operation": "APPEND", "messages": more}
    together.execute([append, {**cut, "keepPairs": mode}])
    conversation.execute(append)
    conversation.execute({**cut, "keepPairs": mode})
    assert shown(together) == shown(conversation)


@given(conversations(), st.sampled_from(["drop", "extend"]), steps, st.data())
def test_every_compress_hides_what_reading_everything_would_hide(
    conversation: Conversation, mode: str, most: int, data: st.DataObject
) -> None:
    assume(shown(conversation))
    named = data.draw(st.lists(st.sampled_from(shown(conversation)), unique=True, min_size=1))
    going = dict.fromkeys(named)
    for exchange in exchanges(conversation.moment.log, conversation.view):
        split = [raw for raw in exchange if raw in named]
        if len(split) in (0, len(exchange)):
            continue
        if mode == "drop":
            going.update(dict.fromkeys(exchange))
        else:
            going = {raw: None for raw in going if raw not in split}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "FEW_STEPS", most)
        conversation.execute({"operation": "COMPRESS", "indices": named, "keepPairs": mode})
    if going:
        assert conversation.journal[-1].resolved[0] == tuple(going)
    assert not going.keys() & conversation.view


links = st.builds(
    Links,
    st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map(tuple),
)
gaps = st.lists(st.tuples(st.integers(1, 3), links), max_size=40)


@given(gaps, gaps, st.lists(st.integers(0, 60), max_size=4))
def test_the_index_knows_every_use_of_an_id_however_it_grew(
    first: list[tuple[int, Links]], then: list[tuple[int, Links]], askings: list[int]
) -> None:
    known: dict[int, Links] = {}
    staged: dict[int, Links] = {}
    raw = 0
    base = ToolIdIndex()
    for turn, (gap, link) in enumerate(first):
        raw += gap
        known[raw] = link
        if turn in askings:
            base.catch_up(list(known), known)
    grown = ToolIdIndex(base.catch_up(list(known), known), raw + 1)
    meanwhile = known | {raw + 1 + at: link for at, (_, link) in enumerate(then)}
    for turn, (gap, link) in enumerate(then):
        raw += gap
        staged[raw] = link
        if turn in askings:
            grown.catch_up(list(staged), staged)
            base.catch_up(list(meanwhile), meanwhile)
    grown.catch_up(list(staged), staged)

    every = {**known, **staged}
    uses_of = {
        id: [raw for raw, link in every.items() if id in (*link.calls, *link.results)]
        for id in NAMES
    }
    assert {id: list(grown.of(id)) for id in NAMES} == uses_of
    for place in range(raw + 2):
        spanning = [
            (before, after)
            for found in uses_of.values()
            for before, after in pairwise(found)
            if before < place <= after
        ]
        assert set(grown.across(place)) == {after for _, after in spanning}
