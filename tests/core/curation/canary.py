"""Canaries: a text that is planted wherever a session can hold one, and looked for in every byte.

``plant`` makes a session that holds a text in every place there is, ``forms`` are the ways in which
bytes may hold a text, ``below`` finds the files of a folder that hold it in any of them.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from ctxtui.core import Conversation
from ctxtui.core.formats import WRITABLE, format_named
from ctxtui.core.storage import Library
from ctxtui.core.storage.details import LONGEST_TITLE, ImportSource, ThreadPlace
from ctxtui.core.values.models import LABEL_LENGTH

SHORT = ("907142", "Qzx7k", "金丝雀", "🐤🦜", 'Q"zx\\7k', '金"丝\\雀', '🐤"\\n🦜')
LONG = tuple(f"{one} and {one}; " * 6 + one for one in ("Qzx7kMr", "金丝雀在笼子里", '🐤"zx\\n🦜'))
CANARIES = (*SHORT, *LONG)
"""Short and long ones, of letters, Chinese and emoji, with quotes and backslashes and without."""


def forms(text: str) -> set[bytes]:
    """Return the ways in which bytes may hold a text: plain, escaped, in lower case, encoded."""
    plain = {text, text.casefold(), text.lower()}
    escaped = set(plain)
    for _ in range(3):  # JSON as text within JSON as text, and so on.
        escaped |= {
            json.dumps(one, ensure_ascii=is_ascii)[1:-1]
            for one in escaped
            for is_ascii in (True, False)
        }
    escaped |= {quote(one, safe="") for one in plain} | {quote_plus(one) for one in plain}
    escaped |= {one.encode("unicode_escape").decode() for one in plain}
    escaped |= {one.replace("\\u", "\\U").upper().replace("\\U", "\\u") for one in escaped}
    found = {one.encode("utf-8", "surrogatepass") for one in escaped}
    for one in plain:
        found |= {one.encode("utf-16-le"), one.encode("utf-16-be")}
        found |= set(_base64(one.encode()))
    return {one.lower() for one in found if len(one) > 3}


def _base64(data: bytes) -> Iterator[bytes]:
    """Yield what stands in base64 for some bytes that may begin at any place of three."""
    for before in range(3):
        whole = bytes(before) + data
        start = (before * 8 + 5) // 6
        stop = len(whole) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(whole)[start:stop]


def holds(data: bytes, text: str) -> bool:
    """Tell whether bytes hold a text in any form, in capitals or not."""
    within = data.lower()
    return any(form in within for form in forms(text))


def below(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text, in their names or in their bytes."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if holds(path.name.encode(), text) or (path.is_file() and holds(path.read_bytes(), text))
    ]


def exports(conversation: Conversation) -> dict[str, str]:
    """Return a conversation in every format there is."""
    return {name: format_named(name).write(conversation).text for name in WRITABLE}


def messages(text: str) -> list[dict[str, Any]]:
    """Return messages that hold a text in every place a message has."""
    number = int(text) if text.isdecimal() else 1
    nested = json.dumps({text: text, "deep": json.dumps([text]), "n": number})
    asked = {"to": text, text: 1, "list": [{"a": text}], "body": nested, "n": number}
    notes = {
        "openai": {"function": {"arguments": json.dumps(asked, indent=1)}, "id": f"c {text}"},
        "mine": {text: [text, number]},
    }
    call = {"id": f"c {text}", "name": f"to {text}", "input": asked}
    answer = [
        {"type": "text", "text": nested, "metadata": {"anthropic": {"citations": [text]}}},
        {"type": "text", "text": text, "metadata": {"mine": text}},
        {"type": "data", "data": {"text": text}, "metadata": {"anthropic": {"title": text}}},
    ]
    result = {"tool_use_id": f"c {text}", "content": answer}
    data = {"type": text, "text": [text], text: {"id": text}, "n": number}
    return [
        {"role": "system", "content": f"you serve {text}"},
        {
            "role": "user",
            "id": f"m {text}",
            "content": [
                {"type": "text", "text": text, "metadata": {"anthropic": {"cited_text": text}}},
                {"type": "image", "image_url": {"url": f"http://x.test/{text}"}},
                {"type": "data", "data": data, "metadata": {"openai": {"file": text}}},
            ],
            "metadata": {"mine": {text: text}, text: 1, "openai": {"name": text}},
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": {"text": f"of {text}", "signature": "QUJD"}},
                {"type": "tool_use", "tool_use": call, "metadata": notes},
            ],
        },
        {
            "role": "tool",
            "content": [{"type": "tool_result", "tool_result": result, "metadata": notes}],
            "metadata": {"answers": f"c {text}", "copiedFrom": text},
        },
        {"role": "assistant", "content": json.dumps({"answer": text}, ensure_ascii=False)},
        {"role": "user", "content": f"hidden {text}"},
        {"role": "user", "content": f"redacted {text}"},
        {"role": "user", "content": f"compressed {text}"},
    ]


def meta(text: str) -> dict[str, Any]:
    """Return what describes a conversation, with a text in every place of it."""
    number = int(text) if text.isdecimal() else 1
    schema = {
        "type": "object",
        "title": text,
        "properties": {text: {"type": "string", "description": text, "enum": [text]}},
        "required": [text],
    }
    tool = {"name": f"to {text}", "description": text, "parameters": schema}
    return {
        "title": text,
        "tools": [
            {**tool, "metadata": {"openai": {"note": text}}},
            {"data": {"name": text}, text: text},
        ],
        "fields": {"user": text, text: {"n": number, "tags": [text]}},
        "openai": {"user": text},
        "mine": text,
        text: text,
    }


def talk(text: str) -> Conversation:
    """Return a conversation that holds a text wherever there is a place for one."""
    made = Conversation(messages(text), meta=meta(text))
    if len(text) <= LABEL_LENGTH:
        made.execute({"operation": "MARK", "indices": [0, 5], "label": text})
        kept = {"keepMarks": [text]}
        made.execute({"operation": "CONFIGURE", "compressionConfig": kept})
        made.execute({"operation": "MARK", "indices": [1], "label": "gone " + text[:40]})
        made.execute({"operation": "UNDO"})
    made.execute({"operation": "CONFIGURE", "toolDescription": text})
    made.execute({"operation": "DELETE", "indices": [5], "description": text})
    made.execute({"operation": "DESCRIBE", "batch": 1, "text": f"named {text}"})
    made.execute({"operation": "REDACT", "indices": [6], "text": text})
    made.execute(
        {"operation": "COMPRESS", "indices": [7], "summary": [{"role": "user", "content": text}]}
    )
    made.append("user", f"undone {text}")
    made.undo()
    made.record_call(
        answer={"content": text, text: 1},
        parameters={"user": text},
        wire={"messages": [text]},
        model=text,
        request=text,
        tools=[{"name": text, "description": text}],
    )
    return made


def plant(library: Library, text: str) -> str:
    """Return a session of a library that holds a text wherever there is a place for one."""
    source = ImportSource.of(f"/tmp/{text}.json", b"{}")
    session = library.create(talk(text), title="before", source=source)
    session.describe(title=f"an earlier title: {text}"[:LONGEST_TITLE])
    tags = [text] if len(text) <= LABEL_LENGTH else []
    session.describe(title=text, tags=tags, note=text, remarks=[(0, text), (5, text)])
    session.place(ThreadPlace(text, text, 1, call=text))
    session.close()
    return session.id
