"""What is damaged: messages, settings, operations in every form, a script and a chat."""

from __future__ import annotations

from typing import Any

CALL = {"type": "tool_use", "tool_use": {"id": "c1", "name": "look", "input": {"q": "x"}}}
RESULT = {"type": "tool_result", "tool_result": {"tool_use_id": "c1", "content": "seen"}}
MESSAGES: list[Any] = [
    {"role": "system", "content": "Be brief.", "timestamp": 1000},
    {"role": "user", "content": "What is a view?", "id": "u1", "metadata": {"n": [1, 2.5]}},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": {"text": "hm"}}, CALL]},
    {"role": "tool", "content": [RESULT]},
    {"role": "assistant", "content": "An ordered list."},
    {"role": "user", "content": [{"type": "image", "image_url": {"url": "http://a.test/1"}}]},
]
SETTINGS: Any = {
    "tokenLimit": 100,
    "compressionConfig": {
        "enabled": True,
        "threshold": 50,
        "targetTokens": 20,
        "keepPairs": "drop",
        "keepRoles": ["tool"],
        "keepMarks": ["a"],
    },
    "toolDescription": "Available tools: look",
}
NEW = {"role": "user", "content": "new"}
CHOICE = {"roles": ["user"], "positions": {"start": -3, "end": 4}, "exceptLast": 1}
OPERATIONS: list[Any] = [
    {"operation": "APPEND", "messages": [NEW, MESSAGES[2]]},
    {"operation": "INSERT", "position": 1, "messages": [NEW]},
    {"operation": "REPLACE", "index": 0, "message": NEW},
    {"operation": "REPLACE", "indices": [1, 4], "messages": [NEW]},
    {"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True, "keepPairs": "extend"},
    {"operation": "TRUNCATE", "range": {"start": 1, "end": 4}, "role": "user", "keepOthers": True},
    {"operation": "TRUNCATE", "maxTokens": 9, "keepRoles": ["tool"], "keepMarks": ["a"]},
    {"operation": "CLEAR", "keepSystemMessage": False},
    {"operation": "FILTER", "roles": ["user"], "contentContains": ["view"], "ignoreCase": True},
    {"operation": "SELECT", "indices": [4, 1]},
    {"operation": "DELETE", "select": CHOICE},
    {"operation": "COMPRESS", "indices": [1, 2], "summary": NEW, "keepPairs": "drop"},
    {"operation": "REDACT", "indices": [3], "text": "-"},
    {"operation": "REPAIR", "policy": "restore"},
    {"operation": "BATCH_START", "boundary": 2, "initialTools": True},
    {"operation": "ROLLBACK", "targetBatchIndex": 0},
    {"operation": "CHECKOUT", "revision": 1},
    {"operation": "TOGGLE", "skip": [1]},
    {"operation": "MARK", "indices": [1], "label": "a"},
    {"operation": "UNMARK", "select": {"marks": ["a"]}, "label": "a"},
    {"operation": "DESCRIBE", "batch": 0, "text": "start"},
    {"operation": "CONFIGURE", **SETTINGS},
    {"operation": "UNDO"},
    {"operation": "truncate", "truncate": {"keepLast": 2, "keepSystem": True}},
    {"operation": "insert", "insert": {"position": -1, "messages": [NEW]}},
    {"operation": "batch_start", "batch_start": {"boundary": 1}},
    {"operation": "insert", "data": NEW},
    {"operation": "delete", "indices": [0, 1]},
    {"operation": "replace", "indices": [1], "data": [NEW]},
    {"operation": "compress", "indices": [1, 2], "data": NEW},
    {"operation": "batch_start", "indices": [2], "batch": 3},
    {"operation": "batch_end", "batch": 0},
]
SCRIPT: Any = {
    "messages": MESSAGES,
    "settings": SETTINGS,
    "meta": {"title": "t"},
    "steps": [
        *OPERATIONS[:8],
        OPERATIONS[8:12],
        {"list": OPERATIONS[12:14], "refused": True},
        {"query": {"kind": "search", "text": "v.{2,9}w", "regex": True}},
        {"query": {"kind": "between", "start": 0, "end": 10**12}},
        {"query": {"kind": "blame", "index": 1}},
        {"expect": {"visible": [1], "tokensAtMost": 9, "lint": ["G1"], "marks": {"a": [1]}}},
    ],
}
CHAT: Any = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}], "name": "Bob"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ],
}
