"""LangChain messages: a list of them, or an object that has one beside other things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversation.conversation import Conversation
from ...errors import not_a
from ...queries.fields import FIELDS
from ..base import Loaded, Sureness, Written
from ..each import OneEach
from ..notes import without
from ..recognising import LANGCHAIN, recognise
from ..warnings import beside_messages
from .blocks import NOTES
from .envelopes import DUMPD, FLAT, TO_DICT
from .reading import read_rows
from .writing import write_rows

ALONE, BESIDE, SHAPE = "alone", "beside", "shape"
"""Notes of a conversation: that it was one message without a list, or in an object."""


class LangChain(OneEach):
    """What ``messages_to_dict`` or ``dumpd`` gives for messages, given back in the same shape.

    What core has no place for is noted by where it stood: in the ``body`` of a message, or
    ``outer``, around it.
    """

    name = "langchain"
    about = "LangChain messages, of messages_to_dict or dumpd"
    suffixes = (".langchain.json", ".langchain.jsonl")
    kinds = (LANGCHAIN,)
    takes_lists = True
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages of LangChain; one alone is rather a line of several."""
        if recognise(value) != LANGCHAIN:
            return Sureness.NO
        return Sureness.LOOKS_LIKE if _rows(value) is not None else Sureness.COULD_BE

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        rows = _rows(value)
        notes: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        if rows is None:
            rows, notes[ALONE] = [value], True
        elif isinstance(value, Mapping):
            notes[BESIDE], fields = {}, without(value, "messages")
        if not rows:
            raise not_a("messages", rows, "a list of LangChain messages")
        messages, shape, adapted = read_rows(rows)
        meta = NOTES.beside({SHAPE: shape, **notes}, fields)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, as they came: in a list, in an object or alone."""
        notes = NOTES.of(conversation.meta)
        shape = notes.get(SHAPE)
        shape = shape if shape in (TO_DICT, DUMPD, FLAT) else TO_DICT
        pairs = zip(conversation.view, conversation.visible, strict=True)
        rows, adapted = write_rows(pairs, shape)
        data: Any = rows
        if BESIDE in notes:
            data = {"messages": rows, **without(NOTES.fields_of(conversation.meta), "messages")}
        elif ALONE in notes and len(rows) == 1:
            (data,) = rows
        held = (self.name, FIELDS) if BESIDE in notes else (self.name,)
        return Written(data, (*beside_messages(conversation, *held), *adapted))


def _rows(value: object) -> list[object] | None:
    """Return the messages of a conversation, or None where it is a single message."""
    rows = value.get("messages") if isinstance(value, Mapping) else value
    return rows if isinstance(rows, list) else None
