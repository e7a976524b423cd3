"""How many lint errors each batch has: few messages are linted at once, many behind the scenes."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core import Conversation, Revision

MESSAGES_AT_ONCE = 3_000
"""How many messages are linted before a frame is drawn, over all batches together."""
REVISIONS_AT_A_TIME = 8
"""How many revisions are linted in one go behind the scenes."""


class ErrorCounts:
    """Errors by revision, for the settings of a conversation; other settings begin anew."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._settings = conversation.settings
        self._known: dict[int, int] = {}
        self._wanted: set[int] = set()
        self._uncountable: set[int] = set()

    def of(self, revision: Revision) -> int | None:
        """Return the errors of a revision; one nobody has counted yet is wanted from now on."""
        known = self._known.get(revision.id)
        if known is None and revision.id not in self._uncountable:
            self._wanted.add(revision.id)
        return known

    def prepare(self, revisions: Iterable[Revision]) -> None:
        """Count the errors of some revisions, as far as that takes no time worth mentioning."""
        if self._settings != self._conversation.settings:
            self._settings = self._conversation.settings
            self._known, self._wanted = {}, set()
        left = MESSAGES_AT_ONCE
        for revision in revisions:
            if revision.id not in self._known:
                left -= len(revision.view)
                if left < 0:
                    return
                self._known[revision.id] = self._count(revision.id)

    @property
    def is_wanting(self) -> bool:
        """Tell whether there is something left to count."""
        return bool(self._wanted)

    def count_some(self) -> None:
        """Count a few of those that are wanted; this may be done in a thread."""
        known = self._known
        for id in sorted(self._wanted)[-REVISIONS_AT_A_TIME:]:
            self._uncountable.add(id)  # As long as it has not been, so that it is tried once.
            self._wanted.discard(id)
            known[id] = self._count(id)
            self._uncountable.discard(id)

    def _count(self, id: int) -> int:
        findings = self._conversation.at(id).lint()
        return sum(finding.severity == "error" for finding in findings)
