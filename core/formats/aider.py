"""Aider: the history of its chats as Markdown; each start of the program is a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..values.models import Role
from .agents import TranscriptBuilder, message, short
from .base import Format, Layout, Loaded, ReadOnly
from .fields import read_timestamp
from .format_metadata import FormatMetadata
from .source import Source
from .transcripts import Row, hiding

NOTES = FormatMetadata("aider")
START = "# aider chat started at "
TOKENS = re.compile(r"> Tokens: ([\d.,]+k?) sent(.*?), ([\d.,]+k?) received")
CACHED = re.compile(r"([\d.,]+k?) cache (hit|write)")
MODEL = re.compile(r"> (?:Main model|Model|Models): ([^\s,]+)")
CLEARING = re.compile(r"/(?:clear|reset)\b")
THOUSAND = 1_000


@dataclass(slots=True)
class _Draft:
    """A message while its lines are read, and what the program said after it."""

    role: Role
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines).strip("\n")


class Aider(ReadOnly, Format):
    """What the user and the model said; what the program said are notes of the message before."""

    name = NOTES.key
    about = "a chat history of Aider"
    kinds = ("an Aider chat history",)
    text_sign = rf"\s*{START}"

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield a conversation for each start at which something was said."""
        place, text = 0, source.text()
        lines = text.splitlines()
        source.handed_out([line.removeprefix("#### ").removeprefix(START) for line in lines])
        for started, said in _sessions(lines):
            found = _read(started, said, source)
            if found.has_messages:
                place += 1
                yield Loaded(found.conversation(), self.name, layout=Layout.TEXT, place=place)


def _sessions(text: list[str]) -> Iterator[tuple[str, list[str]]]:
    started, lines = "", list[str]()
    for line in text:
        if line.startswith(START):
            yield started, lines
            started, lines = line.removeprefix(START).strip(), []
        else:
            lines.append(line)
    yield started, lines


def _drafts(lines: list[str]) -> tuple[list[str], list[_Draft]]:
    """Return what the program said first, and the messages."""
    head: list[str] = []
    drafts: list[_Draft] = []
    is_open = False
    for line in lines:
        if line.startswith("#### "):
            if not is_open or drafts[-1].role != "user":
                drafts.append(_Draft("user"))
            drafts[-1].lines.append(line.removeprefix("#### "))
            is_open = True
        elif line.startswith("> ") or line.rstrip() == ">":
            (drafts[-1].notes if drafts else head).append(line)
            is_open = False
        elif is_open and drafts[-1].role == "assistant":
            drafts[-1].lines.append(line)
        elif line.strip():
            drafts.append(_Draft("assistant", [line]))
            is_open = True
        else:
            is_open = False
    return head, drafts


def _read(started: str, lines: list[str], source: Source) -> TranscriptBuilder:
    builder = TranscriptBuilder(NOTES, source.collector)
    head, drafts = _drafts(lines)
    builder.fields = {"started": started, **({"notes": head} if head else {})}
    time = read_timestamp(started)
    model = _model(head)
    for draft in drafts:
        model = _model(draft.notes) or model
        notes: Row = {"notes": draft.notes} if draft.notes else {}
        text = draft.text
        if builder.title is None and draft.role == "user":
            builder.title = short(text)
        calls = [call for line in draft.notes for call in _calls(line, time, model)]
        is_answer = draft.role == "assistant"
        builder.add([message(NOTES, draft.role, text, notes)], calls=calls if is_answer else ())
        if not is_answer and CLEARING.match(text):
            builder.add(act=hiding(text.split()[0]))
        if calls and not is_answer:
            builder.add(calls=calls)
    return builder


def _model(notes: list[str]) -> str | None:
    found = [match[1] for line in notes if (match := MODEL.match(line))]
    return found[-1] if found else None


def _calls(line: str, time: int | None, model: str | None) -> list[Row]:
    """Return the call that a line is about; its figures are rounded."""
    match = TOKENS.match(line)
    if match is None:
        return []
    usage = {"input": _number(match[1]), "output": _number(match[3])}
    for count, kind in CACHED.findall(match[2]):
        usage["cached" if kind == "hit" else "written"] = _number(count)
    wire = {"aider": {"line": line.removeprefix("> ").rstrip(), "isRounded": True}}
    return [
        {"usage": usage, "time": time or 0, "wire": wire, **({"model": model} if model else {})}
    ]


def _number(text: str) -> int:
    plain = text.replace(",", "")
    scale = THOUSAND if plain.endswith("k") else 1
    return round(float(plain.removesuffix("k") or 0) * scale)
