"""The message list: its first frame, a page and a refresh, short and long; DataTable beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import process_time

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import DataTable

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.inspector.drawing.lists import RawSource
from ctxtui.inspector.models.look import Look
from ctxtui.widgets.line_list import LineList
from tests.benchmarks.logs import messages_of, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, short, show, size_name, times

SHORT, LONG, RIVAL = 1_000, 1_000_000, 20_000
FEW, MANY = 100, 100_000
ROUNDS, BOUND = 9, 1.5
SIZE = (120, 40)
MEASURES = ("first frame", "page down", "refresh")


class ListScreen(Screen[None]):
    """Nothing but a message list."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self.look = Look(conversation)

    def compose(self) -> ComposeResult:
        """Show the list."""
        yield LineList(id="list")

    def on_mount(self) -> None:
        """Fill it."""
        self.fill()

    def fill(self) -> None:
        """Fill the list, or fill it again."""
        self.query_one(LineList).show(RawSource(self.look))
        self.query_one(LineList).focus()


class TableScreen(Screen[None]):
    """The same rows in Textual's own table."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self.log_of = conversation.log

    def compose(self) -> ComposeResult:
        """Show the table."""
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        """Fill it."""
        self.query_one(DataTable).add_columns("raw", "role", "message")
        self.fill()

    def fill(self) -> None:
        """Fill the table, or fill it again."""
        table: DataTable[str] = self.query_one(DataTable)
        table.clear()
        rows = ([str(i), one.role, one.text[:80]] for i, one in enumerate(self.log_of))
        table.add_rows(rows)
        table.focus()


class Bench(CtxtuiApp):
    """The app's own styles, and one screen to measure."""

    def __init__(self, screen: ListScreen | TableScreen) -> None:
        super().__init__()
        self.measured = screen

    def on_mount(self) -> None:
        """Show nothing yet."""


def frame(app: App[str]) -> None:
    """Draw a whole frame, down to what a terminal would get."""
    app.screen._compositor.render_full_update().render_segments(app.console)


async def _measure(screen: ListScreen | TableScreen, rounds: int) -> list[float]:
    app = Bench(screen)
    app.animation_level = "none"
    async with app.run_test(size=SIZE) as pilot:
        start = process_time()
        await app.push_screen(screen)
        await pilot.pause()
        frame(app)
        found = [process_time() - start]

        async def best(act: Callable[[], object]) -> float:
            spent = []
            for _ in range(rounds):
                began = process_time()
                act()
                await pilot.pause()
                frame(app)
                spent.append(process_time() - began)
            return min(spent)

        page = (
            screen.query_one(LineList).action_page
            if isinstance(screen, ListScreen)
            else lambda _: screen.query_one(DataTable).action_page_down()
        )
        found.append(await best(lambda: page(1)))
        found.append(await best(screen.fill))
        return found


def measure_list(size: int) -> list[float]:
    """Return the times of our list; the first frame is the best of three apps."""
    conversation = Conversation(messages_of(size))
    with settled():
        runs = [asyncio.run(_measure(ListScreen(conversation), ROUNDS)) for _ in range(3)]
    return [min(times) for times in zip(*runs, strict=True)]


def measure_table(size: int) -> list[float]:
    """Return the times of Textual's table."""
    conversation = Conversation(messages_of(size))
    with settled():
        return asyncio.run(_measure(TableScreen(conversation), 2))


async def _keys(conversation: Conversation) -> float:
    app = CtxtuiApp(MemoryLibrary().create(conversation))
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        spent = []
        for key in ("j",) * 10 + ("pagedown", "1") + ("k",) * 10:
            began = process_time()
            await pilot.press(key)
            frame(app)
            spent.append(process_time() - began)
        return sorted(spent)[len(spent) // 2]


def measure_keys(size: int) -> float:
    """Return what a key costs in the inspector: the middle of several, best of three."""
    conversation = Conversation(messages_of(size))
    with settled():
        return min(asyncio.run(_keys(conversation)) for _ in range(3))


def report(out: Report) -> None:
    """Measure, print the tables and note the targets."""
    ours = {size: apart(measure_list, size) for size in (SHORT, LONG)}
    table = {size: apart(measure_table, size) for size in (SHORT, RIVAL)}
    rows = []
    for i, what in enumerate(MEASURES):
        ratio = ours[LONG][i] / ours[SHORT][i]
        target = Target(f"list, {what}, 1M against 1k rows", ratio, "×", BOUND)
        cells = [_milli(one[i]) for one in (*ours.values(), *table.values())]
        rows.append(
            [what, *cells[:2], times(ratio), f"≤ {BOUND:g}×", out.judge(target), *cells[2:]]
        )
    head = ["ms", "1k", "1M", "growth", "target", "", "table 1k", f"table {size_name(RIVAL)}"]
    show("Lists: our own, and Textual's DataTable with the same rows", [], head, rows)
    few, many = apart(measure_keys, FEW), apart(measure_keys, MANY)
    target = Target(
        f"a key in the inspector, {size_name(MANY)} against {FEW}", many / few, "×", BOUND
    )
    cells = [_milli(few), _milli(many), times(many / few), f"≤ {BOUND:g}×", out.judge(target)]
    head = ["ms", str(FEW), size_name(MANY), "growth", "target", ""]
    show("The inspector: what a key costs, with the frame it leads to", [], head, [["key", *cells]])


def _milli(seconds: float) -> str:
    return short(seconds * 1000)
