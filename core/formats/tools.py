"""Tool definitions: kept with the conversation in ``meta.tools``, one shape for all formats.

There, a tool is ``{name, description?, parameters?}``, with what else a format says of it in its
notes (``metadata``). What is no such tool, as one that runs at the provider, is ``{data}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.messages import ToolUsePart
from ..values.frozen import FrozenDict, same_json, thaw
from .chat import ENCODER, FUNCTION, MADE_ID, NO_ID, parsed, read_body, write_body
from .fields import is_object
from .notes import Notes, inner, merged, without
from .warnings import FormatWarning, WarningCollector, bare

META_KEY = "tools"
"""The key of a conversation's meta that has its tools."""


@dataclass(frozen=True, slots=True)
class ToolShape:
    """How a format writes a tool: ``{type, outer: {name, description, parameters}}``.

    Without ``outer``, the three stand beside the type; without ``type`` there is none.
    """

    key: str
    outer: str | None = None
    parameters: str = "parameters"
    type: str | None = None

    def read(self, tools: Sequence[object]) -> list[dict[str, Any]]:
        """Return the tools of a format as those of core."""
        return [self._read_one(tool) for tool in tools]

    def write(self, tools: object) -> tuple[list[Any], list[str]]:
        """Return a conversation's tools as this format has them, and what it has none for."""
        rows: list[Any] = []
        lost: list[str] = []
        for tool in tools if isinstance(tools, list | tuple) else ():
            plain = thaw(tool)
            if isinstance(plain, Mapping) and isinstance(plain.get("name"), str):
                rows.append(self._write_one(plain))
            elif isinstance(plain, Mapping) and self.key in inner(plain, "metadata"):
                rows.append(plain.get("data"))
            else:
                lost.append(_word(plain))
        return rows, lost

    def _read_one(self, tool: object) -> dict[str, Any]:
        own = Notes(self.key)
        body: Any = tool.get(self.outer) if isinstance(tool, Mapping) and self.outer else tool
        if not isinstance(tool, Mapping) or not self._is_own(tool, body):
            return {"data": tool, "metadata": {own.key: {}}}
        found: dict[str, Any] = {"name": body["name"]}
        rest = without(body, "name", "description", self.parameters)
        for name, theirs in self._keys():
            if theirs in body:
                found[name] = body[theirs]
        if self.outer is not None:
            rest = {**without(tool, self.outer), **({self.outer: rest} if rest else {})}
        if self.type is not None:
            rest = without(rest, "type") if "type" in tool else {**rest, "type": None}
        return {**found, **own.kept(rest)}

    def _is_own(self, tool: Mapping[str, Any], body: Any) -> bool:
        """Tell whether this is a tool of the caller's own, not one that runs at the provider."""
        if not isinstance(body, Mapping) or not isinstance(body.get("name"), str):
            return False
        if self.type is None:
            return self.parameters in body
        return bool(tool.get("type", self.type) == self.type)

    def _write_one(self, tool: Mapping[str, Any]) -> dict[str, Any]:
        notes = inner(inner(tool, "metadata"), self.key)
        body = {"name": tool["name"]} | {
            theirs: tool[name] for name, theirs in self._keys() if name in tool
        }
        row: dict[str, Any] = {} if self.type is None or "type" in notes else {"type": self.type}
        if self.type is not None:
            notes = without(notes, "type")
        if self.outer is None:
            return merged({**row, **body}, notes)
        return merged({**row, self.outer: merged(body, inner(notes, self.outer))}, notes)

    def _keys(self) -> tuple[tuple[str, str], ...]:
        return (("description", "description"), ("parameters", self.parameters))


def left_out(tools: list[str]) -> tuple[FormatWarning, ...]:
    """Return the warning about tools that a format has no words for."""
    return (FormatWarning.of("tools-left-out", tools),) if tools else ()


def _word(tool: object) -> str:
    """Return how a sentence may name a tool that has no name."""
    data = inner(tool, "data") if isinstance(tool, Mapping) else {}
    return bare(data.get("name", data.get("type", "unnamed")))


NOTE = "tools"
Row = dict[str, Any]


class ToolList:
    """How one format has its tools; in which form they came is noted in the meta of its key.

    ``wrapped`` and ``as_text`` say what is usual: ``{type, function: {…}}``, and JSON text.
    """

    def __init__(self, key: str, *, wrapped: bool, as_text: bool) -> None:
        self._own = Notes(key)
        self._wrapped, self._as_text = wrapped, as_text

    def read(self, data: Mapping[str, Any]) -> tuple[Row, Row, Row]:
        """Return the meta for the tools among some data, what is to be noted of them, and the rest.

        Where they are no tools they stay in the rest, unless there is nothing in them.
        """
        if NOTE not in data:
            return {}, {}, dict(data)
        given, rest = data[NOTE], without(data, NOTE)
        tools = parsed(given)[1] if isinstance(given, str) else given
        if not isinstance(tools, list):
            return ({}, {}, dict(data)) if given else ({}, {NOTE: {"given": given}}, rest)
        wrapped = self._wrapped
        if tools:
            first = tools[0]
            wrapped = isinstance(first, Mapping) and isinstance(first.get("function"), Mapping)
        form: dict[str, Any] = {}
        if wrapped != self._wrapped:
            form["wrapped"] = wrapped
        if isinstance(given, str):
            form["text"] = given
        elif self._as_text:
            form["text"] = None
        return {META_KEY: self._shape(wrapped).read(tools)}, ({NOTE: form} if form else {}), rest

    def write(self, meta: FrozenDict) -> tuple[dict[str, Any], list[str]]:
        """Return the entry for the tools of a conversation, and the names of those left out."""
        form = inner(self._own.of(meta), NOTE)
        if META_KEY not in meta:
            return ({NOTE: form["given"]} if "given" in form else {}), []
        rows, lost = self._shape(form.get("wrapped", self._wrapped)).write(meta[META_KEY])
        text = form.get("text", "" if self._as_text else None)
        if not isinstance(text, str):
            return {NOTE: rows}, lost
        is_same = bool(text) and same_json(parsed(text)[1], rows)
        return {NOTE: text if is_same else json.dumps(rows, ensure_ascii=False)}, lost

    def _shape(self, wrapped: object) -> ToolShape:
        if wrapped:
            return ToolShape(self._own.key, outer="function", type="function")
        return ToolShape(self._own.key)


NO_CALL = "call-text-unreadable"


def read_call_text(
    own: Notes, text: str, place: int, warnings: WarningCollector, first: int = 0
) -> list[dict[str, Any]]:
    """Return the calls of a text as core data; none where it is no such text.

    Calls without an id get one made of the place and their number, from ``first`` on.
    """
    is_json, value = parsed(text)
    bodies = value if isinstance(value, list) else [value]
    if not is_json or not bodies or not all(map(_is_call, bodies)):
        warnings.add(NO_CALL, place)
        return []
    return [_read_one(own, body, place, first + i, warnings) for i, body in enumerate(bodies)]


def write_call_text(own: Notes, calls: Sequence[ToolUsePart], noted: object) -> str:
    """Return calls as text: the noted one, as long as that says the same."""
    bodies = [_write_one(own, call) for call in calls]
    value: Any = bodies[0] if len(bodies) == 1 else bodies
    if isinstance(noted, str):
        before = parsed(noted)[1]
        if same_json(before, value) or same_json(before, bodies):
            return noted
    return ENCODER.encode(value)


def _is_call(body: object) -> bool:
    return is_object(body) and isinstance(body.get("name"), str)


def _read_one(
    own: Notes, body: Mapping[str, Any], place: int, number: int, warnings: WarningCollector
) -> dict[str, Any]:
    name, value, rest = read_body(own, body, FUNCTION, FUNCTION, place, warnings)
    notes: dict[str, Any] = {}
    id = rest.get("id")
    if isinstance(id, str):
        notes["id"] = rest.pop("id")
    else:
        warnings.add(NO_ID, place)
        id, notes[MADE_ID] = f"call_{place}_{number}", True
    if rest:
        notes[FUNCTION] = rest
    use = {"id": id, "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept(notes)}


def _write_one(own: Notes, call: ToolUsePart) -> dict[str, Any]:
    notes = own.of(call.metadata)
    body = write_body(own, call, FUNCTION, inner(notes, FUNCTION))
    return {**body, "id": call.id} if "id" in notes else body


def loses_id(own: Notes, call: ToolUsePart) -> bool:
    """Tell whether the text of a call has no place for its id."""
    notes = own.of(call.metadata)
    return "id" not in notes and MADE_ID not in notes
