"""Random operations on the engine and on the naive model, compared each time."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.core import strategies
from tests.core.asking import Ask
from tests.core.call_strategies import calls
from tests.core.comparing import Pair
from tests.core.message_strategies import SCENES, TOOLS, beginnings
from tests.core.naive_messages import Fields

Data = st.DataObject


class Machine(RuleBasedStateMachine):
    """A long life: any operations in any order, with all invariants checked after each."""

    @initialize(messages=beginnings)
    def start(self, messages: list[Fields]) -> None:
        self.pair = Pair(messages)

    @rule(data=st.data())
    def add(self, data: Data) -> None:
        self.pair.ask(
            data.draw(strategies.operation(self.pair.model, "APPEND", "INSERT", "REPLACE"))
        )

    @precondition(lambda self: len(self.pair.model.view) > 1)
    @rule(data=st.data())
    def truncate(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "TRUNCATE")))

    @rule(data=st.data())
    def hide(self, data: Data) -> None:
        names = ("CLEAR", "FILTER", "SELECT", "DELETE", "BATCH_START")
        self.pair.ask(data.draw(strategies.operation(self.pair.model, *names)))

    @rule(data=st.data())
    def stand_in(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "COMPRESS", "REDACT")))

    @rule(data=st.data())
    def move(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "ROLLBACK", "CHECKOUT")))

    @rule(data=st.data())
    def undo(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "UNDO")))

    @precondition(lambda self: self.pair.model.undone)
    @rule(data=st.data())
    def redo(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "REDO")))

    @rule(data=st.data())
    def mark(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "MARK", "MARK", "UNMARK")))

    @rule(data=st.data())
    def configure(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "CONFIGURE")))

    @rule(data=st.data())
    def describe(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.operation(self.pair.model, "DESCRIBE", "REDO")))

    @rule(call=calls)
    def record_call(self, call: Fields) -> None:
        self.pair.call(call)

    @rule(data=st.data())
    def modify(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.modification(self.pair.model)))

    @rule(data=st.data())
    def transact(self, data: Data) -> None:
        self.pair.ask(data.draw(strategies.transaction(self.pair.model)))

    def teardown(self) -> None:
        if hasattr(self, "pair"):
            self.pair.reopen()


TestMachine = Machine.TestCase


SOME = {"messages": SCENES[0]}
PREPARATION: list[tuple[str, Fields]] = [
    ("INSERT", {"position": 2, **SOME}),
    ("APPEND", SOME),
    ("ROLLBACK", {"targetBatchIndex": 0}),
    ("APPEND", SOME),
    ("SELECT", {"indices": [3, 1]}),
    ("MARK", {"label": "a", "indices": [1, 3, 7]}),
    ("MARK", {"label": "b", "indices": [2, 10]}),
    ("CONFIGURE", {"toolDescription": TOOLS, "tokenLimit": 40}),
    ("CHECKOUT", {"batch": 1}),
]
"""Marks, settings, and two branches whose common batch went on after the first was left."""

TRIES = {"TRUNCATE": 6, "FILTER": 5}


@cache
def rich() -> Pair:
    pair = Pair([*SCENES[1], *SCENES[2], {"role": "user", "content": "Straße"}])
    for name, fields in PREPARATION:
        pair.ask(Ask(name, fields, "flat"))
    return pair


@pytest.mark.parametrize("name", strategies.EVERY)
@given(data=st.data())
def test_on_a_rich_conversation_the_engine_does_what_the_model_does(name: str, data: Data) -> None:
    for _ in range(TRIES.get(name, 1)):
        pair = rich().copy()
        pair.ask(data.draw(strategies.operation(pair.model, name)))
        pair.ask(data.draw(strategies.operation(pair.model, name, "UNDO", "REDO")))
