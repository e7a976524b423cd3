"""Columns of the lists: figures stay whole and apart at every width and for every log."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.inspector.drawing.lists import RawSource, VisibleSource
from ctxtui.inspector.drawing.timeline import FIGURES, TimelineSource
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Look
from ctxtui.text.line_source import LineSource
from ctxtui.text.lines import Line, kept
from ctxtui.text.numbers import LONGEST, tokens, widest
from tests.core.samples import Words, registered
from tests.ui.opening import tour

WIDTHS = (24, 36, 42, 44, 50, 58, 64, 66, 78, 98, 118, 200)


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def timeline(conversation: Conversation, batch: int | None = None) -> TimelineSource:
    look = Look(conversation) if batch is None else Look.at_batch(conversation, batch)
    errors = ErrorCounts(conversation)
    errors.prepare(conversation.newest(one) for one in conversation.batches)
    return TimelineSource(look, errors)


def orphan(number: int) -> dict[str, Any]:
    return {"type": "tool_result", "tool_result": {"tool_use_id": f"{number}", "content": "x"}}


def long(count: int) -> Conversation:
    return Conversation([{"role": "user", "content": "[/x] 语" * 9} for _ in range(count)])


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (2_449, "2.4k"),
        (99_949, "99.9k"),
        (99_951, "100k"),
        (214_400, "214k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (1_089_000, "1.1M"),
        (2_300_000_000, "2.3G"),
        (99_960_000, "100M"),
        (10**4000, ">999E"),
    ],
)
def test_large_numbers_have_units(count: int, told: str) -> None:
    assert tokens(count) == told


@given(st.integers(0, 10**18), st.integers(0, 10**18))
def test_no_number_is_wider_than_the_widest_up_to_it(one: int, other: int) -> None:
    small, large = sorted((one, other))
    assert len(tokens(small)) <= widest(large) <= max(LONGEST, len(str(min(large, 999))))


def test_columns_that_are_named_first_go_first() -> None:
    columns = {"bar": 9, "raw": 6, "word": 5}
    assert [sorted(kept(columns, room)) for room in (20, 19, 10, 4)] == [
        ["bar", "raw", "word"],
        ["raw", "word"],
        ["word"],
        [],
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("batch", [None, 2])
def test_every_line_has_its_width_and_keeps_a_cell_free_at_the_end(
    width: int, batch: int | None
) -> None:
    conversation = tour()
    look = Look(conversation) if batch is None else Look.at_batch(conversation, batch)
    source: LineSource
    for source in (RawSource(look), VisibleSource(look), timeline(conversation, batch)):
        header = source.header(width)
        assert header is not None
        drawn = [header, *(source.line(at, width) for at in range(len(source)))]
        for line in drawn:
            assert cell_len(text(line)) == width
            assert text(line)[-1] == " "


@pytest.mark.parametrize("count", [40, 1_200, 12_000])
@pytest.mark.parametrize("width", [58, 66, 78])
def test_columns_widen_with_the_log_and_never_touch(count: int, width: int) -> None:
    conversation = long(count)
    conversation.execute({"operation": "DELETE", "indices": [0, count - 9]})
    look = Look(conversation)
    raw = text(RawSource(look).line(count - 1, width))
    assert raw.split()[:3] == [str(count - 1), "❯", "user"]
    assert raw.split()[-3:] == ["18", "→", str(count - 3)]
    visible = VisibleSource(look)
    assert text(visible.line(count - 3, width)).split()[:3] == [str(count - 3), str(count - 1), "❯"]
    gap = text(visible.line(count - 10, width))
    assert gap.split()[:3] == [str(count - 10), "⋮", str(count - 8)]
    header = text(RawSource(look).header(width) or [])
    assert header.index("raw") + len("raw") == raw.index(str(count - 1)) + len(str(count - 1))
    assert header.rstrip().endswith("sent")
    assert cell_len(header.rstrip()) == cell_len(raw.rstrip())


@pytest.mark.parametrize("width", [34, 42, 50, 64])
def test_a_batch_is_one_line_that_has_what_it_added_and_hid_at_every_width(width: int) -> None:
    source = timeline(tour())
    assert source.blocks(width) == ()
    header = text(source.header(width) or []).split()
    assert [name for name in header if name in ("add", "hide", "lint")] == ["add", "hide", "lint"]
    line = text(source.line(2, width))
    assert line.split()[-2 - (len(header) - header.index("hide") - 1) :][:2] == ["+6", "−7"]
    assert line.split()[-1] == "✓"
    assert cell_len(line) == width


def test_bars_go_first_then_arguments_end_with_an_ellipsis_then_tokens_go() -> None:
    source = timeline(tour())
    assert source.layout(90).figures == set(FIGURES) - {"calls"}
    assert source.layout(64).figures == set(FIGURES) - {"calls", "bar"}
    assert "REDACT   clear old tool re… " in text(source.line(3, 62))
    assert "TRUNCATE keep the last four " in text(source.line(1, 64))
    assert source.layout(44).figures == {"add", "hide", "vis", "lint"}
    assert source.layout(44).about >= 8


def test_bars_of_batches_are_scaled_by_one_counter() -> None:
    conversation = long(20)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 10})
    peak = Look(conversation).peak
    assert peak == sum(Look(conversation).tokens(raw) for raw in range(20))
    with registered(Words()):
        conversation.execute({"operation": "CONFIGURE", "counter": "words"})
    look = Look(conversation)
    assert look.peak == sum(look.tokens(raw) for raw in range(20)) != peak
    bars = [piece for piece in timeline(conversation).line(0, 100) if "━" in piece.text]
    assert bars[0].text.strip() == "━━━━━"


def test_a_number_of_errors_fits_its_column() -> None:
    conversation = long(2_000)
    conversation.execute(
        {
            "operation": "APPEND",
            "messages": [{"role": "tool", "content": [orphan(n)]} for n in range(1_500)],
        }
    )
    source = timeline(conversation)
    assert text(source.line(0, 64)).split()[-1] == "…"
    source.errors.count_some()
    assert text(source.line(0, 64)).split()[-1] == "✖1.5k"
