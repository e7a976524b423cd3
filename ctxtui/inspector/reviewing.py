"""Reviewing in the inspector: a verdict on the open session, and on to the next of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ctxtui.messages import OpenOther
from ctxtui.notify import notify
from ctxtui.text.toast import done, failed, note

if TYPE_CHECKING:
    from ctxtui.core.curation.digest import SessionRow
    from ctxtui.core.storage import Entry
    from ctxtui.inspector.screen import InspectorScreen
    from ctxtui.library.models.library import Done, LibraryState


T = TypeVar("T")


class Reviewing:
    """Judges the session that is open, and asks the app for another one."""

    def __init__(
        self,
        screen: InspectorScreen,
        library_state: LibraryState | Callable[[], LibraryState],
        *,
        came_by_review: bool,
    ) -> None:
        self._screen = screen
        self._library_state = library_state
        self._came_by_review = came_by_review
        self._changes = len(screen.conversation.journal)
        self.is_at_work = False
        """Whether keys wait: for a verdict to be safe, or for the session to come."""

    @property
    def _desk(self) -> LibraryState:
        """Return what is known of the library, made when it is first needed."""
        if callable(self._library_state):
            self._library_state = self._library_state()
        return self._library_state

    @property
    def _has_several(self) -> bool:
        return not callable(self._library_state) and len(self._desk.order.rows) > 1

    @property
    def facts(self) -> dict[str, str | bool]:
        may_judge = self._screen.workspace.saver.read_only_reason is None
        facts: dict[str, str | bool] = {
            "judging": self._came_by_review and may_judge,
            "writable": may_judge,
            "several": self._has_several,
        }
        return {**facts, "undo": True} if self.may_take_back else facts

    def show(self) -> None:
        if self._has_several and self._desk.order.is_reviewing:
            from ctxtui.library.drawing.sessions import review_corner

            status = self._screen.session.details.status
            self._screen.explorer.tabs.review = review_corner(status, self._desk.order.progress)

    # Judging

    def judge(self, status: str) -> None:
        session, reason = self._screen.session, self._screen.workspace.saver.read_only_reason
        if reason is not None:
            notify(self._screen, failed(reason))
            return

        before = session.details.status

        def judge() -> Sequence[SessionRow]:
            session.describe(status=status)
            session.save()  # So that every list of sessions says it.
            self._load()
            return self._desk.read_judged(session.id)

        self._run("judge the session", judge, partial(self._go_on, status, before))

    def _go_on(self, status: str, before: str, found_out: Sequence[SessionRow]) -> None:
        session, library_state = self._screen.session, self._desk
        if found_out:
            library_state.learned(found_out)
            library_state.match()
        library_state.note_verdict(session.id, status, before, session.details.updated)
        self._screen.saving.show()
        self.show()
        found = library_state.order.next_unreviewed(session.id)
        told = f"{session.name} {'needs work' if status == 'needs work' else f'is {status}'}"
        warning = library_state.disagreement([session.id] if status != before else [])
        if warning is not None:
            notify(self._screen, warning)
        if found is None:
            self.stop()
            whole = library_state.order.progress.whole
            notify(self._screen, done(told, f"All {whole:,} are reviewed.", ("O", "shows them")))
        else:
            if warning is None:
                notify(self._screen, done(told, "", ("u", "undoes it")))
            self._open(found, is_review=True)

    # Going

    def other(self, by: int) -> None:
        self._run("find the next session", self._load, lambda _: self._go(by))

    def _go(self, by: int) -> None:
        found = self._desk.order.neighbour(self._screen.session.id, by)
        if found is not None:
            self._open(found, is_review=False)
        else:
            self.stop()
            whole = len(self._desk.order.rows)
            word = "first" if by < 0 else "last"
            notify(self._screen, note(f"This is the {word} of {whole:,}"))

    def _open(self, entry: Entry, *, is_review: bool) -> None:
        self._screen.post_message(OpenOther(entry.id, entry.name, is_review))

    # Splitting

    def split(self) -> None:
        from ctxtui.library.models.steps import split_beside

        screen, library_state = self._screen, self._desk
        raw, session = screen.explorer.raw, screen.session
        if raw is None:
            notify(screen, note("There is no message to split at"))
            return

        def split() -> Done:
            tags = session.details.tags
            return split_beside(
                library_state.library, screen.conversation, raw, session.title, tags
            )

        self._run("split the session", split, self._show_split)

    def _show_split(self, made: Done) -> None:
        self._desk.note(made)
        self.stop()
        if made.toast is not None:
            notify(self._screen, made.toast)

    # Taking back

    @property
    def may_take_back(self) -> bool:
        """Return whether a verdict led here, or a split was made, and nothing came since."""
        is_same = len(self._screen.conversation.journal) == self._changes
        return self._came_by_review and is_same and bool(self._desk.steps)

    def take_back(self) -> None:
        """Take back a split, or the verdict that led here and return to what it was about."""
        step = self._desk.steps[-1]
        self._run("take it back", self._desk.take_back, partial(self._go_back, step.ids[0]))

    def _go_back(self, id: str, taken: Done) -> None:
        self._desk.note(taken)
        if taken.toast is not None:
            notify(self._screen, taken.toast)
        row = self._desk.order.known.get(id)
        if row is not None and not taken.must_list:
            self._open(row.entry, is_review=True)
        else:
            self.stop()

    # Working

    def stop(self) -> None:
        self.is_at_work = False

    def _load(self) -> None:
        """Read the library once, unless that was done; called in a thread."""
        if not self._desk.is_loaded:
            self._desk.load_rows(self._desk.read())

    def _run(self, name: str, work: Callable[[], T], then: Callable[[T], object]) -> None:
        if not self.is_at_work:
            self.is_at_work = True
            self._screen.background.run(name, lambda _: work(), then, failed=self._complain)

    def _complain(self, sentence: str) -> None:
        self.stop()
        self._screen.saving.show()
        notify(self._screen, failed(sentence))
