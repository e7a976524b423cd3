"""Hugging Face messages: chat as data sets and templates have it, arguments as objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import not_a
from .base import Loaded, Sureness, Written
from .chat import read_chat, write_chat
from .chat.dialect import Dialect
from .each import OneEach
from .notes import merged, without
from .objects import is_object
from .recognising import HUGGING_FACE, recognise
from .tool_lists import ToolList
from .tools import META_KEY, left_out
from .valued import has_values, read_valued, write_valued
from .warnings import beside_messages

NOTES = Dialect(
    "hf", object_arguments=True, pairs=True, thinking=("reasoning_content", "reasoning", "thinking")
)
TOOLS = ToolList("hf", wrapped=True, as_text=False)
ROWS = "messages"
BARE, VALUED = "bare", "valued"
"""Notes of the form that the messages came in: in no object, or with parts of type and value."""


class HuggingFace(OneEach):
    """An object with messages, and tools as a list or as JSON text; or just the messages.

    Keys beside the messages are other fields, tools are kept in ``meta.tools``.
    """

    name = "hf"
    about = "Hugging Face messages: chat with arguments as objects, or with parts of type and value"
    suffixes = (".hf.json", ".hf.jsonl")
    kinds = (HUGGING_FACE,)
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages with what chat of providers has not."""
        rows = value.get(ROWS) if is_object(value) else value
        if not isinstance(rows, list):
            return Sureness.NO
        has_rows = any(is_object(row) and "role" in row for row in rows)
        kind = recognise(value)
        if kind is None and has_rows:
            is_text = is_object(value) and isinstance(value.get("tools"), str)
            is_own = is_text or any(is_object(given) for given in _arguments(rows))
            return Sureness.LOOKS_LIKE if is_own else Sureness.NO
        return Sureness.LOOKS_LIKE if kind == HUGGING_FACE and has_rows else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        is_bare = isinstance(value, list)
        data = {ROWS: value} if is_bare else value
        rows = data.get(ROWS) if is_object(data) else None
        if not isinstance(rows, list):
            raise not_a(ROWS, rows, "a list of messages")
        form = {BARE: is_bare, VALUED: has_values(rows)}
        meta, layout, fields = TOOLS.read(without(data, ROWS))
        if any(form.values()):
            layout[ROWS] = [name for name, true in form.items() if true]
        meta |= NOTES.beside(layout, fields)
        messages, adapted = (read_valued if form[VALUED] else read_chat)(rows, NOTES)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object unless they came without."""
        meta = conversation.meta
        notes = NOTES.of(meta)
        form = notes.get(ROWS) or ()
        tools, lost = TOOLS.write(meta)
        visible = zip(conversation.view, conversation.visible, strict=True)
        rows, adapted = (write_valued if VALUED in form else write_chat)(visible, NOTES)
        data: Any = merged({ROWS: rows, **tools}, NOTES.fields_of(meta))
        if BARE in form and len(data) == 1:
            data = rows
        held = beside_messages(conversation, *NOTES.held(meta), META_KEY)
        return Written(data, (*held, *left_out(lost), *adapted))


def _arguments(rows: list[Any]) -> Iterator[object]:
    """Yield the arguments of all calls, in whatever form they are."""
    for row in rows:
        calls = row.get("tool_calls") if is_object(row) else None
        for call in calls if isinstance(calls, list) else ():
            body = call.get("function") if is_object(call) else None
            if is_object(body):
                yield body.get("arguments")
