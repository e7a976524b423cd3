"""Losses: warnings about what a format can't hold of a conversation that is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..conversation.conversation import Conversation
from ..engine.journal import Noted
from ..engine.messages import Message, Part, ThinkingPart, ToolResultPart, ToolUsePart
from ..engine.meta_fields import FIELDS, PARTED, parted
from ..engine.settings import Settings
from ..values.models import Role
from .format_metadata import FormatMetadata
from .warnings import FIELDS_LEFT_OUT, FormatWarning, WarningCollector, bare


def conversation_losses(
    conversation: Conversation, *held: str, again: Conversation | None = None
) -> tuple[FormatWarning, ...]:
    """Return what a format of visible messages leaves out; ``held`` are the meta keys it keeps.

    A format of trees gives what reading it ``again`` makes; then only what that lacks is left out.
    """
    noted = _noted(conversation)
    calls = 0 if again is None else len(again.calls.all)
    known = 1 if again is None else len(again.journal) - _noted(again)
    visible = conversation.view if again is None else again.log
    found = WarningCollector()
    counts = {
        "hidden-left-out": len(conversation.log) - len(visible),
        "history-left-out": len(conversation.journal) - noted - known,
        "usage-left-out": len(conversation.usage.requests) - calls,
        "calls-left-out": len(conversation.calls.all) - calls,
    }
    for code, number in counts.items():
        if number > 0:
            found.count(code, number)
    if conversation.settings.to_dict() != Settings().to_dict():
        found.add("settings-left-out")
    if conversation.marks:
        found.add("marks-left-out", None, *map(bare, conversation.marks))
    fields = [
        one for key in conversation.meta if key not in held for one in _facts(conversation, key)
    ]
    if fields:
        found.add(FIELDS_LEFT_OUT, None, *map(bare, fields))
    return found.found()


def _noted(conversation: Conversation) -> int:
    return sum(isinstance(one.operations[0], Noted) for one in conversation.journal)


def _facts(conversation: Conversation, key: str) -> Iterator[str]:
    """Yield what is left out with a meta key: what is below it, which may be nothing.

    The layout of the file of a format is no field.
    """
    value = conversation.meta[key]
    if not isinstance(value, Mapping):
        yield key
    elif key in PARTED:
        yield from (f"{FIELDS}.{name}" for name in parted(key, value)[0])
    else:
        yield from (f"{key}.{name}" for name in value)


@dataclass(frozen=True, slots=True)
class Holds:
    """What messages of a format can hold; whatever else a message has is reported as left out.

    ``part`` says which parts, ``in_result`` which within a result if not the same; ``id``,
    ``timestamp``, ``metadata`` (of others), ``error`` and ``signature`` which of these.
    ``foreign_call`` is the code for calls outside messages of the assistant, ``foreign_result`` for
    results outside those of tools. ``named`` says of which calls the id is written.
    """

    own: FormatMetadata
    part: Callable[[Part, Role], bool] = lambda _part, _role: True
    in_result: Callable[[Part], bool] | None = None
    id: bool = False
    timestamp: bool = False
    metadata: bool = False
    error: bool = False
    signature: bool = False
    foreign_call: str = "call-left-out"
    foreign_result: str = ""
    named: Callable[[ToolUsePart], bool] = lambda _: True

    def report(self, message: Message, raw: int, warnings: WarningCollector) -> None:
        self.report_fields(message, raw, warnings)
        self.report_parts(message, raw, warnings)

    def report_fields(self, message: Message, raw: int, warnings: WarningCollector) -> None:
        if message.id is not None and not self.id:
            warnings.add("id-left-out", raw)
        if message.timestamp is not None and not self.timestamp:
            warnings.add("timestamp-left-out", raw)
        self._report_metadata(message, raw, warnings)

    def report_parts(self, message: Message, raw: int, warnings: WarningCollector) -> None:
        if not isinstance(message.content, str):
            for part in message.content:
                self._report_part(part, message.role, raw, warnings)

    def _report_metadata(self, one: Message | Part, raw: int, warnings: WarningCollector) -> None:
        if self.own.has_others(one.metadata) and not self.metadata:
            warnings.add("metadata-left-out", raw)

    def _report_part(self, part: Part, role: Role, raw: int, warnings: WarningCollector) -> None:
        self._report_metadata(part, raw, warnings)
        match part:
            case ToolUsePart() if role != "assistant" and self.foreign_call:
                warnings.add(self.foreign_call, raw)
            case ToolResultPart():
                if self.foreign_result and role != "tool":
                    warnings.add(self.foreign_result, raw)
                if part.is_error and not self.error:
                    warnings.add("error-flag-left-out", raw)
                for inside in part.content if isinstance(part.content, tuple) else ():
                    if self.in_result is None:
                        self._report_part(inside, role, raw, warnings)
                        continue
                    self._report_metadata(inside, raw, warnings)
                    if not self.in_result(inside):
                        warnings.add("result-part-left-out", raw, inside.type)
            case _ if not self.part(part, role):
                warnings.add("part-left-out", raw, part.type)
            case ToolUsePart() if not self.named(part):
                warnings.add("call-id-left-out", raw)
            case ThinkingPart() if part.signature is not None and not self.signature:
                warnings.add("signature-left-out", raw)
