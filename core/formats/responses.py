"""OpenAI Responses: a list of items, a request with its input, or a response with its output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from ..requests.bodies import PROMPT
from .base import Loaded, Sureness, Written
from .detection import RESPONSES, recognise
from .each import OneEach
from .items import NOTES, Given, grouped, read_items, tell_left_out, write_items
from .items import Given as Item
from .notes import without
from .request_codecs import Body, GivenForm, RequestCodec, Row, Split, number, prompt_of, rows_of
from .stream_assembly import Assembler, Event, add_text, text_of
from .tools import META_KEY, ToolShape, left_out
from .warnings import WarningCollector, beside_messages, sentence

TOOLS = ToolShape("responses", type="function")
HOLDERS = ("output", "input", "data")
"""The keys that items stand under: of a response, a request, or a list of stored items."""
ITEMS = "items"
TEXT = "text"
INSTRUCTIONS = "instructions"


class Responses(OneEach):
    """What the API takes and gives; keys beside the items are other fields.

    ``instructions`` become the first message. The key that had the items is noted.
    """

    name = "responses"
    about = "OpenAI Responses items, a request or a response"
    suffixes = (".responses.json", ".responses.jsonl")
    kinds = (RESPONSES,)
    takes_lists = True
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether it is an object with items, or a list of them."""
        is_own = recognise(value) == RESPONSES
        if isinstance(value, list):
            is_own = is_own and not any(_holder(one) for one in value)
        else:
            is_own = is_own and _holder(value) is not None
        return Sureness.LOOKS_LIKE if is_own else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the instructions and the items."""
        meta: dict[str, Any] = {}
        before: list[Message] = []
        warnings = WarningCollector("item")
        items = value
        if isinstance(value, Mapping):
            holder = _holder(value)
            if holder is None:
                raise Refused("there are no items in it", field="input", legal="input or output")
            items, beside = value[holder], without(value, holder)
            if isinstance(beside.get(INSTRUCTIONS), str) and beside[INSTRUCTIONS]:
                note = NOTES.kept({"place": INSTRUCTIONS})
                text = beside.pop(INSTRUCTIONS)
                before = [Message.from_dict({"role": "system", "content": text, **note})]
            if isinstance(beside.get("tools"), list):
                meta[META_KEY] = TOOLS.read(beside.pop("tools"))
            meta |= NOTES.beside({holder: TEXT if isinstance(items, str) else ITEMS}, beside)
            if isinstance(items, str):
                items = [{"role": "user", "content": items}]
        if not isinstance(items, list):
            raise wrong_type("items", items, "a list of items")
        found, bad = read_items([Given(item, i) for i, item in enumerate(items)], warnings)
        if bad and not found:
            raise Refused(sentence(warnings.found()[0]), field="items")
        made = Conversation([*before, *found], meta=meta)
        return Loaded(made, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return the items of the visible messages, in an object if anything is beside them."""
        warnings = WarningCollector()
        meta = conversation.meta
        notes = NOTES.of(meta)
        tools, lost = TOOLS.write(meta.get(META_KEY))
        items: list[Any] = []
        prompt: str | None = None
        for position, (raw, message) in enumerate(
            zip(conversation.view, conversation.visible, strict=True)
        ):
            _tell_beside(message, raw, warnings)
            if position == 0 and _is_prompt(message):
                prompt = message.text
                continue
            made = write_items(message, raw)
            tell_left_out(message, raw, made, warnings)
            items += [item for item, _ in made]
        data: Any = items
        if NOTES.is_in(meta) or tools or prompt is not None:
            holder = next((key for key in HOLDERS if notes.get(key) in (ITEMS, TEXT)), "input")
            data = {**NOTES.fields_of(meta), holder: items}
            if notes.get(holder) == TEXT and _plain_text(items) is not None:
                data[holder] = _plain_text(items)
            if prompt is not None:
                data[INSTRUCTIONS] = prompt
            if isinstance(meta.get(META_KEY), tuple):
                data["tools"] = tools
        held = (*NOTES.held(meta), META_KEY)
        told = (*beside_messages(conversation, *held), *left_out(lost), *warnings.found())
        return Written(data, told)


def _holder(value: object) -> str | None:
    """Return the key that an object has its items under."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("output"), list) and "call_id" not in value:
        return "output"
    if isinstance(value.get("input"), list | str) and "call_id" not in value:
        return "input"
    is_stored = value.get("object") == "list" and isinstance(value.get("data"), list)
    return "data" if is_stored else None


def _is_prompt(message: Message) -> bool:
    is_text = isinstance(message.content, str) and message.role == "system"
    return is_text and NOTES.of(message.metadata).get("place") == INSTRUCTIONS


def _plain_text(items: list[Any]) -> str | None:
    """Return the text of one plain message of the user."""
    match items:
        case [{"role": "user", "content": str(text), **more}] if set(more) <= {"type"}:
            return text
    return None


def _tell_beside(message: Message, raw: int, warnings: WarningCollector) -> None:
    beside = {
        "id-left-out": message.id is not None,
        "timestamp-left-out": message.timestamp is not None,
        "metadata-left-out": any(
            NOTES.has_others(one.metadata) for one in (message, *message.parts)
        ),
    }
    for code, true in beside.items():
        if true:
            warnings.add(code, raw)


LIST, SYSTEM = "input", "instructions"
BODY_TEXT = {LIST: "text"}
"""The form of a body whose input is a text."""


class ResponsesCodec(RequestCodec):
    """What the Responses API takes: instructions, and items or a text."""

    kind = "responses"

    def split(self, body: Body) -> Split:
        """Return the instructions, if there are any, and a message for each group of items."""
        items, form = body.get(LIST, []), {}
        if isinstance(items, str):
            items, form = [{"role": "user", "content": items}], BODY_TEXT
        if not isinstance(items, list):
            raise wrong_type(LIST, items, "a text or a list of items")
        beside, prompt = without(body, LIST), body.get(SYSTEM)
        given = [GivenForm(group) for group in grouped(items)]
        if isinstance(prompt, str) and prompt:
            del beside[SYSTEM]
            given.insert(0, GivenForm([prompt], PROMPT))
        if LIST not in body:
            form = {LIST: "absent"}
        return Split(given, form, beside)

    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        """Return instructions and items."""
        prompt, rows = prompt_of(given), rows_of(given)
        body: Row = {} if prompt is None else {SYSTEM: prompt}
        match form.get(LIST), rows:
            case "absent", []:
                return body
            case "text", [{"content": str(text)}]:
                return {**body, LIST: text}
        return {**body, LIST: rows}

    def read(self, given: GivenForm) -> Message:
        """Return the message of a group of items, or of the instructions."""
        if given.place == PROMPT:
            note = NOTES.kept({"place": SYSTEM})
            return Message.from_dict({"role": "system", "content": given.rows[0], **note})
        messages, bad = read_items([Item(item, 0) for item in given.rows], WarningCollector())
        if bad or len(messages) != 1:
            raise Refused("these items are not one message", field=LIST)
        return messages[0]

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the items of a message, or the instructions."""
        if place == PROMPT:
            return [message.text]
        return [made.item for made in write_items(message, 0)]

    def answer(self, response: Body) -> list[GivenForm]:
        """Return the messages that came back, which is one as a rule."""
        items = response.get("output")
        return [GivenForm(group) for group in grouped(items)] if isinstance(items, list) else []

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        return TOOLS.read(tools)

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; what was cached is part of the input."""
        details = ("usage", "input_tokens_details")
        return {
            "input": number(response, "usage", "input_tokens"),
            "cached": number(response, *details, "cached_tokens"),
            "written": number(response, *details, "cache_write_tokens"),
            "output": number(response, "usage", "output_tokens"),
        }


ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
FAILED = "response.failed"
TEXTS = {
    "response.output_text.delta": ("content", "content_index", "text", "output_text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "text", "reasoning_text"),
    "response.reasoning_summary_text.delta": (
        *("summary", "summary_index", "text", "summary_text"),
    ),
}
"""Deltas: the list of an item they belong to, their place in it, their key and the part's type."""
ARGUMENTS = {
    "response.function_call_arguments.delta": "arguments",
    "response.mcp_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.code_interpreter_call_code.delta": "code",
}
"""Deltas of what stands in the item itself."""


class ResponsesStream(Assembler):
    """The response that its events make."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Take in an event, by its type; the item in ``added`` may be incomplete."""
        told = event.data or {}
        kind = text_of(told.get("type"))
        match told:
            case {"response": dict(response)}:
                self.answer = response
                self.is_over = self.is_over or kind in ENDS
                self.is_failed = self.is_failed or kind == FAILED
            case {"item": dict(item)} if kind.startswith("response.output_item."):
                self._items[_number(told, "output_index")] = item
            case {"delta": str(delta)}:
                self._grow(kind, told, delta)
            case {"type": "error"}:
                self.fail({key: value for key, value in told.items() if key != "type"})

    def end(self) -> None:
        """Put in the items, where the provider has not done so itself."""
        if self._items and not self.answer.get("output"):
            self.answer["output"] = [self._items[place] for place in sorted(self._items)]

    def _grow(self, kind: str, told: dict[str, Any], delta: str) -> None:
        item = self._items.get(_number(told, "output_index"))
        if item is None:
            return
        if kind in ARGUMENTS:
            key = ARGUMENTS[kind]
            add_text(item, key, delta)
        elif kind in TEXTS:
            holder, index, key, name = TEXTS[kind]
            parts = item.get(holder)
            parts = item[holder] = parts if isinstance(parts, list) else []
            place = _number(told, index)
            if place == len(parts):
                parts.append({"type": name, key: ""})
            if place < len(parts) and isinstance(parts[place], dict):
                add_text(parts[place], key, delta)


def _number(told: dict[str, Any], key: str) -> int:
    found = told.get(key)
    return found if isinstance(found, int) and found >= 0 else 0
