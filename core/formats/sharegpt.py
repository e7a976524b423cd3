"""ShareGPT: what humans and models said, in rows of ``{from, value}``, as training data has it."""

from __future__ import annotations

from typing import Any

from ..conversation.conversation import Conversation
from ..errors import not_a
from .base import Loaded, Sureness, Written
from .chat.dialect import Dialect
from .each import OneEach
from .notes import merged, without
from .objects import is_object
from .recognising import SHAREGPT, has_chat
from .said import NAMES, OTHER_NAMES, SYSTEM, Keys, SaidReader, SaidWriter
from .tool_lists import ToolList
from .tools import META_KEY, left_out
from .warnings import WarningCollector, beside_messages

NOTES = Dialect("sharegpt", object_arguments=True)
TOOLS = ToolList("sharegpt", wrapped=False, as_text=True)
ROWS = "conversations"
BARE = "bare"
"""The note that rows stood in no object; else it is by which keys they are known."""
FIRST = 5
"""Rows that are looked at to find out by which keys they are known."""


class ShareGPT(OneEach):
    """Rows of ``{from, value}`` beside a system prompt, tools as JSON text and other things.

    Keys beside the rows are other fields, tools are kept in ``meta.tools``.
    """

    name = "sharegpt"
    about = "ShareGPT data: rows of {from, value}"
    suffixes = (".sharegpt.json", ".sharegpt.jsonl")
    kinds = (SHAREGPT,)

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are rows of somebody who said something."""
        is_bare = isinstance(value, list)
        rows = value if is_bare else is_object(value) and value.get(ROWS)
        if not isinstance(rows, list) or has_chat(value):
            return Sureness.NO
        found = [row for row in rows[:FIRST] if is_object(row)]
        if any(all(key in row for key in NAMES) for row in found):
            return Sureness.LOOKS_LIKE
        is_other = any(all(key in row for key in OTHER_NAMES) for row in found)
        return Sureness.LOOKS_LIKE if is_other and not is_bare else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds what was said."""
        is_bare = isinstance(value, list)
        data = {ROWS: value} if is_bare else value
        rows = data.get(ROWS) if is_object(data) else None
        if not isinstance(rows, list):
            raise not_a(ROWS, rows, "a list of rows with from and value")
        keys = _keys_of(rows)
        meta, layout, fields = TOOLS.read(without(data, ROWS))
        if is_bare or keys != NAMES:
            layout[ROWS] = BARE if is_bare else list(keys)
        prompt = fields.pop(SYSTEM) if isinstance(fields.get(SYSTEM), str) else None
        reader = SaidReader(NOTES, keys, WarningCollector())
        messages = reader.read(rows, prompt)
        meta |= NOTES.beside(layout, fields)
        made = Conversation(messages, meta=meta)
        return Loaded(made, self.name, reader.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return what is visible, one row for each text, call and result."""
        meta = conversation.meta
        notes = NOTES.of(meta)
        tools, lost = TOOLS.write(meta)
        form = notes.get(ROWS)
        keys: Keys = OTHER_NAMES if form == list(OTHER_NAMES) else NAMES
        writer = SaidWriter(NOTES, keys, WarningCollector())
        prompt, rows = writer.write(zip(conversation.view, conversation.visible, strict=True))
        data: Any = {ROWS: rows, **tools}
        if prompt is not None:
            data[SYSTEM] = prompt
        data = merged(data, NOTES.fields_of(meta))
        held = (*NOTES.held(meta), META_KEY)
        if form == BARE and len(data) == 1:
            data = rows
        adapted = (*left_out(lost), *writer.warnings.found())
        return Written(data, (*beside_messages(conversation, *held), *adapted))


def _keys_of(rows: list[object]) -> Keys:
    """Return the keys by which most rows say who said what."""
    found = [row for row in rows if is_object(row)]
    is_other = bool(found) and not any(NAMES[0] in row for row in found)
    return OTHER_NAMES if is_other and any(OTHER_NAMES[0] in row for row in found) else NAMES
