"""Rows of training data: a prompt with one answer, with a chosen and a rejected one, or with more.

Each shape of row is one class, which reads and writes it; a format is a list of shapes. Texts and
lists of messages are written again in the form in which they were.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..conversation.conversation import Conversation
from ..engine.messages import Message, TextPart
from ..errors import Refused, wrong_type
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, ReadOnly, Written, read_rows
from .detection import DATA_ROWS
from .fields import is_object
from .format_metadata import inner, without
from .hf import ValuedReader, ValuedWriter
from .losses import conversation_losses
from .openai import ChatDialect, read_chat, write_chat
from .pairs import (
    CHOSEN,
    PREFERENCE,
    REJECTED,
    Numbered,
    PairAnswer,
    as_text,
    build_pair,
    shared_start,
    sides_of,
)
from .sharegpt import NAMES, ShareGPT, SpeakerReader, SpeakerWriter
from .tools import META_KEY, ToolList, in_a_row
from .warnings import WarningCollector

NOTES = ChatDialect(
    "rows", object_arguments=True, pairs=True, thinking=("reasoning_content", "reasoning")
)
TOOLS = ToolList(NOTES.key, wrapped=True, as_text=False)
SIDES = (CHOSEN, REJECTED)
TEXT, LIST, VALUED, SPOKEN, ONE, SPOKEN_ONE, TURNS = (
    *("text", "messages", "valued messages", "spoken rows"),
    *("one message", "one spoken row", "turns"),
)
"""The forms of a prompt or an answer."""
SHAPE, FORMS = "shape", "forms"
"""The keys of what is noted of a row."""
LENGTH = "prompt"
SHAREGPT = ShareGPT()
Row = dict[str, Any]
Said = Sequence[Numbered]


def read_side(
    value: object, key: str, role: Role, warnings: WarningCollector
) -> tuple[list[Message], str]:
    """Return the messages of a prompt or an answer, and the form it was in."""
    match value:
        case str():
            return [NOTES.message(role, value, {})], TEXT
        case list():
            form = _form_of_list(value)
            return _read_list(value, form, warnings), form
        case {"role": str()}:
            return _read_list([value], LIST, warnings), ONE
        case {"from": str()}:
            return _read_list([value], SPOKEN, warnings), SPOKEN_ONE
    raise wrong_type(key, value, "a text or a list of messages")


def write_side(said: Said, form: object, role: Role, warnings: WarningCollector) -> Any:
    """Return a prompt or an answer in the form it had, as long as that can hold it."""
    text = as_text(said, role) if form == TEXT else None
    if text is not None:
        return text
    if form in (SPOKEN, SPOKEN_ONE):
        rows: list[Any] = _spoken(said, warnings)
        return rows[0] if form == SPOKEN_ONE and len(rows) == 1 else rows
    if form == VALUED:
        writer = ValuedWriter()
        rows = [row for raw, message in said for row in writer.write(raw, message)]
        adapted = writer.warnings.found()
    else:
        rows, adapted = write_chat(said, NOTES)
    for warning in adapted:
        warnings.include(warning)
    return rows[0] if form == ONE and len(rows) == 1 else rows


def _form_of_list(rows: list[Any]) -> str:
    first = next(filter(is_object, rows), {})
    if "from" in first:
        return SPOKEN
    parts = (row.get("content") for row in rows if is_object(row))
    is_valued = any(
        is_object(part) and {"type", "value"} <= part.keys()
        for content in parts
        if isinstance(content, list)
        for part in content
    )
    return VALUED if is_valued else LIST


def _read_list(rows: list[Any], form: str, warnings: WarningCollector) -> list[Message]:
    if form == SPOKEN:
        return SpeakerReader(NAMES, warnings).read(rows, None)
    if form == VALUED:
        reader = ValuedReader(in_a_row(rows))
        messages, adapted = read_rows(rows, reader.read, reader.warnings), reader.warnings.found()
    else:
        found, adapted = read_chat(rows, NOTES)
        messages = list(found)
    for warning in adapted:
        warnings.include(warning)
    return messages


def _spoken(said: Said, warnings: WarningCollector) -> list[Row]:
    prompt, rows = SpeakerWriter(NAMES, warnings).write(said)
    return rows if prompt is None else [{"from": "system", "value": prompt}, *rows]


@dataclass(slots=True)
class RowParts:
    """What a row is made of; ``best`` is the name of the current one of several answers.

    With one answer that has no name, all is one list of messages, of which ``prompt`` is the first
    part. ``rest`` are its other fields.
    """

    prompt: list[Message]
    answers: list[PairAnswer]
    rest: Row
    forms: Row = field(default_factory=dict)
    best: str = CHOSEN


@dataclass(slots=True)
class RowSides:
    """What of a conversation is written as a row."""

    prompt: Said
    answers: Mapping[str, Said]
    fields: Mapping[str, Row]
    forms: Row
    rest: Row
    warnings: WarningCollector


class RowShape(ABC):
    """One shape of row. ``pairs`` is whether it has several answers."""

    name: str
    pairs: bool = True

    @abstractmethod
    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row has this shape."""

    @abstractmethod
    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        """Return what a row is made of, or refuse it."""

    @abstractmethod
    def write(self, sides: RowSides) -> Row:
        """Return the row, without its other fields."""


def _split_fields(rest: Row) -> tuple[Row, dict[str, Row]]:
    """Return the fields of a row, and those that are about one of its answers."""
    about: dict[str, Row] = {side: {} for side in SIDES}
    for key in list(rest):
        side = next((one for one in SIDES if key.endswith(f"_{one}") or key == f"{one}_score"), "")
        if side or key in (f"{one}_rating" for one in SIDES):
            about[side or key.partition("_")[0]][key] = rest.pop(key)
    return rest, about


class PromptShape(RowShape):
    """A row with a prompt under one key and its answers under others.

    ``more`` is the key of what the prompt is about. A row must have the keys it ``needs`` and none
    that it ``lacks``; a strict one has few others. ``usual`` is the form for rows read elsewhere.
    """

    def __init__(
        self,
        prompt: str,
        *answers: str,
        more: str = "",
        needs: Sequence[str] = (),
        lacks: Sequence[str] = (),
        is_strict: bool = False,
        usual: str = LIST,
    ) -> None:
        self.name = " ".join((prompt, *answers))
        self.prompt, self.more, self.needs, self.lacks = prompt, more, needs, lacks
        self.pairs = len(answers) > 1
        self.answers = dict(zip(SIDES, answers, strict=False)) if self.pairs else {"": answers[0]}
        self.is_strict, self.usual = is_strict, usual

    def fits(self, row: Mapping[str, Any]) -> bool:
        keys = (self.prompt, *self.answers.values())
        if not all(isinstance(row.get(key), str | list | dict) for key in keys):
            return False
        if not all(key in row for key in self.needs) or any(key in row for key in self.lacks):
            return False
        if self.pairs and isinstance(row[self.prompt], str) and _is_whole(row[keys[1]]):
            return False
        return not self.is_strict or row.keys() <= {*keys, *BESIDE}

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        forms: Row = {}
        known = [self.prompt, *self.answers.values()]
        prompt, forms["prompt"] = read_side(row.get(self.prompt), self.prompt, "user", warnings)
        if self.more and self.more in row:
            known.append(self.more)
            prompt = [_with_more(prompt, row[self.more], forms)]
        if forms["prompt"] == TEXT:
            before = _before(row, forms)
            known += [key for key in ("system", "history") if key in forms]
            prompt = [*before, *prompt]
        answers = []
        for name, key in self.answers.items():
            said, forms[name] = read_side(row.get(key), key, "assistant", warnings)
            answers.append(PairAnswer(name, said))
        return RowParts(prompt, answers, without(row, *known), forms)

    def write(self, sides: RowSides) -> Row:
        forms, prompt = sides.forms, list(sides.prompt)
        row: Row = {}
        if "system" in forms and prompt and (text := as_text(prompt[:1], "system")) is not None:
            row["system"], prompt = text, prompt[1:]
        pairs = prompt[:-1]
        if "history" in forms:
            texts = [as_text([one], ASKING[at % 2]) for at, one in enumerate(pairs)]
            if len(texts) % 2 == 0 and None not in texts:
                row["history"] = [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]
                prompt = prompt[-1:]
        if self.more and prompt and (MORE in forms or forms.get("prompt") is None):
            row |= _split_more(self.prompt, self.more, prompt, forms)
        if self.prompt not in row:
            row[self.prompt] = write_side(
                prompt, forms.get("prompt", self.usual), "user", sides.warnings
            )
        for name, key in self.answers.items():
            said = sides.answers.get(name, ())
            form = forms.get(name, self.usual)
            row[key] = write_side(said, form, "assistant", sides.warnings)
        return row


BESIDE = ("id", "source", "system", "tools", "metadata", "category")
"""Keys that rows of a bare question and an answer may have in addition."""
MORE = "more"
ASKING: tuple[Role, Role] = ("user", "assistant")


def _is_whole(value: object) -> bool:
    """Return whether an answer begins with the prompt that it is to."""
    match value:
        case [{"role": str(role)}, _, *_]:
            return role != "assistant"
    return False


def _with_more(prompt: list[Message], more: object, forms: Row) -> Message:
    """Return a prompt with what it is about, as a part of its own."""
    if not isinstance(more, str | None) or len(prompt) != 1 or forms["prompt"] != TEXT:
        raise wrong_type("input", more, "text")
    forms[MORE] = None if more is None else "text" if more else "empty"
    if not more:
        return prompt[0]
    return NOTES.message("user", [TextPart(prompt[0].text), TextPart(more)], {})


def _split_more(first: str, second: str, prompt: Said, forms: Row) -> Row:
    parts = prompt[0][1].parts if len(prompt) == 1 else ()
    match parts:
        case (TextPart(text=text), TextPart(text=more)):
            return {first: text, second: more}
        case (TextPart(text=text),) if MORE in forms:
            return {first: text, second: None if forms[MORE] is None else ""}
    return {}


def _before(row: Mapping[str, Any], forms: Row) -> list[Message]:
    """Return the messages of a system prompt and of a history of pairs of texts."""
    found: list[Message] = []
    system, history = row.get("system"), row.get("history")
    if isinstance(system, str) and system:
        forms["system"] = TEXT
        found.append(NOTES.message("system", system, {}))
    if isinstance(history, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)  # noqa: PLR2004
        for pair in history
    ):
        forms["history"] = LIST
        found += [
            NOTES.message(role, text, {})
            for pair in history
            for role, text in zip(ASKING, pair, strict=True)
        ]
    return found


SPEAKER = re.compile(r"\n\n(Human|Assistant):")
MARKS = re.compile(r"(?:^|\n)[^\n:]{1,30}:\s?|\n|\s")
"""Where a text may be cut: behind who speaks, at a line, at a blank."""


class WholeShape(RowShape):
    """A row with two whole conversations, which begin alike: that is the prompt."""

    def __init__(self, chosen: str, rejected: str, *, valued: bool = False) -> None:
        self.name = f"{chosen} {rejected}"
        self.keys = {CHOSEN: chosen, REJECTED: rejected}
        self.usual = VALUED if valued else LIST

    def fits(self, row: Mapping[str, Any]) -> bool:
        first, second = (row.get(key) for key in self.keys.values())
        if isinstance(first, str) and isinstance(second, str):
            return not any(key in row for key in ("prompt", "question", "instruction", "input"))
        is_asked = "prompt" not in row or (isinstance(row["prompt"], str) and _is_whole(first))
        is_other = any(key in row for key in ("conversations", "question", "instruction"))
        return _is_list(first) and _is_list(second) and is_asked and not is_other

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        first, second = (row.get(key) for key in self.keys.values())
        rest, forms = without(row, *self.keys.values()), dict[str, Any]()
        if isinstance(first, str) and isinstance(second, str):
            prompt, answers, forms["prompt"] = _split_texts(first, second)
        else:
            talks = [
                read_side(given, key, "assistant", warnings)
                for given, key in zip((first, second), self.keys.values(), strict=True)
            ]
            (one, forms["prompt"]), (other, _) = talks
            at = shared_start(one, other)
            prompt, answers = one[:at], [one[at:], other[at:]]
            for key, value in (("prompt", _last_text(prompt)), ("messages", first)):
                if key in rest and rest[key] == value and value is not None:
                    del rest[key]
                    forms[f"has {key}"] = True
        named = [PairAnswer(name, said) for name, said in zip(SIDES, answers, strict=True)]
        return RowParts(prompt, named, rest, forms)

    def write(self, sides: RowSides) -> Row:
        forms, prompt = sides.forms, list(sides.prompt)
        row: Row = {}
        for name, key in self.keys.items():
            whole = [*prompt, *sides.answers.get(name, ())]
            written = _joined_text(whole, forms.get("prompt"))
            form = forms.get("prompt") if forms.get("prompt") not in (TEXT, TURNS) else LIST
            if written is None:
                written = write_side(whole, form or self.usual, "assistant", sides.warnings)
            row[key] = written
        if forms.get("has prompt"):
            row["prompt"] = _last_text([message for _, message in prompt])
        if forms.get("has messages"):
            row["messages"] = row[self.keys[CHOSEN]]
        return row


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_object, value))


def _last_text(messages: Sequence[Message]) -> str | None:
    asked = [message.text for message in messages if message.role == "user"]
    return asked[-1] if asked else None


def _split_texts(first: str, second: str) -> tuple[list[Message], list[list[Message]], str]:
    """Return the common start of two texts and what each adds to it."""
    if SPEAKER.match(first) and SPEAKER.match(second):
        one, other = _turns(first), _turns(second)
        at = shared_start(one, other)
        return one[:at], [one[at:], other[at:]], TURNS
    most = min(len(first), len(second))
    same = next((at for at in range(most) if first[at] != second[at]), most)
    ends = [found.end() for found in MARKS.finditer(first, 0, same)]
    marked = [
        found.end() for found in MARKS.finditer(first, 0, same) if not found[0].isspace()
    ] or [found.end() for found in MARKS.finditer(first, 0, same) if "\n" in found[0]]
    at = (marked or ends or [0])[-1]
    prompt = [NOTES.message("user", first[:at], {})] if at else []
    answers = [[NOTES.message("assistant", text[at:], {})] for text in (first, second)]
    return prompt, answers, TEXT


def _turns(text: str) -> list[Message]:
    """Return the messages of a text in which speakers take turns; it begins with one."""
    pieces = SPEAKER.split(text)[1:]
    found = []
    for who, said in zip(pieces[::2], pieces[1::2], strict=True):
        role: Role = "user" if who == "Human" else "assistant"
        is_usual = said.startswith(" ")
        notes = {} if is_usual else {"bare": True}
        found.append(NOTES.message(role, said[1:] if is_usual else said, notes))
    return found


def _joined_text(said: Said, form: object) -> str | None:
    """Return a whole conversation as a text again; None where it is no such text any more."""
    texts = [as_text([one], one[1].role) for one in said]
    if form not in (TEXT, TURNS) or None in texts:
        return None
    if form == TEXT:
        return "".join(map(str, texts))
    if any(message.role not in ASKING for _, message in said):
        return None
    names: dict[Role, str] = {"user": "Human", "assistant": "Assistant"}
    return "".join(
        f"\n\n{names[message.role]}:{'' if NOTES.of(message.metadata).get('bare') else ' '}{text}"
        for (_, message), text in zip(said, texts, strict=True)
    )


class OpenAIPair(RowShape):
    """What OpenAI's preference fine-tuning takes."""

    name = "preferred output"
    keys: ClassVar[Row] = {CHOSEN: "preferred_output", REJECTED: "non_preferred_output"}

    def fits(self, row: Mapping[str, Any]) -> bool:
        return is_object(row.get("input")) and all(key in row for key in self.keys.values())

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        given = row.get("input")
        if not is_object(given):
            raise wrong_type("input", given, "an object with messages")
        prompt, _ = read_side(given.get("messages"), "input.messages", "user", warnings)
        answers = [
            PairAnswer(name, read_side(row.get(key), key, "assistant", warnings)[0])
            for name, key in self.keys.items()
        ]
        rest = without(row, "input", *self.keys.values())
        if "tools" in given:
            rest[META_KEY] = given["tools"]
        forms = {"input": without(given, "messages", "tools")}
        return RowParts(prompt, answers, rest, forms)

    def write(self, sides: RowSides) -> Row:
        asked = {"messages": write_side(sides.prompt, LIST, "user", sides.warnings)}
        tools = {"tools": sides.rest.pop(META_KEY)} if META_KEY in sides.rest else {}
        row: Row = {"input": {**asked, **tools, **inner(sides.forms, "input")}}
        for name, key in self.keys.items():
            said = sides.answers.get(name, ())
            row[key] = write_side(said, LIST, "assistant", sides.warnings)
        return row


class UltraFeedbackShape(RowShape):
    """An instruction with completions of several models, and what is said of each."""

    name = "instruction completions"

    def fits(self, row: Mapping[str, Any]) -> bool:
        return isinstance(row.get("instruction"), str) and _is_list(row.get("completions"))

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        prompt, _ = read_side(row.get("instruction"), "instruction", "user", warnings)
        given = row.get("completions")
        if not isinstance(given, list) or not all(map(is_object, given)):
            raise wrong_type("completions", given, "a list of objects with a response")
        scores = [_score(one) for one in given]
        best = max(range(len(given)), key=lambda at: (scores[at], -at)) if given else 0
        names = [f"answer {at + 1}" for at in range(len(given))]
        if len(given) == len(SIDES):
            names = [CHOSEN if at == best else REJECTED for at in range(len(given))]
        answers = []
        for name, one in zip(names, given, strict=True):
            said, _ = read_side(one.get("response"), "response", "assistant", warnings)
            answers.append(PairAnswer(name, said, without(one, "response")))
        rest = without(row, "instruction", "completions")
        forms = {"order": names}
        return RowParts(prompt, answers, rest, forms, names[best] if names else CHOSEN)

    def write(self, sides: RowSides) -> Row:
        order = sides.forms.get("order")
        names = order if isinstance(order, list) else list(sides.answers)
        completions = [
            {
                "response": write_side(sides.answers[name], TEXT, "assistant", sides.warnings),
                **sides.fields.get(name, {}),
            }
            for name in names
            if name in sides.answers
        ]
        asked = write_side(sides.prompt, TEXT, "user", sides.warnings)
        return {"instruction": asked, "completions": completions}


def _score(completion: Mapping[str, Any]) -> float:
    scores = (completion.get(key) for key in ("overall_score", "fine-grained_score"))
    return next((float(one) for one in scores if isinstance(one, int | float)), 0.0)


class ChatShape(RowShape):
    """A whole conversation under one key, with a label next to it."""

    pairs = False

    def __init__(self, key: str, *labels: str) -> None:
        self.name, self.key, self.labels = key, key, labels

    def fits(self, row: Mapping[str, Any]) -> bool:
        is_labelled = any(isinstance(row.get(label), bool) for label in self.labels)
        return is_labelled and _is_list(row.get(self.key))

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        said, form = read_side(row.get(self.key), self.key, "user", warnings)
        return RowParts(said, [], without(row, self.key), {"prompt": form})

    def write(self, sides: RowSides) -> Row:
        whole = [*sides.prompt, *sides.answers.get("", ())]
        written = write_side(whole, sides.forms.get("prompt", LIST), "user", sides.warnings)
        label = {} if any(key in sides.rest for key in self.labels) else {self.labels[0]: True}
        return {self.key: written, **label}


class EvaluationShape(RowShape):
    """A prompt alone, with what is the right answer next to it."""

    name, pairs = "input ideal", False

    def fits(self, row: Mapping[str, Any]) -> bool:
        return _is_list(row.get("input")) and "ideal" in row

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        said, form = read_side(row.get("input"), "input", "user", warnings)
        return RowParts(said, [], without(row, "input"), {"prompt": form})

    def write(self, sides: RowSides) -> Row:
        raise NotImplementedError


class StepShape(RowShape):
    """A prompt with the steps to its answer, each with a label."""

    name, pairs = "prompt completions labels", False

    def fits(self, row: Mapping[str, Any]) -> bool:
        steps, labels = row.get("completions"), row.get("labels")
        return isinstance(steps, list) and isinstance(labels, list) and "prompt" in row

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        prompt, form = read_side(row.get("prompt"), "prompt", "user", warnings)
        steps = row.get("completions")
        if not isinstance(steps, list):
            raise wrong_type("completions", steps, "a list of texts")
        said: list[Message] = []
        for step in steps:
            said += read_side(step, "completions", "assistant", warnings)[0]
        return RowParts(
            prompt, [PairAnswer("", said)], without(row, "prompt", "completions"), {"prompt": form}
        )

    def write(self, sides: RowSides) -> Row:
        prompt = write_side(sides.prompt, sides.forms.get("prompt", TEXT), "user", sides.warnings)
        steps = [
            write_side([one], TEXT, "assistant", sides.warnings)
            for one in sides.answers.get("", ())
        ]
        return {"prompt": prompt, "completions": steps}


class DataRows(JsonFormat):
    """Rows of some shapes; the first one is written where the conversation came from elsewhere.

    Keys that no shape knows are other fields, but those about one answer are its own; tools are
    kept in ``meta.tools``. ``is_closed`` is whether a row may have no other keys.
    """

    kinds = (DATA_ROWS,)
    shapes: ClassVar[tuple[RowShape, ...]]
    is_closed: ClassVar[bool] = False

    def confidence_of(self, value: object) -> Confidence:
        return Confidence.LIKELY if self._shape_of(value) is not None else Confidence.NO

    def _shape_of(self, value: object) -> RowShape | None:
        if not is_object(value):
            return None
        return next((shape for shape in self.shapes if shape.fits(value)), None)

    def read_one(self, value: Any) -> Loaded:
        shape = self._shape_of(value)
        if shape is None:
            raise Refused(f"it is no row that {self.name} has: {self.about}", field="row")
        return self._read_as(shape, value)

    def _read_as(self, shape: RowShape, value: Row) -> Loaded:
        warnings = WarningCollector()
        parts = shape.read(value, warnings)
        meta, layout, rest = TOOLS.read(parts.rest)
        layout |= {SHAPE: shape.name, FORMS: parts.forms}
        if not shape.pairs:
            layout[LENGTH] = len(parts.prompt)
            fields, messages = rest, [*parts.prompt]
            for answer in parts.answers:
                messages += answer.messages
            talk = Conversation(messages, meta={**meta, **NOTES.meta(layout, fields)})
            return Loaded(talk, self.name, warnings.found())
        fields, about = _split_fields(rest)
        answers = [
            PairAnswer(one.name, one.messages, {**one.fields, **about.get(one.name, {})})
            for one in parts.answers
        ]
        meta |= NOTES.meta(layout, fields)
        if not answers:
            return Loaded(Conversation(parts.prompt, meta=meta), self.name, warnings.found())
        talk = build_pair(parts.prompt, answers, meta, parts.best)
        return Loaded(talk, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        meta, notes = conversation.meta, NOTES.of(conversation.meta)
        warnings = WarningCollector()
        named = (one for one in self.shapes if one.name == notes.get(SHAPE))
        sides = sides_of(conversation)
        is_pair = sides is not None
        usual = next((one for one in self.shapes if one.pairs == is_pair), self.shapes[0])
        shape = next(named, usual)
        is_own = shape.name == notes.get(SHAPE)
        fields = {} if self.is_closed and not is_own else NOTES.fields_of(meta)
        tools, lost = TOOLS.write(meta)
        forms = inner(notes, FORMS) if is_own else {}
        given = RowSides((), {}, {}, forms, {**tools, **fields}, warnings)
        if sides is not None and shape.pairs:
            given.prompt, given.answers, given.fields = sides.prompt, sides.answers, sides.fields
        else:
            visible = list(zip(conversation.view, conversation.visible, strict=True))
            at = _end_of_prompt(visible, notes.get(LENGTH) if is_own else None)
            given.prompt = visible[:at]
            given.answers = {CHOSEN if shape.pairs else "": visible[at:]}
            if shape.pairs and shape.name != UltraFeedbackShape.name:
                warnings.add("no-rejected-answer")
        row = shape.write(given)
        if not isinstance(shape, UltraFeedbackShape):
            for about in given.fields.values():
                row |= {key: one for key, one in about.items() if key not in row}
        data = {**row, **without(given.rest, *row)}
        is_pair = shape.pairs and is_pair and not self.is_closed
        again = self._read_as(shape, data).conversation if is_pair else None
        held = (*NOTES.held(meta), META_KEY, *((PREFERENCE,) if is_pair else ()))
        losses = conversation_losses(conversation, *held, again=again)
        return Written(data, (*losses, *lost, *warnings.found()))


def _end_of_prompt(said: Said, noted: object) -> int:
    """Return where the answer begins: as it was read, or behind the last user message."""
    if type(noted) is int and 0 <= noted <= len(said):
        return noted
    asked = [at for at, (_, message) in enumerate(said) if message.role in ("user", "system")]
    return asked[-1] + 1 if asked else 0


class TRL(DataRows):
    """Rows as trainers of TRL take them; the prompt is a key of its own."""

    name = "trl"
    about = "TRL data: a prompt with chosen and rejected, with a labelled completion, or with steps"
    suffixes = (".trl.jsonl",)
    shapes = (
        PromptShape("prompt", *SIDES),
        PromptShape("prompt", "completion", needs=("label",)),
        StepShape(),
    )


class TRLImplicit(DataRows):
    """Rows of two conversations with the same start, as of TRL, HH or binarized UltraFeedback."""

    name = "trl-implicit"
    about = "preference data whose chosen and rejected are whole conversations"
    shapes = (WholeShape(*SIDES),)


class UltraFeedback(DataRows):
    """Rows of an instruction with the scored answers of several models."""

    name = "ultrafeedback"
    about = "UltraFeedback: an instruction with scored completions"
    shapes = (UltraFeedbackShape(),)


class LlamaFactory(DataRows):
    """Rows of two answers as LLaMA-Factory has them, beside those of ShareGPT."""

    name = "llamafactory"
    about = "LLaMA-Factory preference data: Alpaca rows or messages with two answers"
    shapes = (
        PromptShape("instruction", *SIDES, more="input", usual=TEXT),
        WholeShape("chosen_messages", "rejected_messages", valued=True),
        PromptShape("question", "response_chosen", "response_rejected", usual=TEXT),
        PromptShape("question", *SIDES, usual=TEXT),
    )

    def read_one(self, value: Any) -> Loaded:
        """Return the pair of a row; what is written here of others' pairs is ShareGPT's."""
        if self._shape_of(value) is None:
            return replace(SHAREGPT.read_one(value), format=self.name)
        return super().read_one(value)

    def write(self, conversation: Conversation) -> Written:
        noted = NOTES.of(conversation.meta).get(SHAPE)
        is_own = any(shape.name == noted for shape in self.shapes)
        return super().write(conversation) if is_own else SHAREGPT.write(conversation)


class LlamaFactoryKTO(DataRows):
    """Rows of a conversation that is good or bad."""

    name = "llamafactory-kto"
    about = "LLaMA-Factory KTO data: a conversation with a label"
    shapes = (ChatShape("messages", "label", "kto_tag"),)


class OpenAIPreference(DataRows):
    """Rows as OpenAI takes them for preference fine-tuning."""

    name = "openai-dpo"
    about = "OpenAI preference data: input with a preferred and another output"
    shapes = (OpenAIPair(),)
    is_closed = True


class OpenAIEvals(ReadOnly, DataRows):
    """Rows of a prompt with what would be the right answer."""

    name = "openai-evals"
    about = "OpenAI evals samples: input with what is ideal"
    shapes = (EvaluationShape(),)


class Dolly(DataRows):
    """Rows of an instruction, what it is about, and the response."""

    name = "dolly"
    about = "Dolly data: instruction, context and response"
    shapes = (
        PromptShape("instruction", "response", more="context", needs=("context",), usual=TEXT),
    )


class PromptCompletion(DataRows):
    """Rows of one question and its answer, under any of their usual names."""

    name = "prompt-completion"
    about = "prompts with a completion, questions with an answer"
    shapes = (
        PromptShape("prompt", "completion", lacks=("label", "reward", "example_id")),
        PromptShape("question", "answer", is_strict=True),
        PromptShape("input", "output", is_strict=True),
        PromptShape("query", "response", is_strict=True),
        PromptShape("instruction", "response", is_strict=True),
    )
