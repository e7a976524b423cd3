"""Lists of tools in training data: a list or its JSON text, of tools with or without a wrapper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..values.frozen import FrozenDict
from .chat.calls import parsed
from .json_text import same_json
from .notes import Notes, inner, without
from .tools import META_KEY, ToolShape

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
