"""The message_map: the conversation follows a framework's list, and its own objects come back."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine.messages import DataPart
from ctxtui.core.integrations.message_map import MessageMap
from ctxtui.core.policies import Policy
from tests.integrations.fakes import Note, Notes, copies, said, texts_of


def are_same(one: Sequence[Note], other: Sequence[Note]) -> bool:
    """Tell whether two lists hold the very same objects."""
    return [id(note) for note in one] == [id(note) for note in other]


def titles(c: Conversation) -> list[str]:
    """Return the operations of the journal behind the first record."""
    return [operation.title for record in c.journal[1:] for operation in record.operations]


def shown(c: Conversation) -> list[str]:
    return [message.text for message in c.visible]


def summarise(c: Conversation, *raws: int) -> None:
    summary = {"role": "user", "content": "s"}
    c.execute({"operation": "COMPRESS", "indices": list(raws), "summary": summary})


def started(*texts: str) -> tuple[Conversation, MessageMap[Note], list[Note]]:
    """Return a conversation that has followed a list of notes."""
    c, notes = Conversation(), said(*texts)
    message_map = MessageMap(c, Notes())
    message_map.follow(notes)
    return c, message_map, notes


def test_what_comes_is_appended_and_the_same_objects_are_sent() -> None:
    c, message_map, notes = started("a", "b")
    assert are_same(message_map.visible(), notes)
    notes += said("c")
    message_map.follow(notes)
    assert are_same(message_map.visible(), notes)
    assert titles(c) == ["APPEND", "APPEND"]
    assert shown(c) == ["a", "b", "c"]


def test_a_list_that_has_not_changed_changes_nothing() -> None:
    c, message_map, notes = started("a", "b")
    message_map.follow(notes)
    message_map.follow(copies(notes))
    assert titles(c) == ["APPEND"]


def test_objects_are_read_once_as_long_as_they_are_the_same() -> None:
    notes, translator = said("a", "b", "c"), Notes()
    message_map = MessageMap(Conversation(), translator)
    for count in range(1, 4):
        message_map.follow(notes[:count])
    assert translator.read_count == 3


def test_of_equal_copies_the_newest_are_sent() -> None:
    c, message_map, notes = started("a", "b")
    again = copies(notes)
    again[0].seen = 7
    message_map.follow(again)
    assert are_same(message_map.visible(), again)
    assert len(c.log) == 2


def test_what_an_operation_hid_stays_hidden_though_the_framework_still_has_it() -> None:
    c, message_map, notes = started("a", "b", "c")
    c.execute({"operation": "TRUNCATE", "keepLast": 1})
    notes += said("d")
    message_map.follow(notes)
    assert are_same(message_map.visible(), notes[2:])
    message_map.follow(copies(notes))
    assert texts_of(message_map.visible()) == ["c", "d"]


def test_a_framework_may_go_on_from_what_it_was_given() -> None:
    c, message_map, _ = started("a", "b", "c")
    summarise(c, 0, 1)
    sent = message_map.visible()
    message_map.follow([*sent, *said("d")])
    assert shown(c) == ["s", "c", "d"]
    assert len(c.log) == 5
    assert are_same(message_map.visible()[:2], sent)
    message_map.follow([*copies(message_map.visible()), *said("e")])
    assert shown(c) == ["s", "c", "d", "e"]
    assert len(c.log) == 6


def test_what_is_said_again_is_another_message() -> None:
    c, message_map, notes = started("yes", "b", "c")
    c.execute({"operation": "TRUNCATE", "keepLast": 2})
    message_map.follow([*message_map.visible(), notes[0]])
    assert shown(c) == ["b", "c", "yes"]
    message_map.follow([*copies(message_map.visible()), *said("yes")])
    assert shown(c) == ["b", "c", "yes", "yes"]


def test_one_object_may_stand_in_a_list_twice() -> None:
    (note,) = said("again")
    c = Conversation()
    message_map = MessageMap(c, Notes())
    message_map.follow([note, *said("b"), note])
    message_map.follow(message_map.visible())
    assert shown(c) == ["again", "b", "again"]
    assert len(c.log) == 3


def test_what_was_made_is_the_same_object_each_time() -> None:
    c, message_map, notes = started("a", "b")
    c.execute({"operation": "REDACT", "indices": [0], "text": "[gone]"})
    first, second = message_map.visible(), message_map.visible()
    assert are_same(first, second)
    assert first[0] == Note("user", ["[gone]"])
    assert first[1] is notes[1]
    assert notes[0].texts == ["a"]


def test_what_the_framework_drops_is_hidden() -> None:
    c, message_map, notes = started("a", "b", "c")
    message_map.follow([notes[0], notes[2]])
    assert shown(c) == ["a", "c"]
    assert titles(c) == ["APPEND", "DELETE"]
    assert len(c.log) == 3


def test_what_the_framework_edits_is_replaced() -> None:
    c, message_map, notes = started("a", "b", "c")
    message_map.follow([notes[0], *said("B"), notes[2]])
    assert shown(c) == ["a", "B", "c"]
    assert titles(c) == ["APPEND", "REPLACE"]


def test_an_edit_at_the_end_and_what_follows_it_are_two_things() -> None:
    c, message_map, notes = started("a", "b")
    message_map.follow([notes[0], *said("B", "c")])
    assert shown(c) == ["a", "B", "c"]
    assert titles(c) == ["APPEND", "REPLACE", "APPEND"]


def test_what_the_framework_inserts_is_inserted() -> None:
    c, message_map, notes = started("a", "b")
    message_map.follow([notes[0], *said("x"), notes[1], *said("c")])
    assert shown(c) == ["a", "x", "b", "c"]
    assert titles(c) == ["APPEND", "INSERT", "APPEND"]


def test_an_insertion_goes_before_the_copy_that_stands_for_what_follows() -> None:
    c, message_map, notes = started("a", "b")
    c.execute({"operation": "REDACT", "indices": [1], "text": "[b]"})
    message_map.follow([notes[0], *said("x"), notes[1]])
    assert shown(c) == ["a", "x", "[b]"]


def test_a_new_order_is_followed() -> None:
    c, message_map, notes = started("a", "b", "c")
    message_map.follow([notes[2], notes[0], notes[1]])
    assert shown(c) == ["c", "a", "b"]
    assert titles(c) == ["APPEND", "SELECT"]


def test_an_order_that_an_operation_made_stays() -> None:
    c, message_map, notes = started("a", "b", "c")
    c.execute({"operation": "SELECT", "indices": [2, 0, 1]})
    message_map.follow([*notes, *said("d")])
    assert shown(c) == ["c", "a", "b", "d"]


def test_what_was_dropped_may_come_back() -> None:
    c, message_map, notes = started("a", "b")
    message_map.follow(notes[1:])
    message_map.follow(notes)
    assert shown(c) == ["a", "b"]
    assert are_same(message_map.visible(), notes)


def test_a_copy_goes_with_the_message_that_it_stands_for() -> None:
    c, message_map, notes = started("a", "b")
    c.execute({"operation": "REDACT", "indices": [0], "text": "[a]"})
    message_map.follow(notes[1:])
    assert shown(c) == ["b"]


def test_a_summary_stays_while_anything_is_left_of_what_it_stands_for() -> None:
    c, message_map, notes = started("a", "b", "c")
    summarise(c, 0, 1)
    c.execute({"operation": "REDACT", "indices": [3], "text": "[s]"})
    message_map.follow(notes[1:])
    assert shown(c) == ["[s]", "c"]
    message_map.follow(notes[2:])
    assert shown(c) == ["c"]


def test_a_framework_that_drops_a_summary_it_was_given_is_followed() -> None:
    c, message_map, _ = started("a", "b", "c")
    summarise(c, 0, 1)
    message_map.follow(message_map.visible())
    message_map.follow(message_map.visible()[1:])
    assert shown(c) == ["c"]


def test_an_earlier_list_brings_nothing_back_that_a_policy_hid() -> None:
    c, message_map, notes = started("a", "b", "c")
    summarise(c, 0, 1)
    message_map.follow([*message_map.visible(), *said("d")])
    message_map.follow([*notes, *message_map.visible()[2:], *said("e")])
    assert shown(c) == ["s", "c", "d", "e"]


def test_several_messages_of_one_object_come_back_as_that_object_or_a_part_of_it() -> None:
    c = Conversation()
    message_map = MessageMap(c, Notes())
    both = Note("user", ["rules", "question"])
    message_map.follow([both, *said("c")])
    assert message_map.visible()[0] is both
    c.execute({"operation": "DELETE", "indices": [1]})
    sent = message_map.visible()
    assert texts_of(sent) == ["rules", "c"]
    assert both.texts == ["rules", "question"]
    message_map.follow([*sent, *said("d")])
    assert shown(c) == ["rules", "c", "d"]
    c.undo()
    c.undo()
    assert message_map.visible()[0] is both


def test_objects_that_a_framework_joins_or_parts_are_the_same_messages() -> None:
    c, message_map, notes = started("a", "b", "c", "d")
    summarise(c, 0, 1)
    summary, *_ = message_map.visible()
    joined = [Note("user", ["s", "c"]), notes[3]]
    message_map.follow([*joined, *said("e")])
    assert shown(c) == ["s", "c", "d", "e"]
    assert len(c.log) == 6
    assert are_same(message_map.visible()[:2], joined)
    message_map.follow([*copies([summary, notes[2]]), *message_map.visible()[1:]])
    assert texts_of(message_map.visible()) == ["s", "c", "d", "e"]
    assert len(c.log) == 6
    assert summary.texts == ["s"]


def test_an_answer_that_is_added_is_known_when_it_comes() -> None:
    c, message_map, notes = started("a")
    answer = said("b", role="assistant")
    message_map.add(answer)
    message_map.follow([*notes, *copies(answer), *said("c")])
    assert shown(c) == ["a", "b", "c"]
    assert len(c.log) == 3


def test_messages_of_the_conversation_itself_are_sent_too() -> None:
    c = Conversation([{"role": "system", "content": "Be brief."}])
    message_map = MessageMap(c, Notes())
    notes = said("a")
    message_map.follow(notes)
    assert message_map.visible() == [Note("system", ["Be brief."]), *notes]
    message_map.follow([*notes, *said("b")])
    assert shown(c) == ["Be brief.", "a", "b"]


def test_a_conversation_that_was_kept_goes_on() -> None:
    c, message_map, notes = started("a", "b", "c")
    summarise(c, 0, 1)
    kept = Conversation.from_dict(c.to_dict())
    MessageMap(kept, Notes()).follow([*copies(notes), *said("d")])
    assert shown(kept) == ["s", "c", "d"]

    handed = Conversation.from_dict(c.to_dict())
    MessageMap(handed, Notes()).follow([*copies(message_map.visible()), *said("d")])
    assert shown(handed) == ["s", "c", "d"]
    assert len(handed.log) == 5


def test_clearing_hides_everything_and_what_comes_again_is_new() -> None:
    c, message_map, notes = started("a", "b")
    message_map.clear()
    message_map.clear()
    assert message_map.visible() == []
    message_map.follow(notes[:1])
    assert shown(c) == ["a"]
    assert titles(c) == ["APPEND", "DELETE", "APPEND"]


def test_what_is_undone_by_hand_is_sent_and_not_taken_for_new() -> None:
    c, message_map, notes = started("a", "b")
    message_map.follow(notes[1:])
    c.undo()
    sent = message_map.visible()
    assert are_same(sent, notes)
    message_map.follow([*sent, *said("c")])
    assert shown(c) == ["a", "b", "c"]


def test_an_object_that_can_not_be_read_is_kept_as_data_and_sent_as_it_is() -> None:
    c = Conversation()
    message_map = MessageMap(c, Notes())
    notes = [Note("bystander", ["hm"]), *said("b")]
    message_map.follow(notes)
    assert are_same(message_map.visible(), notes)
    (part,) = c.log[0].parts
    assert isinstance(part, DataPart)
    assert "bystander" in part.data["unreadable"]


WORDS = st.sampled_from(["a", "b", "c", "yes"])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), WORDS),
        st.tuples(st.just("insert"), WORDS, st.integers(0, 8)),
        st.tuples(st.just("edit"), WORDS, st.integers(0, 8)),
        st.tuples(st.just("drop"), st.integers(0, 8)),
        st.tuples(st.just("reload")),
        st.tuples(st.just("swap"), st.integers(0, 8)),
    ),
    max_size=12,
)


def edited(notes: list[Note], edit: tuple[object, ...]) -> list[Note]:
    """Return a list as a framework might have it next."""
    match edit:
        case ("append", str(text)):
            return [*notes, *said(text)]
        case ("insert", str(text), int(at)):
            return [*notes[:at], *said(text), *notes[at:]]
        case ("edit", str(text), int(at)):
            return [*notes[:at], *said(text), *notes[at + 1 :]]
        case ("drop", int(at)):
            return [*notes[:at], *notes[at + 1 :]]
        case ("swap", int(at)):
            return [*notes[:at], *notes[at : at + 2][::-1], *notes[at + 2 :]]
    return copies(notes)


@given(EDITS)
def test_without_a_policy_the_very_list_of_the_framework_is_sent(
    edits: list[tuple[object, ...]],
) -> None:
    c, message_map, notes = started("a", "b", "c")
    for edit in edits:
        notes = edited(notes, edit)
        before = deepcopy(notes)
        message_map.follow(notes)
        assert are_same(message_map.visible(), notes)
        assert shown(c) == texts_of(notes)
        assert notes == before
    assert c.check() == []


@given(EDITS, st.booleans(), st.integers(1, 4))
def test_under_a_policy_nothing_is_lost_and_news_are_always_sent(
    edits: list[tuple[object, ...]], goes_on_from_what_is_sent: bool, keep: int
) -> None:
    old = {"operation": "COMPRESS", "select": {"exceptLast": keep}}
    policy = Policy(
        {"when": {"messagesAbove": keep + 2}, "do": [old]}, summarise=lambda gone: f"{len(gone)}"
    )
    c, message_map, notes = started("a", "b", "c")
    given = texts_of(notes)
    for number, edit in enumerate(edits):
        if edit[0] in ("insert", "edit"):
            edit = (edit[0], f"{edit[1]}{number}", *edit[2:])
        notes = edited(notes, edit)
        if edit[0] in ("append", "insert", "edit"):
            given.append(str(edit[1]))
        message_map.follow(notes)
        told = [message.text for message in c.log]
        assert all(told.count(text) >= given.count(text) for text in set(given))
        if edit[0] == "append":
            assert shown(c)[-1] == edit[1]
        policy.before_call(c)
        sent = message_map.visible()
        assert texts_of(sent) == shown(c)
        notes = sent if goes_on_from_what_is_sent else notes
    assert c.check() == []
