"""Notices: what the engine points out about tokens, and never acts on by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..history.revisions import Revision
from ..history.state import State
from ..operations import Append, Operation, Truncate
from ..settings import Compression


@dataclass(frozen=True, slots=True)
class OverLimit:
    """The visible messages hold more tokens than the limit."""

    tokens: int
    limit: int
    kind: str = "overLimit"

    def to_dict(self) -> dict[str, Any]:
        """Return the notice as JSON-ready data."""
        return {"kind": self.kind, "tokens": self.tokens, "limit": self.limit}


@dataclass(frozen=True, slots=True)
class Offer:
    """An APPEND passed the compression threshold; this operation would bring it down."""

    operation: Operation
    kind: str = "offer"

    def to_dict(self) -> dict[str, Any]:
        """Return the notice as JSON-ready data."""
        return {"kind": self.kind, "operation": self.operation.to_dict()}


Notice = OverLimit | Offer


def notices_of(state: State, revision: Revision) -> tuple[Notice, ...]:
    """Return what there is to say about a revision."""
    settings = state.head.settings
    compression = settings.compression_config
    if settings.token_limit is None and not compression.enabled:
        return ()
    tokens = state.total(revision)
    found: list[Notice] = []
    if settings.token_limit is not None and tokens > settings.token_limit:
        found.append(OverLimit(tokens, settings.token_limit))
    appended = isinstance(revision.operation, Append)
    if appended and compression.enabled and tokens > (compression.threshold or 0):
        found.append(Offer(offered(compression)))
    return tuple(found)


def offered(compression: Compression) -> Truncate:
    """Return the TRUNCATE that brings tokens down as the settings want it."""
    return Truncate(
        max_tokens=compression.target_tokens,
        keep_system=True,
        keep_pairs=compression.keep_pairs,
        keep_roles=compression.keep_roles,
        keep_marks=compression.keep_marks,
    )
