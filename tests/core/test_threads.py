"""Several threads change one conversation: each change is made as a whole, or refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from threading import Barrier
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused, Result
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.queries import Calls
from tests.core.samples import Words, five, registered, said

THREADS, ROUNDS = 6, 120

CALL = {"id": "x", "name": "n", "input": {}}
CALLER = said("assistant", [{"type": "tool_use", "tool_use": CALL}])
ANSWER = said(
    "tool", [{"type": "tool_result", "tool_result": {"tool_use_id": "x", "content": "ok"}}]
)
APPEND = {"operation": "APPEND", "messages": [said("user", "mine")]}
MARK = {"operation": "MARK", "indices": [1], "label": "mine"}
DELETE = {"operation": "DELETE", "indices": [2]}


class Meanwhile(list[Any]):
    """A list of operations; before the last of them is read, something else is done."""

    def __init__(self, operations: list[Any], do: Callable[[], object]) -> None:
        super().__init__(operations)
        self._do = do

    def __iter__(self) -> Iterator[Any]:
        *most, last = super().__iter__()
        yield from most
        self._do()
        yield last


class MeanwhileObject(dict[str, Any]):
    """An object in the middle of whose reading something else is done."""

    do: Callable[[], object]

    def items(self) -> Any:
        self.do()
        return super().items()


def mark_and_unmark(c: Conversation) -> None:
    c.execute({"operation": "MARK", "indices": [0], "label": "other"})
    c.undo()


def append_and_undo(c: Conversation) -> None:
    c.append("user", "other")
    c.undo()


OTHERS: dict[str, Callable[[Conversation], object]] = {
    "append": lambda c: c.append("user", "other"),
    "batch": lambda c: c.execute({"operation": "TRUNCATE", "keepLast": 1}),
    "mark": lambda c: c.execute({"operation": "MARK", "indices": [0], "label": "other"}),
    "settings": lambda c: c.execute({"operation": "CONFIGURE", "tokenLimit": 9}),
    "back to where it stood": append_and_undo,
    "the same head again": mark_and_unmark,
    "counter": lambda c: c.execute({"operation": "CONFIGURE", "counter": "words"}),
    "undo": lambda c: c.undo(),
}


@pytest.fixture(autouse=True)
def words() -> Iterator[None]:
    """Let there be a second counter."""
    with registered(Words()):
        yield


def changed() -> Conversation:
    """Return a conversation with something to undo, whose clock stands still."""
    conversation = Conversation(five().log, clock=lambda: 1_000)
    conversation.append(CALLER)
    return conversation


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_change_made_for_an_older_state_is_refused_and_nothing_of_it_remains(
    other: Callable[[Conversation], object],
) -> None:
    conversation, alone = changed(), changed()
    other(alone)
    with pytest.raises(Refused, match="was changed meanwhile; try again") as refused:
        conversation.execute(Meanwhile([APPEND, MARK, DELETE], lambda: other(conversation)))
    assert refused.value.field == "version"
    assert (refused.value.value, refused.value.legal) != (None, None)
    assert conversation == alone
    assert conversation.check() == []
    assert Conversation.replay(conversation.journal) == conversation
    assert conversation.execute([APPEND, MARK]).changed


def test_a_note_about_a_request_leaves_a_change_that_is_being_made_alone() -> None:
    conversation = changed()

    def note() -> None:
        conversation.record_usage(3)
        conversation.record_call(model="m")

    assert conversation.execute(Meanwhile([APPEND, MARK], note)).changed
    assert conversation.check() == []
    assert Conversation.replay(conversation.journal) == conversation


def test_a_preview_tells_of_the_state_it_was_asked_for_whatever_is_done_meanwhile() -> None:
    asks: list[Any] = [
        {"operation": "APPEND", "messages": [CALLER, ANSWER]},
        {"operation": "TRUNCATE", "keepLast": 1, "keepPairs": "extend"},
        {"operation": "CONFIGURE", "counter": "words"},
    ]
    for other in OTHERS.values():
        conversation, alone = changed(), changed()
        before = alone.preview(asks)
        during = conversation.preview(Meanwhile(asks, partial(other, conversation)))
        assert during.to_dict() == before.to_dict()
        assert during.state == before.state
        other(alone)
        assert conversation == alone


def test_a_call_is_refused_where_another_revision_is_current_by_the_time_it_is_noted() -> None:
    conversation, alone = changed(), changed()
    alone.append("user", "other")
    parameters = MeanwhileObject(temperature=1)
    parameters.do = lambda: conversation.append("user", "other")
    with pytest.raises(Refused, match="was changed meanwhile; try again"):
        conversation.record_call(parameters=parameters, usage={"input": 3})
    assert conversation == alone
    assert list(conversation.calls.all) == []
    assert conversation.usage.requests == ()


def test_tool_definitions_that_another_call_has_brought_meanwhile_are_kept_once() -> None:
    conversation, tools = changed(), [{"name": "grep"}]
    parameters = MeanwhileObject(temperature=1)
    parameters.do = lambda: conversation.record_call(tools=tools)
    conversation.record_call(tools=tools, parameters=parameters)
    assert sum("definitions" in str(record.to_dict()) for record in conversation.journal) == 1
    assert Conversation.replay(conversation.journal) == conversation


def test_calls_of_a_preview_are_not_taken_for_those_of_the_revision_that_gets_its_id() -> None:
    conversation = five()
    conversation.append("user", "asked")
    conversation.record_call(model="m")
    back: list[Any] = [{"operation": "CHECKOUT", "revision": 0}, APPEND]
    elsewhere = conversation.preview(back)
    assert list(Calls(elsewhere.moment)) == []
    conversation.append("assistant", "answered")
    assert [call.model for call in conversation.calls] == ["m"]


class Worker:
    """One of several threads: does what is legal, and keeps what was accepted."""

    def __init__(self, conversation: Conversation, seed: int, start: Barrier) -> None:
        self.conversation = conversation
        self.appended: dict[str, Result] = {}
        self.notes: list[Call] = []
        self._random = Random(seed)
        self._name = str(seed)
        self._start = start

    def run(self) -> None:
        self._start.wait()
        for number in range(ROUNDS):
            try:
                self._do(f"{self._name}: {number}")
            except Refused:
                continue

    def _do(self, text: str) -> None:
        c, random = self.conversation, self._random
        match random.randrange(12):
            case 0 | 1 | 2:
                self.appended[text] = c.append("user", text)
            case 3:
                c.execute({"operation": "TRUNCATE", "keepLast": random.randrange(4)})
            case 4:
                c.rollback(random.randrange(len(c.path)))
            case 5:
                random.choice((c.undo, c.redo))()
            case 6:
                tools = [{"name": f"tool {random.randrange(5)}"}]
                self.notes.append(c.record_call(tools=tools, usage={"input": 1}))
            case 7:
                c.execute({"operation": "MARK", "indices": [random.randrange(5)], "label": "x"})
            case 8:
                c.execute({"operation": "CONFIGURE", "tokenLimit": random.randint(1, 50)})
            case 9:
                asks: list[Any] = [
                    {"operation": "APPEND", "messages": [CALLER, ANSWER]},
                    {"operation": "DELETE", "select": {"exceptLast": 1}},
                ]
                assert c.preview(asks).stats.current_batch_messages == 1
                c.execute([{"operation": "INSERT", "position": 0, "messages": [CALLER]}, *asks])
            case 10:
                assert c.copy().check() == c.squash().check() == c.check() == []
            case 11:
                Conversation.from_dict(c.to_dict())
                c.lint()


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
def test_changes_by_several_threads_are_made_as_a_whole_or_refused() -> None:
    conversation, start = changed(), Barrier(THREADS)
    workers = [Worker(conversation, seed, start) for seed in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(worker.run) for worker in workers]:
            done.result()
    assert conversation.check() == []
    assert Conversation.replay(conversation.journal) == conversation
    assert Conversation.from_dict(conversation.to_dict()) == conversation
    for worker in workers:
        for text, result in worker.appended.items():
            assert conversation.revisions[result.revision.id] == result.revision
            assert conversation.log[result.revision.fresh[0][0]].text == text
    noted = [note for worker in workers for note in worker.notes]
    assert sorted(map(repr, conversation.calls.all)) == sorted(map(repr, noted))
