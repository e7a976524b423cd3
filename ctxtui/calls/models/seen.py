"""What a model saw of recorded calls: branches of a copy on which the provider's edits are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ctxtui.calls.models.call import RecordedCall, is_managed, seen_of
from ctxtui.calls.models.sheet import CallCache, CallSheet, Evidence, evidence_of
from ctxtui.core import Conversation, Finding, Revision, Seen
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.messages import DataPart, TextPart
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import Checkout, Replace
from ctxtui.core.engine.views import View
from ctxtui.core.errors import Refused
from ctxtui.core.lint import lint_seen, lint_state
from ctxtui.core.requests.as_seen import seen_operations
from ctxtui.inspector.models.look import Look


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

    def lint(self) -> list[Finding]:
        """Return what is wrong with what was seen, and with what was not."""
        if self._findings is None:
            sent = self.conversation.at(self._sent).moment
            unseen = lint_seen(sent, self.seen)
            raws = [(one, one.raw_index) for one in unseen]
            self._findings = [
                *lint_state(self.state),
                *(
                    replace(one, position=None if raw is None else self.view.position(raw))
                    for one, raw in raws
                ),
            ]
        return self._findings

    def cause(self, finding: Finding) -> str:
        half = self.other_half(finding)
        is_own = half is not None and half.raw not in self.state.revisions[self._sent].view
        if half is None or is_own or half.blame is None:
            return super().cause(finding)
        return f"Its {half.word}, raw {half.raw}, was hidden by the provider."


def seen_looks(conversation: Conversation, calls: Sequence[Call]) -> list[SeenLook]:
    """Return what was seen of some calls, all in one copy of the conversation."""
    copy, found = conversation.copy(), list[tuple[int, Call, Seen]]()
    for call in calls:
        seen = seen_of(conversation, call)
        copy.execute(Checkout(revision=call.revision))
        operations = _operations(copy, seen)
        if operations:
            copy.execute(operations)
        found.append((copy.current.id, call, seen))
    return [SeenLook(copy, at, call.revision, seen) for at, call, seen in found]


def _operations(conversation: Conversation, seen: Seen) -> list[Operation]:
    """Return what the provider did to what is visible; nothing where that is not known."""
    if seen.certainty == "unknown":
        return []
    try:
        found = seen_operations(conversation, seen)
    except Refused:
        return []
    for one in seen.view or ():
        raw, part = one.piece.raw, one.piece.part
        if one.shown != "summary" or raw is None or part is None:
            continue
        if raw in conversation.view:
            parts = list(conversation.log[raw].parts)
            match parts[part]:
                case DataPart(data) if isinstance(text := data.get("content"), str) and text:
                    parts[part] = TextPart(text)
                    message = replace(conversation.log[raw], content=tuple(parts))
                    found.append(Replace(indices=[raw], messages=[message]))
    return found


def seen_look(look: Look) -> SeenLook | None:
    """Return what was seen of the newest call up to a look; None where that is what was sent."""
    conversation, calls = look.conversation, look.calls
    return seen_looks(conversation, [calls[-1]])[0] if calls and is_managed(conversation) else None


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
