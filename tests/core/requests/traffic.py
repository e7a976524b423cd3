"""What the tests of requests share: recordings of real frameworks, and small requests."""

import json
from pathlib import Path
from typing import Any

from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.bodies import ParsedRequest, SentMessage
from ctxtui.core.requests.exchange import Exchange, Kind, kind_of_path

Row = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "vectors" / "requests"
RECORDINGS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def recorded(name: str) -> list[Row]:
    """Return the records of a recording."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def exchange_of(record: Row) -> Exchange:
    """Return a record as an exchange."""
    kind = kind_of_path(record["path"])
    assert kind is not None
    return Exchange(
        record["request"],
        record["response"],
        kind,
        record["path"],
        record["headers"],
        record["status"],
        int(record["t"] * 1000),
    )


def said(role: str, content: Any, **more: Any) -> Row:
    """Return a row of a chat."""
    return {"role": role, "content": content, **more}


def called(id: str, arguments: str = '{"q": 1}', name: str = "look") -> Row:
    """Return a row of an assistant that calls a tool."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return said("assistant", None, tool_calls=[call])


def result(id: str, content: Any = "found") -> Row:
    """Return a row with a tool's result."""
    return said("tool", content, tool_call_id=id)


def answer(row: Row | str, id: str = "chatcmpl-1", **usage: int) -> Row:
    """Return the answer of a chat."""
    message = said("assistant", row) if isinstance(row, str) else row
    return {"id": id, "choices": [{"index": 0, "message": message}], "usage": usage}


def chat(*rows: Row, response: Row | None = None, **more: Any) -> Exchange:
    """Return an exchange of a chat; what is no part of an exchange goes into the body."""
    own = {key: more.pop(key) for key in list(more) if key in Exchange.__dataclass_fields__}
    return Exchange({"model": "m", "messages": list(rows), **more}, response, **own)


def asked(kind: Kind, body: Row, **more: Any) -> ParsedRequest:
    """Return what a body asks."""
    return BodyReader().parse_request(Exchange(body, kind=kind, **more))


def sent(*rows: Row) -> tuple[SentMessage, ...]:
    """Return rows of a chat as they were sent."""
    return asked("chat", {"messages": list(rows)}).sent
