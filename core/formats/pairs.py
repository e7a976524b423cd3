"""Preference pairs: one prompt with several answers, each in a batch of its own.

The prompt is batch 0, from which each answer opens a batch that has its name; the current one is
opened last. ``meta.preference`` says which batch is which, and what is said about each answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..engine.messages import Message, TextPart
from ..engine.operations import Append, BatchStart, Checkout
from ..values.frozen import thaw
from ..values.models import Role

PREFERENCE = "preference"
"""The key of a conversation's meta that names the batches of its answers."""
CHOSEN, REJECTED = "chosen", "rejected"
Numbered = tuple[int, Message]
"""A message with its raw index."""


class PairAnswer(NamedTuple):
    """One of several answers, and what is said about it."""

    name: str
    messages: Sequence[Message]
    fields: Mapping[str, Any] = {}


class PairSides(NamedTuple):
    """What all answers have in common, and the messages and the fields of each, by its name."""

    prompt: list[Numbered]
    answers: dict[str, list[Numbered]]
    fields: dict[str, dict[str, Any]]


def build_pair(
    prompt: Sequence[Message],
    answers: Sequence[PairAnswer],
    meta: Mapping[str, Any],
    best: str = CHOSEN,
) -> Conversation:
    """Return the conversation of a prompt with its answers, of which the best is current."""
    ordered = sorted(answers, key=lambda one: one.name == best)
    numbers = {one.name: number for number, one in enumerate(ordered, 1)}
    fields = {str(numbers[one.name]): dict(one.fields) for one in answers if one.fields}
    named: dict[str, Any] = {one.name: numbers[one.name] for one in answers}
    if best not in (CHOSEN, REJECTED):
        named[CHOSEN] = numbers[best]
    preference = {**named, **({"fields": fields} if fields else {})}
    talk = Conversation(prompt, meta={**meta, PREFERENCE: preference})
    root = talk.current.id
    for one in ordered:
        if talk.current.id != root:
            talk.execute(Checkout(revision=root))
        talk.execute(BatchStart(description=one.name))
        if one.messages:
            talk.execute(Append(messages=one.messages))
    return talk


def sides_of(conversation: Conversation) -> PairSides | None:
    """Return the prompt and the answers as they are now; None for any other conversation."""
    preference = conversation.meta.get(PREFERENCE)
    if not isinstance(preference, Mapping):
        return None
    found = {
        name: batch
        for name, batch in preference.items()
        if type(batch) is int and 0 < batch < len(conversation.batches)
    }
    if found.get(CHOSEN) in [batch for name, batch in found.items() if name != CHOSEN]:
        del found[CHOSEN]  # It names the best of several.
    views = {name: _view_below(conversation, batch) for name, batch in found.items()}
    if not views:
        return None
    opened = (conversation.revisions[conversation.batches[one].opened] for one in found.values())
    before = min(one.log_size for one in opened)
    rows = zip(*views.values(), strict=False)
    shared = list(takewhile(lambda row: len({*row}) == 1 and row[0] < before, rows))
    said = preference.get("fields")
    said = said if isinstance(said, Mapping) else {}
    log = conversation.log
    return PairSides(
        [(row[0], log[row[0]]) for row in shared],
        {name: [(raw, log[raw]) for raw in view[len(shared) :]] for name, view in views.items()},
        {
            name: thaw(about)
            for name, batch in found.items()
            if isinstance(about := said.get(str(batch)), Mapping)
        },
    )


def _view_below(conversation: Conversation, batch: int) -> list[int]:
    """Return what is visible in a batch or in the newest one that came of it."""
    below = {batch}
    for one in conversation.batches[batch + 1 :]:
        if one.parent in below:
            below.add(one.id)
    if conversation.current.batch in below:
        return list(conversation.view)
    newest = max(one.id for one in conversation.revisions if one.batch in below)
    return list(conversation.at(newest).view)


def shared_start(first: Sequence[object], second: Sequence[object]) -> int:
    """Return how many items two conversations have in common, before the end of each."""
    most = min(len(first), len(second)) - 1
    return next((at for at in range(most) if first[at] != second[at]), max(most, 0))


def as_text(messages: Iterable[Numbered], role: Role) -> str | None:
    """Return the text that messages are; None if they are more than one of that role."""
    match list(messages):
        case [(_, message)] if message.role == role:
            match message.parts:
                case (TextPart(text=text, metadata=None),):
                    return text
    return None
