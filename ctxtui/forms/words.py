"""The words of a form: what fields and groups of them are called, and what belongs together."""

from __future__ import annotations

import re
from typing import NamedTuple

LABELS = {
    "description": "name",
    "role": "only role",
    "index": "position",
    "keepSystemMessage": "keep system",
    "contentContains": "contains",
    "contentExcludes": "leaves out",
    "targetBatchIndex": "batch number",
    "initialTools": "show the tools",
    "range-start": "range",
    "range-end": "to",
    "select-roles": "roles",
    "select-marks": "marks",
    "select-contentContains": "contains",
    "select-contentExcludes": "leaves out",
    "select-positions-start": "positions",
    "select-positions-end": "to",
    "select-exceptLast": "all but last",
    "compressionConfig-enabled": "offer a cut",
    "compressionConfig-threshold": "from",
    "compressionConfig-targetTokens": "down to",
    "compressionConfig-keepPairs": "keep pairs",
    "compressionConfig-keepRoles": "keep roles",
    "compressionConfig-keepMarks": "keep marks",
}
"""What a field is called where the name it has in JSON does not say it."""


class Group(NamedTuple):
    """Fields under a heading, by the first part of their path or by their whole id."""

    title: str
    about: str
    names: tuple[str, ...]


PICKING = (
    Group("Which messages", "by raw index", ("indices",)),
    Group("Or by what they are", "instead of raw indices", ("select",)),
)
NEVER = ("keepOthers", "keepSystem", "keepSystemMessage", "keepPairs", "keepMarks", "keepRoles")
GROUPS: dict[str, tuple[Group, ...]] = {
    "TRUNCATE": (
        Group(
            "What stays",
            "in this order; empty ones do nothing",
            ("keepFirst", "keepLast", "removeFirst", "removeLast", "range", "maxTokens"),
        ),
        Group("What is never cut", "", ("role", *NEVER)),
    ),
    "CLEAR": (Group("What is never cut", "", NEVER),),
    "FILTER": (
        Group(
            "What passes",
            "all that is given must hold",
            ("roles", "contentContains", "contentExcludes", "marks", "ignoreCase"),
        ),
        Group("What is never cut", "", NEVER),
    ),
    "DELETE": PICKING,
    "REDACT": (*PICKING, Group("Replacement text", "tool calls and ids are kept", ("text",))),
    "MARK": (Group("The mark", "", ("label",)), *PICKING),
    "UNMARK": (Group("The mark", "", ("label",)), *PICKING),
    "COMPRESS": (*PICKING, Group("What is never cut", "", NEVER)),
    "CONFIGURE": (
        Group("What it is held against", "", ("tokenLimit", "counter", "profile")),
        Group(
            "When a cut is offered",
            "never by itself",
            ("compressionConfig",),
        ),
        Group("What the model is told", "", ("toolDescription",)),
    ),
}
"""How the fields of an operation stand together; those that no group names come as they are."""


def label_of(path: tuple[str, ...]) -> str:
    """Return what a field is called, from its path in the operation's JSON."""
    known = LABELS.get("-".join(path)) or LABELS.get(path[-1])
    return known or " ".join(_words(name) for name in path)


def _words(name: str) -> str:
    """Return a camelCase name as words."""
    return re.sub(r"([A-Z])", lambda found: f" {found[1].lower()}", name)
