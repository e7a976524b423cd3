"""One small rule per operation: each reads a draft and writes the outcome to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import Refused
from .. import operations as ops
from ..operations import Operation
from ..state import Draft
from . import changing, hiding, moving, noting
from .repair import repair
from .toggle import toggle
from .truncate import truncate

RULES: dict[type[Operation], Callable[[Draft, Any], tuple[int, ...] | None]] = {
    ops.Append: changing.append,
    ops.Insert: changing.insert,
    ops.Replace: changing.replace,
    ops.Truncate: truncate,
    ops.Clear: hiding.clear,
    ops.Filter: hiding.filter_,
    ops.Select: hiding.select,
    ops.Delete: hiding.delete,
    ops.Compress: changing.compress,
    ops.Redact: changing.redact,
    ops.Repair: repair,
    ops.BatchStart: hiding.batch_start,
    ops.Rollback: moving.rollback,
    ops.Checkout: moving.checkout,
    ops.Toggle: lambda draft, op: toggle(draft, op, apply),
    ops.Mark: noting.mark,
    ops.Unmark: noting.unmark,
    ops.Describe: noting.describe,
    ops.DescribeMeta: noting.describe_meta,
    ops.Configure: noting.configure,
}


def apply(draft: Draft, operation: Operation) -> tuple[int, ...] | None:
    """Apply one operation to a draft; return the raw indices it resolved, where it did."""
    rule = RULES.get(type(operation))
    if rule is None:
        raise Refused(
            f"{operation.title} can't stand in a list of operations",
            field="operation",
            value=operation.title,
            legal=", ".join(cls.title for cls in RULES),
        )
    return rule(draft, operation)
