"""The journal: it tells the whole story, and refuses to tell a broken one."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Append, Clear, Conversation, Delete, Refused, Truncate
from ctxtui.core.engine.journal import Create, Record
from tests.core.samples import (
    Data,
    Words,
    answer,
    call,
    five,
    numbered,
    refusal,
    registered,
    replayed,
    said,
    told,
)

NEW = said("user", "new", id="n", timestamp=5, metadata={"k": [1]})
STORY: list[Any] = [
    {"operation": "APPEND", "messages": [NEW, call("a"), answer("a")]},
    {"operation": "INSERT", "position": 2, "messages": [NEW], "description": "more"},
    {"operation": "REPLACE", "index": 0, "message": NEW},
    {"operation": "REPLACE", "indices": [2, 1], "messages": [NEW, NEW]},
    {"operation": "MARK", "select": {"roles": ["user"]}, "label": "pin"},
    {"operation": "COMPRESS", "select": {"marks": ["pin"], "exceptLast": 2}, "summary": NEW},
    {"operation": "REDACT", "select": {"roles": ["tool"]}, "text": "gone"},
    {"operation": "delete", "indices": [0, 1, 3]},
    {"operation": "UNDO"},
    {"operation": "UNDO"},
    {"operation": "REDO"},
    {"operation": "DELETE", "select": {"positions": {"start": -1}}},
    {"operation": "ROLLBACK", "targetBatchIndex": 1},
    {"operation": "truncate", "truncate": {"keepLast": 3, "keepPairs": True}},
    {"operation": "CONFIGURE", "tokenLimit": 3, "toolDescription": "tools", "profile": "openai"},
    {"operation": "CLEAR", "keepSystemMessage": False},
    {"operation": "CHECKOUT", "revision": 2},
    {"operation": "FILTER", "roles": ["user", "assistant"]},
    {"operation": "DESCRIBE", "batch": 0, "text": "first"},
    {"operation": "UNMARK", "select": {"marks": ["pin"]}, "label": "pin"},
    [{"operation": "BATCH_START", "boundary": 1}, {"operation": "insert", "data": NEW}],
    {"operation": "UNDO"},
    {"operation": "CONFIGURE", "toolDescription": None},
    {"operation": "SELECT", "indices": [6, 4]},
]


def test_the_journal_tells_the_same_story_after_every_chapter() -> None:
    conversation = Conversation(five().log, meta={"title": "story"})
    for ask in STORY:
        conversation.execute(ask)
        conversation.record_usage(10, 2)
        conversation.record_call(model="m", tools=[{"name": "look"}], usage={"input": 3})
        again = replayed(conversation)
        assert again == conversation
        assert again.usage == conversation.usage
        assert list(again.calls.all) == list(conversation.calls.all)
        assert again.check() == []


def test_the_journal_can_also_be_replayed_without_json() -> None:
    conversation = five()
    conversation.execute(Clear())
    assert Conversation.replay(conversation.journal) == conversation


@pytest.mark.parametrize(
    "fields",
    [
        {"tokenLimit": 0},
        {"tokenLimit": None},
        {"toolDescription": None},
        {"compressionConfig": {"threshold": None}},
        {"compressionConfig": {"enabled": False, "targetTokens": 1}},
        {"counter": "words"},
        {"counter": "words", "tokenLimit": 90},
        {"profile": "gemini"},
    ],
    ids=str,
)
@pytest.mark.parametrize("listed", [False, True], ids=["alone", "list"])
def test_every_setting_survives_the_journal(fields: Data, listed: bool) -> None:
    compression = {"threshold": 50, "targetTokens": 20}
    with registered(Words()):
        conversation = five(tokenLimit=100, toolDescription="tools", compressionConfig=compression)
        ask = {"operation": "CONFIGURE", **fields}
        conversation.execute([ask] if listed else ask)
        assert len(conversation.journal) == 2
        again = replayed(conversation)
    assert again == conversation
    assert again.settings == conversation.settings


def test_the_first_record_is_what_the_conversation_started_with() -> None:
    conversation = Conversation([NEW], {"tokenLimit": 9}, meta={"title": "t"}, clock=lambda: 7)
    first = conversation.journal[0]
    assert isinstance(first.operation, Create)
    written = first.to_dict()
    create = written["operation"]
    assert (create["operation"], create["messages"]) == ("CREATE", [NEW])
    assert create["meta"] == {"title": "t"}
    assert create["settings"]["tokenLimit"] == 9
    assert (written["time"], written["counter"], written["counts"]) == (7, "bytes/4", [1])


def test_a_record_holds_time_counter_counts_and_what_was_resolved() -> None:
    conversation = five()
    conversation.execute([Append(messages=[NEW]), Delete(select={"roles": ["system"]})])
    record = conversation.journal[1]
    assert record.time == conversation.current.time == 1001
    assert (record.counter, record.counts) == ("bytes/4", (1,))
    assert record.resolved == (None, (0,))
    assert record.operation == (Append(messages=[NEW]), Delete(select={"roles": ["system"]}))
    assert Record.from_dict(record.to_dict()) == record


def edit(place: int, **news: Any) -> Callable[[list[Data]], object]:
    """Return a damage: some keys of one record are overwritten."""
    return lambda journal: journal[place].update(news)


def ask(place: int, **news: Any) -> Callable[[list[Data]], object]:
    """Return a damage: some fields of one record's operation are overwritten."""
    return lambda journal: journal[place]["operation"].update(news)


NOT_FIRST = "a journal begins with a CREATE record"
APPENDED = {"operation": "APPEND", "messages": [NEW]}
DAMAGES: dict[str, tuple[Callable[[list[Data]], object], str]] = {
    "empty": (lambda journal: journal.clear(), NOT_FIRST),
    "no first": (lambda journal: journal.pop(0), NOT_FIRST),
    "not an object": (lambda journal: journal.__setitem__(1, 5), "record 5 is not an object"),  # type: ignore[call-overload]
    "no time": (lambda journal: journal[1].pop("time"), "time null is not a whole number"),
    "bad time": (edit(1, time=-1), "time -1 is outside 0…253402214400000"),
    "no counter": (lambda journal: journal[1].pop("counter"), "counter null"),
    "other counter": (edit(1, counter="words"), "APPEND differs"),
    "counts is text": (edit(1, counts="1"), "counts"),
    "count is text": (edit(1, counts=["1"]), "counts '1' is not a whole number"),
    "count is huge": (edit(1, counts=[2**70]), f"counts {2**70} is outside 0…"),
    "too few counts": (edit(1, counts=[]), "journal[1] has too few token counts"),
    "too many counts": (edit(1, counts=[1, 1]), "journal[1]"),
    "too few counts at first": (edit(0, counts=[]), "journal[0] has too few token counts"),
    "too many counts at first": (edit(0, counts=[1] * 9), "journal[0]"),
    "other counter at first": (edit(0, counter="words"), "journal[0]"),
    "resolved is a number": (edit(2, resolved=5), "resolved"),
    "resolved holds a number": (edit(2, resolved=[5]), "resolved"),
    "resolved differs": (edit(2, resolved=[[0, 1]]), "journal[2] does not lead where it says"),
    "no operation": (
        lambda journal: journal[1].pop("operation"),
        "operation null is not an object",
    ),
    "no name": (ask(1, operation=None), "operation null is not one of"),
    "unknown name": (ask(1, operation="EXPLODE"), "operation 'EXPLODE' is not one of"),
    "name is a list": (ask(1, operation=["APPEND"]), "operation a list of 1 is not one of"),
    "unknown field": (ask(1, colour="red"), "'colour' is not a field of APPEND"),
    "bad message": (
        ask(1, messages=[{"role": "user"}]),
        "messages[0]: the message has no content",
    ),
    "impossible": (ask(2, indices=[99]), "journal[2]: indices 99 is outside 0…5"),
    "list is a number": (edit(3, list=5), "list"),
    "list is empty": (edit(3, list=[]), "list"),
    "list holds a number": (edit(3, list=[5]), "operation 5 is not an object"),
    "created twice": (lambda journal: journal.append(journal[0]), "CREATE"),
    "nothing to undo": (
        lambda journal: journal.insert(1, journal[4]),
        "journal[1]: there is nothing to undo",
    ),
    "usage in a list": (
        edit(3, list=[{"operation": "USAGE", "prompt": 1}, APPENDED], counts=[1]),
        "USAGE",
    ),
    "call in a list": (
        edit(3, list=[{"operation": "CALL", "revision": 2, "time": 1}, APPENDED], counts=[1]),
        "CALL can't be part of a list",
    ),
    "more than one thing at first": (
        lambda journal: journal.__setitem__(
            0, {**journal[0], "list": [journal[0]["operation"], APPENDED]}
        ),
        "journal[0]",
    ),
    "repeated": (lambda journal: journal.insert(3, journal[2]), "journal[3]"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_journal_is_refused_in_one_sentence(
    damage: Callable[[list[Data]], object], words: str
) -> None:
    conversation = five()
    conversation.append("user", "x")
    conversation.execute(Delete(indices=[0]))
    conversation.execute([Truncate(keep_last=2)])
    conversation.undo()
    journal = told(conversation)
    assert Conversation.replay(journal) == conversation
    damage(journal)
    caught = refusal(lambda: Conversation.replay(journal))
    assert words in str(caught)
    assert "\n" not in str(caught)


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"pin": [2]}, "marks 'pin' 2 is outside 0…1"),
        ({"pin": []}, "marks [] names no message"),
        ({"": [0]}, "marks '' has 0 characters"),
        ([], "marks [] is not an object of labels and raw indices"),
    ],
    ids=["outside", "empty", "label", "list"],
)
def test_bad_marks_at_the_start_are_refused(marks: Any, words: str) -> None:
    with pytest.raises(Refused, match="marks") as caught:
        Create(messages=numbered(2), marks=marks)
    assert str(caught.value).startswith(words)
