"""COMPRESS with keepPairs: no summary tears a tool call from its results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Compress, Conversation
from tests.core.exchanges import ASK, TELL, messages, pair_errors
from tests.core.samples import Data, answer, call, refused, replayed, said, shown, talk

SUMMARY = said("user", "what went before")


def two_exchanges(**settings: Any) -> Conversation:
    """Return 0 a question, 1–3 two calls with results, 4 words, 5–6 one call and its result."""
    return talk(
        ASK, call("a", "b"), answer("a"), answer("b"), TELL, call("c"), answer("c"), **settings
    )


@pytest.mark.parametrize(
    ("keep_pairs", "indices", "visible"),
    [
        (False, [0, 1], [7, 2, 3, 4, 5, 6]),
        ("drop", [0, 1], [7, 4, 5, 6]),
        (True, [0, 1], [7, 4, 5, 6]),
        ("extend", [0, 1], [7, 1, 2, 3, 4, 5, 6]),
        ("drop", [3], [0, 7, 4, 5, 6]),
        ("extend", [3, 4], [0, 1, 2, 3, 7, 5, 6]),
        ("drop", [4, 6], [0, 1, 2, 3, 7]),
        ("drop", [2, 5], [0, 7, 4]),
        ("drop", [1, 2, 3], [0, 7, 4, 5, 6]),
        ("extend", [1, 2, 3], [0, 7, 4, 5, 6]),
        ("drop", [0, 4], [7, 1, 2, 3, 5, 6]),
    ],
    ids=str,
)
def test_an_exchange_goes_or_stays_as_a_whole(
    keep_pairs: Any, indices: list[int], visible: list[int]
) -> None:
    conversation = two_exchanges()
    conversation.execute(Compress(indices=indices, summary=SUMMARY, keep_pairs=keep_pairs))
    assert shown(conversation) == visible
    assert conversation.check() == []
    assert replayed(conversation) == conversation


def test_the_journal_tells_what_went() -> None:
    conversation = two_exchanges()
    conversation.execute(Compress(indices=[3, 0], keep_pairs="drop"))
    assert sorted(conversation.journal[-1].resolved[0] or ()) == [0, 1, 2, 3]


@pytest.mark.parametrize("keep_pairs", ["drop", "extend"])
@pytest.mark.parametrize("keeping", [{"keepRoles": ["tool"]}, {"keepMarks": ["a"]}], ids=str)
def test_an_exchange_with_a_message_set_aside_stays_as_a_whole(
    keep_pairs: str, keeping: Data
) -> None:
    conversation = two_exchanges()
    conversation.execute({"operation": "MARK", "indices": [2], "label": "a"})
    ask = {"operation": "COMPRESS", "indices": [0, 1, 3], "keepPairs": keep_pairs, **keeping}
    conversation.execute(ask)
    assert shown(conversation) == [1, 2, 3, 4, 5, 6]


def test_where_nothing_is_left_to_hide_nothing_changes() -> None:
    conversation = two_exchanges()
    result = conversation.execute(
        Compress(indices=[1], summary=SUMMARY, keep_pairs="extend", description="none")
    )
    assert (result.changed, result.created_batch, len(conversation.log)) == (False, False, 7)


def test_other_values_are_refused() -> None:
    values: list[Any] = ["keep", 1, []]
    for value in values:
        ask = {"operation": "COMPRESS", "indices": [1], "keepPairs": value}
        assert refused(two_exchanges(), ask).field == "keepPairs"


@given(said=messages, data=st.data(), keep_pairs=st.sampled_from(["drop", "extend"]))
def test_no_pair_is_broken_that_was_whole(
    said: list[Data], data: st.DataObject, keep_pairs: str
) -> None:
    conversation = talk(*said)
    indices = st.lists(st.sampled_from(range(len(said))), min_size=1, unique=True)
    before = {rule for rule, _, _ in pair_errors(conversation)}
    conversation.execute(Compress(indices=data.draw(indices), keep_pairs=keep_pairs))
    if not before:
        assert {rule for rule, _, _ in pair_errors(conversation)} <= {"G3"}
