"""The bill of a run: what it costs as it is, the best policy, refused calls, and its copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from ctxtui.core.policies import Prices
from ctxtui.core.storage import MemoryLibrary
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.bill import BillScreen
from ctxtui.what_if.drawing.bill import NO_PRICE, bill_lines, bill_text, verdict
from ctxtui.what_if.models.bill import Bill, as_it_is, bill_of, measured_usage
from ctxtui.what_if.models.comparison import StrategyComparison
from ctxtui.what_if.screen import WhatIfScreen
from tests.ui.opening import opened, painted, toasts
from tests.ui.runs import CAREFUL, IDLE, WINDOW, compared, found_out, run, saved
from tests.ui.sent_calls import coder
from tests.ui.test_footers import told
from tests.ui.test_library import wait
from tests.ui.test_sent_and_seen import press, top
from tests.ui.test_watch import at_work, watching

SIZES = [(80, 24), (100, 30), (140, 42), (200, 60)]


def billed(comparison: StrategyComparison) -> Bill:
    found_out(comparison)
    assert comparison.question is not None
    bill = bill_of(comparison, as_it_is(comparison.question))
    assert bill is not None
    return bill


def text(bill: Bill) -> str:
    return " ".join(bill_text(bill).split())


def test_the_best_policy_fails_least_and_of_these_costs_least(tmp_path: Path) -> None:
    bill = billed(compared(tmp_path, WINDOW, CAREFUL, IDLE, conversation=run(limit=None)))
    known = {column.letter: column for column in bill.columns}
    assert bill.best is not None
    assert bill.best.name in ("b", "c")
    assert bill.best.failing == 0
    assert known["R"].figures.tokens_sent == bill.as_it_is.figures.tokens_sent
    worst = billed(compared(tmp_path, WINDOW, conversation=run(limit=None)))
    assert worst.best is not None
    assert worst.best.refused > 0
    assert "No policy that was compared does better" in verdict(worst)


def test_calls_above_the_limit_would_be_refused(tmp_path: Path) -> None:
    bill = billed(compared(tmp_path, CAREFUL, conversation=run(limit=100)))
    assert bill.as_it_is.refused == bill.as_it_is.figures.over_limit > 0
    assert bill.best is not None
    assert bill.best.refused < bill.as_it_is.refused
    assert "above the limit" in text(bill)


def test_without_prices_it_counts_tokens_and_says_that_none_are_built_in(tmp_path: Path) -> None:
    bill = billed(compared(tmp_path, CAREFUL))
    assert bill.prices is None
    assert "$0" not in text(bill)
    assert NO_PRICE in text(bill)


def test_with_prices_the_parts_are_the_whole(tmp_path: Path) -> None:
    prices = Prices(3.0, 0.3, 15.0)
    bill = billed(compared(tmp_path, CAREFUL, prices=prices, conversation=run()))
    first = bill.as_it_is
    parts = first.figures.tokens_outside_prefix * 3.0 + first.prefix * 0.3
    assert first.price == pytest.approx((parts + first.figures.output * 15.0) / 1e6, abs=1e-6)
    assert "At your prices per million tokens: $3 in $0.3 cached $15 out." in text(bill)
    assert NO_PRICE not in text(bill)


def test_summaries_are_a_part_of_the_bill(tmp_path: Path) -> None:
    summary = {"role": "user", "template": "{count} gone", "tokens": 40}
    do = {"operation": "COMPRESS", "select": {"exceptLast": 2}, "summary": summary}
    prices = Prices(3.0, 0.3, 15.0, 3.75)
    strategy = {"when": {"messagesAbove": 12}, "do": [do]}
    bill = billed(compared(tmp_path, strategy, prices=prices, conversation=run()))
    assert "answers" in text(bill)
    assert "summaries" in text(bill)
    assert "$3.75 written" in text(bill)
    for column in bill.columns:
        parts = column.parts(prices)
        assert column.price == pytest.approx(sum(parts), abs=5e-6)
        assert bool(parts[3]) == bool(column.figures.summaries)
    assert any(column.figures.summaries for column in bill.columns)


def test_what_the_provider_counted_is_there_if_it_counted_every_call(tmp_path: Path) -> None:
    conversation = coder()
    usage = measured_usage(conversation)
    assert usage is not None
    assert usage.input == sum(
        call.usage.input or 0 for call in conversation.calls.all if call.usage
    )
    bill = billed(compared(tmp_path, IDLE, conversation=conversation))
    assert "The provider counted 4.2k in, " in text(bill)
    conversation.record_call(model="m")
    assert measured_usage(conversation) is None


@pytest.mark.parametrize("width", [20, 40, 76, 140])
def test_no_line_is_wider_than_there_is_room(tmp_path: Path, width: int) -> None:
    bill = billed(compared(tmp_path, WINDOW, CAREFUL))
    for line in bill_lines(bill, width):
        assert cell_len("".join(piece.text for piece in line)) <= max(width, 48)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_key_shows_the_bill_of_the_run_and_leads_back(size: tuple[int, int]) -> None:
    saved(careful=CAREFUL)
    async with opened(run(), size) as (pilot, _):
        drawn = await press(pilot, "w", "J")
        assert isinstance(pilot.app.screen, BillScreen)
        assert "refused calls" in drawn
        assert " › Bill" in drawn
        assert {"y copy", "P picture", "esc back"} <= set(told(pilot.app.screen))
        await press(pilot, "y")
        assert "Copied the bill" in toasts(pilot)
        assert "The bill  24 calls" in pilot.app.clipboard
        await press(pilot, "escape")
        top(pilot, WhatIfScreen)


async def test_prices_are_set_on_the_bill() -> None:
    saved(careful=CAREFUL)
    async with opened(run()) as (pilot, _):
        assert NO_PRICE[:20] in await press(pilot, "w", "J")
        await pilot.press("dollar_sign", *"input", "equals_sign", "3", "enter")
        await wait(pilot)
        drawn = painted(pilot.app.screen)
        assert NO_PRICE[:20] not in drawn
        assert "At your prices" in drawn


async def test_watch_shows_the_bill_of_the_thread_under_the_cursor() -> None:
    library = MemoryLibrary()
    session = at_work("coder", library)
    async with watching(library) as (pilot, screen):
        drawn = await press(pilot, "J")
        top(pilot, BillScreen)
        assert "The bill  8 calls" in drawn
        assert "The provider counted 8.0k in, 60 % cached" in drawn
        await press(pilot, "escape")
        assert top(pilot, WatchScreen) is screen
    session.abandon()
