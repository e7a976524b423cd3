"""A library that version 0.1 wrote opens unchanged."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from ctxtui.core import Append, Conversation
from ctxtui.core.storage import Library

VECTORS = Path(__file__).parent.parent / "vectors"
EXPECTED = json.loads((VECTORS / "library-0.1.json").read_text("utf-8"))
"""What 0.1 found in the sessions it had written."""


def digest(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def facts(conversation: Conversation) -> dict[str, Any]:
    return {
        "messages": len(conversation.log),
        "log": digest([message.to_dict() for message in conversation.log]),
        "views": digest([list(revision.view) for revision in conversation.revisions]),
        "marks": conversation.marks,
        "batches": [[one.number, one.boundary, one.description] for one in conversation.batches],
        "records": len(conversation.journal),
        "calls": len(conversation.calls.all),
    }


def test_a_library_of_0_1_opens_unchanged(tmp_path: Path) -> None:
    library = Library(shutil.copytree(VECTORS / "library-0.1", tmp_path / "library"))
    found = {}
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            found[entry.id] = {
                "title": entry.title,
                "tags": list(entry.tags),
                "status": entry.status,
                **facts(session.conversation),
            }
    assert found == EXPECTED


def test_a_session_of_0_1_can_be_changed(tmp_path: Path) -> None:
    library = Library(shutil.copytree(VECTORS / "library-0.1", tmp_path / "library"))
    for id in EXPECTED:
        with library.open(id) as session:
            before = len(session.conversation.log)
            session.execute(Append(messages=[{"role": "user", "content": "one more"}]))
        with library.open(id, read_only=True) as session:
            assert len(session.conversation.log) == before + 1
