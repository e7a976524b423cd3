"""TOGGLE: leave past operations out and do the later ones of the path again, as a new branch."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import Refused, format_value
from ..operations import Operation, Toggle
from ..revisions import Revision, ancestor
from ..state import Draft, State

Apply = Callable[[Draft, Operation], object]


def toggle(draft: Draft, op: Toggle, apply: Apply) -> None:
    """Go to the parent of the earliest skipped revision and redo the others after it."""
    skipped = {id: _on_path(draft, id) for id in op.skip}
    current = draft.current
    earliest = min(revision.depth for revision in skipped.values())
    later = [
        ancestor(draft.revisions, current, depth) for depth in range(earliest, current.depth + 1)
    ]
    draft.move(ancestor(draft.revisions, current, earliest - 1).id)
    for original in later:
        if original.id in skipped:
            continue
        assert original.operation is not None
        draft.replaying(original)
        try:
            apply(draft, original.operation)
        except Refused as refusal:
            raise Refused(
                f"{original.operation.title} of revision {original.id} no longer applies: "
                f"{refusal.sentence}",
                field=refusal.field,
                value=refusal.value,
                legal=refusal.legal,
            ) from None
        draft.replayed()


def _on_path(state: State, id: int) -> Revision:
    """Return a revision of the path that an operation made, or refuse its id."""
    if 0 < id < len(state.revisions):
        revision = state.revisions[id]
        current = state.current
        if revision.depth <= current.depth:
            found = ancestor(state.revisions, current, revision.depth)
            if found.id == id:
                return revision
    raise Refused(
        f"skip {format_value(id)} is no revision of this path that an operation made",
        field="skip",
        value=id,
        legal="revisions of the path after 0",
    )
