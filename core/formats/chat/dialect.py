"""Dialects: in what the chat messages of one format differ from those of another."""

from __future__ import annotations

from ..notes import Notes


class Dialect(Notes):
    """Notes under a format's key, and what is usual there.

    With ``object_arguments``, arguments of a call stand there as they are, not as JSON text.
    With ``pairs``, a result without an id is that of the first call that waits for one.
    ``thinking`` are the keys that hold an assistant's reasoning, the first one where it is written.
    """

    def __init__(
        self,
        key: str,
        *,
        object_arguments: bool = False,
        pairs: bool = False,
        thinking: tuple[str, ...] = (),
    ) -> None:
        super().__init__(key)
        self.object_arguments = object_arguments
        self.pairs = pairs
        self.thinking = thinking


def thinking_keys(own: Notes) -> tuple[str, ...]:
    """Return the keys that hold an assistant's reasoning, the one to be written first."""
    return own.thinking if isinstance(own, Dialect) else ()
