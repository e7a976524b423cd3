"""Tools: definitions in one shape for all formats, calls written as text, results without ids.

A definition is kept with the conversation in ``meta.tools`` as ``{name, description?,
parameters?}``, with what else a format says of it in its ``metadata``. What is no such tool, as one
that runs at the provider, is ``{data}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ..engine.messages import Part, TextPart, ToolResultPart, ToolUsePart
from ..errors import Refused
from ..values.frozen import FrozenDict, same_json, thaw
from .fields import is_object
from .format_metadata import MADE_ID, FormatMetadata, PartField, Shape, inner, merged, without
from .json_text import ENCODER, parsed, read_json
from .warnings import FormatWarning, WarningCollector, bare

META_KEY = "tools"
"""The key of a conversation's meta that has its tools."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolShape:
    """How a format writes a tool: ``{type, outer: {name, description, parameters}}``.

    Without ``outer``, the three are next to the type; without ``type`` there is none.
    """

    key: str
    outer: str | None = None
    parameters: str = "parameters"
    type: str | None = None

    def read(self, tools: Sequence[object]) -> list[dict[str, Any]]:
        return [self._read_one(tool) for tool in tools]

    def take(self, fields: Row) -> Row:
        """Return the meta for the tools among some fields, and take them out."""
        is_list = isinstance(fields.get("tools"), list)
        return {META_KEY: self.read(fields.pop("tools"))} if is_list else {}

    def write(self, meta: FrozenDict) -> tuple[Row, tuple[FormatWarning, ...]]:
        """Return the entry for the tools of a conversation, and a warning about those left out."""
        tools = meta.get(META_KEY)
        rows, lost = self.write_all(tools)
        return ({"tools": rows} if isinstance(tools, tuple) else {}), left_out(lost)

    def write_all(self, tools: object) -> tuple[list[Any], list[str]]:
        """Return definitions as this format has them, and the names of those it has none for."""
        rows: list[Any] = []
        lost: list[str] = []
        for tool in tools if isinstance(tools, list | tuple) else ():
            plain = thaw(tool)
            if isinstance(plain, Mapping) and isinstance(plain.get("name"), str):
                rows.append(self._write_one(plain))
            elif isinstance(plain, Mapping) and self.key in inner(plain, "metadata"):
                rows.append(plain.get("data"))
            else:
                data = inner(plain, "data") if isinstance(plain, Mapping) else {}
                lost.append(bare(data.get("name", data.get("type", "unnamed"))))
        return rows, lost

    def _read_one(self, tool: object) -> dict[str, Any]:
        own = FormatMetadata(self.key)
        body: Any = tool.get(self.outer) if is_object(tool) and self.outer else tool
        if not is_object(tool) or not self._is_own(tool, body):
            return {"data": tool, "metadata": {own.key: {}}}
        found = {name: body[theirs] for name, theirs in self._keys() if theirs in body}
        rest = without(body, *(theirs for _, theirs in self._keys()))
        if self.outer is not None:
            rest = {**without(tool, self.outer), **({self.outer: rest} if rest else {})}
        if self.type is not None:
            rest = without(rest, "type") if "type" in tool else {**rest, "type": None}
        return {**found, **own.entry(rest)}

    def _is_own(self, tool: Mapping[str, Any], body: Any) -> bool:
        """Return whether this is a tool of the caller's own, not one that runs at the provider."""
        if not isinstance(body, Mapping) or not isinstance(body.get("name"), str):
            return False
        if self.type is None:
            return self.parameters in body
        return bool(tool.get("type", self.type) == self.type)

    def _write_one(self, tool: Mapping[str, Any]) -> dict[str, Any]:
        notes = inner(inner(tool, "metadata"), self.key)
        body = {theirs: tool[name] for name, theirs in self._keys() if name in tool}
        row: dict[str, Any] = {} if self.type is None or "type" in notes else {"type": self.type}
        if self.type is not None:
            notes = without(notes, "type")
        if self.outer is None:
            return merged({**row, **body}, notes)
        return merged({**row, self.outer: merged(body, inner(notes, self.outer))}, notes)

    def _keys(self) -> tuple[tuple[str, str], ...]:
        """Return the keys of a definition here, and how the format calls them."""
        return (
            ("name", "name"),
            ("description", "description"),
            ("parameters", self.parameters),
        )


def left_out(tools: list[str]) -> tuple[FormatWarning, ...]:
    """Return the warning about tools that a format has no words for."""
    return (FormatWarning.of("tools-left-out", tools),) if tools else ()


class ToolList:
    """How one format has its tools; their form is stored in the meta of its key.

    ``wrapped`` and ``as_text`` say what is usual: ``{type, function: {…}}``, and JSON text.
    """

    def __init__(self, key: str, *, wrapped: bool, as_text: bool) -> None:
        self._own = FormatMetadata(key)
        self._wrapped, self._as_text = wrapped, as_text

    def read(self, data: Mapping[str, Any]) -> tuple[Row, Row, Row]:
        """Return the meta for the tools among some data, what is to be noted of them, and the rest.

        Where they are no tools they stay in the rest, unless there is nothing in them.
        """
        if META_KEY not in data:
            return {}, {}, dict(data)
        given, rest = data[META_KEY], without(data, META_KEY)
        tools = parsed(given)[1] if isinstance(given, str) else given
        if not isinstance(tools, list):
            return ({}, {}, dict(data)) if given else ({}, {META_KEY: {"given": given}}, rest)
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
        return (
            {META_KEY: self._shape(wrapped).read(tools)},
            ({META_KEY: form} if form else {}),
            rest,
        )

    def write(self, meta: FrozenDict) -> tuple[Row, tuple[FormatWarning, ...]]:
        """Return the entry for the tools of a conversation, and a warning about those left out."""
        form = inner(self._own.of(meta), META_KEY)
        if META_KEY not in meta:
            return ({META_KEY: form["given"]} if "given" in form else {}), ()
        rows, lost = self._shape(form.get("wrapped", self._wrapped)).write_all(meta[META_KEY])
        text = form.get("text", "" if self._as_text else None)
        if not isinstance(text, str):
            return {META_KEY: rows}, left_out(lost)
        is_same = bool(text) and same_json(parsed(text)[1], rows)
        text = text if is_same else json.dumps(rows, ensure_ascii=False)
        return {META_KEY: text}, left_out(lost)

    def _shape(self, wrapped: object) -> ToolShape:
        if wrapped:
            return ToolShape(self._own.key, outer="function", type="function")
        return ToolShape(self._own.key)


FUNCTION = "function"
NO_ID = "call-id-made"
BROKEN = "arguments-not-json"
CALL_TEXT = Shape(
    ToolUsePart,
    {
        "id": PartField("id"),
        FUNCTION: {"name": PartField("name"), "arguments": PartField("input", "object")},
    },
)


def report_broken(call: ToolUsePart, text: object, place: int, warnings: WarningCollector) -> None:
    """Warn about arguments that are a text, but not JSON."""
    if isinstance(text, str) and call.input == text and not parsed(text)[0]:
        warnings.add(BROKEN, place)


def read_call_text(
    own: FormatMetadata, text: str, place: int, warnings: WarningCollector, first: int = 0
) -> list[ToolUsePart]:
    """Return the calls of a text; none where it is no such text.

    Calls without an id get one made of the place and their number, from ``first`` on.
    """
    is_json, value = parsed(text)
    bodies = value if isinstance(value, list) else [value]
    is_named = all(is_object(one) and isinstance(one.get("name"), str) for one in bodies)
    if not is_json or not bodies or not is_named:
        warnings.add("call-text-unreadable", place)
        return []
    calls = []
    for number, body in enumerate(bodies, first):
        id, notes = body.get("id"), dict[str, Any]()
        if isinstance(id, str):
            notes, rest = {"id": id}, without(body, "id")
        else:
            warnings.add(NO_ID, place)
            id, notes, rest = f"call_{place}_{number}", {MADE_ID: True}, body
        call = CALL_TEXT.read(own, {"id": id, FUNCTION: rest}, **notes)
        report_broken(call, rest.get("arguments"), place, warnings)
        calls.append(call)
    return calls


def write_call_text(own: FormatMetadata, calls: Sequence[ToolUsePart], noted: object) -> str:
    """Return calls as text: the noted one, as long as that says the same."""
    bodies = []
    for call in calls:
        notes = own.of(call.metadata)
        body = CALL_TEXT.write_with(without(notes, "id"), call)[FUNCTION]
        bodies.append({**body, "id": call.id} if "id" in notes else body)
    value: Any = bodies[0] if len(bodies) == 1 else bodies
    if isinstance(noted, str):
        before = parsed(noted)[1]
        if same_json(before, value) or same_json(before, bodies):
            return noted
    return ENCODER.encode(value)


def has_id(own: FormatMetadata, call: ToolUsePart) -> bool:
    """Return whether the text of a call says its id, or there was none."""
    return bool({"id", MADE_ID} & set(own.of(call.metadata)))


class UnansweredCalls:
    """The calls that wait for a result, in their order."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, str]] = []

    def call(self, id: str, name: str) -> None:
        self._calls.append((id, name))

    def answer(self, name: object = None) -> str | None:
        """Return the id of the first call that waits, of that name if there is such a one."""
        named = (call for call in self._calls if call[1] == name)
        found = next(named, self._calls[0] if self._calls else None)
        if found is None:
            return None
        self._calls.remove(found)
        return found[0]

    def __len__(self) -> int:
        return len(self._calls)

    def answered(self, id: str) -> None:
        self._calls = [call for call in self._calls if call[0] != id]

    def forget(self) -> None:
        """Let no later result answer what nothing has answered until now."""
        self._calls.clear()


def in_a_row(
    rows: Iterable[object], key: str = "role", names: Sequence[str] = ("tool",)
) -> list[int]:
    """Return for each row how many results are in a row there, including itself."""
    found: list[int] = []
    for is_result, run in groupby(is_object(row) and row.get(key) in names for row in rows):
        length = len(list(run))
        found += [length if is_result else 0] * length
    return found


GROUPED = "together"
"""The metadata of each such result: how the list was written, and whether its item was a text."""
STYLES: dict[str, dict[str, Any]] = {
    "plain": {"ensure_ascii": False},
    "escaped": {},
    "narrow": {"ensure_ascii": False, "separators": (",", ":")},
    "narrow escaped": {"separators": (",", ":")},
}
"""The ways in which programs write JSON. The text itself is not stored: it would outlive REDACT."""


def read_grouped(
    own: FormatMetadata,
    text: str,
    pending: UnansweredCalls,
    results: int,
    place: int,
    warnings: WarningCollector,
) -> list[ToolResultPart]:
    """Return the results that a text is, which is one of so many ``results`` in a row.

    Only if it is the only one can it answer several calls, in their order. None come back where
    it answers one or no call; if calls will be left over that is reported.
    """
    items: Any = _value(text) if results == 1 and len(pending) > 1 else None
    style = None
    if isinstance(items, list) and len(items) == len(pending):
        style = next((name for name in STYLES if _dumped(items, name) == text), None)
    if style is not None:
        found = []
        for item in items:
            is_text = isinstance(item, str)
            said = item if is_text else json.dumps(item, ensure_ascii=False)
            metadata = own.frozen({GROUPED: [style, is_text]})
            found.append(ToolResultPart(pending.answer() or "", said, None, metadata))
        return found
    if results < len(pending):
        warnings.add("results-missing", place)
    return []


def write_grouped(own: FormatMetadata, results: Sequence[ToolResultPart]) -> str | None:
    """Return results that were one text as this text; None for any others."""
    items: list[Any] = []
    style = "plain"
    for result in results:
        match own.of(result.metadata).get(GROUPED), result.content:
            case [[str(name), bool(is_text)], str(text)] if name in STYLES:
                items.append(text if is_text else _value(text))
                style = name
            case _:
                return None
    return _dumped(items, style) if len(items) > 1 else None


def write_unnamed(
    own: FormatMetadata,
    results: Sequence[ToolResultPart],
    pending: UnansweredCalls,
    raw: int,
    warnings: WarningCollector,
) -> list[Sequence[Part]]:
    """Return the contents of results that do not name their calls, and so follow their order."""
    for result in results:
        if pending.answer() != result.tool_use_id:
            warnings.add("results-out-of-order", raw)
    grouped = write_grouped(own, results)
    contents = [result.content for result in results] if grouped is None else [grouped]
    return [(TextPart(one),) if isinstance(one, str) else one for one in contents]


def _value(text: str) -> Any:
    """Return the value of a JSON text, or the text where it is none."""
    try:
        return read_json(text)
    except Refused:
        return text


def _dumped(items: list[Any], style: str) -> str:
    return json.dumps(items, **STYLES[style])
