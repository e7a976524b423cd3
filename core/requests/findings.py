"""Findings over a run: what went wrong with its context, at which call, and by which operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..engine.messages import ToolUsePart
from ..engine.seen import ProviderEdit, Seen, SeenPurpose
from ..engine.views import View
from ..lint.provider_edits import unread_messages
from .cache import broke, said_in, seen_start

FindingKind = Literal[
    "promptVanished",
    "questionVanished",
    "labelVanished",
    "textVanished",
    "loop",
    "cacheBroken",
    "refused",
    "providerCut",
]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)
FindingCertainty = Literal["proven", "likely", "unknown"]
REPEATED = 3
"""Tool calls in a row that are the same from which on they are a loop."""
INVALID = (400, 413, 422)
"""Statuses by which a server refuses what is in a request."""
PROFILE_OF: Mapping[str, str] = {
    **dict.fromkeys(("chat", "responses"), "openai"),
    **{"messages": "anthropic", "gemini": "gemini"},
}


class RunCall(NamedTuple):
    """A call of a run: its thread and number in the recording, and what the model saw of it.

    A side call, a token count, a refused attempt and a compaction have the thread they belong to.
    """

    record: int
    thread: int
    purpose: SeenPurpose | Literal["side"]
    conversation: Conversation
    call: Call
    seen: Seen

    @property
    def view(self) -> View:
        """Return what was sent, as raw indices."""
        return self.conversation.revisions[self.call.revision].view

    def stored(self, name: str) -> Any:
        """Return what was stored with the call under a name."""
        return None if self.call.wire is None else self.call.wire.get(name)

    @property
    def explained(self) -> list[Mapping[str, Any]]:
        """Return the operations that explain it, as they were recorded."""
        steps = self.stored("explained")
        listed = steps if isinstance(steps, list | tuple) else ()
        return [one for one in listed if isinstance(one, Mapping)]


class RunFinding(NamedTuple):
    """What is wrong from a call on; ``call`` is its number in the recording."""

    kind: FindingKind
    call: int
    operation: str | None
    certainty: FindingCertainty
    about: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {key: value for key, value in self._asdict().items() if value != ""}


def findings_in(calls: Sequence[RunCall], texts: Sequence[str] = ()) -> list[RunFinding]:
    """Return the findings over calls in their order; ``texts`` are those that must not vanish."""
    found: list[RunFinding] = []
    last: dict[int, RunCall] = {}
    for one in calls:
        if one.purpose == "refused":
            found += _refused(one)
        if one.purpose != "answer":
            continue
        before = last.get(id(one.conversation))
        if before is not None:
            found += [*_vanished(one, before, texts), *_looped(one, before), *_broken(one, before)]
        found += [*_unread(one, before, texts), *_refused(one), *_cut(one, before)]
        last[id(one.conversation)] = one
    return found


def _step(one: RunCall, names: Sequence[str] = ()) -> tuple[str | None, FindingCertainty]:
    """Return the operation that explains a call, the first with one of some names if given."""
    for step in one.explained:
        name, certainty = step.get("operation"), step.get("certainty")
        if isinstance(name, str) and (not names or name in names):
            return name, "proven" if certainty == "proven" else "likely"
    return (names[0] if names else None), "likely"


def _hidden_by(one: RunCall, raw: int) -> tuple[str | None, FindingCertainty]:
    """Return what hid a message that the call before had sent."""
    blame = one.conversation.at(one.call.revision).blame(raw)
    operation = None if blame is None else blame.operation
    return _step(one, () if operation is None else (operation.title,))


def _vanished(one: RunCall, before: RunCall, texts: Sequence[str]) -> Iterator[RunFinding]:
    log, now = one.conversation.log, one.view
    gone = [raw for raw in before.view if raw not in now]
    if not gone:
        return
    prompts = [raw for raw in gone if log[raw].role == "system"]
    if prompts and all(log[raw].role != "system" for raw in now):
        yield RunFinding("promptVanished", one.record, *_hidden_by(one, prompts[0]))
    question, unread = _question(one), unread_messages(before.seen)
    for raw in gone:
        operation, certainty = _hidden_by(one, raw)
        if operation == "REPLACE" or raw in unread:
            continue  # It was rewritten, and is still there; or the provider had hidden it.
        if raw == question:
            yield RunFinding("questionVanished", one.record, operation, certainty)
        for label, marked in one.conversation.marks.items():
            if raw in marked:
                yield RunFinding("labelVanished", one.record, operation, certainty, label)
    for text in texts:
        holding = [raw for raw in gone if text in log[raw].search_text]
        is_there = any(text in log[raw].search_text for raw in now)
        if holding and not is_there and _text_hidden(before, text) is None:
            yield RunFinding("textVanished", one.record, *_hidden_by(one, holding[0]), text)


def _question(one: RunCall) -> int | None:
    log = one.conversation.log
    return next((raw for raw, message in enumerate(log) if message.role == "user"), None)


def _unread(one: RunCall, before: RunCall | None, texts: Sequence[str]) -> Iterator[RunFinding]:
    """Yield what must not vanish and was sent, but the provider hid it, or may have hidden it."""
    hidden, was = unread_messages(one.seen), {} if before is None else unread_messages(before.seen)
    may, may_before = _may_be_unread(one), set() if before is None else _may_be_unread(before)
    question = _question(one)
    for raw in one.view if hidden or may else ():
        edit = hidden.get(raw) if raw not in was else None
        if edit is not None:
            known: tuple[str | None, FindingCertainty] = (edit.kind, _sure(edit))
        elif raw in may and raw not in may_before:
            known = None, "unknown"
        else:
            continue
        if raw == question and edit is not None:
            yield RunFinding("questionVanished", one.record, *known)
        for label, marked in one.conversation.marks.items():
            if raw in marked:
                yield RunFinding("labelVanished", one.record, *known, label)
    for text in texts:
        holding = {raw for raw in may if text in one.conversation.log[raw].search_text}
        edit = _text_hidden(one, text)
        if edit is not None and (before is None or _text_hidden(before, text) is None):
            yield RunFinding("textVanished", one.record, edit.kind, _sure(edit), text)
        elif holding - may_before:
            yield RunFinding("textVanished", one.record, None, "unknown", text)


def _sure(edit: ProviderEdit) -> FindingCertainty:
    return "proven" if edit.certainty == "proven" else "likely"


def _text_hidden(one: RunCall, text: str) -> ProviderEdit | None:
    """Return the provider's edit by which the model read a text nowhere that was sent."""
    hidden, log = unread_messages(one.seen), one.conversation.log
    holding = [raw for raw in one.view if raw in hidden and text in log[raw].search_text]
    if not holding or any(text in said_in(piece) for piece in one.seen.view or ()):
        return None
    return hidden[holding[0]]


def _may_be_unread(one: RunCall) -> set[int]:
    """Return the messages that a provider may have hidden, where that can't be known."""
    edits = [edit for edit in one.seen.edits if edit.certainty == "unknown"]
    if one.seen.certainty != "unknown":
        return set()
    log, found = one.conversation.log, set[int]()
    for edit in edits:
        if edit.pieces:
            found |= {piece.raw for piece in edit.pieces if piece.raw is not None}
        elif edit.kind == "CLEAR_RESULTS":
            found |= {raw for raw in one.view if log[raw].results}
        elif edit.kind not in ("PUT_IN_FRONT", "CLEAR_THINKING"):
            found |= {*one.view}
    return found if edits else {*one.view}


def _same_uses(one: RunCall) -> int:
    """Return how many tool calls in a row, up to the newest, are the same."""
    log, newest, count = one.conversation.log, None, 0
    for raw in reversed(one.view):
        for part in reversed(log[raw].parts):
            if isinstance(part, ToolUsePart):
                use = (part.name, part.input)
                if newest is not None and use != newest:
                    return count
                newest, count = use, count + 1
    return count


def _looped(one: RunCall, before: RunCall) -> Iterator[RunFinding]:
    if _same_uses(one) >= REPEATED > _same_uses(before):
        yield RunFinding("loop", one.record, *_step(one))


def _broken(one: RunCall, before: RunCall) -> Iterator[RunFinding]:
    cache, was, now = one.stored("cache"), before.call.usage, one.call.usage
    cause = broke(cache) if isinstance(cache, Mapping) else None
    if cause is None:
        start = seen_start(before.seen, one.seen, len) if one.seen.edits else None
        edit = None if start is None else start.edit
        if edit is not None and edit.certainty != "as sent":
            yield RunFinding("cacheBroken", one.record, edit.kind, edit.certainty, edit.why)
        return
    is_used = was is not None and bool(was.cached or was.written)
    is_less = now is not None and now.cached is not None and now.cached < ((was and was.input) or 0)
    operation, _ = _step(one)
    certainty: FindingCertainty = "proven" if is_used and is_less else "likely"
    yield RunFinding("cacheBroken", one.record, operation, certainty, cause)


def _refused(one: RunCall) -> Iterator[RunFinding]:
    """Yield that a server has refused a request, or would by the rules of its provider."""
    status, kind = one.stored("status"), one.stored("kind")
    if isinstance(status, int):
        if status in INVALID:
            yield RunFinding("refused", one.record, _step(one)[0], "proven", f"status {status}")
        return
    if one.call.answer is not None or kind not in PROFILE_OF:
        return
    wrong = one.conversation.at(one.call.revision).lint(PROFILE_OF[kind])
    error = next((finding for finding in wrong if finding.severity == "error"), None)
    if error is not None:
        yield RunFinding("refused", one.record, _step(one)[0], "likely", error.rule)


def _cut(one: RunCall, before: RunCall | None) -> Iterator[RunFinding]:
    """Yield what the provider hid, which it had not hidden from the call before."""
    known = set[tuple[str, object]]() if before is None else _pieces(before.seen)
    for edit in one.seen.edits:
        if edit.kind in ("PUT_IN_FRONT", "CLEAR_INPUTS") or edit.certainty == "as sent":
            continue
        if not edit.pieces and edit.certainty != "unknown":
            continue
        if not _names(edit) <= known:
            yield RunFinding("providerCut", one.record, edit.kind, edit.certainty)
    if _is_unexplained(one.seen) and (before is None or not _is_unexplained(before.seen)):
        yield RunFinding("providerCut", one.record, None, "unknown", one.seen.why)


def _is_unexplained(seen: Seen) -> bool:
    """Return whether something may be missing, but no edit that is known says what."""
    return seen.certainty == "unknown" and all(edit.certainty != "unknown" for edit in seen.edits)


def _pieces(seen: Seen) -> set[tuple[str, object]]:
    return {name for edit in seen.edits for name in _names(edit)}


def _names(edit: ProviderEdit) -> set[tuple[str, object]]:
    """Return the pieces of an edit in a way that stays the same from call to call."""
    if edit.certainty == "unknown":
        return {(edit.kind, "unknown")}
    return {
        (edit.kind, piece.path if piece.raw is None else (piece.raw, piece.part))
        for piece in edit.pieces
    }
