"""A managed context: the policy acts before each call, calls are recorded, sessions are saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.integrations.context import ManagedContext
from ctxtui.core.policies import Policy
from ctxtui.core.storage import Library
from ctxtui.core.storage.disk import MemoryDisk
from tests.integrations.fakes import Notes, said, texts_of
from tests.storage.failing import FailingDisk

WINDOW = Policy([{"operation": "TRUNCATE", "keepLast": 2}])


def test_the_policy_acts_before_a_call_and_the_call_is_recorded_where_it_was_sent() -> None:
    c = Conversation()
    context = ManagedContext(WINDOW, c, Notes())
    sent = context.before_call(said("a", "b", "c"))
    assert texts_of(sent) == ["b", "c"]
    assert context.acted is not None
    assert context.acted.acted
    context.record_call(said("d", role="assistant"), model="some-model", usage={"input": 3})
    (call,) = c.calls
    assert call.model == "some-model"
    assert [message.text for message in c.at(call.revision).visible] == ["b", "c"]
    assert [message.text for message in c.visible] == ["b", "c", "d"]


def test_a_stage_that_is_refused_is_told_and_the_call_goes_on() -> None:
    context = ManagedContext(
        Policy([{"operation": "DELETE", "indices": [99]}]), Conversation(), Notes()
    )
    assert texts_of(context.before_call(said("a"))) == ["a"]
    assert context.acted is not None
    assert "99" in context.acted.refused[0].reason


def test_a_session_holds_every_message_before_the_model_is_called(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(Conversation(), title="agent") as session:
        context = ManagedContext(WINDOW, session, Notes())
        context.before_call(said("a", "b", "c"))
        assert session.is_saved
        context.record_call(said("d", role="assistant"))
        assert session.is_saved
    again = Library(tmp_path).open(session.id).conversation
    assert again == context.conversation
    assert len(again.calls) == 1


def test_an_agent_goes_on_when_its_session_can_not_be_saved(tmp_path: Path) -> None:
    disk = FailingDisk(MemoryDisk())
    with Library(tmp_path, disk=disk).create(Conversation(), title="agent") as session:
        context = ManagedContext(WINDOW, session, Notes())
        disk.fail(0, lasting=True)
        assert texts_of(context.before_call(said("a"))) == ["a"]
        assert session.problem is not None
        disk.recover()
        context.record_call()
        assert session.is_saved


def test_a_session_that_can_only_be_read_is_refused(tmp_path: Path) -> None:
    with Library(tmp_path).create(Conversation(), title="agent") as session:
        session.save()
        other = Library(tmp_path).open(session.id, read_only=True)
        with pytest.raises(Refused, match="'agent' can only be read here"):
            ManagedContext(WINDOW, other, Notes())
        other.close()


def test_a_stage_that_does_not_last_changes_what_is_sent_and_nothing_else() -> None:
    c = Conversation()
    clear = {
        "operation": "REDACT",
        "select": {"roles": ["user"], "exceptLast": 1},
        "parts": ["texts"],
        "text": "[old]",
    }
    first = {"operation": "COMPRESS", "select": {"first": 1}, "summary": {"template": "{count}"}}
    context = ManagedContext(
        Policy({"stages": [{"lasting": False, "do": [clear]}, {"do": [first]}]}), c, Notes()
    )
    given = said("a", "b", "c")
    sent = context.before_call(given)
    assert texts_of(sent) == ["1", "[old]", "c"]
    assert sent[2] is given[2]
    assert [message.text for message in c.visible] == ["1", "b", "c"]
