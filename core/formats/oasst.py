"""Open Assistant's trees: prompts with all replies, as trees or as rows that name their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..errors import Refused, wrong_type
from ..values.models import Role
from .base import LEFT_OUT, Confidence, Layout, Loaded, ReadOnly
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .source import NO_OBJECTS, Source, SourceSample
from .transcripts import TreeNode, build_tree
from .warnings import WarningCollector, without_values

NOTES = FormatMetadata("oasst")
ROLES: dict[str, Role] = {"prompter": "user", "assistant": "assistant", "system": "system"}
TREE_ID = "message_tree_id"
Row = Mapping[str, Any]


class OASST(ReadOnly):
    """A tree is a conversation; at each fork the best ranked reply is current, or the first."""

    name = "oasst"
    about = "Open Assistant trees: a prompt with all replies to it"
    kinds = ("Open Assistant trees",)
    signs = (
        {TREE_ID: object, "tree_state": object, "prompt": {"replies": list}},
        {"message_id": object, "text": str, "replies": list},
        {"message_id": object, TREE_ID: object, "text": str},
    )

    def confidence(self, sample: SourceSample) -> Confidence:
        items = sample.data
        rows = items if isinstance(items, list | tuple) else [items]
        fits = any(_root_of(row) is not None or _is_flat(row) for row in rows)
        return Confidence.LIKELY if fits else Confidence.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        layout = Layout.LINES if source.is_lines else Layout.LIST
        first: Refused | None = None
        found = False
        for place, (rows, meta) in enumerate(_trees(source), 1):
            warnings = WarningCollector()
            try:
                talk = build_tree(
                    [_node(row) for row in rows], warnings, active=_best(rows), meta=meta
                )
            except Refused as refusal:
                first = first or refusal
                source.collector.add(LEFT_OUT, None, without_values(refusal))
                continue
            found = True
            yield Loaded(talk, self.name, warnings.found(), layout, place)
        if not found:
            raise first or wrong_type("prompt", None, "a message with replies")


def _root_of(row: object) -> Row | None:
    root: object = row.get("prompt", row) if is_object(row) else None
    if not is_object(root) or not isinstance(root.get("text"), str):
        return None
    return root if isinstance(root.get("replies"), list) else None


def _is_flat(row: object) -> bool:
    return is_object(row) and {"message_id", TREE_ID, "text"} <= row.keys()


def _trees(source: Source) -> Iterator[tuple[list[Row], dict[str, Any]]]:
    """Yield the messages of each tree, and the meta of its conversation."""

    def usable() -> Iterator[Row]:
        for place, value in source.records():
            if _root_of(value) is not None or _is_flat(value):
                yield value
            else:
                source.leave_out(NO_OBJECTS if not is_object(value) else LEFT_OUT, place)

    for tree, rows in groupby(usable(), key=lambda row: str(row.get(TREE_ID))):
        flat: list[Row] = []
        for row in rows:
            root = _root_of(row)
            if root is None:
                flat.append(row)
                continue
            meta = NOTES.meta({}, without(row, "prompt") if root is not row else {})
            yield list(_walked(root, None)), meta
        if flat:
            yield flat, NOTES.meta({}, {TREE_ID: tree})


def _walked(root: Row, parent: object) -> Iterator[Row]:
    """Yield a message and all below it, each with the id of its parent."""
    stack: list[tuple[Row, object]] = [(root, parent)]
    while stack:
        row, above = stack.pop()
        yield {**without(row, "replies"), "parent_id": above}
        replies = row.get("replies")
        below = [one for one in replies if is_object(one)] if isinstance(replies, list) else []
        stack += [(one, row.get("message_id")) for one in reversed(below)]


def _node(row: Row) -> TreeNode:
    text, name, id, parent = (row.get(key) for key in ("text", "role", "message_id", "parent_id"))
    if not isinstance(text, str):
        raise wrong_type("text", text, "text")
    role = ROLES.get(name, "user") if isinstance(name, str) else "user"
    notes = without(row, "text", "message_id", "parent_id", "role")
    named = {"id": id} if isinstance(id, str) else {}
    moment = read_timestamp(row.get("created_date"))
    timed = {} if moment is None else {"timestamp": moment}
    message = NOTES.message(role, text, notes, **named, **timed)
    return TreeNode(
        id if isinstance(id, str) else None, parent if isinstance(parent, str) else None, [message]
    )


def _best(rows: Sequence[Row]) -> str | None:
    """Return the end of the branch on which each reply is the best ranked one, or the first."""
    below: dict[object, list[Row]] = {}
    for row in rows:
        below.setdefault(_id(row.get("parent_id")), []).append(row)
    at = next((row for row in rows if row.get("parent_id") is None), rows[0] if rows else None)
    for _ in rows:
        replies = below.get(_id(at.get("message_id"))) if at is not None else None
        if not replies:
            break
        at = min(replies, key=_rank)
    id = at.get("message_id") if at is not None else None
    return id if isinstance(id, str) else None


def _id(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _rank(row: Row) -> float:
    rank: Any = row.get("rank")
    is_rank = isinstance(rank, int | float) and not isinstance(rank, bool)
    return float(rank) if is_rank else float("inf")
