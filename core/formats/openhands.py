"""OpenHands: events of a run, of today's kinds and of the older ones with actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import ImagePart, Message, Part, TextPart, ThinkingPart
from ..errors import Refused
from .agents import TranscriptBuilder, call, message, result, short, texts_in
from .base import Format, Layout, Loaded, ReadOnly
from .detection import MISSING, among
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .json_text import parsed
from .source import Source
from .transcripts import Act, Row, compaction, hiding
from .usage import UsageKeys, call_of, figure
from .warnings import WarningCollector

NOTES = FormatMetadata("openhands")
KEYS = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
USAGE = UsageKeys((KEYS[0],), (KEYS[1],), KEYS[2], KEYS[3])
KINDS = (
    *("MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "Condensation"),
    *("AgentErrorEvent", "UserRejectObservation", "ConversationStateUpdateEvent"),
)
SILENT = ("agent_state_changed", "null", "recall", "change_agent_state")
"""Older events that say nothing to the model."""
FINAL = ("outputs", "final_thought", "thought", "message", "content")
"""The keys under which the end of a run may have its text."""


class OpenHands(ReadOnly, Format):
    """The events of one run, or the history of each row of an output file."""

    name = NOTES.key
    about = "a run of OpenHands, as events or with its history"
    kinds = ("OpenHands events",)
    sure_signs = (
        {"kind": among(*KINDS), "source": str},
        {"history": list, "git_patch": object},
        {"action": str, "role": MISSING, "kind": MISSING, "source": str, "id": int},
        {"observation": str, "role": MISSING, "kind": MISSING, "source": str, "id": int},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        events: list[tuple[int, Mapping[str, Any]]] = []
        layout = Layout.LINES if source.is_lines else Layout.LIST
        for number, row in source.rows():
            if not isinstance(row.get("history"), list):
                events.append((number, row))
                continue
            warnings = WarningCollector()
            flat = _flat(row["history"])
            reader = _OpenHandsReader(warnings)
            reader.builder.fields = without(row, "history")
            made = reader.read(flat)
            if made is not None:
                yield Loaded(made, self.name, warnings.found(), layout, number)
        if events:
            made = _OpenHandsReader(source.collector).read(events)
            if made is not None:
                yield Loaded(made, self.name, layout=Layout.ITEMS)
            elif not any(one.get("kind") for _, one in events):
                raise Refused("no event in it is a message", field="events")


def _flat(history: Sequence[Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the events of a history, which may be in pairs of an action and what came of it."""
    events = [one for pair in history for one in (pair if isinstance(pair, list) else [pair])]
    return [(number, one) for number, one in enumerate(events, 1) if is_object(one)]


class _OpenHandsReader:
    def __init__(self, warnings: WarningCollector) -> None:
        self.builder = TranscriptBuilder(NOTES, warnings)
        self._nodes: dict[object, str] = {}
        """The node of each event, by its id."""
        self._response: object = None
        """The answer whose calls are read, which may go on."""
        self._said: list[Part] = []
        self._rows: list[Row] = []
        self._ids: list[object] = []
        self._counted: Mapping[str, Any] = {}
        self._calls: list[Row] = []
        """What was counted for the next answer."""
        self._asked: list[str] = []
        self._has_user = False

    def read(self, events: Sequence[tuple[int, Mapping[str, Any]]]) -> Conversation | None:
        for number, event in events:
            if isinstance(event.get("kind"), str):
                self._add(number, event)
            else:
                self._add_older(number, event)
        self._close()
        if self._calls:
            self.builder.add(calls=self._calls)
        return self.builder.conversation() if self.builder.has_messages else None

    def _close(self) -> None:
        """Add the answer whose calls were read."""
        if self._ids:
            made = message(NOTES, "assistant", self._said, {"events": self._rows}, self._time)
            name = self.builder.add([made], calls=self._calls)
            self._nodes.update(dict.fromkeys(map(_hashed, self._ids), name))
            self._calls, self._said, self._rows, self._ids = [], [], [], []
        self._response = None

    @property
    def _time(self) -> object:
        return self._rows[0].get("timestamp")

    def _put(self, event: Mapping[str, Any], found: Message, act: Act | None = None) -> None:
        self._close()
        calls = self._calls if found.role == "assistant" else []
        name = self.builder.add([found], act=act, calls=calls)
        self._calls = [] if calls else self._calls
        self._nodes[_hashed(event.get("id"))] = name
        if found.role == "user" and self.builder.title is None and act is None:
            self.builder.title = short(found.text)

    def _add(self, number: int, event: Mapping[str, Any]) -> None:
        time = event.get("timestamp")
        match event:
            case {"kind": "SystemPromptEvent", "system_prompt": prompt}:
                extra = event.get("dynamic_context")
                words = [prompt.get("text") if is_object(prompt) else prompt]
                words += [extra.get("text") if is_object(extra) else extra]
                text = "\n\n".join(one for one in words if isinstance(one, str) and one)
                notes = {"event": without(event, "system_prompt", "dynamic_context")}
                self._put(event, message(NOTES, "system", text, notes, time))
            case {"kind": "MessageEvent", "llm_message": Mapping() as said}:
                role: Any = "assistant" if said.get("role") == "assistant" else "user"
                parts = [*_thoughts(said), *_parts(said.get("content"))]
                parts += _parts(event.get("extended_content"))
                rest = without(said, "content", "reasoning_content", "thinking_blocks")
                notes = {"event": {**without(event, "extended_content"), "llm_message": rest}}
                self._put(event, message(NOTES, role, parts, notes, time))
            case {"kind": "ActionEvent"}:
                self._act(number, event)
            case {"kind": "ObservationEvent", "observation": Mapping() as seen}:
                rest = {**event, "observation": without(seen, "content")}
                is_error = seen.get("is_error") is True
                self._answer(event, seen.get("content"), rest, is_error=is_error)
            case {"kind": "AgentErrorEvent" | "UserRejectObservation"}:
                key = "error" if "error" in event else "rejection_reason"
                self._answer(event, event.get(key), without(event, key), is_error=True)
            case {"kind": "Condensation"}:
                ids = event.get("forgotten_event_ids")
                self._condense(event, ids if isinstance(ids, list) else ())
            case {"kind": "ConversationStateUpdateEvent", "key": "stats", "value": value}:
                self._count(value, read_timestamp(time))
                self.builder.other(number, event)
            case _:
                self.builder.other(number, event)

    def _act(self, number: int, event: Mapping[str, Any]) -> None:
        """Add the call of an action; those of one answer are one message."""
        response = event.get("llm_response_id")
        if response is None or response != self._response:
            self._close()
            self._said += [*_thoughts(event), *_parts(event.get("thought"))]
        self._response = response
        use = event.get("tool_call")
        given = use.get("arguments") if is_object(use) else event.get("action")
        is_json, value = parsed(given) if isinstance(given, str) else (False, given)
        id = event.get("tool_call_id")
        made = id if isinstance(id, str) and id else f"call_{number}"
        self._said.append(call(NOTES, made, event.get("tool_name"), value if is_json else given))
        kept = without(event, "thought", "reasoning_content", "thinking_blocks", "tool_call")
        self._rows.append(kept)
        self._ids.append(event.get("id"))

    def _answer(
        self, event: Mapping[str, Any], content: object, rest: Row, *, is_error: bool
    ) -> None:
        id = event.get("tool_call_id")
        made = id if isinstance(id, str) and id else "call_unknown"
        time = event.get("timestamp")
        self._put(
            event,
            result(
                NOTES, made, content, {"event": rest}, is_error=is_error, time=time, read=_parts
            ),
        )

    def _condense(self, event: Mapping[str, Any], ids: Sequence[object]) -> None:
        self._close()
        names = [name for id in ids if (name := self._nodes.get(_hashed(id))) is not None]
        summary = event.get("summary")
        if isinstance(summary, str) and summary:
            notes = {"event": without(event, "summary")}
            said = message(NOTES, "user", summary, notes, event.get("timestamp"))
            self._put(event, said, compaction("condensation", hides=names))
        elif names:
            self.builder.add(act=hiding("condensation", names))

    def _count(self, value: object, time: int | None) -> None:
        """Note what was counted since the last time; the file has the sums."""
        metrics = value.get("usage_to_metrics") if is_object(value) else None
        agent = metrics.get("default", metrics.get("agent")) if is_object(metrics) else None
        now = agent.get("accumulated_token_usage") if is_object(agent) else None
        if not is_object(now):
            return
        since = {key: (figure(now, key) or 0) - (figure(self._counted, key) or 0) for key in KEYS}
        self._counted = now
        if min(since.values()) >= 0:
            self._calls += call_of(since, USAGE, time, model=now.get("model"))

    def _add_older(self, number: int, event: Mapping[str, Any]) -> None:
        """Add an event of the older kind: an action, or what came of it."""
        action, seen = event.get("action"), event.get("observation")
        args = event.get("args")
        body: Mapping[str, Any] = args if is_object(args) else event
        time = event.get("timestamp")
        match (action, seen):
            case (str(), _) if action in SILENT:
                self.builder.other(number, event)
            case ("condensation", _):
                self._condense_older(event, body)
            case ("message" | "system", _):
                is_first = not self._has_user
                is_user = event.get("source") == "user" or ("source" not in event and is_first)
                role: Any = "user" if is_user else "assistant"
                role = "system" if action == "system" else role
                self._has_user = self._has_user or is_user
                text = texts_in(body.get("content", event.get("message")))
                notes = {"event": _rest(event, body, "content")}
                self._put(event, message(NOTES, role, text, notes, time))
            case ("finish", _):
                text = next((one for key in FINAL if (one := texts_in(body.get(key)))), "")
                notes = {"event": dict(event)}
                self._put(event, message(NOTES, "assistant", text, notes, time))
            case (str(), _):
                self._act_older(number, event, body)
            case (_, str()) if seen not in SILENT and "content" in event:
                about = event.get("tool_call_metadata")
                given = about.get("tool_call_id") if is_object(about) else None
                waiting = self._asked.pop(0) if self._asked else None
                id = given if isinstance(given, str) else waiting
                if id is None:
                    self.builder.other(number, event)
                    return
                notes = {"event": without(event, "content")}
                self._put(event, result(NOTES, id, event["content"], notes, time=time))
            case _:
                self.builder.other(number, event)

    def _act_older(self, number: int, event: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        about = event.get("tool_call_metadata")
        about = about if is_object(about) else {}
        thought = body.get("thought")
        id = about.get("tool_call_id")
        made = id if isinstance(id, str) else f"call_{number}"
        self._asked.append(made)
        parts: list[Part] = [TextPart(thought)] if isinstance(thought, str) and thought else []
        given = without(body, "thought", "action", "id", "timestamp", "source", "cause", "message")
        name = about.get("function_name", event["action"])
        parts.append(call(NOTES, made, name, without(given, "tool_call_metadata", "args")))
        notes = {"event": _rest(event, body, *body)}
        self._put(event, message(NOTES, "assistant", parts, notes, event.get("timestamp")))

    def _condense_older(self, event: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        ids = body.get("forgotten_event_ids")
        first, last = (figure(body, f"forgotten_events_{end}_id") for end in ("start", "end"))
        if not isinstance(ids, list):
            ids = [] if first is None or last is None else list(range(first, last + 1))
        self._condense({**event, "summary": body.get("summary")}, ids)


def _hashed(id: object) -> object:
    return id if isinstance(id, str | int) else None


def _rest(event: Mapping[str, Any], body: Mapping[str, Any], *known: str) -> Row:
    """Return what is left of an event of which some keys are in its message."""
    rest = without(body, *known)
    return rest if body is event else {**without(event, "args"), "args": rest}


def _thoughts(said: Mapping[str, Any]) -> list[Part]:
    blocks = said.get("thinking_blocks")
    found: list[Part] = [
        ThinkingPart(one["thinking"], one.get("signature"))
        for one in (blocks if isinstance(blocks, list) else ())
        if is_object(one)
        and isinstance(one.get("thinking"), str)
        and isinstance(one.get("signature"), str | None)
    ]
    text = said.get("reasoning_content")
    return found or ([ThinkingPart(text)] if isinstance(text, str) and text else [])


def _parts(content: object) -> list[Part]:
    """Return the parts of a content of texts and pictures."""
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    found: list[Part] = []
    for one in content if isinstance(content, list) else ():
        match one:
            case {"type": "text", "text": str(text)}:
                rest = without(one, "type", "text", "cache_prompt")
                found.append(TextPart(text, NOTES.frozen(rest or None)))
            case {"type": "image", "image_urls": list(urls)}:
                found += [ImagePart(url) for url in urls if isinstance(url, str)]
            case Mapping():
                found.append(NOTES.data(one))
    return found
