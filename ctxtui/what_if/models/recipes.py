"""Trials: recipes of a comparison, each with what it would make of the same state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ctxtui.core import Conversation
from ctxtui.core.recipes import Recipe
from ctxtui.core.what_if import WhatIf, WhatIfOutcome
from ctxtui.files.policies import RecipeFile, load_recipe
from ctxtui.text.toast import sentence_of


class Ground(WhatIf):
    """The state that every recipe is tried on, with what drawing it takes."""

    @property
    def batch(self) -> int:
        """Return the number of the batch that recipes are tried on."""
        return self.conversation.batch.number

    @cached_property
    def roles(self) -> bytes:
        """Return the role of each visible message, one byte each."""
        return self.view.column(self.conversation.log.roles)

    @cached_property
    def marked(self) -> list[int]:
        """Return the positions of the marked messages that are visible."""
        return sorted({place for places in self.marks.values() for place in places})


def ground_at(conversation: Conversation, revision: int | None) -> Ground:
    """Return what recipes are tried on: a copy, gone back to a revision if one is meant."""
    copy = conversation.copy()
    if revision is not None:
        copy.checkout(revision=revision)
    return Ground(copy)


@dataclass(frozen=True)
class Candidate:
    """A recipe in the comparison: not tried yet, tried, or with a sentence why it can't be."""

    file: RecipeFile
    recipe: Recipe | None = None
    outcome: WhatIfOutcome | None = None
    problem: str | None = None

    @property
    def name(self) -> str:
        """Return what the recipe is called."""
        return self.file.name

    @property
    def is_pending(self) -> bool:
        """Tell whether it has not been tried yet."""
        return self.outcome is None and self.problem is None


def tried(ground: Ground, candidate: Candidate) -> Candidate:
    """Return a candidate with what came of it; reading and trying may take a moment."""
    try:
        candidate = replace(candidate, recipe=load_recipe(candidate.file.path))
        return replace(candidate, outcome=ground.outcome(list(candidate.recipe or ())))
    except Exception as problem:
        return replace(candidate, problem=sentence_of(problem))
