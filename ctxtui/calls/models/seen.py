"""What a model saw of recorded calls: branches of a copy on which the provider's edits are done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ctxtui.calls.models.call import RecordedCall, is_managed, seen_of
from ctxtui.calls.models.sheet import CallCache, CallSheet, Evidence, evidence_of
from ctxtui.core import Conversation, Finding, Revision, Seen
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.messages import (
    DataPart,
    Message,
    Part,
    TextPart,
    ToolResultPart,
    ToolUsePart,
)
from ctxtui.core.engine.seen import SentPiece
from ctxtui.core.engine.views import View
from ctxtui.core.values.frozen import FrozenDict
from ctxtui.inspector.models.look import Look

CLEARED = "[cleared by the provider]"
"""What is shown in the place of a result; the provider's own words are not known."""


class SeenLook(Look):
    """What a model saw of a call; its change is what the provider did to what was sent."""

    is_seen = True

    def __init__(self, conversation: Conversation, revision: int, sent: int, seen: Seen) -> None:
        super().__init__(conversation, revision)
        self.seen = seen
        self._sent = sent
        # What was read instead of messages that were summarised in the call itself is not known.
        self.is_unlintable = any(edit.kind == "COMPACT" for edit in seen.edits)

    @property
    def is_live(self) -> bool:
        """Return False: nothing can be changed here."""
        return False

    @cached_property
    def before(self) -> Revision | None:
        return self.state.revisions[self._sent]

    def cause(self, finding: Finding) -> str:
        half = self.other_half(finding)
        is_own = half is not None and half.raw not in self.state.revisions[self._sent].view
        if half is None or is_own or half.blame is None:
            return super().cause(finding)
        return f"Its {half.word}, raw {half.raw}, was hidden by the provider."


def seen_looks(conversation: Conversation, calls: Sequence[Call]) -> list[SeenLook]:
    """Return what was seen of some calls, all in one copy of the conversation."""
    copy, found = conversation.copy(), list[tuple[int, Call]]()
    for call in calls:
        copy.execute({"operation": "CHECKOUT", "revision": call.revision})
        view = copy.current.view
        steps = list(_steps(conversation, call))
        positions = [(view.position(raw), message) for raw, message in steps]
        changes: list[Any] = [
            {"operation": "REPLACE", "index": at, "message": message.to_dict()}
            for at, message in positions
            if at is not None and message is not None
        ]
        hidden = [raw for raw, message in steps if message is None and raw in view]
        changes += [{"operation": "DELETE", "indices": hidden}] if hidden else []
        if changes:
            copy.execute(changes)
        found.append((copy.current.id, call))
    return [SeenLook(copy, at, one.revision, seen_of(conversation, one)) for at, one in found]


def seen_look(look: Look) -> SeenLook | None:
    """Return what was seen of the newest call up to a look; None where that is what was sent."""
    conversation, calls = look.conversation, look.calls
    return seen_looks(conversation, [calls[-1]])[0] if calls and is_managed(conversation) else None


def _steps(conversation: Conversation, call: Call) -> Iterator[tuple[int, Message | None]]:
    """Yield the messages that were not seen as they were sent; None for one that was hidden."""
    seen = seen_of(conversation, call)
    view = seen.view or ()
    left = {one.piece.raw for one in view if one.piece.record == seen.record}
    pieces = {
        piece.path: piece
        for edit in seen.edits
        for piece in edit.pieces
        if piece.record == seen.record
    }
    ways = dict.fromkeys(seen.cleared, "cleared")
    ways |= dict.fromkeys(seen.inputs_cleared, "input cleared") | dict.fromkeys(
        seen.hidden, "hidden"
    )
    changed: dict[int, list[tuple[SentPiece, str]]] = {}
    for path, how in ways.items():
        if path in pieces and (raw := pieces[path].raw) is not None:
            changed.setdefault(raw, []).append((pieces[path], how))
    for one in view:
        if one.shown == "summary" and one.piece.raw is not None:
            changed.setdefault(one.piece.raw, []).append((one.piece, "summary"))
    for raw, parts in changed.items():
        message = conversation.log[raw]
        made = _as_seen(message, parts, is_left=raw in left)
        if made is not message:
            yield raw, made


def _as_seen(
    message: Message, changed: Sequence[tuple[SentPiece, str]], *, is_left: bool
) -> Message | None:
    """Return a message as it was seen; None where nothing of it was."""
    parts: list[Part | None] = list(message.parts)
    for piece, how in changed:
        for at in range(len(parts)) if piece.part is None else (piece.part,):
            part = parts[at]
            if part is None or (how == "hidden" and piece.part is None and is_left):
                continue  # Another block of the request that is in this message was seen.
            parts[at] = None if how == "hidden" else _part(part, how)
    rest = tuple(part for part in parts if part is not None)
    if not rest:
        return None
    return message if rest == message.parts else replace(message, content=rest)


def _part(part: Part, how: str) -> Part:
    match how, part:
        case "cleared", ToolResultPart():
            return replace(part, content=CLEARED)
        case "input cleared", ToolUsePart():
            return replace(part, input=FrozenDict({}))
        case "summary", DataPart(data) if isinstance(text := data.get("content"), str) and text:
            return TextPart(text)
    return part


class SeenCall(RecordedCall):
    """A recorded call as its model saw it, compared with the call before as that was seen."""

    def __init__(self, sent: RecordedCall) -> None:
        super().__init__(sent.path, sent.number)
        self.sent = sent

    @cached_property
    def _looks(self) -> list[SeenLook]:
        calls = [self.call] if self.before is None else [self.before, self.call]
        return seen_looks(self.path.conversation, calls)

    @cached_property
    def look(self) -> SeenLook:
        return self._looks[-1]

    @cached_property
    def difference(self) -> Diff | None:
        """Return what differs from what was seen before; a placeholder that is there again is not.

        Both branches have placeholders and summaries of their own.
        """
        found, log = super().difference, self.state.log
        if found is None:
            return None
        size = len(self.path.conversation.log)
        made = [raw for raw in found.hidden if raw >= size]
        again = set[int]()
        for raw in (*found.added, *found.shown):
            same = (one for one in made if log[one] == log[raw] and one not in again)
            if raw >= size and (one := next(same, None)) is not None:
                again |= {raw, one}
        kept = {
            name: View.of([raw for raw in getattr(found, name) if raw not in again])
            for name in ("hidden", "added", "shown")
        }
        return found._replace(**kept)

    @property
    def revision_before(self) -> Revision | None:
        return None if self.before is None else self._looks[0].revision


class SeenSheet(CallSheet):
    """Everything that is shown of a call as its model saw it; why it was sent stays the same."""

    word = "seen"

    def __init__(self, sent: CallSheet) -> None:
        super().__init__(SeenCall(sent.one))
        self.sent = sent

    @cached_property
    def cache(self) -> CallCache:
        """Return the same: a cache always holds what the model saw."""
        return self.sent.cache

    @cached_property
    def evidence(self) -> Evidence:
        return evidence_of(self.sent.one)
