"""Replacing: what patterns find in visible messages gives way to something else, and only that.

First ``hits`` says what would be replaced, for a dry run; then ``replace`` does those that are
wanted, as one change that can be undone. Ids, pairs, roles, times and marks stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from core.conversation.conversation import Conversation
from core.conversation.readable import Readable
from core.conversation.results import Result
from core.curation.notes import following
from core.curation.patterns import Found, Pattern, find_all
from core.curation.texts import Path, fixed_texts, strings_of, texts_of, with_texts
from core.errors import Refused, shown
from core.messages.message import Message
from core.operations import Mark, Operation, Replace
from core.queries.text_search import TooSlow
from core.values.roles import ROLES, read_role
from core.views.spans import runs_of


class ReplaceHit(NamedTuple):
    """One place where something would be replaced."""

    raw: int
    position: int
    role: str
    path: Path
    """Where the text is in its message: the number of the part first."""
    start: int
    end: int
    """Where in that text."""
    before: str
    after: str
    pattern: str
    doubt: str = ""
    """Why it is probably not meant; such a one is not replaced unless somebody chooses it."""


def hits(
    conversation: Readable, what: Sequence[Pattern], roles: Collection[str] = ROLES
) -> list[ReplaceHit]:
    """Return everything that patterns find in visible messages of some roles, doubts among them."""
    wanted = {read_role(role) for role in roles}
    found: list[ReplaceHit] = []
    for position, raw in enumerate(conversation.view):
        message = conversation.log[raw]
        if message.role in wanted:
            found += [
                ReplaceHit(
                    *(raw, position, message.role, path, one.start, one.end),
                    *(text[one.start : one.end], one.after, one.pattern, one.doubt),
                )
                for path, text, one in _found(message, raw, what)
            ]
    return found


def _found(
    message: Message, raw: int, what: Sequence[Pattern]
) -> Iterator[tuple[Path, str, Found]]:
    try:
        for path, text in texts_of(message):
            for one in find_all(text, what):
                if text[one.start : one.end] != one.after:
                    yield path, text, one
    except TooSlow as slow:
        raise too_slow(str(slow), raw) from None


def too_slow(text: str, raw: int) -> Refused:
    """Return the refusal of a pattern that takes too long over a message."""
    return Refused(
        f"text {shown(text)} takes too long on message {raw} and was stopped",
        field="text",
        value=text,
        legal="a regular expression without nested repetition",
    )


def meant(found: Iterable[ReplaceHit]) -> list[ReplaceHit]:
    """Return the hits without a doubt."""
    return [hit for hit in found if not hit.doubt]


def replaced(message: Message, found: Iterable[ReplaceHit]) -> Message:
    """Return a message in which each of its hits has given way to what stands for it."""
    old = dict(texts_of(message))
    by_path: dict[Path, list[ReplaceHit]] = {}
    for hit in sorted(found, key=lambda hit: hit.start):
        by_path.setdefault(hit.path, []).append(hit)
    for path, some in by_path.items():
        _must_fit(old.get(path), some)
    new = {path: _edited(old[path], some) for path, some in by_path.items()}
    return following(with_texts(message, new), {old[path]: text for path, text in new.items()})


def _must_fit(text: str | None, some: Sequence[ReplaceHit]) -> None:
    """Refuse hits that were found in another message than the one that is there now."""
    ends = [0, *(hit.end for hit in some)]
    for hit, before in zip(some, ends, strict=False):
        if text is None or text[hit.start : hit.end] != hit.before or hit.start < before:
            raise Refused(
                f"message {hit.raw} is not the one in which {shown(hit.before)} was found; "
                "look for it again",
                field="hits",
                value=hit.before,
                legal="hits of the conversation as it is",
            )


def _edited(text: str, some: Sequence[ReplaceHit]) -> str:
    pieces, at = [], 0
    for hit in some:
        pieces += [text[at : hit.start], hit.after]
        at = hit.end
    return "".join([*pieces, text[at:]])


def operations(conversation: Readable, found: Sequence[ReplaceHit]) -> list[Operation]:
    """Return what replaces some hits: neighbours together, and the marks of old ones on new ones.

    The hits must be of the conversation as it is; a message that is not visible where it was found
    is refused.
    """
    by_raw: dict[int, list[ReplaceHit]] = {}
    for hit in found:
        by_raw.setdefault(hit.raw, []).append(hit)
    places = {conversation.view.position(raw): raw for raw in by_raw}
    if None in places or any(hit.position != conversation.view.position(hit.raw) for hit in found):
        raise Refused(
            "the messages are not where something was found in them; look for it again",
            field="hits",
            legal="hits of the conversation as it is",
        )
    news = new_places(conversation, found)
    word = f"replaced {', '.join(sorted({hit.pattern for hit in found}))}"
    asked: list[Operation] = []
    for start, length in runs_of(sorted(place for place in places if place is not None)):
        raws = [places[place] for place in range(start, start + length)]
        messages = [replaced(conversation.log[raw], by_raw[raw]) for raw in raws]
        asked.append(Replace(indices=raws, messages=messages, description=word))
    return [*asked, *_marks(conversation, news)]


def new_places(conversation: Readable, found: Iterable[ReplaceHit]) -> dict[int, int]:
    """Return where in the log the messages will be that take the place of those with hits."""
    order = dict.fromkeys(hit.raw for hit in sorted(found, key=lambda hit: hit.position))
    return {raw: len(conversation.log) + number for number, raw in enumerate(order)}


def _marks(conversation: Readable, news: Mapping[int, int]) -> Iterator[Operation]:
    for label, marked in conversation.marks.items():
        carried = [news[raw] for raw in marked if raw in news]
        if carried:
            yield Mark(indices=carried, label=label)


def replace(conversation: Conversation, found: Sequence[ReplaceHit]) -> Result | None:
    """Replace some hits as one change that UNDO takes back; None where there are none."""
    asked = operations(conversation, found)
    return conversation.execute(asked) if asked else None


class Stays(NamedTuple):
    """How often patterns are found where replacing does not reach."""

    hidden: int = 0
    """In messages that are not visible now."""
    beside: int = 0
    """In visible ones, but in names of fields, addresses of pictures, data and metadata."""
    about: int = 0
    """In title, tags and note of the session, in labels, and in what was said beside messages."""
    calls: int = 0
    """In what was recorded of calls."""

    def __add__(self, other: tuple[int, ...]) -> Stays:  # type: ignore[override]
        """Return the sums."""
        return Stays(*(a + b for a, b in zip(self, other, strict=True)))


def what_stays(
    conversation: Conversation, what: Sequence[Pattern], about: Iterable[str] = ()
) -> Stays:
    """Count what patterns find where replacing does not reach; ``about`` is title, tags and note.

    What is replaced stays in the log too, since UNDO can bring it back.
    """
    shown_now = set(conversation.view)
    hidden = beside = 0
    for raw, message in enumerate(conversation.log):
        if raw not in shown_now:
            hidden += sum(not one.doubt for _, _, one in _found(message, raw, what))
            hidden += count_in(fixed_texts(message), what)
        else:
            beside += count_in(fixed_texts(message), what)
    told = (*about, *conversation.marks, conversation.settings.tool_description or "")
    calls = (strings_of(call.to_dict()) for call in conversation.calls.all)
    return Stays(
        hidden,
        beside,
        count_in((*told, *strings_of(conversation.meta)), what),
        count_in(chain.from_iterable(calls), what),
    )


def count_in(texts: Iterable[str], what: Sequence[Pattern]) -> int:
    """Return how often patterns are found in some texts; doubts don't count."""
    count = 0
    for text in texts:
        try:
            count += sum(not one.doubt for one in find_all(text, what))
        except TooSlow:
            count += 1  # It can't be told, so it is not called clean.
    return count


def by_pattern(found: Iterable[ReplaceHit]) -> dict[str, int]:
    """Return how many hits each pattern has, doubts left out."""
    return dict(Counter(hit.pattern for hit in meant(found)))


def by_message(found: Sequence[ReplaceHit]) -> list[tuple[int, list[ReplaceHit]]]:
    """Return the hits of each message by its raw index, in visible order."""
    return [(raw, list(some)) for raw, some in groupby(found, key=lambda hit: hit.raw)]
