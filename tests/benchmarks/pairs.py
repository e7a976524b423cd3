"""TRUNCATE that splits no tool exchange, where every other message is a call or a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxtui.core import Conversation, Insert, Truncate
from tests.benchmarks.clock import quickest, seconds
from tests.benchmarks.linting import turns
from tests.benchmarks.logs import fresh_message, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, micro, show, size_name, times

SIZES = (10_000, 100_000)
GROWTH, MICRO = 2.0, 1000.0
PLACES = 20
FORMS: dict[str, dict[str, Any]] = {
    "keepLast": {},
    "keepLast, extend": {"keep_pairs": "extend"},
    "keepLast, keepSystem": {"keep_system": True},
}
LATER = "keepLast, after an INSERT"
BUILT = "the first of all, which builds the index"


def _cut(conversation: Conversation, fields: dict[str, Any]) -> Callable[[int], object]:
    half = len(conversation.view) // 2
    cuts = [Truncate(keep_last=half + i, **{"keep_pairs": "drop", **fields}) for i in range(PLACES)]
    return lambda place: conversation.preview(cuts[place])


def measure(size: int) -> dict[str, float]:
    """Return the time of one TRUNCATE of each form, worked out and not kept."""
    conversation = Conversation(turns(size))
    with settled():
        first = _cut(conversation, {})
        figures = {BUILT: seconds(lambda: first(0))}
        for name, fields in FORMS.items():
            figures[name] = quickest(_cut(conversation, fields), range(PLACES))
        conversation.execute(Insert(position=size // 4, messages=[fresh_message(0)]))
        figures[LATER] = quickest(_cut(conversation, {}), range(PLACES))
    return figures


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    small, large = (apart(measure, size) for size in SIZES)
    span = "→".join(map(size_name, SIZES))
    rows = []
    for name, cost in large.items():
        said = ["", ""]
        if name != BUILT:
            target = Target(f"keepPairs: {name}", cost * 1e6, " µs", MICRO)
            said = [f"≤ {MICRO:g}", out.judge(target)]
        row = [name, micro(small[name]), micro(cost), times(cost / small[name]), *said]
        rows.append(row)
    ratio = large["keepLast"] / small["keepLast"]
    out.judge(Target(f"growth {span} of TRUNCATE keepLast, keepPairs", ratio, "×", GROWTH))
    show(
        "TRUNCATE with keepPairs: µs each, half of the projection stays",
        ["every other message is a call or a result; masks of keepSystem grow with the projection"],
        ["cut", *map(size_name, SIZES), span, "target", ""],
        rows,
    )
