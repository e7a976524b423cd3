"""Conversations to switch operations of off again, and what must hold whenever one does."""

from ctxtui.core import Append, Clear, Conversation, Delete, Insert, Replace, Toggle
from tests.core.exchanges import ASK, TELL
from tests.core.samples import five, replayed, said, shown, talk

NEW = said("user", "new")
MORE = said("user", "more")
TOOLS = said("system", "Available tools: none")


def toggled(conversation: Conversation, *skip: int) -> Conversation:
    """Switch revisions off; all promises must hold afterwards, and undo and redo must work."""
    before, start = conversation.copy(), conversation.current
    old = [list(revision.view) for revision in conversation.revisions]
    preview = conversation.preview(Toggle(skip=skip)).to_dict()
    assert conversation == before
    assert conversation.execute(Toggle(skip=skip)).to_dict() == preview
    assert conversation.check() == []
    assert [list(revision.view) for revision in conversation.revisions][: len(old)] == old
    end = conversation.current
    conversation.undo()
    assert conversation.current == start
    conversation.redo()
    assert conversation.current == end
    assert replayed(conversation) == conversation
    return conversation


def three() -> Conversation:
    """Return m0…m4 after DELETE 1 (revision 1), REPLACE 0 (2) and APPEND (3)."""
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Replace(index=0, message=NEW))
    conversation.execute(Append(messages=[MORE]))
    assert shown(conversation) == [5, 2, 3, 4, 6]
    return conversation


def branch(conversation: Conversation) -> list[int]:
    """Return the ids of the revisions of the path, the first one first."""
    ids = [conversation.current.id]
    while (parent := conversation.revisions[ids[0]].parent) is not None:
        ids.insert(0, parent)
    return ids


def described() -> Conversation:
    """Return two messages after INSERT of tools (1), CLEAR (2), which needs none, APPEND (3)."""
    conversation = talk(ASK, TELL, toolDescription="Tools: none")
    conversation.execute(Insert(position=0, messages=[TOOLS]))
    conversation.execute(Clear())
    conversation.execute(Append(messages=[MORE]))
    assert shown(conversation) == [2, 3]
    return conversation
