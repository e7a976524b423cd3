"""The names a program may rely on, and the shapes of what they give."""

import ast
import json
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

from ctxtui import core
from ctxtui.core import Append, Conversation, Refused, Truncate, integrations
from ctxtui.core.storage import Library, MemoryLibrary, Session

OPERATIONS = [
    *("Append", "Insert", "Replace", "Truncate", "Clear", "Filter", "Select", "Delete"),
    *("Compress", "Redact", "Repair", "BatchStart", "Rollback", "Checkout"),
    *("Toggle", "Undo", "Redo"),
    *("Mark", "Unmark", "Describe", "Configure"),
]


def talk() -> Conversation:
    """Return a conversation with one batch above the first, and an APPEND in it."""
    conversation = Conversation(
        [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": "question"},
            {"role": "assistant", "content": "answer"},
        ],
        clock=lambda: 7,
    )
    conversation.execute(Truncate(remove_first=1))
    conversation.execute(Append(messages=[{"role": "user", "content": "thanks"}]))
    return conversation


def said(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


LOG = [
    said("system", "rules"),
    said("user", "question"),
    said("assistant", "answer"),
    said("user", "thanks"),
]
START = {
    "batchIndex": 0,
    "timestamp": 7,
    "messages": LOG[:3],
    "messageCount": 3,
    "description": "START",
}
CUT = {
    "batchIndex": 1,
    "timestamp": 7,
    "messages": LOG[1:],
    "messageCount": 3,
    "description": "TRUNCATE removeFirst 1",
}


def test_the_public_names_are_these() -> None:
    data = ["Batch", "Finding", "Message", "ProviderEdit", "Result", "Revision", "Seen"]
    assert core.__all__ == sorted([*OPERATIONS, *data, "BatchEnd", "Conversation", "Refused"])


def test_every_public_name_exists() -> None:
    assert all(hasattr(core, name) for name in core.__all__)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("capture", "Capture record"),
        ("formats", "detect format_named load load_all messages_of"),
        ("integrations.context", "ManagedContext"),
        ("lint", "RULES lint_state profile_rules rule_named"),
        ("policies", "Policy PolicyFigures Prices"),
        ("storage", "Library MemoryLibrary ReadOnlyLibrary Session Follower StorageError"),
        ("what_if", "WhatIf"),
    ],
)
def test_the_packages_have_these_names(module: str, names: str) -> None:
    package = import_module(f"ctxtui.core.{module}")
    assert [name for name in names.split() if not hasattr(package, name)] == []


@pytest.mark.parametrize(
    ("framework", "name"),
    [
        ("agent_framework", "ContextStrategy"),
        ("langchain", "ContextMiddleware"),
        ("openai_agents", "ContextSession"),
        ("pydantic_ai", "ContextHistory"),
    ],
)
def test_the_integrations_have_these_names(framework: str, name: str) -> None:
    """In their sources: the frameworks need not be installed."""
    source = Path(integrations.__file__).with_name(f"{framework}.py").read_text(encoding="utf-8")
    assert name in {one.name for one in ast.parse(source).body if isinstance(one, ast.ClassDef)}


def test_libraries_and_sessions_have_what_programs_call() -> None:
    for kind in (Library, MemoryLibrary):
        assert {"create", "find", "list", "open"} <= set(dir(kind))
    assert {"change", "close", "describe", "save", "sync"} <= set(dir(Session))


def test_batch_end_is_rollback() -> None:
    assert core.BatchEnd is core.Rollback


def test_a_conversation_has_these_attributes_and_no_others() -> None:
    changing = ["append", "apply_plan", "checkout", "execute", "preview", "redo", "rollback"]
    noting = ["calls", "record_call", "record_usage"]
    whole = ["copy", "from_dict", "replay", "squash", "to_dict", "undo"]
    messages = ["log", "messages", "view", "visible"]
    history = [
        "batch",
        "batches",
        "current",
        "journal",
        "path",
        "redoable",
        "revisions",
        "undoable",
    ]
    about = ["marks", "meta", "notices", "settings", "tokens", "usage"]
    asking = ["blame", "check", "diff", "mark_map", "query", "snapshot", "state", "stats"]
    beyond = ["at", "at_record", "compare", "lint", "moment", "newest", "on_path", "seen"]
    expected = {*changing, *noting, *whole, *messages, *history, *about, *asking, *beyond}
    assert {name for name in dir(talk()) if not name.startswith("_")} == expected


def test_a_conversation_is_made_and_asked_this_way() -> None:
    made = signature(Conversation).parameters
    assert list(made) == ["messages", "settings", "meta", "clock"]
    assert [made[name].default for name in ("messages", "settings", "meta")] == [(), None, None]
    assert [one for one in made if made[one].kind is Parameter.KEYWORD_ONLY] == ["meta", "clock"]
    assert list(signature(talk().checkout).parameters) == ["batch", "revision"]
    assert list(signature(talk().snapshot).parameters) == ["number", "id"]


def test_a_refusal_says_field_value_legal_range_and_step() -> None:
    with pytest.raises(Refused) as refused:
        talk().execute([Truncate(keep_last=1), {"operation": "ROLLBACK", "targetBatchIndex": 9}])
    told = refused.value
    assert (told.field, told.value, told.step) == ("targetBatchIndex", 9, 1)
    assert told.legal == "0…2"


def test_a_query_has_these_questions_and_no_others() -> None:
    by_place = ["all", "count", "range", "recent", "to_raw", "to_visible"]
    by_content = ["between", "hidden", "marked", "search"]
    public = {name for name in dir(talk().query) if not name.startswith("_")}
    assert public == {*by_place, *by_content}


def test_the_view_reads_like_a_sequence_of_raw_indices() -> None:
    view = talk().view
    assert len(view) == 3
    assert (view[0], view[-1]) == (1, 3)
    assert list(view[1:]) == [2, 3]
    assert list(view) == [1, 2, 3]
    assert 2 in view
    assert 0 not in view


def test_log_visible_and_messages_give_messages() -> None:
    conversation = talk()
    assert [m.to_dict() for m in conversation.log] == LOG
    assert [m.to_dict() for m in conversation.visible] == LOG[1:]
    assert [m.to_dict() for m in conversation.messages([3, 0])] == [LOG[3], LOG[0]]


def test_the_shape_of_the_mark_map() -> None:
    assert talk().mark_map().to_dict() == {
        "originalIndices": [1, 2, 3],
        "typeIndices": {"system": [], "user": [1, 3], "assistant": [2], "tool": []},
        "batchBoundaries": [0, 1],
        "boundaryToBatch": [0, 1],
        "currentBatch": 1,
    }


def test_the_shape_of_the_state() -> None:
    assert talk().state().to_dict() == {
        "messages": LOG,
        "batchSnapshots": [START, CUT],
        "currentBatchIndex": 1,
        "totalMessageCount": 4,
    }


def test_the_shape_of_the_stats() -> None:
    assert talk().stats().to_dict() == {
        "totalMessages": 4,
        "currentBatchMessages": 3,
        "totalBatches": 2,
        "currentBatchIndex": 1,
    }


def test_the_shape_of_a_snapshot() -> None:
    conversation = talk()
    by_number, by_id = conversation.snapshot(0), conversation.snapshot(id=1)
    assert by_number is not None
    assert by_id is not None
    assert by_number.to_dict() == START
    assert by_id.to_dict() == CUT
    assert conversation.snapshot(2) is None
    assert conversation.snapshot(id=2) is None


def result_of(operation: dict[str, Any]) -> dict[str, Any]:
    return {
        "operation": operation,
        "changed": True,
        "batch": {"id": 2, "number": 2, "parent": 1, "boundary": 3},
        "affectedBatchIndex": 2,
        "createdBatch": True,
        "revision": 3,
        "stats": {
            "totalMessages": 4,
            "currentBatchMessages": 1,
            "totalBatches": 3,
            "currentBatchIndex": 2,
        },
        "diff": {"hidden": [1, 2], "added": [], "shown": [], "moved": []},
        "tokens": {"before": 6, "after": 2, "counter": "bytes/4"},
        "notices": [],
    }


def test_the_shape_of_a_result() -> None:
    operation = {"operation": "TRUNCATE", "keepLast": 1}
    conversation = talk()
    result = conversation.execute(operation)
    assert result.to_dict() == result_of(operation)
    assert result.state.to_dict() == conversation.state().to_dict()


def test_the_result_of_a_list_has_steps() -> None:
    operation = {"operation": "TRUNCATE", "keepLast": 1}
    told = talk().execute([operation]).to_dict()
    assert told.pop("steps") == [result_of(operation)]
    assert told == {**result_of(operation), "operation": [operation]}


def test_the_shape_of_tokens_and_usage() -> None:
    conversation = talk()
    assert conversation.tokens.to_dict() == {
        "total": 6,
        "counter": "bytes/4",
        "exact": False,
        "notCounted": 0,
    }
    conversation.record_usage(10, 5, request="r1")
    sums = conversation.usage.to_dict()
    assert len(sums.pop("requests")) == 1
    assert sums == {"prompt": 10, "completion": 5, "total": 15}


def test_the_shape_of_a_batch() -> None:
    conversation = talk()
    operation = {"operation": "TRUNCATE", "removeFirst": 1}
    told = {
        "id": 1,
        "number": 1,
        "parent": 0,
        "boundary": 1,
        "operation": operation,
        "description": "TRUNCATE removeFirst 1",
        "time": 7,
        "opened": 1,
    }
    assert conversation.batch.to_dict() == told
    assert [batch.to_dict()["id"] for batch in conversation.batches] == [0, 1]
    assert [batch.to_dict() for batch in conversation.path][1] == told


def test_a_batch_has_its_given_name_wherever_it_is_read() -> None:
    conversation = talk()
    conversation.execute({"operation": "DESCRIBE", "batch": 1, "text": "without rules"})
    named = conversation.snapshot(1)
    assert named is not None
    assert named.description == "without rules"
    assert conversation.batch.description == "without rules"
    assert conversation.path[1].description == "without rules"
    for batches in (conversation.batches, conversation.path):
        assert [batch.description for batch in batches] == ["START", "without rules"]


def test_the_shape_of_a_revision_and_of_blame() -> None:
    conversation = talk()
    operation = {"operation": "TRUNCATE", "removeFirst": 1}
    told = conversation.revisions[1].to_dict()
    assert (told["id"], told["parent"], told["batch"]) == (1, 0, 1)
    assert (told["operation"], told["time"]) == (operation, 7)
    blamed = conversation.blame(0)
    assert blamed is not None
    assert blamed.to_dict() == {"revision": 1, "batch": 1, "operation": operation}
    assert conversation.blame(1) is None


def test_the_shape_of_settings_and_marks() -> None:
    conversation = talk()
    conversation.execute({"operation": "MARK", "indices": [2, 0], "label": "look"})
    assert conversation.marks == {"look": [0, 2]}
    assert conversation.settings.to_dict() == {
        "tokenLimit": None,
        "compressionConfig": {
            "enabled": False,
            "threshold": None,
            "targetTokens": None,
            "keepPairs": True,
            "keepRoles": None,
            "keepMarks": None,
        },
        "toolDescription": None,
        "counter": "bytes/4",
        "profile": "generic",
    }


def test_everything_that_is_told_is_ready_for_json() -> None:
    conversation = talk()
    conversation.execute({"operation": "CLEAR", "keepSystemMessage": False})
    shapes: list[Any] = [
        conversation.mark_map(),
        conversation.state(),
        conversation.stats(),
        conversation.settings,
        conversation.tokens,
        *conversation.batches,
        *conversation.revisions,
        *conversation.journal,
    ]
    for shape in shapes:
        told = shape.to_dict()
        assert json.loads(json.dumps(told)) == told
