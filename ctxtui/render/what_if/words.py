"""What-if in words: names, labels and operations, and one sentence of facts for a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxtui.core.recipes import Recipe
from ctxtui.core.what_if import Outcome
from ctxtui.models.trials import Candidate, Ground
from ctxtui.render.text.numbers import tokens
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

MOST_LABELS = 4
LABEL_CHARACTERS = 24
NAME_CHARACTERS = 60
SENTENCE_CHARACTERS = 400
"""How many labels are named, and how much of a label, a name and an operation is looked at."""


def labels_told(lost: Iterable[str]) -> str:
    """Return the labels of lost messages, a few of them."""
    labels = list(lost)
    told = ", ".join(visible(label, LABEL_CHARACTERS) for label in labels[:MOST_LABELS])
    return f"{told} …" if len(labels) > MOST_LABELS else told


def name_told(candidate: Candidate) -> str:
    """Return a recipe's name, safe to show."""
    return visible(candidate.name, NAME_CHARACTERS)


def recipe_told(recipe: Recipe) -> str:
    """Return the operations of a recipe in plain words, safe to show."""
    told = "; then ".join(operation.sentence() for operation in recipe)
    return visible(told, SENTENCE_CHARACTERS)


def in_short(ground: Ground | None, candidates: Sequence[Candidate], chosen: int) -> str:
    """Return one sentence of facts about the recipe under the cursor."""
    if not candidates:
        return "No recipe yet. + adds one."
    candidate = candidates[chosen]
    name, outcome = name_told(candidate), candidate.outcome
    if candidate.problem is not None:
        return f"{name} can't be opened here: {visible(candidate.problem, SENTENCE_CHARACTERS)}."
    if outcome is None or ground is None:
        return f"{name} is being tried."
    if outcome.keeps_projection:
        return f"{name}: the same would be sent as now."
    facts = [
        _size(ground, outcome),
        _lint(outcome, candidates),
        _marks(ground, outcome),
        _cache(outcome),
    ]
    return f"{name}: {'; '.join(fact for fact in facts if fact)}."


def _size(ground: Ground, outcome: Outcome) -> str:
    now = ground.now
    told = f"{now.messages:,} → {plural(outcome.messages, 'message')}"
    if outcome.new:
        told += f", {outcome.new:,} of them new"
    if outcome.back:
        told += f", {outcome.back:,} brought back"
    if outcome.counter != now.counter:
        counter = visible(outcome.counter, NAME_CHARACTERS)
        told += f", {tokens(outcome.tokens)} tokens as {counter} counts"
    else:
        told += f", {tokens(now.tokens)} → {tokens(outcome.tokens)} tokens"
    if outcome.limit is not None:
        told += f", {percent(outcome.tokens, outcome.limit)} of the limit"
    return told


def _lint(outcome: Outcome, candidates: Sequence[Candidate]) -> str:
    if outcome.errors:
        count = plural(outcome.error_count, "error")
        return f"lint refuses it with {count} ({outcome.in_words('error')})"
    outcomes = [one.outcome for one in candidates]
    passed = [one for one in outcomes if one is not None and not one.errors]
    alone = len(outcomes) > 1 and len(passed) == 1 and all(map(_is_done, candidates))
    told = "lint accepts only this one" if alone else "lint accepts it"
    if outcome.warnings:
        told += f" with {plural(outcome.warning_count, 'warning')} ({outcome.in_words('warning')})"
    return told


def _is_done(candidate: Candidate) -> bool:
    return not candidate.is_pending


def _marks(ground: Ground, outcome: Outcome) -> str:
    if not ground.marked:
        return ""
    if not outcome.marks_lost:
        return "every marked message stays"
    count = plural(len(outcome.marks_lost), "marked message")
    return f"{count} would go ({labels_told(outcome.lost)})"


def _cache(outcome: Outcome) -> str:
    prefix = outcome.prefix
    if not outcome.resent:
        return f"a prompt cache keeps all {tokens(outcome.tokens)} tokens"
    if not prefix.messages:
        return "a prompt cache keeps nothing"
    kept = f"{plural(prefix.messages, 'message')} ({tokens(prefix.tokens)} tokens)"
    return f"a prompt cache keeps {kept}, {tokens(outcome.resent)} are sent again"
