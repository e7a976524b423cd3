"""Recorded calls are saved like changes, and their tool definitions once."""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.storage import Library, Session
from tests.storage.samples import append, said, small

ID = "session00001"
TOOLS = [{"name": "look", "description": "seen only once"}, {"name": "run"}]
ENDS = ("json", "journal")


def call(session: Session, **given: Any) -> None:
    """Record a call and wait until it is safe."""
    session.conversation.record_call(**given)
    session.sync()


def worked(library: Library) -> Session:
    """Return a session that is left open: some calls are in its file, some in its journal."""
    conversation = small()
    conversation.record_call(tools=TOOLS, usage={"input": 9, "cached": 3})
    session = library.create(conversation)
    session.execute(append("four"))
    call(session, tools=TOOLS, answer=said("assistant", "not in the log"), outcome="cut")
    session.execute({"operation": "TRUNCATE", "keepLast": 1})
    call(session, tools=TOOLS[:1], parameters={"n": 2**70}, model="lone \ud800")
    call(session, tools=TOOLS[:1], wire={"0": {"cache_control": None}})
    return session


def same(one: Conversation, other: Conversation) -> bool:
    """Tell whether two conversations are equal, calls and sums included."""
    calls = list(one.calls.all) == list(other.calls.all) and one.calls == other.calls
    return one == other and calls and one.usage == other.usage


def test_calls_are_safe_after_a_sync_and_after_a_save(library: Library) -> None:
    session = worked(library)
    assert session.is_saved
    assert same(library.open(ID, read_only=True).conversation, session.conversation)
    session.close()
    with library.open(ID) as again:
        assert same(again.conversation, session.conversation)
        assert again.notes == ()
        assert again.conversation.calls.tools == session.conversation.calls.tools
        call(again, tools=TOOLS)
        again.abandon()
    with library.open(ID) as third:
        assert third.notes == ("1 change was recovered from the journal",)
        assert len(third.conversation.calls) == 5
    assert library.verify(ID) == []


def test_a_call_that_was_not_synced_is_not_safe_yet(library: Library) -> None:
    session = worked(library)
    session.conversation.record_call()
    assert not session.is_saved
    assert len(library.open(ID, read_only=True).conversation.calls) == 4
    session.sync()
    assert len(library.open(ID, read_only=True).conversation.calls) == 5


def test_tool_definitions_are_written_once(on_disk: Library) -> None:
    session = worked(on_disk)
    data = [(on_disk.folder / f"{ID}.{end}").read_bytes() for end in ENDS]
    assert [one.count(b"seen only once") for one in data] == [1, 1]
    session.close()
    folded = (on_disk.folder / f"{ID}.json").read_bytes()
    assert folded.count(b"seen only once") == 2
    assert folded.count(b'"definitions"') == 2


def test_an_answer_is_never_taken_for_a_message_of_a_damaged_session(on_disk: Library) -> None:
    worked(on_disk).abandon()
    path = on_disk.folder / f"{ID}.json"
    path.write_bytes(path.read_bytes().replace(b'"content":"three"', b'"content":"three'))
    with on_disk.open(ID) as copy:
        assert copy.id != ID
        texts = [message.text for message in copy.conversation.log]
    assert texts == ["one", "two", "four"]


def test_definitions_that_were_changed_are_noticed(on_disk: Library) -> None:
    session = worked(on_disk)
    session.close()
    path = on_disk.folder / f"{ID}.json"
    path.write_bytes(path.read_bytes().replace(b"seen only once", b"never  seen 1x"))
    assert on_disk.verify(ID)
    with on_disk.open(ID) as copy:
        assert copy.id != ID
        assert any("is not the key of the definitions" in note for note in copy.notes)
        assert [message.text for message in copy.conversation.log] == [
            "one",
            "two",
            "three",
            "four",
        ]
