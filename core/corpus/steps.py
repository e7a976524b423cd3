"""Steps: what is done to each conversation of a corpus, one after the other.

A step looks at one conversation only, so that any number of them can be worked on at once. Only
which of several alike ones stays is decided later, when all are known; see ``alike``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ..curation.patterns import OWN, Pattern
from ..curation.replacing import (
    REMEDIES,
    by_pattern,
    details_changes,
    meant,
    replace,
    search,
)
from ..errors import Refused, shown
from ..policies import Policy
from ..policies.questions import Question
from ..policies.recorded import recorded
from ..policies.runs import run_of
from ..policies.simulation import walk
from ..queries.text_search import TooSlow
from ..storage.details import Details
from ..values.roles import ROLES
from .talk import Talk

Keep = Literal["clean", "all"]
KEEPS: tuple[Keep, ...] = ("clean", "all")


class Step(ABC):
    """Something that is done to every conversation."""

    kind: ClassVar[str]

    @abstractmethod
    def take(self, talk: Talk) -> str | None:
        """Do it to a conversation; return why it is dropped, if it is."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the step as data that needs no other file."""

    @abstractmethod
    def in_words(self) -> str:
        """Return what it does, for a report."""


@dataclass(frozen=True)
class LintStep(Step):
    """Looks for what a provider would refuse; keeps all, or only what is clean."""

    profile: str
    keep: Keep = "all"
    kind: ClassVar[str] = "lint"

    def take(self, talk: Talk) -> str | None:
        """Drop a conversation with errors, if only clean ones are wanted."""
        errors = [one for one in talk.lint(self.profile) if one.severity == "error"]
        if self.keep == "all" or not errors:
            return None
        more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        return f"{errors[0].rule} {errors[0].message}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data."""
        return {"lint": {"profile": self.profile, "keep": self.keep}}

    def in_words(self) -> str:
        """Return what it does."""
        return f"lint by {self.profile}, keep {'clean ones' if self.keep == 'clean' else 'all'}"


ANY_SIZE = (None, None)


@dataclass(frozen=True)
class LengthStep(Step):
    """Keeps conversations of a certain size."""

    messages: tuple[int | None, int | None] = ANY_SIZE
    tokens: tuple[int | None, int | None] = ANY_SIZE
    kind: ClassVar[str] = "length"

    def take(self, talk: Talk) -> str | None:
        """Drop a conversation that is too short or too long."""
        sizes = {"messages": len(talk.conversation.view)}
        if self.tokens != ANY_SIZE:
            sizes["tokens"] = talk.conversation.tokens.total
        for name, size in sizes.items():
            least, most = getattr(self, name)
            if (least is not None and size < least) or (most is not None and size > most):
                return f"{size:,} {name}, {_range(least, most)} are wanted"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data."""
        return {"length": {"messages": list(self.messages), "tokens": list(self.tokens)}}

    def in_words(self) -> str:
        """Return what it does."""
        bounds = {"messages": self.messages, "tokens": self.tokens}
        told = [f"{_range(*both)} {name}" for name, both in bounds.items() if both != ANY_SIZE]
        return f"keep {' and '.join(told) or 'any size'}"


def _range(least: int | None, most: int | None) -> str:
    return f"{'' if least is None else f'{least:,}'}…{'' if most is None else f'{most:,}'}"


@dataclass(frozen=True)
class PolicyStep(Step):
    """Lets a policy or recipe act once, as before the next call; a refusal changes nothing."""

    policy: Policy
    kind: ClassVar[str] = "policy"

    def take(self, talk: Talk) -> str | None:
        """Act, and note whether anything changed or was refused."""
        acted = self.policy.before_call(talk.conversation)
        talk.note("acted", acted.acted)
        if acted.refused:
            talk.note("refused", [one.reason for one in acted.refused])
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data, with the policy in it."""
        return {"policy": self.policy.to_dict()}

    def in_words(self) -> str:
        """Return what it does."""
        words = self.policy.in_words()
        return f"policy {self.policy.name}: {words}" if self.policy.is_named else f"policy: {words}"


@dataclass(frozen=True)
class ReplaceStep(Step):
    """Replaces what patterns find in a conversation; what is in doubt stays.

    Field names, numbers, ids and types of data stay too, unless everything is asked for.
    """

    given: Mapping[str, Any]
    patterns: tuple[Pattern, ...]
    roles: tuple[str, ...] = ROLES
    everywhere: bool = False
    kind: ClassVar[str] = "replace"

    def take(self, talk: Talk) -> str | None:
        """Replace, and note how much, and what stays; drop what a pattern takes too long on."""
        try:
            seen = search(
                talk.conversation,
                self.patterns,
                self.roles,
                everywhere=self.everywhere,
                details=Details(talk.title or ""),
            )
        except (Refused, TooSlow) as slow:
            return str(slow)  # It may hold what had to be replaced, so it does not get out.
        found = meant(seen.hits)
        if found:
            title = details_changes(Details(talk.title or ""), found, {}).get("title")
            talk.title = title if talk.title and title else talk.title
            replace(talk.conversation, found)
            talk.note("hits", by_pattern(found))
        if seen.stays.places:
            sums = {one: seen.stays.total(one) for one in REMEDIES}
            talk.note("stays", {one: count for one, count in sums.items() if count})
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data."""
        return {"replace": dict(self.given)}

    def in_words(self) -> str:
        """Return what it does."""
        own = shown(self.given.get("pattern"))
        return f"replace {', '.join(own if one.name == OWN else one.name for one in self.patterns)}"


@dataclass(frozen=True)
class DedupeStep(Step):
    """Keeps the first of those that are alike; which that are is known when all were read."""

    near: float = 1.0
    kind: ClassVar[str] = "dedupe"

    def take(self, talk: Talk) -> str | None:
        """Note what tells it from others."""
        talk.sign(self.near)
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data."""
        return {"dedupe": "exact" if self.near == 1 else {"near": self.near}}

    def in_words(self) -> str:
        """Return what it does."""
        how = "identical" if self.near == 1 else f"alike from {self.near:g} on"
        return f"keep the first of those that are {how}"


@dataclass(frozen=True)
class SquashStep(Step):
    """Makes a new conversation of what is visible; all else is gone."""

    kind: ClassVar[str] = "squash"

    def take(self, talk: Talk) -> str | None:
        """Put the new conversation in the place of the old one."""
        talk.squash()
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data."""
        return {"squash": True}

    def in_words(self) -> str:
        """Return what it does."""
        return "squash: only what is visible stays"


@dataclass(frozen=True)
class SimulateStep(Step):
    """Lets policies act before every call of the run, side by side; nothing is changed."""

    policies: tuple[Policy, ...]
    profile: str | None = None
    kind: ClassVar[str] = "simulate"

    def take(self, talk: Talk) -> str | None:
        """Note the figures of each policy over the run."""
        question = Question.about(run_of(talk.conversation), profile=self.profile)
        if not question.run.calls:
            return None
        real = recorded(question)
        runs = [*([] if real is None else [real]), *(walk(question, one) for one in self.policies)]
        talk.note("runs", [one.figures.sums() for one in runs])
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as data, with the policies in it."""
        profile = {} if self.profile is None else {"profile": self.profile}
        return {"simulate": [one.to_dict() for one in self.policies], **profile}

    def in_words(self) -> str:
        """Return what it does."""
        return f"simulate {', '.join(one.name for one in self.policies)}"
