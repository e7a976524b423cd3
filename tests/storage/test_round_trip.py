"""Random conversations, saved in every way there is, come back equal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.conversation.conversation import apply_record
from ctxtui.core.engine.messages import Message
from ctxtui.core.engine.tokens import register
from ctxtui.core.storage import MemoryLibrary
from ctxtui.core.storage.rows import tables_of
from tests.core.test_formats_random import conversations
from tests.profiles import examples
from tests.storage.samples import numbered, ticking

ID = "session00001"


def library() -> MemoryLibrary:
    return MemoryLibrary(clock=ticking(), ids=numbered())


@examples(2.5)
@given(conversations())
def test_a_saved_conversation_comes_back_equal(conversation: Conversation) -> None:
    books = library()
    books.create(conversation).close()
    with books.open(ID) as again:
        assert again.conversation == conversation
        assert again.conversation.usage == conversation.usage
        assert again.notes == ()
    assert books.verify(ID) == []
    assert len(tables_of(conversation)["messages"]) == len(conversation.log)


@given(conversations(), st.data())
def test_a_journaled_conversation_comes_back_equal(
    conversation: Conversation, data: st.DataObject
) -> None:
    # The first records are in the session file, more in the journal file, some folded between.
    records = list(conversation.journal)
    start = data.draw(st.integers(1, len(records)))
    books = library()
    session = books.create(Conversation.replay(records[:start]))
    for record in records[start:]:
        apply_record(session.conversation, record)
        match data.draw(st.sampled_from(["sync", "wait", "save"])):
            case "sync":
                session.sync()
            case "save":
                session.save()
    session.sync()
    session.abandon()
    with books.open(ID) as again:
        assert again.conversation == conversation
    assert books.open(ID, read_only=True).conversation == conversation


def test_appends_in_a_row_share_one_row() -> None:
    conversation = Conversation([{"role": "user", "content": "start"}], clock=ticking())
    for number in range(50):
        conversation.append("user", f"message {number}")
    conversation.rollback(0)
    conversation.execute({"operation": "BATCH_START"})
    for number in range(50):
        conversation.append("assistant", f"answer {number}")
    tables = tables_of(conversation)
    assert len(tables["journal"]) == 4
    assert len(tables["revisions"]) == 4
    books = library()
    books.create(conversation).close()
    assert books.open(ID, read_only=True).conversation == conversation


class Letters:
    """A counter of letters, which these tests made up."""

    name, exact = "letters of a library", False

    def count(self, message: Message) -> int:
        return len(message.search_text)


def test_appends_of_several_counters_come_back_equal() -> None:
    register(Letters())
    conversation = Conversation(clock=ticking())
    for counter in ("bytes/4", Letters.name, "bytes/4"):
        conversation.execute({"operation": "CONFIGURE", "counter": counter})
        for number in range(5):
            conversation.append("user", f"message {number} in {counter}")
        conversation.execute({"operation": "UNDO"})
        conversation.append("user", "instead")
        conversation.append("user", "and on")
    books = library()
    books.create(conversation).close()
    assert books.open(ID, read_only=True).conversation == conversation
    one_by_one = Conversation.replay(conversation.journal[:1])
    for record in conversation.journal[1:]:
        apply_record(one_by_one, record)
    assert one_by_one == conversation
