"""One conversation on its way through the steps of a plan, and what is to be told of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..conversation.conversation import Conversation
from ..curation.projection import projection_of
from ..lint.findings import Finding
from .sketches import sketch_of

Told = dict[str, Any]
"""What is known of a record, as JSON-ready data."""


class Talk:
    """A conversation, what each step has noted of it, and by what it is known among others."""

    def __init__(self, conversation: Conversation, title: str | None = None) -> None:
        self.conversation = conversation
        self.title = title
        self.step = 0
        """The number of the step that is at work."""
        self.notes: dict[int, Told] = {}
        self.keys: dict[int, str] = {}
        """For each step that looks for others alike: the hash of what was visible then."""
        self.sketches: dict[int, bytes] = {}
        self._came = conversation.moment.head
        self._was_changed = False
        self._findings: tuple[tuple[int, int, str], list[Finding]] | None = None

    def note(self, name: str, value: Any) -> None:
        """Note something that the step at work has found."""
        self.notes.setdefault(self.step, {})[name] = value

    def sign(self, near: float) -> None:
        """Note what tells this conversation from others."""
        self.keys[self.step] = projection_of(self.conversation)
        if near < 1:
            self.sketches[self.step] = sketch_of(self.conversation)

    def squash(self) -> None:
        """Put a new conversation of what is visible in the place of this one."""
        whole = len(self.conversation.view) == len(self.conversation.log)
        self._was_changed = self.is_changed or not whole
        self.conversation = self.conversation.squash()
        self._came = self.conversation.moment.head

    @property
    def is_changed(self) -> bool:
        """Tell whether anything was done to it so far."""
        return self._was_changed or self.conversation.moment.head != self._came

    def lint(self, profile: str) -> list[Finding]:
        """Return what lint finds; asked again about the same state, it is not looked for again."""
        asked = (id(self.conversation), self.conversation.current.id, profile)
        if self._findings is None or self._findings[0] != asked:
            self._findings = (asked, self.conversation.lint(profile))
        return self._findings[1]

    def figures(self, profile: str) -> Told:
        """Return how large it is by now, and which rules are broken how often."""
        found = self.lint(profile)
        errors = Counter(one.rule for one in found if one.severity == "error")
        warnings = Counter(one.rule for one in found if one.severity != "error")
        return {
            "messages": len(self.conversation.view),
            "tokens": self.conversation.tokens.total,
            "errors": dict(sorted(errors.items())),
            "warnings": dict(sorted(warnings.items())),
        }
