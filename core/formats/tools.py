"""Tool definitions: kept with the conversation in ``meta.tools``, one shape for all formats.

There, a tool is ``{name, description?, parameters?}``, with what else a format says of it in its
notes (``metadata``). What is no such tool, as one that runs at the provider, is ``{data}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..values.frozen import thaw
from .notes import Notes, inner, merged, without
from .warnings import FormatWarning, bare

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
