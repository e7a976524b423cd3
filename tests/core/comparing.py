"""The engine beside the naive model: asked for the same things, compared in everything."""

from __future__ import annotations

import json
from itertools import chain, count
from typing import Any

import pytest
from hypothesis import note

from ctxtui.core import Conversation, Message, Refused, Result
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.tokens import register
from tests.core.asking import Ask
from tests.core.naive import Naive
from tests.core.naive_fields import ROLES, No
from tests.core.naive_messages import Fields, calls, results, search_text


class Letters:
    """A second counter, so that a conversation can be recounted."""

    name = "letters"
    exact = True

    def count(self, message: Message) -> int:
        return len(message.search_text)


register(Letters())


def engine_facts(conversation: Conversation) -> Fields:
    """Return everything the engine says about itself that the model can say too."""
    log, query = conversation.log, conversation.query
    blames = [conversation.blame(raw) for raw in range(len(log))]
    return {
        "log": [
            (m.role, m.id, m.timestamp, m.search_text, list(m.calls), list(m.results)) for m in log
        ],
        "view": list(conversation.view),
        "visible": [message.search_text for message in conversation.visible],
        "revision": conversation.current.id,
        "revisions": [(r.parent, r.batch, list(r.view)) for r in conversation.revisions],
        "batch": conversation.batch.id,
        "batches": [(b.number, b.parent, b.boundary) for b in conversation.batches],
        "path": [(batch.id, batch.number) for batch in conversation.path],
        "by number": [conversation.path[i].id for i in range(len(conversation.path))],
        "stats": conversation.stats().to_dict(),
        "mark map": conversation.mark_map().to_dict(),
        "marks": conversation.marks,
        "settings": conversation.settings.to_dict(),
        "tokens": (conversation.tokens.total, conversation.tokens.counter),
        "notices": [notice.to_dict() for notice in conversation.notices()],
        "records": len(conversation.journal),
        "calls": [call_facts(conversation, call) for call in conversation.calls],
        "all calls": [call_facts(conversation, call) for call in conversation.calls.all],
        "prompt": conversation.usage.prompt,
        "hidden": query.hidden(),
        "blame": [
            blame and ((blame.revision.id, blame.revision.batch) if blame.revision else str(blame))
            for blame in blames
        ],
        "recent": [(k, role, query.recent(k, roles=role)) for k in (0, 1, 3) for role in ROLES],
        "snapshots": [
            [m.search_text for m in snapshot.messages]
            for number in range(len(conversation.path))
            if (snapshot := conversation.snapshot(number))
        ],
    }


def model_facts(model: Naive) -> Fields:
    """Return the same facts, worked out the naive way."""
    log, view, path = model.log, model.view, model.path()
    by_role = {role: [raw for raw in view if model.role(raw) == role] for role in ROLES}
    texts = [search_text(message) for message in log]
    return {
        "log": [
            (m["role"], m.get("id"), m.get("timestamp"), texts[raw], calls(m), results(m))
            for raw, m in enumerate(log)
        ],
        "view": view,
        "visible": [texts[raw] for raw in view],
        "revision": model.head.revision,
        "revisions": [(r.parent, r.batch, r.view) for r in model.revisions],
        "batch": model.here.batch,
        "batches": [(b.number, b.parent, b.boundary) for b in model.batches],
        "path": [(batch, number) for number, batch in enumerate(path)],
        "by number": path,
        "stats": model.stats(),
        "mark map": model.mark_map(),
        "marks": {label: sorted(found) for label, found in sorted(model.head.marks.items())},
        "settings": model.head.settings,
        "tokens": (model.total(view), model.head.settings["counter"]),
        "notices": model.notices(),
        "records": model.records,
        "calls": [(at, without_time(call)) for at, call in model.calls_on_path()],
        "all calls": [(at, without_time(call)) for at, call in model.calls],
        "prompt": sum(call.get("usage", {}).get("input", 0) for _, call in model.calls),
        "hidden": [raw for raw in range(len(log)) if raw not in view],
        "blame": [model.blame(raw) for raw in range(len(log))],
        "recent": [
            (k, role, by_role[role][max(0, len(by_role[role]) - k) :])
            for k in (0, 1, 3)
            for role in ROLES
        ],
        "snapshots": [
            [texts[raw] for raw in model.revisions[model.left_at(number)].view]
            for number in range(len(path))
        ],
    }


def call_facts(conversation: Conversation, call: Call) -> tuple[int, Fields]:
    """Return the revision of a call and what was said of it, with its tools as they were given."""
    told = without_time(call.to_dict())
    if call.tools is not None:
        tools = conversation.calls.tools[call.tools]
        told["tools"] = json.loads(json.dumps(tools))
    assert told.pop("operation") == "CALL"
    return told.pop("revision"), told


def without_time(told: Fields) -> Fields:
    """Return what the model knows of a call; it has no clock."""
    return {key: value for key, value in told.items() if key != "time"}


def longest_common_order(a: list[int], b: list[int]) -> int:
    """Return how many messages two views can share without any changing places."""
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            longer = best[i][j] + 1 if one == other else 0
            best[i + 1][j + 1] = max(longer, best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


def check_moved(before: list[int], after: list[int], moved: list[int]) -> None:
    """Check that the rest keeps its order, and that no more than needed is called moved."""
    common = set(before) & set(after)
    assert set(moved) <= common
    calm = common - set(moved)
    assert [raw for raw in before if raw in calm] == [raw for raw in after if raw in calm]
    assert len(calm) == longest_common_order(before, after)


def said(result: Fields) -> Fields:
    """Return a result without what the model doesn't work out: the wording and what moved."""
    plain = {key: value for key, value in result.items() if key != "operation"}
    plain["diff"] = {key: value for key, value in result["diff"].items() if key != "moved"}
    if "steps" in result:
        plain["steps"] = [said(step) for step in result["steps"]]
    return plain


class Pair:
    """A conversation and its model."""

    def __init__(self, messages: list[Fields]) -> None:
        ticks = count(1)
        self.engine = Conversation(messages, clock=lambda: next(ticks))
        self.model = Naive.start(messages)
        self.kept: list[Message] = []
        self.last: tuple[Result, Fields] | None = None
        self.compare()

    def copy(self) -> Pair:
        """Return the same two again, to go another way with."""
        twin = Pair.__new__(Pair)
        twin.engine, twin.model = self.engine.copy(), self.model.copy()
        twin.kept, twin.last = list(self.kept), self.last
        return twin

    def ask(self, asked: Ask | list[Ask]) -> None:
        """Ask both for the same thing: they must agree on the answer and on what is then so."""
        steps = [ask.meant() for ask in asked] if isinstance(asked, list) else [asked.meant()]
        before, view = self.engine.copy(), self.model.view
        try:
            expected = self.model.execute(steps, listed=isinstance(asked, list))
        except No as why:
            note(f"the model refuses: {why}")
            self.refused(asked, before, why.step)
        else:
            self.accepted(asked, before, expected, view)
            self.compare()

    def call(self, fields: Fields) -> None:
        """Record a call with both: it is no change that could be undone, and ends no REDO."""
        before = self.engine.copy()
        self.model.record_call(fields)
        call = self.engine.record_call(**fields)
        assert call.time == fields.get("time", self.engine.journal[-1].time)
        assert (self.engine.undoable, self.engine.redoable) == (before.undoable, before.redoable)
        assert self.engine != before
        self.compare()

    def refused(self, asked: Ask | list[Ask], before: Conversation, step: int | None) -> None:
        """Check that the engine refuses the same step, and is as it was before."""
        try:
            ask = given(asked)
        except Refused:
            return  # An operation object with bad fields can't even be made.
        for act in (self.engine.preview, self.engine.execute):
            with pytest.raises(Refused) as refusal:
                act(ask)
            assert refusal.value.step == step
        assert self.engine == before

    def accepted(
        self,
        asked: Ask | list[Ask],
        before: Conversation,
        expected: Fields,
        view: list[int],
    ) -> None:
        """Check that preview told the truth and touched nothing, and that the result is right."""
        promise = self.engine.preview(given(asked)).to_dict()
        assert self.engine == before
        late = self.engine.preview(given(asked))
        result = self.engine.execute(given(asked))
        fact = result.to_dict()
        assert fact == promise == late.to_dict()
        assert said(fact) == expected
        check_moved(view, self.model.view, fact["diff"]["moved"])
        assert result.state.to_dict() == self.engine.state().to_dict()
        assert json.loads(json.dumps(fact)) == fact
        if self.last is not None:
            assert self.last[0].to_dict() == self.last[1]
        self.last = (result, fact)

    def compare(self) -> None:
        """Check the invariants, and everything that can be read against the model."""
        engine, facts = self.engine, engine_facts(self.engine)
        expected = model_facts(self.model)
        for name, value in expected.items():
            assert facts[name] == value, name
        for i, batch in enumerate(engine.batches):
            if (described := self.model.description(i)) is not None:
                assert batch.description == described
        assert engine.check() == []
        of_roles = [engine.query.all(roles=role, scope="raw") for role in ROLES]
        assert sorted(chain(*of_roles)) == list(range(len(engine.log)))
        assert all(old is new for old, new in zip(self.kept, engine.log, strict=False))
        self.kept = list(engine.log)
        self.undo_and_redo(facts)
        assert Conversation.replay(engine.journal) == engine

    def undo_and_redo(self, facts: Fields) -> None:
        """Check that both together change nothing but the journal."""
        if self.model.done:
            twin = self.engine.copy()
            twin.undo()
            twin.redo()
            assert {**engine_facts(twin), "records": facts["records"]} == facts
            assert self.engine.current.id == facts["revision"]

    def reopen(self) -> None:
        """Check that journal and native file, written and read again, lead to an equal one."""
        stored = json.dumps([record.to_dict() for record in self.engine.journal])
        written = json.dumps(self.engine.to_dict())
        replayed = Conversation.replay(json.loads(stored))
        for again in (replayed, Conversation.from_dict(json.loads(written))):
            assert again == self.engine
            assert engine_facts(again) == engine_facts(self.engine)


def given(asked: Ask | list[Ask]) -> Any:
    """Return what the engine is asked."""
    return [ask.given() for ask in asked] if isinstance(asked, list) else asked.given()
