"""What is said about a session and its messages: title, tags, note, and notes about messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.curation.patterns import Pattern, find_all
from core.storage.details import Details, tidy_title
from core.values.models import LABEL_LENGTH


def about_texts(details: Details) -> tuple[str, ...]:
    """Return everything that was said about a session."""
    remarks = (text for _, text in details.remarks)
    return (details.title, *details.tags, details.note, *remarks)


def renamed(details: Details, what: Sequence[Pattern]) -> dict[str, Any]:
    """Return what is said about a session with patterns replaced, as far as it changes.

    A tag or a note about a message of which nothing is left goes; a title can't.
    """
    title = _without(details.title, what)
    tags = (_without(tag, what)[:LABEL_LENGTH] for tag in details.tags)
    remarks = ((raw, _without(text, what)) for raw, text in details.remarks)
    new = {
        "title": title if title == details.title else tidy_title(title),
        "tags": tuple(tag for tag in tags if tag),
        "note": _without(details.note, what),
        "remarks": tuple((raw, text) for raw, text in remarks if text),
    }
    return {name: value for name, value in new.items() if value != getattr(details, name)}


def _without(text: str, what: Sequence[Pattern]) -> str:
    pieces, at = [], 0
    for one in find_all(text, what):
        if not one.doubt:
            pieces += [text[at : one.start], one.after]
            at = one.end
    return "".join([*pieces, text[at:]])


def moved(
    remarks: Sequence[tuple[int, str]], places: Mapping[int, int]
) -> tuple[tuple[int, str], ...]:
    """Return the notes about messages that have another raw index elsewhere."""
    return tuple(sorted((places[raw], text) for raw, text in remarks if raw in places))
