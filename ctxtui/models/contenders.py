"""Contenders: policies of a comparison, each with what it would have sent at every call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

from ctxtui.core.policies import Policy, PolicyFigures
from ctxtui.core.policies.runs import Question
from ctxtui.core.policies.simulation import NAME, NotWanted, PolicyRun, Wanted, recorded, walk
from ctxtui.files.policies import PolicyFile, load_policy
from ctxtui.models.told import sentence_of

LETTERS = "ABCDEF"
"""What policies are called in plots and tables; there are at most so many."""
RECORDED_LETTER = "R"
_IDS = count()


@dataclass(frozen=True)
class Contender:
    """A policy of a comparison: not walked yet, walked, or with a sentence why it can't be.

    Without a file it is a setting of a sweep, or what the history itself has sent.
    """

    id: int
    file: PolicyFile | None = None
    policy: Policy | None = None
    run: PolicyRun | None = None
    problem: str | None = None
    is_recorded: bool = False

    @property
    def name(self) -> str:
        """Return what it is called; before its file is read, as that is."""
        if self.is_recorded:
            return NAME
        if self.policy is not None:
            return self.policy.name
        return "" if self.file is None else self.file.name

    @property
    def is_pending(self) -> bool:
        """Tell whether nobody knows yet what it gives."""
        return self.run is None and self.problem is None

    @property
    def figures(self) -> PolicyFigures | None:
        """Return its figures, as soon as they are known."""
        return None if self.run is None else self.run.figures


def of_file(file: PolicyFile) -> Contender:
    """Return a policy that is yet to be read."""
    return Contender(next(_IDS), file)


def of_policy(policy: Policy) -> Contender:
    """Return a policy that has no file."""
    return Contender(next(_IDS), policy=policy)


def of_history() -> Contender:
    """Return what the history itself has sent."""
    return Contender(next(_IDS), is_recorded=True)


def walked(question: Question, contender: Contender, wanted: Wanted | None = None) -> Contender:
    """Return a contender with what came of it; reading and walking may take a while."""
    if contender.is_recorded:
        return replace(contender, run=recorded(question))
    try:
        policy = contender.policy
        if policy is None:
            assert contender.file is not None
            policy = load_policy(contender.file.path)
        return replace(contender, policy=policy, run=walk(question, policy, wanted))
    except NotWanted:
        raise
    except Exception as problem:
        return replace(contender, problem=sentence_of(problem))
