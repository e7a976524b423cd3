"""Shortcuts: the operations that programs ask for most, as methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from ..errors import Refused
from ..messages.message import Message
from ..operations import Append, Checkout, Operation, Redo, Rollback, Undo
from ..values.frozen import FrozenDict
from .results import Result

_NOTHING = object()


class Shortcuts:
    """What can be done to a conversation in one call, each by an operation."""

    def execute(self, operation: Operation) -> Result:
        """Apply an operation."""
        raise NotImplementedError

    @overload
    def append(self, message: Message | Mapping[str, Any], /) -> Result: ...
    @overload
    def append(
        self,
        role: str,
        content: Any,
        *,
        id: str | None = None,
        timestamp: int | None = None,
        metadata: Mapping[str, Any] | FrozenDict | None = None,
    ) -> Result: ...
    def append(self, role: Any, content: Any = _NOTHING, **fields: Any) -> Result:
        """Append one message, given as it is or by its role, content and other fields."""
        if content is not _NOTHING:
            fields = {"content": content, **fields}
        message = role if isinstance(role, Message | Mapping) else {"role": role, **fields}
        if fields and message is role:
            extra = next(iter(fields))
            raise Refused(
                f"{extra} stands beside a message, which has its own",
                field=extra,
                value=fields[extra],
                legal="a message alone, or role, content and other fields",
            )
        return self.execute(Append(messages=[message]))

    def rollback(self, number: int) -> Result:
        """Go back to a batch of the path by its number."""
        return self.execute(Rollback(target_batch_index=number))

    def checkout(self, *, batch: int | None = None, revision: int | None = None) -> Result:
        """Go to any batch or revision by its id."""
        return self.execute(Checkout(batch=batch, revision=revision))

    def undo(self) -> Result:
        """Take back the newest change."""
        return self.execute(Undo())

    def redo(self) -> Result:
        """Make the change again that was undone last."""
        return self.execute(Redo())
