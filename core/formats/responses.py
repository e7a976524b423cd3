"""OpenAI Responses: a list of items, a request with its input, or a response with its output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused, not_a
from ..messages.message import Message
from .base import Loaded, Sureness, Written
from .each import OneEach
from .items import NOTES, Given, read_items, tell_left_out, write_items
from .notes import without
from .recognising import RESPONSES, recognise
from .tools import META_KEY, ToolShape, left_out
from .warnings import WarningCollector, beside_messages, sentence

TOOLS = ToolShape("responses", type="function")
HOLDERS = ("output", "input", "data")
"""The keys that items stand under: of a response, a request, or a list of stored items."""
ITEMS = "items"
TEXT = "text"
PROMPT = "instructions"


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
            if isinstance(beside.get(PROMPT), str) and beside[PROMPT]:
                note = NOTES.kept({"place": PROMPT})
                text = beside.pop(PROMPT)
                before = [Message.from_dict({"role": "system", "content": text, **note})]
            if isinstance(beside.get("tools"), list):
                meta[META_KEY] = TOOLS.read(beside.pop("tools"))
            meta |= NOTES.beside({holder: TEXT if isinstance(items, str) else ITEMS}, beside)
            if isinstance(items, str):
                items = [{"role": "user", "content": items}]
        if not isinstance(items, list):
            raise not_a("items", items, "a list of items")
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
                data[PROMPT] = prompt
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
    return is_text and NOTES.of(message.metadata).get("place") == PROMPT


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
