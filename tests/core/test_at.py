"""Any revision can be read like the conversation itself, without going there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.conversation.readable import Readable
from tests.core import strategies
from tests.core.comparing import Pair
from tests.core.message_strategies import beginnings
from tests.core.naive_fields import ROLES
from tests.core.naive_messages import Fields
from tests.core.samples import five


def facts(one: Readable) -> Fields:
    """Return what can be read of a state, asked in every way there is."""
    query, size = one.query, len(one.log)
    return {
        "view": list(one.view),
        "visible": [message.to_dict() for message in one.visible],
        "messages": one.messages(one.view),
        "log": list(one.log),
        "current": one.current,
        "batch": one.batch,
        "path": list(one.path),
        "batches": list(one.batches),
        "revisions": list(one.revisions),
        "marks": one.marks,
        "settings": one.settings,
        "calls": [list(one.calls), list(one.calls.all), one.calls.tools],
        "tokens": one.tokens,
        "mark map": one.mark_map(),
        "state": one.state(),
        "stats": one.stats(),
        "notices": one.notices(),
        "lint": [one.lint(), one.lint("anthropic")],
        "blame": [one.blame(raw) for raw in range(size)],
        "hidden": query.hidden(),
        "recent": [query.recent(2, role) for role in ROLES],
        "search": query.search("red", scope="raw"),
        "places": [query.to_visible(raw) for raw in range(size)],
        "snapshots": [one.snapshot(number) for number in range(len(one.path))],
        "by id": [one.snapshot(id=batch.id) for batch in one.batches],
        "newest": [one.newest(batch) for batch in one.batches],
        "diff": one.diff(0, one.batch),
        "compared": one.compare(0, one.current).to_dict(),
    }


@given(messages=beginnings, data=st.data())
def test_a_revision_reads_as_it_would_after_a_checkout(
    messages: list[Fields], data: st.DataObject
) -> None:
    pair = Pair(messages)
    for _ in range(data.draw(st.integers(0, 4))):
        pair.ask(data.draw(strategies.operation(pair.model, *strategies.EVERY, may_spoil=False)))
    for revision in pair.engine.revisions:
        there = pair.engine.copy()
        there.checkout(revision=revision.id)
        assert facts(pair.engine.at(revision.id)) == facts(there)


def test_a_revision_may_be_named_by_itself_its_id_or_its_batch() -> None:
    conversation = five()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    conversation.append("user", "m5")
    conversation.rollback(0)
    first, cut = conversation.revisions[0], conversation.revisions[1]
    assert list(conversation.at(0).view) == list(conversation.at(first).view) == [0, 1, 2, 3, 4]
    assert list(conversation.at(cut).view) == [3, 4]
    assert list(conversation.at(conversation.batches[1]).view) == [3, 4, 5]
    assert list(conversation.at(2).at(1).view) == [3, 4]
    assert repr(conversation.at(1)) == "Readable(2 visible of 6, batch 1, revision 1)"


def test_looking_at_a_revision_changes_nothing_and_can_change_nothing() -> None:
    conversation = five()
    conversation.execute({"operation": "CLEAR"})
    before = conversation.copy()
    past = conversation.at(0)
    assert past.tokens.total == 5
    assert not hasattr(past, "execute")
    assert conversation == before


def test_everything_a_revision_can_tell_the_conversation_can_tell_too() -> None:
    conversation = five()
    known = {name for name in dir(conversation) if not name.startswith("_")}
    told = {name for name in dir(conversation.at(0)) if not name.startswith("_")}
    over_its_life = {
        "check",
        "journal",
        "undoable",
        "redoable",
        "at_record",
        "meta",
        "usage",
        "seen",
    }
    whole = {"to_dict", "from_dict", "replay", "copy", "squash"}
    changing = {
        "append",
        "apply_plan",
        "checkout",
        "execute",
        "preview",
        "redo",
        "rollback",
        "undo",
    }
    noting = {"record_call", "record_usage"}
    assert known - told == {*over_its_life, *whole, *changing, *noting}
    assert told < known


@pytest.mark.parametrize("revision", [-1, 1, True, "0"])
def test_a_revision_there_is_not_is_refused(revision: int) -> None:
    with pytest.raises(Refused, match="revision"):
        five().at(revision)


def test_a_revision_of_another_conversation_is_refused() -> None:
    other = five()
    other.append("user", "m5")
    with pytest.raises(Refused, match="revision 1 is outside 0…0"):
        Conversation().at(other.current)
