"""Functions that are declared to Gemini: groups of them, beside tools of the provider's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...values.frozen import FrozenDict, thaw
from ..notes import inner, merged, without
from ..tools import META_KEY
from ..warnings import bare
from .parts import NOTES, Spelling

KNOWN = ("name", "description", "parameters")
Row = dict[str, Any]


def read_functions(tools: Any, spelled: Spelling) -> tuple[Row, Row]:
    """Return the meta of the tools of a request, and what is to be noted of their groups."""
    if not isinstance(tools, list):
        return {}, {"given": tools}
    found: list[Row] = []
    groups: list[Row] = []
    for tool in tools:
        key = spelled("function_declarations")
        declared = tool.get(key) if isinstance(tool, Mapping) else None
        if not isinstance(declared, list) or not all(map(_is_function, declared)):
            groups.append({"given": tool})
            continue
        groups.append({"count": len(declared), **({"rest": without(tool, key)})})
        for one in declared:
            known = {name: one[name] for name in KNOWN if name in one}
            found.append({**known, **NOTES.kept(without(one, *KNOWN))})
    return ({META_KEY: found} if found else {}), {"groups": groups}


def write_functions(meta: FrozenDict, noted: Row, spelled: Spelling) -> tuple[Row, list[str]]:
    """Return the entry for the tools of a conversation, and the names of those left out."""
    if "given" in noted:
        return {"tools": noted["given"]}, []
    plain = thaw(meta.get(META_KEY) or ())
    tools = [tool for tool in plain if _is_function(tool)] if isinstance(plain, list) else []
    lost = ["unnamed" for tool in plain if tool not in tools] if isinstance(plain, list) else []
    rows = [
        merged({name: tool[name] for name in KNOWN if name in tool}, _notes(tool)) for tool in tools
    ]
    groups = noted.get("groups") or []
    if sum(group.get("count", 0) for group in groups) != len(rows):
        given = [group for group in groups if "given" in group]
        groups = [*([{"count": len(rows)}] if rows else []), *given]
    written: list[Any] = []
    for group in groups:
        if "given" in group:
            written.append(group["given"])
            continue
        mine, rows = rows[: group["count"]], rows[group["count"] :]
        written.append(merged({spelled("function_declarations"): mine}, inner(group, "rest")))
    is_there = bool(written) or "groups" in noted
    return ({"tools": written} if is_there else {}), [bare(name) for name in lost]


def _is_function(tool: object) -> bool:
    return isinstance(tool, Mapping) and isinstance(tool.get("name"), str)


def _notes(tool: Mapping[str, Any]) -> Row:
    return inner(inner(tool, "metadata"), NOTES.key)
