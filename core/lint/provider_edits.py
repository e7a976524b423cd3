"""Rules about what a model did not see of a call because its provider edited it."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.messages import ToolResultPart
from ..engine.seen import ProviderEdit, Seen
from ..engine.state import State
from .projection import Finding

SEEN_RULES = {
    "P1": "a labelled message that the model did not see",
    "P2": "thinking of the current tool loop that the model did not see",
    "P3": "an edit of the provider that can't be known",
}
UNSEEN_TRAINING = ("train", "mask")
"""Labels that say what a trainer learns from, not what has to be seen."""


def lint_seen(state: State, seen: Seen) -> list[Finding]:
    """Return the findings about what was seen of a state that was sent."""
    if seen.view is None and seen.certainty != "unknown":
        return []
    return sorted(_found(state, seen), key=lambda one: -1 if one.position is None else one.position)


def _found(state: State, seen: Seen) -> Iterator[Finding]:
    if seen.certainty == "unknown":
        yield Finding("P3", "warning", None, None, f"What the model saw is not known: {seen.why}.")
        return
    hidden = unread_messages(seen)
    for label, marked in state.head.marks.items():
        for raw in marked if label not in UNSEEN_TRAINING else ():
            position = state.view.position(raw)
            if raw in hidden and position is not None:
                edit = hidden[raw]
                sentence = f"The model did not see this message with the label {label}"
                said = f"{sentence}: {edit.kind} by the provider ({edit.certainty})."
                yield Finding("P1", "warning", raw, position, said)
    for position in range(_loop_start(state), len(state.view)):
        raw = state.view[position]
        found = hidden.get(raw)
        if found is not None and "THINKING" in found.kind:
            said = f"Its thinking was not seen: {found.kind} by the provider ({found.certainty})."
            yield Finding("P2", "warning", raw, position, said)


def unread_messages(seen: Seen) -> dict[int, ProviderEdit]:
    """Return the messages of which something was not seen, with the edit; none where unknown."""
    if seen.certainty == "unknown":
        return {}
    return {
        piece.raw: edit
        for edit in seen.edits
        if edit.kind not in ("PUT_IN_FRONT", "CLEAR_INPUTS")
        for piece in edit.pieces
        if piece.raw is not None
    }


def _loop_start(state: State) -> int:
    """Return where the current tool loop begins: behind the last message of the user."""
    for position in range(len(state.view) - 1, -1, -1):
        message = state.log[state.view[position]]
        is_result = any(isinstance(part, ToolResultPart) for part in message.parts)
        if message.role == "user" and not is_result:
            return position + 1
    return 0
