"""check(): every kind of damage to a conversation is told as a sentence."""

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Conversation, Delete, Describe, Mark
from ctxtui.core.engine.state import ConversationState
from ctxtui.core.engine.views import View
from tests.core.samples import five


def sound() -> Conversation:
    """Return a conversation with four revisions, three batches, a mark and a name."""
    conversation = five()
    conversation.append("user", "m5")
    conversation.execute(Delete(indices=[0]))
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Mark(indices=[1], label="pin"))
    conversation.execute(Describe(batch=1, text="named"))
    conversation.record_call(tools=[{"name": "look"}])
    return conversation


def call(**news: Any) -> Callable[[ConversationState], object]:
    """Return a damage: the one call says something else."""

    def damage(state: ConversationState) -> None:
        state.calls._calls[0] = state.calls[0].model_copy(update=news)

    return damage


def revision(which: int, **news: Any) -> Callable[[ConversationState], object]:
    """Return a damage: one revision says something else."""

    def damage(state: ConversationState) -> None:
        state.revisions[which] = state.revisions[which]._replace(**news)

    return damage


def batch(which: int, **news: Any) -> Callable[[ConversationState], object]:
    """Return a damage: one batch says something else."""

    def damage(state: ConversationState) -> None:
        state.batches[which] = state.batches[which]._replace(**news)

    return damage


def head(**news: Any) -> Callable[[ConversationState], object]:
    """Return a damage: the conversation stands elsewhere."""

    def damage(state: ConversationState) -> None:
        state.head = state.head._replace(**news)

    return damage


def role(raw: int, code: int) -> Callable[[ConversationState], object]:
    """Return a damage: the role index says something else about a message."""
    return lambda state: state.log._roles.__setitem__(raw, code)


def sums(*figures: int) -> Callable[[ConversationState], object]:
    """Return a damage: the token column holds other figures."""
    return lambda state: state.log._sums.update({"bytes/4": array("Q", figures)})


def lose_a_message(state: ConversationState) -> None:
    """Take the last message out of the log and out of everything that is kept about it."""
    state.log._messages.pop()
    state.log._roles.pop()
    state.log._sums["bytes/4"].pop()


DAMAGES: dict[str, tuple[Callable[[ConversationState], object], str]] = {
    "message lost": (lose_a_message, "the log has 5 messages, the revisions know 6"),
    "message lost but shown": (lose_a_message, "revision 1 shows message 5, which was not there"),
    "message too many": (
        lambda state: state.log._messages.append(state.log[0]),
        "the role index covers 6 of 7 messages",
    ),
    "role index short": (
        lambda state: state.log._roles.pop(),
        "the role index covers 5 of 6 messages",
    ),
    "role index wrong": (role(1, 0), "message 1 is of role user but indexed as system"),
    "role index meaningless": (role(1, 9), "message 1 is of role user but indexed as number 9"),
    "tokens do not begin at 0": (
        sums(1, 2, 3, 4, 5, 6, 7),
        "the token column does not begin at 0",
    ),
    "tokens wrong": (sums(0, 9, 10, 11, 12, 13, 14), "revision 0 says 5 tokens, not 13"),
    "tokens short": (sums(0, 1), "tokens are counted for 1 of 6 messages"),
    "tokens lost": (
        lambda state: state.log._sums.clear(),
        "tokens are counted for 0 of 6 messages",
    ),
    "revision id": (revision(1, id=7), "revision 7 is at index 1"),
    "revision batch": (revision(1, batch=7), "revision 1 belongs to batch 7, which does not exist"),
    "revision parent ahead": (revision(1, parent=2), "revision 1 has the parent 2"),
    "revision parent lost": (revision(1, parent=None), "revision 1 has the parent None"),
    "revision depth": (revision(1, depth=5), "revision 1 does not follow from its parent 0"),
    "revision shrinks": (revision(1, log_size=4), "revision 1 does not follow from its parent 0"),
    "revision tokens": (revision(1, tokens=99), "revision 1 says 99 tokens, not 6"),
    "message twice": (
        revision(1, view=View.of([0, 1, 2, 3, 4, 1])),
        "revision 1 shows a message twice",
    ),
    "message not there yet": (
        revision(0, view=View.of([0, 5])),
        "revision 0 shows message 5, which was not there",
    ),
    "message not in the log": (
        revision(2, view=View.of([1, 99])),
        "revision 2 shows message 99, which was not there",
    ),
    "batch id": (batch(1, id=4), "batch 4 is at index 1"),
    "batch opened by another": (
        batch(1, opened=0),
        "batch 1 was opened by revision 0, which is not its own",
    ),
    "batch opened by nobody": (
        batch(1, opened=99),
        "batch 1 was opened by revision 99, which is not its own",
    ),
    "batch boundary": (batch(1, boundary=3), "batch 1 shows message 1 below its boundary 3"),
    "batch boundary descends": (
        batch(2, boundary=0),
        "batch 2 has boundary 0 after boundary 1",
    ),
    "batch number": (batch(1, number=5), "batch 1 has number 5 after number 0"),
    "batch without parent": (batch(1, parent=None), "batch 1 has no parent, number 1, boundary 1"),
    "batch with unknown parent": (batch(1, parent=99), "batch 1 has the parent 99"),
    "batch jump": (batch(2, jump=99), "batch 2"),
    "revision jump": (revision(3, jump=99), "revision 3"),
    "call of no revision": (
        call(revision=9),
        "call 1 was sent at revision 9, which does not exist",
    ),
    "call of unknown tools": (call(tools="feed"), "call 1 has undefined tools"),
    "first batch": (batch(0, number=1), "batch 0 has no parent, number 1, boundary 0"),
    "newest revision of another": (
        lambda state: state.latest.update({1: 0}),
        "batch 1 has the newest revision 0, which is not its own",
    ),
    "newest revision lost": (
        lambda state: state.latest.clear(),
        "batch 0 has the newest revision -1, which is not its own",
    ),
    "path": (revision(3, parent=1, depth=2, jump=1), "number 1 of the path leads to another batch"),
    "pointer": (head(revision=99), "the pointer 99 is no revision"),
    "negative pointer": (head(revision=-1), "the pointer -1 is no revision"),
    "mark": (head(marks={"pin": View.of([99])}), "the mark 'pin' is on a message"),
    "empty mark": (head(marks={"pin": View()}), "the mark 'pin'"),
    "unsorted mark": (head(marks={"pin": View.of([2, 1])}), "the mark 'pin'"),
    "name": (head(names={7: "x"}), "a name belongs to batch 7, which does not exist"),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_is_told_as_a_sentence(
    damage: Callable[[ConversationState], object], sentence: str
) -> None:
    conversation = sound()
    assert conversation.check() == []
    damage(conversation._state)
    told = conversation.check()
    assert any(line.startswith(sentence) for line in told), told
