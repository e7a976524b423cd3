"""Alpaca: an instruction with what it is about, and the answer, as training data has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.conversation.conversation import Conversation
from core.errors import Refused, not_a
from core.formats.base import Loaded, ReadOnly
from core.formats.each import OneEach
from core.formats.notes import without
from core.formats.recognising import ALPACA
from core.formats.remarks import Remarks, bare
from core.formats.tool_lists import ToolList
from core.values.roles import Role

TOOLS = ToolList("alpaca", wrapped=False, as_text=True)
KNOWN = ("instruction", "input", "output", "system", "history", "tools")
Turn = tuple[Role, str]


class Alpaca(ReadOnly, OneEach):
    """One question and one answer, after earlier ones in ``history``.

    What is said about the example (a score, its source) is kept in ``meta.alpaca``.
    """

    name = "alpaca"
    about = "Alpaca data: an instruction and its output"
    kinds = (ALPACA,)

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the questions and answers."""
        if not isinstance(value, Mapping):
            raise not_a("example", value, "an object with instruction and output")
        if "instruction" not in value:
            raise Refused("the example has no instruction", field="instruction", legal="text")
        remarks = Remarks()
        turns = [*_system(value), *_history(value, remarks), *_question(value), *_answer(value)]
        messages = [{"role": role, "content": text} for role, text in turns if text]
        meta, notes = TOOLS.read(value)
        notes |= without(value, *KNOWN)
        if notes:
            meta[self.name] = notes
        if without(notes, "tools"):
            remarks.add("keys are kept in meta.alpaca", None, *map(bare, notes))
        if len(messages) < len(turns):
            remarks.add("empty texts are left out")
        others = value["output"][1:] if isinstance(value.get("output"), list) else []
        if others:
            remarks.add(f"of several answers the first is read (left out: {len(others)})")
        return Loaded(Conversation(messages, meta=meta), self.name, remarks.sentences())


def _system(value: Mapping[str, Any]) -> Iterator[Turn]:
    if value.get("system"):
        yield "system", _text(value, "system")


def _history(value: Mapping[str, Any], remarks: Remarks) -> Iterator[Turn]:
    history = value.get("history")
    if history is None:
        return
    if not isinstance(history, list):
        raise not_a("history", history, "a list of pairs")
    for place, pair in enumerate(history):
        match pair:
            case [str(question), str(answer)]:
                yield "user", question
                yield "assistant", answer
            case _:
                remarks.add("pairs of the history that can't be read are left out", place)


def _question(value: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the instruction, with what it is about in a line after it."""
    texts = _text(value, "instruction"), _text(value, "input")
    yield "user", "\n".join(text for text in texts if text)


def _answer(value: Mapping[str, Any]) -> Iterator[Turn]:
    output = value.get("output")
    if isinstance(output, list) and output:
        value = {"output": output[0]}
    yield "assistant", _text(value, "output")


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise not_a(key, found, "text")
    return found or ""
