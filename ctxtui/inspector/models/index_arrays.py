"""The index arrays of a look, and of the state before the batch it shows."""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from typing import NamedTuple

from ctxtui.core.engine.diff import Diff, diff_views
from ctxtui.core.engine.log import role_table
from ctxtui.core.engine.revisions import Batch, Path
from ctxtui.core.engine.views import EMPTY, View
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.look import Look


class Array(NamedTuple):
    """An index array; the flags say which indices are not in the other state's array."""

    indices: list[int]
    flags: bytes

    def flagged(self) -> Array:
        count = self.flags.count(1)
        return Array(list(compress(self.indices, self.flags)), b"\1" * count)


def mask_of(view: View, size: int) -> bytearray:
    """Return one byte for each raw index: 1 where it is in a view."""
    mask = bytearray(size)
    for start, length in view.runs():
        mask[start : start + length] = b"\1" * length
    return mask


class IndexArrays:
    """The arrays the source documents describe, before and now, made from the views as needed."""

    def __init__(self, look: Look) -> None:
        # The look itself is not kept: it is what this is remembered by.
        self.state = look.state
        self.log = look.state.log
        self.whole = len(self.log)
        self.view = look.view
        self.size = look.log_size
        self.batch = look.batch
        self.path: Path = look.state.path
        before = look.before
        self.was: View | None = None if before is None else before.view
        self.was_size = look.before_size
        self.was_batch: Batch | None = None if before is None else look.state.batches[before.batch]

    def work_out(self) -> None:
        """Make all of them at once, as a thread does for a long log."""
        assert self.roles_now.keys() == self.roles_before.keys()

    @cached_property
    def diff(self) -> Diff:
        """Return what left, came and moved; nothing where there is nothing before."""
        if self.was is None:
            return Diff(EMPTY, EMPTY, EMPTY, EMPTY)
        return diff_views(self.was, self.view, self.was_size)

    @cached_property
    def come(self) -> View:
        """Return what is visible now and was not, new or shown again."""
        return View.of_runs(sorted([*self.diff.added.runs(), *self.diff.shown.runs()]))

    @cached_property
    def shown_mask(self) -> bytearray:
        """Return one byte for each raw index: 1 where it is visible."""
        return mask_of(self.view, self.whole)

    @cached_property
    def change_masks(self) -> tuple[bytearray, bytearray, bytearray]:
        """Return the same for what left, what came and what moved."""
        left, came, moved = (
            mask_of(view, self.whole) for view in (self.diff.hidden, self.come, self.diff.moved)
        )
        return left, came, moved

    @cached_property
    def run_counts(self) -> tuple[int, int]:
        before, now = (sum(1 for _ in view.joined()) for view in (self.was or EMPTY, self.view))
        return before, now

    @cached_property
    def now(self) -> Array:
        """Return the visible indices; those that came are flagged."""
        return self._array(self.view, self.change_masks[1])

    @cached_property
    def before(self) -> Array:
        """Return the indices that were visible before; those that left are flagged."""
        return self._array(self.was or EMPTY, self.change_masks[0])

    @cached_property
    def roles_now(self) -> dict[str, Array]:
        return self._by_role(self.view, self.now)

    @cached_property
    def roles_before(self) -> dict[str, Array]:
        return self._by_role(self.was or EMPTY, self.before)

    def _array(self, view: View, mask: bytearray) -> Array:
        return Array(list(view), view.column(lambda start, stop: mask[start:stop]))

    def _by_role(self, view: View, array: Array) -> dict[str, Array]:
        codes = view.column(self.log.roles)
        found: dict[str, Array] = {}
        for role in ROLES:
            mine = codes.translate(role_table((role,)))
            found[role] = Array(
                list(compress(array.indices, mine)), bytes(compress(array.flags, mine))
            )
        return found
