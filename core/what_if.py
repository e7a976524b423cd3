"""What an operation or a list of them would do: messages, tokens, lint, lost marks, cached prefix.

Forms, repairs, what-if, ``simulate`` and dry runs all use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .conversation.conversation import Conversation, OperationLike, Result
from .engine.diff import Prefix, common_prefix
from .engine.state import State
from .engine.views import View
from .lint import lint_state, rule_named
from .lint.projection import Finding, Severity
from .values.models import ROLES

SYSTEM = ROLES.index("system")
DROPPED = 0
KEPT = 1
NEW = 2
"""What happens to a message that is sent now: it is hidden, stays, or is replaced."""


@dataclass(frozen=True)
class Assessment:
    """What a projection amounts to: messages, tokens, lint."""

    messages: int
    tokens: int
    counter: str
    limit: int | None
    findings: tuple[Finding, ...]

    @cached_property
    def errors(self) -> Mapping[str, int]:
        """Return how often each rule found an error, the most frequent first."""
        return _by_rule(self.findings, "error")

    @cached_property
    def warnings(self) -> Mapping[str, int]:
        return _by_rule(self.findings, "warning")

    def in_words(self, severity: Severity) -> str:
        """Return what is wrong in a few words for each rule, the most frequent first."""
        rules = self.errors if severity == "error" else self.warnings
        return ", ".join(rule_named(rule).words for rule in rules)

    @property
    def error_count(self) -> int:
        return sum(self.errors.values())

    @property
    def warning_count(self) -> int:
        return sum(self.warnings.values())

    def to_dict(self) -> dict[str, Any]:
        return {
            "messages": self.messages,
            "tokens": self.tokens,
            "counter": self.counter,
            "errors": self.error_count,
            "warnings": self.warning_count,
        }


@dataclass(frozen=True)
class WhatIfOutcome(Assessment):
    """A projection after a change, compared with the one before it.

    ``lost`` has the marked messages that are no longer visible, by label, ``system_lost`` the
    system messages that nothing replaces. ``new`` messages were added to the log, others
    brought ``back`` from it. ``fates`` says of each message that was visible before what became
    of it.
    """

    before: Assessment
    prefix: Prefix
    lost: Mapping[str, tuple[int, ...]]
    system_lost: tuple[int, ...]
    new: int
    back: int
    fates: bytes

    @property
    def resent(self) -> int:
        """Return the tokens behind the common start, which a prompt cache can't help with."""
        return self.tokens - self.prefix.tokens

    @cached_property
    def marks_lost(self) -> frozenset[int]:
        """Return the marked messages that are no longer visible, however many labels each has."""
        return frozenset(raw for raws in self.lost.values() for raw in raws)

    @property
    def keeps_projection(self) -> bool:
        return self.prefix.messages == len(self.fates) == self.messages

    @cached_property
    def findings_gone(self) -> list[Finding]:
        return _without(self.before.findings, self.findings)

    @cached_property
    def findings_come(self) -> list[Finding]:
        return _without(self.findings, self.before.findings)

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            "marksLost": len(self.marks_lost),
            "prefixMessages": self.prefix.messages,
            "prefixTokens": self.prefix.tokens,
        }


class WhatIf:
    """The present state of a conversation, and what operations would make of it.

    It is a snapshot: what is done to the conversation later is judged by another one.
    """

    def __init__(self, conversation: Conversation, profile: str | None = None) -> None:
        self.conversation = conversation
        self.view = conversation.view
        self._profile = profile
        self._state = conversation.moment
        self._log_size = len(conversation.log)

    @cached_property
    def before(self) -> Assessment:
        return assess(self._state, self._profile)

    @cached_property
    def now(self) -> WhatIfOutcome:
        """Return the outcome of doing nothing, for comparison."""
        return self._compared(self._state, self.before)

    def outcome(self, operation: OperationLike) -> WhatIfOutcome:
        """Return what an operation or a list of them would make of it, or refuse it."""
        return self.judge(self.conversation.preview(operation))

    def judge(self, result: Result) -> WhatIfOutcome:
        """Return what a result, previewed or done, makes of the present projection."""
        after = result.moment
        return self._compared(after, assess(after, self._profile))

    def _compared(self, after: State, reached: Assessment) -> WhatIfOutcome:
        fates, new, back = self._fates(after.view)
        return WhatIfOutcome(
            messages=reached.messages,
            tokens=reached.tokens,
            counter=reached.counter,
            limit=reached.limit,
            findings=reached.findings,
            before=self.before,
            prefix=common_prefix(after, self.view, after.view),
            lost=self._lost(fates),
            system_lost=tuple(
                self.view[place] for place in self._system_places if fates[place] == DROPPED
            ),
            new=new,
            back=back,
            fates=fates,
        )

    @cached_property
    def places(self) -> dict[int, int]:
        return {raw: position for position, raw in enumerate(self.view)}

    @cached_property
    def marks(self) -> dict[str, list[int]]:
        return {
            label: [self.places[raw] for raw in raws if raw in self.places]
            for label, raws in self.conversation.marks.items()
        }

    def _lost(self, fates: bytes) -> dict[str, tuple[int, ...]]:
        gone = {
            label: tuple(self.view[place] for place in places if fates[place] != KEPT)
            for label, places in self.marks.items()
        }
        return {label: raws for label, raws in gone.items() if raws}

    @cached_property
    def _system_places(self) -> list[int]:
        roles = self.view.column(self._state.log.roles)
        return [place for place, role in enumerate(roles) if role == SYSTEM]

    def _fates(self, view: View) -> tuple[bytes, int, int]:
        """Return what happens to each message, and how many are new or shown again.

        A new message takes the first free place behind the one it follows, as a redacted copy or
        a summary does; if there is none, as with an insertion, it is only counted.
        """
        places = self.places
        fates = bytearray(len(self.view))
        strangers = []
        before = -1
        for raw in view:
            place = places.get(raw)
            if place is None:
                strangers.append((before, raw))
            else:
                fates[place] = KEPT
                before = place
        slot = 0
        for before, _ in strangers:
            slot = max(slot, before + 1)
            if slot < len(fates) and fates[slot] == DROPPED:
                fates[slot] = NEW
                slot += 1
        new = sum(raw >= self._log_size for _, raw in strangers)
        return bytes(fates), new, len(strangers) - new


def assess(state: State, profile: str | None = None) -> Assessment:
    """Return what the projection of a state amounts to, by a profile's rules or its own."""
    return Assessment(
        messages=len(state.view),
        tokens=state.total(state.current),
        counter=state.counter,
        limit=state.head.settings.token_limit,
        findings=tuple(lint_state(state, profile)),
    )


def _by_rule(findings: tuple[Finding, ...], severity: Severity) -> dict[str, int]:
    return dict(Counter(one.rule for one in findings if one.severity == severity).most_common())


def _without(findings: tuple[Finding, ...], known: tuple[Finding, ...]) -> list[Finding]:
    """Return the findings that are not known.

    One about another message in the same words is the same: a copy replaced the message.
    """
    keys, here = ({(one.rule, one.raw_index) for one in some} for some in (known, findings))
    alike = Counter(
        (one.rule, one.message) for one in known if (one.rule, one.raw_index) not in here
    )
    found = []
    for one in findings:
        if (one.rule, one.raw_index) in keys:
            continue
        if alike[one.rule, one.message] > 0:
            alike[one.rule, one.message] -= 1
        else:
            found.append(one)
    return found
