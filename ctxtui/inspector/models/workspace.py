"""The workspace: what a user does to an open session, each as one change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ctxtui.core import Batch, Conversation, Refused, Result
from ctxtui.core.conversation.conversation import OperationLike
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.meta_fields import SCRIPT
from ctxtui.core.engine.operations import Redo, Undo
from ctxtui.core.engine.queries import Offer
from ctxtui.core.errors import format_value, out_of_range
from ctxtui.core.storage import Session, StorageError
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.text.line_source import LineSource
from ctxtui.text.plurals import plural
from ctxtui.text.toast import Toast, done, note

# Saving a session: what may be said of it, and closing it without losing anything.

COPY = "O and then D makes a copy to work on"
"""How to get a session of one's own: in the library."""
NOTHING = "Read-only: nothing is changed."


class Saver:
    """Makes a session safe on disk; each method returns why that failed, or None.

    Writing blocks, so a screen calls it in a thread; the session itself keeps the order.
    """

    def __init__(self, session: Session, followed: str | None = None) -> None:
        self.session = session
        self.followed = followed
        """The file that the session grows with, if it was opened to follow one."""
        self.was_warned = False
        """Whether it was said that leaving would lose something."""

    @property
    def read_only_reason(self) -> str | None:
        """Return why nothing can be changed here, or None."""
        holder = self.session.holder
        if self.followed is not None:
            return f"Read-only: it grows with {self.followed}; {COPY}."
        if not self.session.read_only:
            return None
        return f"Read-only: {holder} has it open; {COPY}." if holder else NOTHING

    def sync(self) -> str | None:
        return self._write(self.session.sync)

    def fold(self) -> str | None:
        return self._write(self.session.save)

    def _write(self, write: Callable[[], object]) -> str | None:
        try:
            write()
        except StorageError as error:
            return str(error)
        self.was_warned = False
        return None

    def close(self) -> str | None:
        """Close the session; if that would lose something, only when asked a second time."""
        try:
            self.session.close()
        except StorageError as error:
            if not self.was_warned:
                self.was_warned = True
                return str(error)
            self.session.abandon()
        return None


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
        reason = self.saver.read_only_reason
        if reason is not None:
            raise Refused(reason.rstrip("."), field="session", legal="a session that is yours")
        result = self.session.change(operation)
        if not result.changed:
            raise NothingChanged("nothing changed: it already has this value")
        return result

    @property
    def mark_hint(self) -> str:
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
        from ctxtui.core.curation.purging import keep_only

        return self.change(keep_only(self.conversation, raws)), f"Kept only {len(raws):,}"

    def put_back(self, raw: int) -> Result:
        """Insert a copy of a hidden message, with its marks, where it would be."""
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
        """Roll back to a batch of the path, or check out what else is shown."""
        conversation, batch, shown = self.conversation, look.batch, look.revision.id
        if is_on_path(conversation, batch) and conversation.on_path(batch.number).id == shown:
            back = {"operation": "ROLLBACK", "targetBatchIndex": batch.number}
            return self.change(back), "Rolled back"
        if conversation.newest(batch).id == shown:
            return self.change({"operation": "CHECKOUT", "batch": batch.id}), "Checked out"
        return self.change({"operation": "CHECKOUT", "revision": shown}), "Checked out"

    def switch_off(self, batch: Batch) -> Result:
        if batch.operation is None:
            raise Refused("batch 0 has no operation to switch off", field="batch", value=0)
        return self.change({"operation": "TOGGLE", "skip": [batch.opened]})

    @property
    def offer(self) -> Offer | None:
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
        conversation, may_change = self.conversation, self.saver.read_only_reason is None
        return {
            "changing": may_change,
            "sent": len(conversation.view) > 0,
            "undo": may_change and conversation.undoable is not None,
            "redo": may_change and conversation.redoable is not None,
            "offer": may_change and self.offer is not None,
        }


# The selection: messages picked by hand, and where a range was begun.


class Selection:
    """Raw indices of messages; what acts on one message acts on all of them."""

    def __init__(self) -> None:
        self.raws: frozenset[int] = frozenset()
        self.anchor: int | None = None

    def __bool__(self) -> bool:
        return bool(self.raws) or self.anchor is not None

    def toggle(self, raw: int) -> None:
        self.raws ^= {raw}

    def extend(self, source: LineSource, one: int, other: int) -> None:
        """Select everything between two messages in the order of a list."""
        ends = sorted(at for key in (one, other) if (at := source.find(key)) is not None)
        if ends:
            self.raws |= {source.key(at) for at in range(ends[0], ends[-1] + 1)}

    def mark_or_extend(self, source: LineSource, here: int | None) -> bool:
        """Select from the anchor to here; without an anchor set one, and return False."""
        anchor, self.anchor = self.anchor, None
        if anchor is None or here is None or source.find(anchor) is None:
            self.anchor = here
            return False
        self.extend(source, anchor, here)
        return True

    def with_range(self, source: LineSource, here: int | None) -> frozenset[int]:
        """Return what is selected, and what would be if the range under way ended here."""
        if self.anchor is None or here is None or source.find(self.anchor) is None:
            return self.raws
        whole = Selection()
        whole.raws = self.raws
        whole.extend(source, self.anchor, here)
        return whole.raws

    def clear(self) -> None:
        self.raws, self.anchor = frozenset(), None


# What is known of the program that writes the session that is shown.


class Liveness(NamedTuple):
    """Whether another program writes the session, and whether it can be followed."""

    is_written: bool
    is_over: bool = False
    is_file: bool = False
    """Whether it grows with a file: then only this program writes it, and only what comes."""


# Recording batches of the path as a recipe: what to ask, and what to do with the answer.

_STRETCH = re.compile(r"(\d{1,9})\s*(?:[-–…]|\.\.+)\s*(\d{1,9})\s+(\S.*)", re.ASCII)


NOTHING_YET = "only batch 0: there is no operation to record yet"


def recording_hint(conversation: Conversation) -> str:
    """Return what an answer looks like."""
    last = conversation.batch.number
    if last == 0:
        return NOTHING_YET
    return f"batches of the path (1–{last}) and a name, such as 1-{last} window"


def recording_start(look: Look) -> str:
    """Return the batches that are most likely meant: from the one that is shown to the last."""
    last = look.conversation.batch.number
    if last == 0:
        return ""
    first = min(last, max(1, look.batch.number if not look.is_live else 1))
    return f"{first}-{last} "


def record_batches(conversation: Conversation, text: str) -> Toast:
    """Save the batches that ``2-5 name`` means as a recipe; return what to say about it."""
    from ctxtui.core.recipes import record_recipe
    from ctxtui.files.policies import save_recipe

    found = _STRETCH.fullmatch(text.strip())
    last = conversation.batch.number
    if last == 0:
        raise Refused(NOTHING_YET, field="record")
    if found is None:
        legal = f"two batches of 1…{last} and a name, such as 1-{last} window"
        raise Refused(f"{format_value(text)} is not {legal}", field="record", legal=legal)
    start, end = int(found[1]), int(found[2])
    for number in (start, end):
        if not 1 <= number <= last:
            raise out_of_range("batch", number, f"1…{last}")
    opened = conversation.path[start].opened
    recipe = record_recipe(conversation, opened, conversation.on_path(end).id)
    path = save_recipe(found[3], recipe)
    return done(f"Recorded {plural(len(recipe), 'operation')}", f"In {path}.", ("w", "tries it"))


# What is said of a conversation that a script has made, when it is opened.


def story_toast(conversation: Conversation) -> Toast | None:
    """Return where the steps of a script can be seen; nothing where there is no script."""
    steps = conversation.meta.get(SCRIPT)
    if not isinstance(steps, list | tuple):
        return None
    about = conversation.meta.get("about")
    detail = f"{about} " if isinstance(about, str) else ""
    told = f"A script of {plural(len(steps), 'step')}"
    return note(told, f"{detail}The journal plays it, step by step.")
