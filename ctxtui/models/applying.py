"""Recipes and policies over many sessions: what each would come to, and doing it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxtui.core import Conversation, Refused, Result
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library, Session
from ctxtui.core.what_if import assess
from ctxtui.files.policies import list_policies, load_policy
from ctxtui.files.recipes import RecipeFile, list_recipes, load_recipe
from ctxtui.models.bulk import change_many
from ctxtui.models.library_steps import Done
from ctxtui.models.told import done, sentence_of
from ctxtui.progress import Watch
from ctxtui.words import plural


class Means(NamedTuple):
    """What can be applied: a recipe, or a policy, which acts only where it is due."""

    file: RecipeFile
    is_policy: bool

    @property
    def title(self) -> str:
        """Return its name, and what it is."""
        return f"{self.file.name} ({'policy' if self.is_policy else 'recipe'})"

    def load(self) -> Recipe | Policy:
        """Return what is in the file, or refuse it."""
        return load_policy(self.file.path) if self.is_policy else load_recipe(self.file.path)


def all_means() -> list[Means]:
    """Return the recipes and policies there are."""
    return [
        *(Means(one, False) for one in list_recipes()),
        *(Means(one, True) for one in list_policies()),
    ]


def means_at(path: Path) -> Means:
    """Return what is in a file: a list of operations is a recipe, anything else a policy."""
    file = RecipeFile(path, "file")
    try:
        load_recipe(path)
    except Refused:
        load_policy(path)  # Refused if it is no policy either.
        return Means(file, True)
    return Means(file, False)


def act_on(loaded: Recipe | Policy, conversation: Conversation) -> tuple[Result, ...]:
    """Apply something to a conversation; a recipe is all or nothing, so is a policy here.

    Where nothing would be sent differently, nothing is done: no session gets an empty batch.
    """
    if not isinstance(loaded, Policy):
        result = conversation.apply_plan(lambda _: loaded)
        return () if result is None else (result,)
    if len(loaded.stages) > 1:  # Each would be kept where a later one is refused.
        _before_call(loaded, conversation.copy())
    return _before_call(loaded, conversation)


def _before_call(policy: Policy, conversation: Conversation) -> tuple[Result, ...]:
    acted = policy.before_call(conversation)
    if acted.refused:
        raise Refused(acted.refused[0].reason, field="policy", legal="stages that can act")
    return acted.results


class Size(NamedTuple):
    """How large a conversation is, and what lint says of it."""

    messages: int
    tokens: int
    errors: int
    warnings: int

    @classmethod
    def of(cls, conversation: Conversation) -> Size:
        """Return the size of what is visible."""
        found = assess(conversation.moment)
        total = conversation.tokens.total
        return cls(len(conversation.view), total, found.error_count, found.warning_count)


class SessionTrial(NamedTuple):
    """What would become of a session; ``problem`` says why nothing can."""

    entry: Entry
    before: Size | None = None
    after: Size | None = None
    changes: bool = False
    problem: str = ""


class Trials(NamedTuple):
    """What would become of all sessions."""

    trials: tuple[SessionTrial, ...] = ()

    @property
    def changing(self) -> list[SessionTrial]:
        """Return those that would be changed."""
        return [one for one in self.trials if one.changes]

    @property
    def refused(self) -> list[SessionTrial]:
        """Return those that can't be changed."""
        return [one for one in self.trials if one.problem]


def try_all(
    library: Library, entries: Sequence[Entry], loaded: Recipe | Policy, watch: Watch
) -> Trials:
    """Return what would become of each session; nothing is changed on disk."""
    found = []
    for number, entry in enumerate(entries):
        watch.step(number / len(entries))
        try:
            with library.open(entry.id, read_only=True) as session:
                found.append(_tried(session, entry, loaded))
        except Exception as problem:
            found.append(SessionTrial(entry, problem=sentence_of(problem)))
    return Trials(tuple(found))


def _tried(session: Session, entry: Entry, loaded: Recipe | Policy) -> SessionTrial:
    """Try it on a conversation that was read for this alone."""
    talk = session.conversation
    before, records = Size.of(talk), len(talk.journal)
    try:
        act_on(loaded, talk)
    except Refused as refusal:
        return SessionTrial(entry, before, problem=str(refusal))
    return SessionTrial(entry, before, Size.of(talk), len(talk.journal) > records)


def apply_all(
    library: Library, entries: Sequence[Entry], means: Means, loaded: Recipe | Policy, watch: Watch
) -> Done:
    """Apply it to sessions, each as a whole, as one step."""
    bulk = change_many(library, entries, partial(_act, loaded), watch)
    told = done(
        f"Applied {means.file.name} to {plural(len(bulk.changed), 'session')}",
        "",
        ("u", "takes it back"),
    )
    return bulk.done(library, told, "applied")


def _act(loaded: Recipe | Policy, session: Session) -> None:
    act_on(loaded, session.conversation)
