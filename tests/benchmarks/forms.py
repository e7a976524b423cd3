"""Forms: what opening one costs until it takes keys, in a short log and in a long one."""

from __future__ import annotations

import asyncio
from time import thread_time

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from tests.benchmarks.lists import frame
from tests.benchmarks.logs import messages_of, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, short, show, size_name, times

FEW, MANY = 100, 10_000
ROUNDS, BOUND = 5, 1.5
KEYS = {"t": "TRUNCATE", "r": "REPLACE", "comma": "CONFIGURE"}
"""A form with cuts to start from, one with an editor, and one that shows what settings mean."""


async def _opening(conversation: Conversation, key: str) -> float:
    """Return what the app's own thread spends from the key to the frame it leads to.

    Previews are worked out in other threads, while the form takes keys already.
    """
    app = CtxtuiApp(MemoryLibrary().create(conversation))
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        spent = []
        for _ in range(ROUNDS):
            began = thread_time()
            await pilot.press(key)
            frame(app)
            spent.append(thread_time() - began)
            await app.workers.wait_for_complete()
            await pilot.press("escape")
        return min(spent)


def measure(size: int) -> list[float]:
    """Return what opening each form costs."""
    conversation = Conversation(messages_of(size))
    with settled():
        return [asyncio.run(_opening(conversation, key)) for key in KEYS]


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    few, many = apart(measure, FEW), apart(measure, MANY)
    rows = []
    for name, less, more in zip(KEYS.values(), few, many, strict=True):
        ratio = more / less
        what = f"opening {name}, {size_name(MANY)} against {FEW}"
        target = Target(what, ratio, "×", BOUND)
        cells = [short(less * 1000), short(more * 1000), times(ratio)]
        rows.append([name, *cells, f"≤ {BOUND:g}×", out.judge(target)])
    head = ["ms", str(FEW), size_name(MANY), "growth", "target", ""]
    show("Forms: from the key to the frame that takes keys", [], head, rows)
