"""What a provider served of a projection from its cache, where a call of it was recorded."""

from __future__ import annotations

from typing import Any, NamedTuple

from ctxtui.core import Conversation
from ctxtui.models.call_path import CallPath


class MeasuredCache(NamedTuple):
    """What was served when a projection was sent: by which call, and after which revision.

    ``input`` is all that the provider read, tools included; ``after`` is what the call before had
    sent, of which a cache could know.
    """

    call: int
    cached: int
    input: int | None
    after: int | None
    has_tools: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {"call": self.call, "cached": self.cached, "input": self.input}


def measured_cache(conversation: Conversation, revision: int) -> MeasuredCache | None:
    """Return what the newest measured call of a revision was served; None where none was."""
    path = CallPath(conversation, revision)
    for number in range(len(path), 0, -1):
        one = path.calls[number - 1]
        if one.revision == revision and one.usage is not None and one.usage.cached is not None:
            before = path.calls[number - 2].revision if number > 1 else None
            has_tools = one.tools is not None
            usage = one.usage
            return MeasuredCache(number, usage.cached or 0, usage.input, before, has_tools)
    return None
