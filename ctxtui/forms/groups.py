"""The rows of a form under their headings, in the order in which they are filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from ctxtui.core.engine.operations import Operation
from ctxtui.forms.fields import FormField
from ctxtui.forms.words import GROUPS, Group

WRITTEN = ("message", "messages")
"""Kinds of fields that take an editor."""


SHORT = ("number", "flag")
"""Kinds of fields that take half a line."""


class Section(NamedTuple):
    """Rows under a heading; a start and its end share a row."""

    title: str
    about: str
    rows: list[tuple[FormField, ...]]


def sections(operation: type[Operation], fields: Sequence[FormField]) -> list[Section]:
    """Return the rows of a form: the texts to write, then each group, then all the rest."""
    left = list(fields)
    groups = GROUPS.get(operation.title, ())
    known = [field for field in left if any(_belongs(field, group) for group in groups)]
    loose = [field for field in left if field not in known and field.path != ("description",)]
    late = [field for field in left if field.path == ("description",)]
    made = [Section("", "", _rows(loose))] if loose else []
    for group in groups:
        members = [field for name in group.names for field in known if _named(field, name)]
        if members:
            made.append(Section(group.title, group.about, _rows(members)))
    return [*made, Section("", "", _rows(late))] if late else made


def halved(section: Section) -> list[tuple[FormField, ...]]:
    """Return the rows that stand side by side in a small terminal: short ones, two and two."""
    found: list[tuple[FormField, ...]] = []
    for is_short, run in groupby(section.rows, key=lambda row: row[0].kind in SHORT):
        rows = list(run)
        if is_short:
            found += rows[: len(rows) - len(rows) % 2]
    return found


def _named(field: FormField, name: str) -> bool:
    return name in (field.path[0], field.id)


def _belongs(field: FormField, group: Group) -> bool:
    return any(_named(field, name) for name in group.names)


def _rows(fields: Iterable[FormField]) -> list[tuple[FormField, ...]]:
    rows: list[tuple[FormField, ...]] = []
    for field in fields:
        last = rows[-1][-1] if rows else None
        if last is not None and _is_end_of(field, last):
            rows[-1] = (*rows[-1], field)
        else:
            rows.append((field,))
    return rows


def _is_end_of(field: FormField, start: FormField) -> bool:
    """Tell whether two fields are the two ends of one stretch."""
    same = field.path[:-1] == start.path[:-1] and len(field.path) > 1
    return same and (start.path[-1], field.path[-1]) == ("start", "end")
