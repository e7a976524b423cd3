"""What operations write: summaries from templates, and copies of messages with shorter parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from ..errors import Refused, refusals_at, wrong_type
from ..values.frozen import FrozenDict
from ..values.models import (
    Checked,
    Model,
    Role,
    Text,
    read_role,
)
from .amounts import Amount, Bound, read_amount, worked_out
from .messages import (
    AT_LEAST,
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from .selection import LongerThan, MessageSelection, answered_calls, read_selection
from .units import MessageSequence, details_of, line_count, result_text

EXCERPT_CHARACTERS = 240
PIECE_CHARACTERS = 60
USUAL_ROLE: Role = "user"
_BLANK = re.compile(r"\{(\w+)(?::([0-9]{1,9}))?\}", re.ASCII)


def filled(template: str, values: Mapping[str, Callable[[int], str]]) -> str:
    """Return a template with values in place of ``{name}`` and ``{name:number}``.

    What names no value is text.
    """

    def value(found: re.Match[str]) -> str:
        known = values.get(found[1])
        return found[0] if known is None else known(int(found[2] or 0))

    return _BLANK.sub(value, template)


def constants(**texts: str) -> Mapping[str, Callable[[int], str]]:
    """Return values of a template that are known."""

    def constant(text: str) -> Callable[[int], str]:
        return lambda _: text

    return {name: constant(text) for name, text in texts.items()}


def excerpt(messages: Sequence[Message]) -> str:
    """Return the first words of some messages, up to a limit."""
    pieces: list[str] = []
    left = EXCERPT_CHARACTERS
    for message in messages:
        words = " ".join(message.text[: 4 * PIECE_CHARACTERS].split())
        if not words:
            continue
        piece = words if len(words) <= PIECE_CHARACTERS else f"{words[: PIECE_CHARACTERS - 1]}…"
        left -= len(piece) + 3
        if left < 0:
            pieces.append("…")
            break
        pieces.append(piece)
    return " / ".join(pieces)


def read_any_text(value: object, field: str) -> str:
    """Return a text, which may be empty."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    return value


class SummaryTemplate(Model):
    """A message of a summary before it is written: a text with blanks, or a copy of what goes."""

    title = "a summary with a template"
    role: Annotated[Role, Checked(read_role)] = USUAL_ROLE
    template: Text | None = None
    tokens: Bound | None = None
    copy_of: Annotated[MessageSelection, Checked(lambda value, _: read_selection(value))] | None = (
        None
    )
    prefix: Text | None = None
    each: Text | None = None
    between: Annotated[str, Checked(read_any_text)] = "\n"
    none: Annotated[str, Checked(read_any_text)] = ""
    max_characters: Annotated[Any, Checked(read_amount)] | None = None
    marker: Annotated[str, Checked(read_any_text)] = ""

    def written(
        self, going: MessageSequence, covered: int, text: str | None = None
    ) -> list[Message]:
        """Return its messages for what goes; ``covered`` more are counted."""
        log = going.state.log
        if self.copy_of is not None:
            picked = self.copy_of.pick(going)
            return [self._copied(log[raw]) for raw in picked]
        if text is None:
            text = self._text(going, covered)
        return [self._weighed(Message(self.role, text), going)]

    def _text(self, going: MessageSequence, covered: int) -> str:
        assert self.template is not None
        values: dict[str, Callable[[int], str]] = {
            "count": lambda _: str(len(going) + covered),
            "tokens": lambda _: str(going.count("tokens")),
            "excerpt": lambda _: excerpt([going.state.log[raw] for raw in going.raws]),
        }
        if self.each is None:
            return filled(self.template, values)
        results = self._results(going)
        text = filled(self.template, {**values, "results": lambda _: results})
        if self.max_characters is not None:
            over = len(text) + len(self.marker) - _whole(self.max_characters, going)
            if over > len(self.marker):
                results = f"{results[: max(0, len(results) - over)].rstrip()}{self.marker}"
                text = filled(self.template, {**values, "results": lambda _: results})
        return text

    def _results(self, going: MessageSequence) -> str:
        assert self.each is not None
        found = []
        for raw, one in zip(going.raws, going.details, strict=True):
            if not one.is_result:
                continue
            tools = {call.id: call.name for call in answered_calls(going.state.log, one)}
            for part in going.state.log[raw].parts:
                if isinstance(part, ToolResultPart):
                    tool, result = tools.get(part.tool_use_id, ""), result_text(part)
                    found.append(filled(self.each, constants(tool=tool, result=result)).strip())
        return self.between.join(found) if found else self.none

    def _copied(self, message: Message) -> Message:
        prefix = self.prefix or ""
        bare = Message(message.role, message.content)
        if not prefix or message.text.startswith(prefix):
            return bare
        if isinstance(message.content, str):
            return Message(message.role, prefix + message.content)
        parts = list(message.content)
        at = next((i for i, part in enumerate(parts) if isinstance(part, TextPart)), None)
        if at is None:
            return Message(message.role, (TextPart(prefix), *parts))
        first = parts[at]
        assert isinstance(first, TextPart)
        parts[at] = TextPart(prefix + first.text)
        return Message(message.role, tuple(parts))

    def _weighed(self, message: Message, going: MessageSequence) -> Message:
        if self.tokens is None:
            return message
        return message.noted(**{AT_LEAST: _whole(self.tokens, going)})


def _whole(amount: Amount, sequence: MessageSequence) -> int:
    return int(worked_out(amount, sequence.look))


def has_template(value: object) -> bool:
    """Return whether a summary is to be written: it has a template, or copies."""
    entries = value if isinstance(value, list | tuple) else (value,)
    return any(
        isinstance(one, SummaryTemplate)
        or (isinstance(one, Mapping) and ("template" in one or "copyOf" in one or "copy_of" in one))
        for one in entries
    )


def read_templates(value: object, _: str) -> tuple[SummaryTemplate, ...]:
    """Return the messages of a summary that is to be written, one or several."""
    entries = value if isinstance(value, list | tuple) else (value,)
    found = []
    for one in entries:
        with refusals_at("summary"):
            read = one if isinstance(one, SummaryTemplate) else SummaryTemplate.from_dict(one)
            if (read.template is None) == (read.copy_of is None):
                raise Refused(
                    "an entry of a summary has a template or copyOf",
                    "template",
                    legal="one of them",
                )
            found.append(read)
    return tuple(found)


# Shorter copies of messages.

PARTS = ("texts", "results", "thinking", "inputs", "images")


class PartRules(NamedTuple):
    """What REDACT does to the parts of a message; without ``parts``, to all but the calls."""

    parts: frozenset[str]
    text: str
    input: str | None
    tools: frozenset[str] | None
    longer: LongerThan | None
    only_if_shorter: bool


class Rewriter:
    """Makes shorter copies by some rules, with what the templates may name."""

    def __init__(self, whole: MessageSequence, rules: PartRules) -> None:
        self._state, self._rules, self._sequence = whole.state, rules, whole
        pairs = zip(whole.raws, whole.details, strict=True)
        self._callers = {one.root: raw for raw, one in pairs if one.calls}

    def copies(self, raw: int, known: Mapping[int, Message | None]) -> dict[int, Message | None]:
        """Return what a message becomes, and its caller where its input goes; None: it goes.

        ``known`` is what messages have become so far; one that stays as it is isn't in the result.
        """
        log = self._state.log
        one, found = details_of(log, raw), {}
        message = known.get(raw, log[raw])
        if message is not None:
            changed = self._rewritten(message, [self._part(raw, part) for part in message.parts])
            if changed is not message:
                found[raw] = changed
        if "inputs" in self._rules.parts:
            at = raw if one.calls else self._callers.get(one.caller, -1)
            caller = found.get(at, known.get(at, None if at < 0 else log[at]))
            if caller is not None:
                ids = set(one.calls or one.results)
                changed = self._rewritten(
                    caller,
                    [
                        self._call(part)
                        if isinstance(part, ToolUsePart) and part.id in ids
                        else part
                        for part in caller.parts
                    ],
                )
                if changed is not caller:
                    found[at] = changed
        return found

    @staticmethod
    def _rewritten(message: Message, parts: Sequence[Part | None]) -> Message | None:
        """Return a message of other parts: itself if they are the same, None if none is left."""
        left = [part for part in parts if part is not None]
        return message if tuple(left) == message.parts else shortened(message, left)

    def _part(self, raw: int, part: Part) -> Part | None:
        parts = self._rules.parts
        match part:
            case TextPart() if "texts" in parts or not parts:
                text = self._text(raw, part.text)
                return part if text == part.text else TextPart(text)
            case ToolResultPart() if "results" in parts or not parts:
                old = result_text(part)
                text = self._text(raw, old)
                if text == old:
                    return part
                return replace(part, content=text, metadata=None)
            case ThinkingPart() if not parts:
                return replace(part, text=self._text(raw, part.text), signature=None, metadata=None)
            case ThinkingPart() if "thinking" in parts:
                return None
            case ImagePart() if "images" in parts or not parts:
                return None
            case DataPart() if not parts:
                return None
        return part

    def _text(self, raw: int, old: str) -> str:
        rules, log = self._rules, self._state.log
        if rules.longer and not rules.longer.holds(
            old, lambda: log.tokens(raw, self._state.counter), self._sequence.look
        ):
            return old
        new = self._filled(rules.text, old, raw)
        return old if rules.only_if_shorter and len(new) >= len(old) else new

    def _filled(self, template: str, old: str, raw: int | None = None, tool: str = "") -> str:
        def tool_name(_: int) -> str:
            if raw is None:
                return tool
            calls = answered_calls(self._state.log, details_of(self._state.log, raw))
            return calls[0].name if calls else ""

        lines = old.splitlines()
        values: dict[str, Callable[[int], str]] = {
            "head": lambda n: old[:n],
            "tail": lambda n: old[len(old) - n :] if 0 < n <= len(old) else old[: n and len(old)],
            "headLines": lambda n: "\n".join(lines[:n]),
            "tailLines": lambda n: "\n".join(lines[-n:]) if n else "",
            "characters": lambda _: str(len(old)),
            "lines": lambda _: str(line_count(old)),
            "tokens": lambda _: str(
                -(-len(old.encode("utf-8", "surrogatepass")) // 4)
                if raw is None
                else self._state.log.tokens(raw, self._state.counter)
            ),
            "tool": tool_name,
            "removed": lambda n: str(len(old) - n),
            "text": lambda _: old,
        }
        return filled(template, values)

    def _call(self, part: ToolUsePart) -> ToolUsePart:
        rules = self._rules
        if rules.tools is not None and part.name not in rules.tools:
            return part
        if rules.input is None:
            return part if part.input == {} else replace(part, input=FrozenDict(), metadata=None)
        if not isinstance(part.input, Mapping):
            return part
        new = {
            key: self._argument(value, part.name) if isinstance(value, str) else value
            for key, value in part.input.items()
        }
        return part if new == part.input else replace(part, input=FrozenDict(new), metadata=None)

    def _argument(self, value: str, tool: str) -> str:
        rules = self._rules
        assert rules.input is not None

        def count() -> int:
            return -(-len(value.encode("utf-8", "surrogatepass")) // 4)

        if rules.longer and not rules.longer.holds(value, count, self._sequence.look):
            return value
        new = self._filled(rules.input, value, tool=tool)
        return value if rules.only_if_shorter and len(new) >= len(value) else new


def shortened(message: Message, parts: Sequence[Part]) -> Message | None:
    """Return a message with fewer or shorter parts; None if nothing is left of it."""
    if not parts:
        return None
    if isinstance(message.content, str) and len(parts) == 1 and isinstance(parts[0], TextPart):
        if not parts[0].text:
            return message.edited(tuple(parts))
        return message.edited(parts[0].text)
    return message.edited(tuple(parts))


def without_calls(message: Message, gone: Iterable[str], note: str | None) -> Message | None:
    """Return a message without some of its calls; None if neither text nor thinking is left.

    A note is put behind its text for each call taken out, the newest first.
    """
    names = set(gone)
    taken = [p for p in message.parts if isinstance(p, ToolUsePart) and p.id in names]
    left: list[Part] = [part for part in message.parts if part not in taken]
    if note is not None:
        texts = [p.text for p in left if isinstance(p, TextPart) and p.text]
        notes = [filled(note, constants(tool=call.name)) for call in reversed(taken)]
        text = TextPart("\n".join([*texts, *notes]))
        at = next((i for i, part in enumerate(left) if isinstance(part, TextPart)), None)
        left = [part for part in left if not isinstance(part, TextPart)]
        first_call = next((i for i, p in enumerate(left) if isinstance(p, ToolUsePart)), len(left))
        left.insert(first_call if at is None else min(at, first_call), text)
    if all(isinstance(part, TextPart) and not part.text for part in left):
        return None
    return message.edited(tuple(left))


def with_newest_calls(message: Message, count: int) -> Message | None:
    """Return a message of only its newest calls; None if there are none to keep."""
    calls = [part for part in message.parts if isinstance(part, ToolUsePart)]
    return message.edited(tuple(calls[-count:])) if count > 0 and calls else None
