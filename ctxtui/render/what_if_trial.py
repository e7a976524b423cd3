"""Trials: what recipes would make of a conversation, worked out once so that drawing is quick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core import Conversation, Finding, Refused
from core.comparison import Prefix, common_prefix
from core.lint import lint_state
from core.recipes import Recipe
from core.state import State
from core.view import View
from ctxtui.recipes import RecipeFile, load_recipe

DROPPED, KEPT, NEW = 0, 1, 2
"""What becomes of a message that is sent now: it goes, it stays, or a new one stands there."""


@dataclass(frozen=True)
class Trial:
    """A projection in figures, compared with the present one; that one is a trial of nothing.

    ``fates`` says of each message that is sent now what becomes of it. ``lost`` counts the
    messages of each label that would go, ``marks_lost`` those messages, however many labels each
    carries. ``new`` messages would be added to the log, others brought ``back`` from it.
    """

    messages: int
    tokens: int
    counter: str
    limit: int | None
    errors: Mapping[str, int]
    warnings: Mapping[str, int]
    lost: Mapping[str, int]
    marks_lost: int
    prefix: Prefix
    new: int
    back: int
    fates: bytes

    @property
    def resent(self) -> int:
        """Return the tokens behind the common start, which a prompt cache can't help with."""
        return self.tokens - self.prefix.tokens

    @property
    def error_count(self) -> int:
        """Return how many lint errors there are."""
        return sum(self.errors.values())

    @property
    def warning_count(self) -> int:
        """Return how many lint warnings there are."""
        return sum(self.warnings.values())

    @property
    def changes_nothing(self) -> bool:
        """Tell whether the same would be sent as now."""
        return self.prefix.messages == len(self.fates) == self.messages


class Ground:
    """The present state of a conversation: what every recipe is tried on and compared with.

    ``marks`` has the positions of each label, ``marked`` those of all; hidden messages count not.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.view = conversation.view
        self.batch = conversation.batch.number
        self.roles = self.view.column(conversation.log.roles)
        self.places = {raw: position for position, raw in enumerate(self.view)}
        self.marks = {
            label: [self.places[raw] for raw in raws if raw in self.places]
            for label, raws in conversation.marks.items()
        }
        self.marked = sorted({place for found in self.marks.values() for place in found})
        self.now = self._trial(conversation.moment)

    def attempt(self, recipe: Recipe) -> Trial:
        """Return what a recipe would make of it, or refuse it; nothing is changed."""
        return self._trial(self.conversation.preview(list(recipe)).moment)

    def _trial(self, after: State) -> Trial:
        view = after.view
        findings = lint_state(after)
        fates, new, back = self._fates(view)
        gone = {
            label: [place for place in places if fates[place] != KEPT]
            for label, places in self.marks.items()
        }
        return Trial(
            messages=len(view),
            tokens=after.total(after.current),
            counter=after.counter,
            limit=after.head.settings.token_limit,
            errors=_by_rule(findings, "error"),
            warnings=_by_rule(findings, "warning"),
            lost={label: len(places) for label, places in gone.items() if places},
            marks_lost=len({place for places in gone.values() for place in places}),
            prefix=common_prefix(after, self.view, view),
            new=new,
            back=back,
            fates=fates,
        )

    def _fates(self, view: View) -> tuple[bytes, int, int]:
        """Return what becomes of each message, and how many are new or brought back.

        A new message takes the first free place behind the one it follows, as a redacted copy or
        a summary does; where there is none, as with an insertion, it is only counted.
        """
        places, size = self.places, len(self.conversation.log)
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
        new = sum(raw >= size for _, raw in strangers)
        return bytes(fates), new, len(strangers) - new


def _by_rule(findings: list[Finding], severity: str) -> dict[str, int]:
    return dict(Counter(one.rule for one in findings if one.severity == severity).most_common())


@dataclass(frozen=True)
class Candidate:
    """A recipe in the comparison: not tried yet, tried, or with a sentence why it can't be."""

    file: RecipeFile
    recipe: Recipe | None = None
    trial: Trial | None = None
    problem: str | None = None

    @property
    def name(self) -> str:
        """Return what the recipe is called."""
        return self.file.name

    @property
    def is_pending(self) -> bool:
        """Tell whether it has not been tried yet."""
        return self.trial is None and self.problem is None


def tried(ground: Ground, candidate: Candidate) -> Candidate:
    """Return a candidate with what came of it; reading and trying may take a moment."""
    try:
        candidate = replace(candidate, recipe=load_recipe(candidate.file.path))
        assert candidate.recipe is not None
        return replace(candidate, trial=ground.attempt(candidate.recipe))
    except Refused as refusal:
        return replace(candidate, problem=str(refusal))
