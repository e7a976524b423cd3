"""Warnings: what reading or writing adapted or left out, as data; sentences are made for people.

A warning is a code, the names of what it is about and the places where it happened. Nothing reads
a sentence again: what has to be counted, compared or stored is the warning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Self

from ..errors import Refused, format_value, wrong_type

MOST_PLACES = 100
MOST_NAMES = 100
LONGEST_NAME = 300
"""Characters of a name; a longer one is cut."""
SHOWN_PLACES = 5
SHOWN_NAMES = 20
"""How many places and names a sentence has; the warning itself has more."""
FIELDS_LEFT_OUT = "fields-left-out"
"""The code of meta keys that a format has no place for."""
LOST = "text-left-out"
"""The code of texts of a file that are nowhere in the conversation."""


class Phrase(NamedTuple):
    """The sentence of a code, before its names and places.

    ``counted`` has how many there are, where that is known. With ``are_few``, names are of a few
    kinds, as those of roles, so that they may be counted over any number of conversations.
    """

    text: str
    counted: str = ""
    are_few: bool = False


TEMPLATES: Mapping[str, Phrase] = {
    # The file as a whole.
    "line-not-json": Phrase("lines that are not JSON were left out", are_few=True),
    "line-cut-off": Phrase("the last line is cut off and was left out"),
    "not-an-object": Phrase("values that are not JSON objects were left out"),
    "number-read-as-null": Phrase("NaN and Infinity were read as null", are_few=True),
    "packed-data-damaged": Phrase(
        "the compressed data is damaged or cut off; only what comes before that was read"
    ),
    "conversation-unreadable": Phrase("conversations that can't be read were left out"),
    "request-unreadable": Phrase("requests that can't be read were left out"),
    "request-without-content": Phrase("requests without recorded content were left out"),
    "not-a-model-request": Phrase("requests that do not go to a model were left out"),
    "answer-too-long": Phrase("the answer is too long; only its beginning was recorded"),
    "answer-damaged": Phrase(
        "the compressed answer is damaged; only what comes before that was recorded"
    ),
    "answer-unpacks-too-large": Phrase(
        "the compressed answer is too large; only its beginning was recorded"
    ),
    "answer-too-many-lines": Phrase(
        "the answer has too many lines; only its beginning was recorded"
    ),
    "answer-unreadable": Phrase("the answer can't be read"),
    "answer-missing": Phrase("responses that are missing or can't be read were left out"),
    "only-first-read": Phrase(
        "only the first of several conversations was read; import makes a session of each"
    ),
    "empty-file": Phrase("the file is empty"),
    "message-columns": Phrase(
        "only the first of several columns of messages was read", are_few=True
    ),
    # Reading a conversation.
    LOST: Phrase("text in the file is not in the conversation"),
    "message-unreadable": Phrase("messages that can't be read were left out"),
    "row-unreadable": Phrase("rows that can't be read were left out"),
    "item-unreadable": Phrase("items that can't be read were left out"),
    "pair-unreadable": Phrase("pairs of the history that can't be read are in the field history"),
    "line-not-stored": Phrase("lines that can't be stored were left out"),
    "call-unreadable": Phrase("tool calls that can't be read were stored in the metadata"),
    "call-text-unreadable": Phrase(
        "function calls that are not JSON with a name were read as text"
    ),
    "call-id-made": Phrase("tool calls without an id were given one"),
    "result-id-guessed": Phrase(
        "results that name no call were matched with the first call without an id"
    ),
    "arguments-not-json": Phrase("tool call arguments that are not JSON were read as text"),
    "results-missing": Phrase("there are fewer results than calls; the first calls have them"),
    "role-read-as": Phrase("messages were read with another role", are_few=True),
    "speaker-unknown": Phrase("rows of unknown speakers were read as user messages", are_few=True),
    "role-unknown": Phrase("contents of unknown roles were read as user messages", are_few=True),
    "keys-kept": Phrase("keys of the file were stored in the metadata", are_few=True),
    "part-kept-as-data": Phrase("parts of an unknown type were stored as data", are_few=True),
    "content-kept-as-data": Phrase("contents of an unknown type were stored as data", are_few=True),
    "empty-text-left-out": Phrase("empty texts were left out"),
    "other-answers-kept": Phrase(
        "only the first answer is a message; the others are in the field output", "{count}"
    ),
    "other-answers-left-out": Phrase("only the first answer was read", "left out: {count}"),
    "longest-request-read": Phrase("only the longest request was read", "of {count}"),
    "steps-left-out": Phrase("the steps were left out; the history has the messages", "{count}"),
    "events-left-out": Phrase("the events of the run were left out; the messages were read"),
    "attachment-missing": Phrase("attachments that are missing in the log were not replaced"),
    "message-repeated": Phrase("messages that occur twice were read once"),
    "id-repeated": Phrase("ids that occur twice refer to the first message"),
    "parent-missing": Phrase("messages with a missing parent start a new branch"),
    "parent-cycle": Phrase("messages that are their own ancestors start a new branch"),
    "active-message-missing": Phrase("the last message of the active branch is missing"),
    "branches-left-out": Phrase(
        "only the active branch was read, since there are too many", "{count}"
    ),
    "steps-failed": Phrase("steps of the script failed; the journal shows them"),
    # Writing a conversation.
    "hidden-left-out": Phrase("hidden messages are left out", "{count}"),
    "off-branch-left-out": Phrase("messages that are on no branch are left out", "{count}"),
    "history-left-out": Phrase("the history is left out", "changes: {count}"),
    "marks-left-out": Phrase("the labels are left out"),
    "settings-left-out": Phrase("the settings are left out"),
    "usage-left-out": Phrase("recorded token usage is left out", "requests: {count}"),
    "calls-left-out": Phrase("recorded calls are left out", "{count}"),
    FIELDS_LEFT_OUT: Phrase("fields of the conversation are left out", are_few=True),
    "tools-left-out": Phrase("tools of another provider are left out", are_few=True),
    "no-request-recorded": Phrase(
        "no request was recorded; the visible messages are written as one"
    ),
    "no-rejected-answer": Phrase("there is no rejected answer, so the row has an empty one"),
    "id-left-out": Phrase("ids are left out"),
    "timestamp-left-out": Phrase("timestamps are left out"),
    "metadata-left-out": Phrase("metadata is left out"),
    "part-left-out": Phrase("parts are left out", are_few=True),
    "result-part-left-out": Phrase("parts of tool results are left out", are_few=True),
    "signature-left-out": Phrase("signatures of thinking are left out"),
    "call-id-left-out": Phrase("ids of tool calls are left out"),
    "call-left-out": Phrase("tool calls outside assistant messages are left out"),
    "error-flag-left-out": Phrase("tool results lose their error flag"),
    "system-left-out": Phrase("system messages are left out"),
    "system-moved-first": Phrase("system messages are moved before all others"),
    "system-becomes-user": Phrase("system messages after other messages become user messages"),
    "tool-becomes-user": Phrase("tool messages with more than results become user messages"),
    "call-becomes-assistant": Phrase("tool calls of other roles become assistant messages"),
    "thinking-becomes-assistant": Phrase("thinking of other roles becomes assistant messages"),
    "call-becomes-text": Phrase("tool calls without a name, or to all, become text"),
    "input-becomes-text": Phrase("tool inputs that are not objects become text"),
    "input-wrapped": Phrase("tool inputs that are not objects are put into one, as input"),
    "result-becomes-tool": Phrase("tool results become messages of the role tool"),
    "result-name-unknown": Phrase("results without a call are given the name unknown"),
    "results-merged": Phrase("successive tool results become one message"),
    "results-out-of-order": Phrase(
        "tool results are out of order; this format matches them by order only"
    ),
    "message-split": Phrase("messages with several kinds of parts are split"),
    "parts-reordered": Phrase("parts are put into the order of this format"),
    "texts-joined": Phrase("texts of one message are joined"),
    "row-written-unread": Phrase("rows that could not be read are written as they were"),
}
"""Every warning there is: its code and how it is said to people."""


@dataclass(frozen=True, slots=True)
class FormatWarning:
    """Something that reading or writing adapted or left out.

    ``names`` come from the file and are not fit to be shown as they are. ``noun`` is what
    ``places`` count. Of very many names and places the first are stored, and how many there were;
    where only the number of places counts, no place is.
    """

    code: str
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    noun: str = "message"
    count: int | None = None
    all_names: int = 0
    all_places: int = 0

    @classmethod
    def of(
        cls,
        code: str,
        names: Iterable[str] = (),
        places: Iterable[int] = (),
        noun: str = "message",
        count: int | None = None,
    ) -> Self:
        """Return a warning of bounded size, whatever a file made it about."""
        names, places = list(names), list(places)
        return cls(
            code,
            tuple(_cut(name) for name in names[:MOST_NAMES]),
            tuple(places[:MOST_PLACES]),
            noun,
            count,
            len(names),
            len(places),
        )

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"code": self.code}
        if self.names:
            data["names"] = list(self.names)
        if self.places:
            data |= {"places": list(self.places), "noun": self.noun}
        if self.count is not None:
            data["count"] = self.count
        if self.all_names > len(self.names):
            data["allNames"] = self.all_names
        if self.all_places > len(self.places):
            data["allPlaces"] = self.all_places
        return data

    @classmethod
    def from_dict(cls, data: object, field: str = "warning") -> Self:
        """Return the warning of its JSON, or refuse it; a code of a newer version is no fault."""
        match data:
            case {"code": str(code), **rest}:
                names, places = rest.get("names", []), rest.get("places", [])
                noun, count = rest.get("noun", "message"), rest.get("count")
            case _:
                raise wrong_type(field, data, "an object with a code")
        if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
            raise wrong_type(f"{field}.names", names, "a list of texts")
        if not isinstance(places, list | tuple) or not all(type(one) is int for one in places):
            raise wrong_type(f"{field}.places", places, "a list of whole numbers")
        if not isinstance(noun, str):
            raise wrong_type(f"{field}.noun", noun, "text")
        if count is not None and type(count) is not int:
            raise wrong_type(f"{field}.count", count, "a whole number")
        made = cls.of(_cut(code), names, places, _cut(noun), count)
        totals = [
            max(known, given) if type(given := rest.get(key)) is int else known
            for key, known in (("allNames", made.all_names), ("allPlaces", made.all_places))
        ]
        return replace(made, all_names=totals[0], all_places=totals[1])


class WarningCollector:
    """Collects what happened where, so that a thousand cases are one warning.

    ``noun`` is what places count: messages of a conversation, or lines of a file.
    """

    def __init__(self, noun: str = "message") -> None:
        self.noun = noun
        self._names: dict[str, dict[str, None]] = {}
        self._places: dict[str, dict[int, None]] = {}
        self._counts: dict[str, int] = {}
        self._more: Counter[str] = Counter()

    def add(self, code: str, place: int | None = None, *names: str) -> None:
        """Note something about a message or line; without a place, about the whole."""
        self._names.setdefault(code, {}).update(dict.fromkeys(names))
        places = self._places.setdefault(code, {})
        if place is not None:
            places[place] = None

    def count(self, code: str, number: int) -> None:
        """Note how many there are of something, beyond those noted before."""
        self.add(code)
        self._counts[code] = self._counts.get(code, 0) + number

    def include(self, warning: FormatWarning, place: int | None = None) -> None:
        """Note a warning about a conversation, by the place of that conversation if it has one."""
        self.add(warning.code, place, *warning.names)
        self._more[warning.code] += warning.all_names - len(warning.names)
        if warning.count is not None:
            self._counts[warning.code] = self._counts.get(warning.code, 0) + warning.count

    def at(self, place: int) -> tuple[FormatWarning, ...]:
        """Return what is known of one place, without names, which are those of all places."""
        return tuple(
            FormatWarning.of(code, (), (place,), self.noun)
            for code, places in self._places.items()
            if place in places
        )

    def found(self) -> tuple[FormatWarning, ...]:
        """Return a warning for each code, in the order in which they were first noted."""
        return tuple(
            FormatWarning(
                code,
                tuple(_cut(name) for name in islice(names, MOST_NAMES)),
                tuple(islice(self._places[code], MOST_PLACES)),
                self.noun,
                self._counts.get(code),
                len(names) + self._more[code],
                len(self._places[code]),
            )
            for code, names in self._names.items()
        )


def sentence(warning: FormatWarning) -> str:
    """Return a warning as a person reads it; its names in printable characters."""
    about = said(warning.code, warning.count)
    return about + which(warning.names, warning.all_names) + _where(warning)


def sentences(warnings: Iterable[FormatWarning]) -> tuple[str, ...]:
    """Return a sentence for each warning."""
    return tuple(map(sentence, warnings))


def said(code: str, count: int | None = None) -> str:
    """Return what a code says, without names and places."""
    known = TEMPLATES.get(code)
    if known is None:
        return f"{_printable(code)} (a warning of a newer version)"
    counted = "" if count is None else known.counted.format(count=f"{count:,}")
    return f"{known.text} ({counted})" if counted else known.text


def which(names: Sequence[str], whole: int | None = None, most: int = SHOWN_NAMES) -> str:
    """Return the end of a sentence that names what it is about."""
    if not names:
        return ""
    more = max(whole or 0, len(names)) - len(names[:most])
    return f": {', '.join(map(_printable, names[:most]))}" + (
        f" and {more:,} more" if more > 0 else ""
    )


def _where(warning: FormatWarning) -> str:
    if not warning.places:
        plural = "" if warning.all_places == 1 else "s"
        return f" ({warning.all_places:,} {warning.noun}{plural})" if warning.all_places else ""
    first = ", ".join(f"{place:,}" for place in warning.places[:SHOWN_PLACES])
    if warning.all_places == 1:
        return f" ({warning.noun} {first})"
    more = warning.all_places - min(SHOWN_PLACES, len(warning.places))
    return f" ({warning.noun}s {first}{f' and {more:,} more' if more > 0 else ''})"


def bare(value: object) -> str:
    """Return a value of a file as a warning names it: a text as it is, anything else in words."""
    return value if isinstance(value, str) else format_value(value)


WORD = re.compile(r"[\w.:/+-]{1,60}")
"""A role or a type, as formats call them; anything longer may be a text of the file."""


def kind_name(value: object) -> str:
    """Return a role or a type of a file as a warning names it, without what may be said in it."""
    if isinstance(value, str):
        return value if WORD.fullmatch(value) else "…"
    return "…" if isinstance(value, list | Mapping) else format_value(value)


QUOTED = re.compile(r"""(?<!\w)(['"])(?:\\.|(?!\1).)*\1…?""", re.DOTALL)
"""A value as sentences about errors show it."""


def without_values(refusal: Refused) -> str:
    """Return what is wrong without the value that is: it may be a text of the file."""
    return QUOTED.sub("…", refusal.sentence)


def as_role(word: object, role: str) -> str:
    """Return how a warning names a role of a file and the one that was read for it."""
    return f"{kind_name(word)} as {role}"


def kept_keys(key: str, keys: Iterable[object]) -> Iterator[str]:
    """Yield how a warning names keys of a file that are stored in the metadata of a format."""
    return (f"metadata.{key}.{bare(one)}" for one in keys)


def _printable(name: str) -> str:
    """Return a name without what would break a line or be invisible."""
    return name if name.isprintable() else repr(name)[1:-1]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def read_warnings(data: object, field: str = "warnings") -> tuple[FormatWarning, ...]:
    """Return the warnings of their JSON, or refuse them."""
    if not isinstance(data, list | tuple):
        raise Refused(f"{field} is not a list of warnings", field=field, legal="a list")
    return tuple(
        FormatWarning.from_dict(one, f"{field}[{place}]") for place, one in enumerate(data)
    )
