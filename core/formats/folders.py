"""Folders that are one source: stores of programs that keep each record in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import Refused
from .fields import is_object
from .json_text import read_json
from .source import Source

Opens = Callable[[Path], BinaryIO]
OPENCODE = ("session", "message", "part")
NUMBER = re.compile(r"\d+")


def folder_source(folder: Path, opens: Opens) -> Source:
    """Return what is in a folder of a known layout, or refuse it."""
    tables = sorted(folder.glob("*.arrow"))
    if len(tables) == 1:  # What Hugging Face saves a data set as.
        return Source(partial(opens, tables[0]), size=tables[0].stat().st_size)
    for read in (_opencode, _openhands, _strands):
        found = list(read(folder, opens))
        if found:
            is_events = read is _openhands
            return Source.of_items(found) if is_events else Source.of_data(_alone(found))
    raise Refused(
        "it is a folder, not a file",
        field="path",
        legal="a file, OpenCode's storage, events of OpenHands, a session of Strands, a data set",
    )


def is_store(folder: Path) -> bool:
    """Return whether all in a folder is one source, as the names in it say."""
    return (
        all((folder / name).is_dir() for name in OPENCODE)
        or ((folder / "agents").is_dir() and (folder / "session.json").is_file())
        or any(any(folder.glob(pattern)) for pattern in ("event-*.json", "events/event-*.json"))
    )


def _alone(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else found


def _json(path: Path, opens: Opens) -> Any:
    with opens(path) as file:
        return read_json(file.read())


def _listed(folder: Path, pattern: str) -> list[Path]:
    """Return files in the order of the numbers in their names."""
    found = [path for path in folder.glob(pattern) if path.is_file()]
    return sorted(found, key=lambda path: ([int(n) for n in NUMBER.findall(path.stem)[:1]], path))


def _opencode(folder: Path, opens: Opens) -> Iterator[Any]:
    """Yield each session of a store as the export would print it."""
    if not all((folder / name).is_dir() for name in OPENCODE):
        return
    for path in sorted((folder / "session").glob("**/*.json")):
        info = _json(path, opens)
        id = info.get("id") if is_object(info) else None
        if not isinstance(id, str):
            continue
        messages = [_json(one, opens) for one in _of(folder / "message", id)]
        yield {
            "info": info,
            "messages": [
                {
                    "info": one,
                    "parts": [_json(part, opens) for part in _of(folder / "part", one.get("id"))],
                }
                for one in messages
                if is_object(one)
            ],
        }


def _of(folder: Path, id: object) -> list[Path]:
    """Return the records of a session or message; an id that leads elsewhere has none."""
    is_name = isinstance(id, str) and id and Path(id).name == id
    return sorted((folder / str(id)).glob("*.json")) if is_name else []


def _strands(folder: Path, opens: Opens) -> Iterator[Any]:
    """Yield each session in a folder, with its agents and their messages."""
    for path in sorted({*folder.glob("session.json"), *folder.glob("session_*/session.json")}):
        session = _json(path, opens)
        agents = [
            {
                "agent": _json(one, opens),
                "messages": [
                    _json(said, opens)
                    for said in _listed(one.parent / "messages", "message_*.json")
                ],
            }
            for one in sorted(path.parent.glob("agents/*/agent.json"))
        ]
        if is_object(session) and agents:
            yield {**session, "agents": agents}


def _openhands(folder: Path, opens: Opens) -> Iterator[Any]:
    inside = folder / "events" if (folder / "events").is_dir() else folder
    for path in _listed(inside, "event-*.json"):
        yield _json(path, opens)
