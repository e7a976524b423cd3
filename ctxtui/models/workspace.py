"""The workspace: what a user does to an open session, each as one change."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ctxtui.core import Batch, Refused, Result
from ctxtui.core.conversation.conversation import OperationLike
from ctxtui.core.curation.splitting import keep_only
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.operations import Redo, Undo
from ctxtui.core.engine.queries import Offer
from ctxtui.core.storage import Session
from ctxtui.models.look import Look, is_on_path
from ctxtui.models.saver import Saver

KEEP = "keep"
"""The label that is meant when none is typed."""
MOST_LABELS = 6


class NothingChanged(Refused):
    """A change was accepted and made no difference."""


class Workspace:
    """A session that is being worked on; every method changes it once, or refuses to."""

    def __init__(self, session: Session, followed: str | None = None) -> None:
        self.session = session
        self.conversation = session.conversation
        self.saver = Saver(session, followed)

    def change(self, operation: OperationLike) -> Result:
        """Execute an operation or a list of them."""
        reason = self.saver.read_only_reason
        if reason is not None:
            raise Refused(reason.rstrip("."), field="session", legal="a session that is yours")
        result = self.session.change(operation)
        if not result.changed:
            raise NothingChanged("nothing changed: it is so already")
        return result

    @property
    def mark_hint(self) -> str:
        """Return what a label may be, with those there are."""
        labels = ", ".join(sorted(self.conversation.marks)[:MOST_LABELS])
        return f"a label, nothing means {KEEP}" + (f"; there are {labels}" if labels else "")

    def mark(self, raws: Collection[int], label: str) -> tuple[Result, str]:
        """Put a label on messages, or take it off where all of them carry it."""
        if not raws:
            raise Refused("there is no message to mark", field="indices", legal="one or more")
        label = label.strip() or KEEP
        marked = set(self.conversation.marks.get(label, ()))
        name, word = ("UNMARK", "Unmarked") if marked.issuperset(raws) else ("MARK", "Marked")
        change = {"operation": name, "indices": list(raws), "label": label}
        return self.change(change), word

    def keep_only(self, raws: Collection[int]) -> tuple[Result, str]:
        """Hide everything but the messages that are selected."""
        return self.change(keep_only(self.conversation, raws)), f"Kept only {len(raws):,}"

    def put_back(self, raw: int) -> Result:
        """Insert a copy of a hidden message, with its marks, where it would stand."""
        now = Look(self.conversation)
        if now.view.position(raw) is not None:
            raise Refused(f"raw {raw} is visible: go to a hidden message, in the raw array")
        copy = self.conversation.log[raw].noted(copiedFrom=raw)
        fresh = len(self.conversation.log)
        labels = [label for label, marked in self.conversation.marks.items() if raw in marked]
        steps: list[dict[str, Any]] = [
            {
                "operation": "INSERT",
                "position": now.place_of_hidden(raw),
                "messages": [copy.to_dict()],
            },
            *({"operation": "MARK", "indices": [fresh], "label": label} for label in labels),
        ]
        return self.change(steps)

    def go_back_to(self, look: Look) -> tuple[Result, str]:
        """Roll back to a batch of the path, or check out what else is looked at."""
        conversation, batch, shown = self.conversation, look.batch, look.revision.id
        if is_on_path(conversation, batch) and conversation.on_path(batch.number).id == shown:
            back = {"operation": "ROLLBACK", "targetBatchIndex": batch.number}
            return self.change(back), "Rolled back"
        if conversation.newest(batch).id == shown:
            return self.change({"operation": "CHECKOUT", "batch": batch.id}), "Checked out"
        return self.change({"operation": "CHECKOUT", "revision": shown}), "Checked out"

    def switch_off(self, batch: Batch) -> Result:
        """Run the path again without the operation that opened a batch."""
        if batch.operation is None:
            raise Refused("batch 0 has no operation to switch off", field="batch", value=0)
        return self.change({"operation": "TOGGLE", "skip": [batch.opened]})

    @property
    def offer(self) -> Offer | None:
        """Return the operation that would bring the tokens down, if one is offered now."""
        offers = (one for one in self.conversation.notices() if isinstance(one, Offer))
        return next(offers, None)

    def turned(self, result: Result) -> Record | None:
        """Return the change that a result has undone or made again, if that is what it did."""
        match result.operation:
            case Undo():
                return self.conversation.redoable
            case Redo():
                return self.conversation.undoable
            case _:
                return None

    @property
    def facts(self) -> dict[str, str | bool]:
        """Return what can be done to the session, for the line of keys."""
        conversation, may_change = self.conversation, self.saver.read_only_reason is None
        return {
            "changing": may_change,
            "sent": len(conversation.view) > 0,
            "undo": may_change and conversation.undoable is not None,
            "redo": may_change and conversation.redoable is not None,
            "offer": may_change and self.offer is not None,
        }
