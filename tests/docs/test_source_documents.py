"""docs/source-documents.md: every method of the documents has the twin the table names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Conversation
from tests.docs.pages import code_in, page

METHODS = page("docs/source-documents.md").table("their method")


def sample(**settings: Any) -> Conversation:
    """Return the conversation the method table speaks of."""
    roles = ("system", "user", "assistant", "user")
    c = Conversation(
        [{"role": r, "content": f"m{i}", "timestamp": i * 1000} for i, r in enumerate(roles)],
        settings,
    )
    c.execute({"operation": "MARK", "indices": [3], "label": "important"})
    return c


EXPECTED: dict[str, Callable[[Conversation, Any], bool]] = {
    "addMessage(m)": lambda c, r: c.visible[-1].text == "hi",
    "getMessages()": lambda c, r: [m.text for m in r] == ["m0", "m1", "m2", "m3"],
    "getAllMessages()": lambda c, r: len(r) == 4,
    "getMarkMap()": lambda c, r: r.batch_boundaries == [0] and r.current_batch == 0,
    "getCurrentBatchIndices()": lambda c, r: r == [0, 1, 2, 3],
    "getRecentMessages(n)": lambda c, r: [m.text for m in r] == ["m2", "m3"],
    "getMessagesByRange(start, end)": lambda c, r: [m.text for m in r] == ["m1", "m2"],
    "getMessagesByRole(role)": lambda c, r: [m.text for m in r] == ["m1", "m3"],
    "getIndicesByRole(role)": lambda c, r: r == [1, 3],
    "getRecentMessagesByRole(role, n)": lambda c, r: [m.text for m in r] == ["m3"],
    "getRecentMessagesByRoles(roles, n)": lambda c, r: [m.text for m in r] == ["m1", "m2", "m3"],
    "getMessagesByRoleRange(role, start, end)": lambda c, r: [m.text for m in r] == ["m2"],
    "getMessageCountByRole(role)": lambda c, r: r == 2,
    "getMessagesByRoleAndTimeRange(role, start, end)": lambda c, r: len(r) == 2,
    "getAllTypeIndices()": lambda c, r: r["user"] == [1, 3] and r["tool"] == [],
    "markMessage(index, label)": lambda c, r: c.marks == {"important": [1, 3]},
    "getMarkedMessagesByRole(role, label)": lambda c, r: [m.text for m in r] == ["m3"],
    "execute(operation)": lambda c, r: c.view == [2, 3] and r.created_batch,
    "handleBatchOperations(operations)": lambda c, r: c.view == [0, 1, 2, 3] and len(r.steps) == 2,
    "markCompressed(indices)": lambda c, r: c.view == [0, 2, 3],
    "setOriginalIndices(indices)": lambda c, r: c.view == [2, 0],
    "clearMessages(keepSystemMessage)": lambda c, r: c.view == [0],
    "startNewBatchWithInitialTools(boundary)": lambda c, r: c.view == [2, 3, 4],
    "startNewBatch(boundary)": lambda c, r: c.view == [2, 3] and c.batch.boundary == 2,
    "rollbackToBatch(batch)": lambda c, r: r.affected_batch_index == 0,
    "getState()": lambda c, r: r.total_message_count == 4 and len(r.batch_snapshots) == 1,
    "getStats()": lambda c, r: r.total_messages == 4,
    "getBatchSnapshot(batch)": lambda c, r: r.message_count == 4,
    "isModified(index)": lambda c, r: r is False,
    "checkConsistency()": lambda c, r: r is True,
    "checkTokenUsage()": lambda c, r: r == (),
    "cleanupCompressedMessages()": lambda c, r: len(r.log) == 4 and r is not c,
    "clone()": lambda c, r: r == c and r is not c,
    "reset()": lambda c, r: c.view == [] and len(c.log) == 4,
}


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row[0])
def test_each_method_of_the_source_documents_has_the_twin_the_table_names(row: list[str]) -> None:
    theirs, ours = code_in(row[0])[0], row[1].strip("`")
    c = sample(toolDescription="Available tools: none") if "Tools" in theirs else sample()
    outcome = eval(ours, {"c": c, "q": c.query})
    assert EXPECTED[theirs](c, outcome)


def test_messages_and_indices_of_a_role_are_asked_for_in_the_same_scope() -> None:
    ours = {name: row[1].strip("`") for row in METHODS for name in code_in(row[0])}
    indices, messages = ours["getIndicesByRole(role)"], ours["getMessagesByRole(role)"]
    assert messages == f"c.messages({indices})"
