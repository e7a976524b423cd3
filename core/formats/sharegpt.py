"""Rows of who said what, as ShareGPT has them: to and from core messages.

A call and its result are rows of their own, without an id: results answer calls in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, Part, TextPart, ToolResultPart, ToolUsePart
from ..errors import wrong_type
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, read_rows, rows_in, split_rows
from .detection import SHAREGPT, has_chat
from .fields import is_object
from .format_metadata import ABSENT, NULL, FormatMetadata, merged, without
from .losses import Holds, conversation_losses
from .pairs import CHOSEN, PREFERENCE, REJECTED, PairAnswer, build_pair, sides_of
from .tools import (
    META_KEY,
    ToolList,
    UnansweredCalls,
    has_id,
    in_a_row,
    read_call_text,
    read_grouped,
    write_call_text,
    write_unnamed,
)
from .warnings import WarningCollector, kept_keys, kind_name

NOTES = FormatMetadata("sharegpt")


def _holds(part: Part, _role: Role) -> bool:
    return isinstance(part, TextPart | ToolUsePart)


LOSSES = Holds(NOTES, _holds, named=partial(has_id, NOTES))
Keys = tuple[str, str]
Row = dict[str, Any]
NAMES: Keys = ("from", "value")
OTHER_NAMES: Keys = ("role", "content")
"""The keys of who and what; the others are found in the wild too."""
SYSTEM = "system"
CALL = "function_call"
CALLS = (CALL, "tool_call")
RESULTS = ("observation", "tool", "function", "ipython", "function_response", "tool_response")
SPEAKERS: dict[str, Role] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bing", "bard", *CALLS), "assistant"),
    **dict.fromkeys((SYSTEM, "developer"), "system"),
    **dict.fromkeys(RESULTS, "tool"),
}
"""The roles of speakers; any other is read as a user."""
USUAL: dict[Keys, dict[Role, str]] = {
    NAMES: {"user": "human", "assistant": "gpt", "system": SYSTEM, "tool": "observation"},
    OTHER_NAMES: {"user": "user", "assistant": "assistant", "system": SYSTEM, "tool": "tool"},
}
BESIDE = "beside"
"""The key of a system message that was next to the rows."""
FORM = "value"
WHO = "from"


class SpeakerReader:
    """Reads row after row, and remembers which calls wait for a result."""

    def __init__(self, keys: Keys, warnings: WarningCollector) -> None:
        self.warnings = warnings
        self._keys = keys
        self._pending = UnansweredCalls()
        self._in_a_row: list[int] = []

    def read(self, rows: Sequence[object], prompt: str | None) -> list[Message]:
        """Return the messages of all rows that can be read, or refuse the first."""
        self._in_a_row = in_a_row(rows, self._keys[0], RESULTS)
        messages = read_rows(rows, self._read_one, self.warnings, "rows")
        if prompt is None:
            return messages
        return [NOTES.message("system", prompt, {BESIDE: True}), *messages]

    def _read_one(self, row: object, place: int) -> Message:
        who_key, what_key = self._keys
        if not is_object(row):
            raise wrong_type("row", row, f"an object with {who_key} and {what_key}")
        who, what = row.get(who_key), row.get(what_key)
        if not isinstance(who, str):
            raise wrong_type(who_key, who, "text")
        notes = without(row, who_key, what_key)
        if notes:
            self.warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
        if what is None:
            notes[FORM] = NULL if what_key in row else ABSENT
        elif not isinstance(what, str):
            raise wrong_type(what_key, what, "text")
        role = SPEAKERS.get(who, "user")
        if who not in SPEAKERS:
            self.warnings.add("speaker-unknown", place, kind_name(who))
        content = self._content(who, role, what or "", notes, place)
        is_call = bool(content) and isinstance(content[0], ToolUsePart)
        if who != (CALL if is_call else USUAL[self._keys][role]):
            notes[WHO] = who
        return NOTES.message(role, content, notes)

    def _content(
        self, who: str, role: Role, what: str, notes: Row, place: int
    ) -> str | Sequence[Part]:
        if who in CALLS and what:
            calls = read_call_text(NOTES, what, place, self.warnings)
            if calls:
                for call in calls:
                    self._pending.call(call.id, call.name)
                if write_call_text(NOTES, calls, None) != what:
                    notes[FORM] = what
                return calls
        if role == "tool":
            results = self._in_a_row[place]
            parts = read_grouped(NOTES, what, self._pending, results, place, self.warnings)
            if parts:
                return parts
            id = self._pending.answer()
            if id is not None:
                return [ToolResultPart(id, what)]
        else:
            self._pending.forget()
        return what


class SpeakerWriter:
    """Writes message after message; one of core may be several rows."""

    def __init__(self, keys: Keys, warnings: WarningCollector) -> None:
        self.warnings = warnings
        self._keys = keys
        self._pending = UnansweredCalls()

    def write(self, messages: Iterable[tuple[int, Message]]) -> tuple[str | None, list[Row]]:
        """Return the system prompt to be written next to the rows, and the rows."""
        prompt: str | None = None
        rows: list[Row] = []
        for raw, message in messages:
            LOSSES.report(message, raw, self.warnings)
            if sum(isinstance(part, TextPart) for part in message.parts) > 1:
                self.warnings.add("texts-joined", raw)
            notes = NOTES.of(message.metadata)
            if notes.get(BESIDE) and prompt is None and not rows and message.role == "system":
                prompt = _joined(message.parts)
                continue
            rows += self._rows(raw, message, without(notes, BESIDE))
        return prompt, rows

    def _rows(self, raw: int, message: Message, notes: Row) -> list[Row]:
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        calls = [part for part in message.parts if isinstance(part, ToolUsePart)]
        calls = calls if message.role == "assistant" else []
        texts = [part for part in message.parts if isinstance(part, TextPart)]
        usual = USUAL[self._keys]
        answers = write_unnamed(NOTES, results, self._pending, raw, self.warnings)
        rows = [self._row(usual["tool"], _joined(answer)) for answer in answers]
        if _joined(texts) or not (results or calls):
            self._pending.forget()
            rows.append(self._row(usual[message.role], _joined(texts)))
        if calls:
            for call in calls:
                self._pending.call(call.id, call.name)
            rows.append(self._row(CALL, write_call_text(NOTES, calls, notes.get(FORM))))
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        who = notes.get(WHO)
        if isinstance(who, str) and SPEAKERS.get(who, "user") == message.role:
            named = rows[-1] if who in CALLS else rows[0]
            if (named[self._keys[0]] == CALL) <= (who in CALLS):
                named[self._keys[0]] = who
        first = rows[0]
        if notes.get(FORM) in (ABSENT, NULL) and not first[self._keys[1]]:
            del first[self._keys[1]]
            if notes[FORM] == NULL:
                first[self._keys[1]] = None
        rows[0] = merged(first, without(notes, WHO, FORM, *self._keys))
        return rows

    def _row(self, who: str, what: str) -> Row:
        return dict(zip(self._keys, (who, what), strict=True))


def _joined(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart))


TOOLS = ToolList("sharegpt", wrapped=False, as_text=True)
ROWS = "conversations"
ANSWERS = "answers"
"""The stored form of the answers of a pair, where they were texts."""
BARE = "bare"
"""The stored form of rows that were not in an object; else it is their keys."""
FIRST = 5
"""Rows by which the keys are detected."""


class ShareGPT(JsonFormat):
    """Rows of ``{from, value}``, a system prompt, tools as JSON text, perhaps a pair of answers.

    Keys next to the rows are other fields, tools are kept in ``meta.tools``.
    """

    name = "sharegpt"
    about = "ShareGPT data: rows of {from, value}"
    suffixes = (".sharegpt.json", ".sharegpt.jsonl")
    kinds = (SHAREGPT,)

    def confidence_of(self, value: object) -> Confidence:
        rows = rows_in(value, ROWS)
        if rows is None or has_chat(value):
            return Confidence.NO
        found = [row for row in rows[:FIRST] if is_object(row)]
        speakers = [row.get(key) for row in rows if is_object(row) for key in (WHO, "role")]
        if not any(isinstance(one, str) and one in SPEAKERS for one in speakers):
            return Confidence.NO
        if any(all(key in row for key in NAMES) for row in found):
            return Confidence.LIKELY
        is_other = any(all(key in row for key in OTHER_NAMES) for row in found)
        return Confidence.LIKELY if is_other and rows is not value else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        rows, others = split_rows(value, ROWS, "a list of rows with from and value")
        is_bare = rows is value
        keys = _keys_of(rows)
        meta, layout, fields = TOOLS.read(others)
        if is_bare or keys != NAMES:
            layout[ROWS] = BARE if is_bare else list(keys)
        prompt = fields.pop(SYSTEM) if isinstance(fields.get(SYSTEM), str) else None
        reader = SpeakerReader(keys, WarningCollector())
        messages = reader.read(rows, prompt)
        answers = [
            PairAnswer(side, said)
            for side in (CHOSEN, REJECTED)
            if (said := _answer(fields.get(side), keys, reader.warnings)) is not None
        ]
        if len(answers) < 2:  # noqa: PLR2004 - a pair
            made = Conversation(messages, meta=meta | NOTES.meta(layout, fields))
            return Loaded(made, self.name, reader.warnings.found())
        given = [fields.pop(one.name) for one in answers]
        if isinstance(given[0], str):
            layout[ANSWERS] = "text"
        made = build_pair(messages, answers, meta | NOTES.meta(layout, fields))
        return Loaded(made, self.name, reader.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        meta = conversation.meta
        notes = NOTES.of(meta)
        tools, lost = TOOLS.write(meta)
        form = notes.get(ROWS)
        keys: Keys = OTHER_NAMES if form == list(OTHER_NAMES) else NAMES
        writer = SpeakerWriter(keys, WarningCollector())
        sides = sides_of(conversation)
        visible = zip(conversation.view, conversation.visible, strict=True)
        prompt, rows = writer.write(visible if sides is None else sides.prompt)
        data: Any = {ROWS: rows, **tools}
        for side, said in {} if sides is None else sides.answers.items():
            _, answer = SpeakerWriter(keys, writer.warnings).write(said)
            is_text = notes.get(ANSWERS) == "text" and len(answer) == 1
            one: Any = answer[0] if len(answer) == 1 else answer
            data[side] = one[keys[1]] if is_text else one
            data |= {} if sides is None else sides.fields.get(side, {})
        if prompt is not None:
            data[SYSTEM] = prompt
        data = merged(data, NOTES.fields_of(meta))
        held = (*NOTES.held(meta), META_KEY, *((PREFERENCE,) if sides else ()))
        if form == BARE and len(data) == 1:
            data = rows
        adapted = (*lost, *writer.warnings.found())
        again = None if sides is None else self.read_one(data).conversation
        return Written(data, (*conversation_losses(conversation, *held, again=again), *adapted))


def _answer(value: object, keys: Keys, warnings: WarningCollector) -> list[Message] | None:
    """Return the messages of an answer: a row, several, or a text; None where it is none."""
    match value:
        case str():
            return [NOTES.message("assistant", value, {})]
        case [*rows] if rows and all(is_object(row) and keys[0] in row for row in rows):
            return SpeakerReader(keys, warnings).read(rows, None)
        case Mapping() if keys[0] in value:
            return SpeakerReader(keys, warnings).read([value], None)
    return None


def _keys_of(rows: list[object]) -> Keys:
    """Return the keys by which rows say who said what: the usual ones if one of them has these."""
    found = {key for row in rows if is_object(row) for key in row}
    return OTHER_NAMES if NAMES[0] not in found and OTHER_NAMES[0] in found else NAMES
