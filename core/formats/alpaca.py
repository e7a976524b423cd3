"""Alpaca: an instruction with what it is about, and the answer, as training data has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused, wrong_type
from ..values.models import Role
from .base import JsonFormat, Loaded, ReadOnly
from .format_metadata import FormatMetadata, without
from .tools import ToolList
from .warnings import WarningCollector

NOTES = FormatMetadata("alpaca")
TOOLS = ToolList(NOTES.key, wrapped=False, as_text=True)
KNOWN = ("instruction", "input", "output", "system", "history")
Turn = tuple[Role, str]
ASKING: tuple[Role, Role] = ("user", "assistant")
"""Who says the two texts of an item of a history."""


class Alpaca(ReadOnly, JsonFormat):
    """One question and one answer, after earlier ones in ``history``.

    What is said about the example (a score, its source) are other fields, and so are answers after
    the first and what of the history is no question with its answer.
    """

    name = NOTES.key
    about = "Alpaca data: an instruction and its output"
    kinds = ("Alpaca data",)
    signs = ({"instruction": object, "output": object},)

    def read_one(self, value: Any) -> Loaded:
        if not isinstance(value, Mapping):
            raise wrong_type("example", value, "an object with instruction and output")
        if "instruction" not in value:
            raise Refused("the example has no instruction", field="instruction", legal="text")
        warnings = WarningCollector()
        turns = list(_turns(value, warnings))
        messages = [{"role": role, "content": text} for role, text in turns if text]
        meta, layout, fields = TOOLS.read(without(value, *KNOWN))
        if len(messages) < len(turns):
            warnings.add("empty-text-left-out")
        others = value["output"][1:] if isinstance(value.get("output"), list) else []
        if others:
            fields["output"] = others
            warnings.count("other-answers-kept", len(others))
        unread = [pair for pair in value.get("history") or () if not _is_turn(pair)]
        if unread:
            fields["history"] = unread
        meta |= NOTES.meta(layout, fields)
        return Loaded(Conversation(messages, meta=meta), self.name, warnings.found())


def _turns(value: Mapping[str, Any], warnings: WarningCollector) -> Iterator[Turn]:
    """Yield who says what: a prompt, the history, the question with its input, the answer."""
    if value.get("system"):
        yield "system", _text(value, "system")
    history = value.get("history")
    if not isinstance(history, list | None):
        raise wrong_type("history", history, "a list of pairs")
    for place, pair in enumerate(history or ()):
        if _is_turn(pair):
            yield from zip(ASKING, pair, strict=True)
        else:
            warnings.add("pair-unreadable", place)
    texts = _text(value, "instruction"), _text(value, "input")
    yield "user", "\n".join(text for text in texts if text)
    output = value.get("output")
    first = output[0] if isinstance(output, list) and output else output
    yield "assistant", _text({"output": first}, "output")


def _is_turn(pair: Any) -> bool:
    is_pair = isinstance(pair, list) and len(pair) == len(ASKING)
    return is_pair and all(isinstance(text, str) for text in pair)


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str | None):
        raise wrong_type(key, found, "text")
    return found or ""
