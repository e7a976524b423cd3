"""What a model read of a request after the provider's own edits, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

SeenCertainty = Literal["as sent", "proven", "likely", "unknown"]
CERTAINTIES: tuple[SeenCertainty, ...] = ("as sent", "proven", "likely", "unknown")
"""From the surest to the weakest."""
EditKind = Literal[
    "PUT_IN_FRONT",
    "EXPIRE",
    "IGNORE_BEFORE",
    "DROP_THINKING",
    "CLEAR_THINKING",
    "CLEAR_RESULTS",
    "CLEAR_INPUTS",
    "COMPACT",
    "TRUNCATE",
]
Shown = Literal["sent", "cleared", "input cleared", "summary", "opaque"]
Before = Literal["nothing", "known", "unknown"]
SeenPurpose = Literal["answer", "count", "compact", "refused"]
PLACEHOLDER = "a placeholder of the provider, whose wording is not known"
HIDING: tuple[EditKind, ...] = (
    *("EXPIRE", "IGNORE_BEFORE", "DROP_THINKING", "CLEAR_THINKING", "COMPACT"),
)


class SentPiece(NamedTuple):
    """A block of a request or of an answer: the number of its exchange, and its path there.

    ``raw`` and ``part`` are the message in the log and the part of it, where they are known.
    """

    record: int
    path: str
    raw: int | None = None
    part: int | None = None


class SeenPiece(NamedTuple):
    """A piece, how the model saw it, and the piece that it refers to, if it is a reference.

    ``data`` is how the body wrote it, as a message of a ``role`` or as a part of one.
    """

    piece: SentPiece
    shown: Shown = "sent"
    target: SentPiece | None = None
    role: str = ""
    data: Any = None


@dataclass(frozen=True, slots=True)
class ProviderEdit:
    """What a provider changed before its model read a request.

    ``instead`` says what replaced pieces, by their path. ``reported`` is what the answer says,
    ``replayed`` what the documented rule gives.
    """

    kind: EditKind
    certainty: SeenCertainty
    why: str
    pieces: tuple[SentPiece, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    reported: Mapping[str, Any] | None = None
    replayed: Mapping[str, Any] | None = None
    by: str = "provider"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model saw of a request.

    ``view`` is None where no model read it, or where that can't be known. ``before`` is what the
    provider put in front. ``read`` is what the provider counted, and ``counted`` what it would have
    counted without clearing anything, where it reports that.
    """

    record: int
    purpose: SeenPurpose
    certainty: SeenCertainty
    why: str
    before: Before = "nothing"
    edits: tuple[ProviderEdit, ...] = ()
    view: tuple[SeenPiece, ...] | None = ()
    read: int | None = None
    counted: int | None = None

    @property
    def is_as_sent(self) -> bool:
        """Return whether the model saw all that was sent, as far as is known."""
        return all(edit.kind == "PUT_IN_FRONT" or not edit.pieces for edit in self.edits)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the paths in this request that the model did not see; none where unknown."""
        return self._paths(HIDING)

    @property
    def cleared(self) -> tuple[str, ...]:
        """Return the paths of results that the provider replaced; none where unknown."""
        gone = set(self.hidden)
        return tuple(path for path in self._paths(("CLEAR_RESULTS",)) if path not in gone)

    @property
    def inputs_cleared(self) -> tuple[str, ...]:
        """Return the paths of tool uses whose arguments the provider removed."""
        gone = set(self.hidden)
        return tuple(path for path in self._paths(("CLEAR_INPUTS",)) if path not in gone)

    def _paths(self, kinds: Sequence[EditKind]) -> tuple[str, ...]:
        if self.certainty == "unknown":
            return ()
        return tuple(
            dict.fromkeys(
                piece.path
                for edit in self.edits
                if edit.kind in kinds
                for piece in edit.pieces
                if piece.record == self.record
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; what is of other requests is listed apart."""
        return {
            "certainty": self.certainty,
            "why": self.why,
            "before": self.before,
            "hidden": list(self.hidden),
            "cleared": list(self.cleared),
            "inputsCleared": list(self.inputs_cleared),
            "edits": [self._edit(edit) for edit in self.edits],
            "tokens": {"read": self.read, "counted": self.counted, "counter": "provider"},
        }

    def _edit(self, edit: ProviderEdit) -> dict[str, Any]:
        own = [piece.path for piece in edit.pieces if piece.record == self.record]
        others = [piece for piece in edit.pieces if piece.record != self.record]
        return {
            "kind": edit.kind,
            "by": edit.by,
            "certainty": edit.certainty,
            "why": edit.why,
            "pieces": own,
            "carried": [{"record": one.record, "path": one.path} for one in others],
            "instead": dict(edit.instead),
            "reported": None if edit.reported is None else dict(edit.reported),
            "replayed": None if edit.replayed is None else dict(edit.replayed),
        }
