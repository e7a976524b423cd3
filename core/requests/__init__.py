"""Requests: from what an agent really sent to a timeline of operations, one thread a conversation.

A pure pipeline, which knows neither a network nor a screen. An *exchange* is one request with its
response. ``routing`` finds the *thread* that a request belongs to, ``similarity`` matches it with
what was visible there before, and ``explaining`` finds the smallest operations that lead from one
to the other. The ``Recorder`` carries them out, so that the projection after each request is the
request, and stores as small patches what the request wrote differently, so that its body can be
written again. A thread of an earlier recorder is resumed by its calls.

Start with ``exchange`` and ``bodies``, which are the data; then ``recording``. The recorder is
given ``Bodies``, which know how each provider writes messages: ``core.formats.bodies``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .exchange import Exchange, Kind, kind_of_path
from .threads import Thread, ThreadTable

if TYPE_CHECKING:
    from .recording import Explanation, Recorded, Recorder, record_again

__all__ = [
    "Exchange",
    "Explanation",
    "Kind",
    "Recorded",
    "Recorder",
    "Thread",
    "ThreadTable",
    "kind_of_path",
    "record_again",
]


def __getattr__(name: str) -> Any:
    """Import the recorder on first use: reading most files needs none, and starts quicker."""
    if name in __all__:
        from . import recording  # noqa: PLC0415

        return getattr(recording, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
