"""Searching the history: the first batch of the path for which something holds.

Each batch is checked at the revision where the path left it, which holds the most messages.
"""

from __future__ import annotations

from collections.abc import Callable

from .conversation.conversation import Conversation
from .engine.queries import blame
from .engine.state import State, StateAtRevision
from .lint import lint_state, profile_rules
from .values.models import read_choice, read_count

Test = Callable[[State], bool]
"""Returns whether a batch, as the path left it, is of the kind that is searched for."""

Progress = Callable[[int, int], object]
"""Called with how many batches were checked and how many there are; raising ends the search."""


def rules_of(profile: str) -> tuple[str, ...]:
    """Return the ids of the lint rules of a profile."""
    return tuple(rule.id for rule in profile_rules(profile))


def first_batch(
    conversation: Conversation, test: Test, progress: Progress | None = None
) -> int | None:
    """Return the number of the first batch of the path that passes a test, or None.

    What broke may have been repaired since, so bisection is not possible: batches are checked from
    the front, each once. What is added to the conversation meanwhile is ignored.
    """
    now = conversation.at(conversation.current.id).moment
    count = len(now.path)
    for number in range(count):
        found = test(StateAtRevision(now, now.head._replace(revision=now.on_path(number).id)))
        if progress is not None:
            progress(number + 1, count)
        if found:
            return number
    return None


def first_error(
    conversation: Conversation,
    rule: str | None = None,
    profile: str | None = None,
    progress: Progress | None = None,
) -> int | None:
    """Return the first batch with a lint error, of one rule of the profile if named, or None."""
    judge = conversation.settings.profile if profile is None else profile
    known = rules_of(judge)
    wanted = known if rule is None else (read_choice(rule, "rule", known),)

    def is_broken(state: State) -> bool:
        found = lint_state(state, judge)
        return any(one.severity == "error" and one.rule in wanted for one in found)

    return first_batch(conversation, is_broken, progress)


def first_without(conversation: Conversation, index: int) -> int | None:
    """Return the batch in which a message vanished, or None if it is visible or never was."""
    found = blame(conversation.moment, index)
    return None if found is None or found.batch is None else found.batch.number


def first_without_text(
    conversation: Conversation, text: str, progress: Progress | None = None
) -> int | None:
    """Return the first batch that does not show a text which the one before showed, or None."""
    holding = conversation.query.search(text, scope="raw")
    was_there = False

    def has_lost(state: State) -> bool:
        nonlocal was_there
        before, was_there = was_there, any(raw in state.view for raw in holding)
        return before and not was_there

    return first_batch(conversation, has_lost, progress)


def first_above(
    conversation: Conversation, tokens: int, progress: Progress | None = None
) -> int | None:
    """Return the first batch with more visible tokens than a number, or None.

    They are counted with the present counter, even if another was in use then.
    """
    most = read_count(tokens, "tokens")
    return first_batch(conversation, lambda state: state.total(state.current) > most, progress)
