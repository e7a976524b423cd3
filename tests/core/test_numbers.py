"""Numbers in texts: every text is read as a number in one way, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ctxtui.cli.calls import _number as read_call
from ctxtui.cli.inputs import find_batch
from ctxtui.core import Refused
from ctxtui.core.curation.dataset import read_ratio
from ctxtui.core.curation.query import read_query
from ctxtui.core.formats.fields import read_timestamp
from ctxtui.core.formats.otel import spans_of
from ctxtui.core.policies.costs import Prices
from ctxtui.core.policies.figures import FigureExpectation
from ctxtui.core.policies.policy import Sweep
from ctxtui.core.values.numbers import (
    MOST,
    count_in,
    decimal_in,
    integer_in,
    read_decimal,
    read_integer,
)
from ctxtui.files.sandbox import Unreadable
from ctxtui.inspector.models.lint import read_culprit
from ctxtui.inspector.models.roles import RoleFilter, read_filter
from ctxtui.inspector.models.search import read_place
from ctxtui.library.models.data_set import ExportOptions
from tests.core.samples import five

LONG = "9" * 5_000
ODD: tuple[str, ...] = (
    LONG,
    f"-{LONG}",
    f"0.{LONG}",
    "²",
    "٣",
    "\uff11\uff12",
    "1_0",
    "+5",
    "--5",
    "1e999999999",
    "1e400",
)
ODD += ("1e999999999", "1e400", "NaN", "inf", "0x1", "", " ", "9" * 25, str(MOST + 1))

READERS: dict[str, Callable[[str], object]] = {
    "sweep": lambda text: len(Sweep.read(f"k=0:{text}")),
    "price": lambda text: Prices.read(f"input={text}"),
    "expectation": lambda text: FigureExpectation.read(f"peak<={text}"),
    "where": lambda text: read_query(f"tokens:{text or 'x'} dup:{text or 'x'}"),
    "field": lambda text: read_query(f"field:score>{text}"),
    "batch": lambda text: find_batch(five(), text),
    "call": lambda text: read_call(text, 3),
    "place": lambda text: read_place(five(), text),
    "filter": lambda text: read_filter(RoleFilter(), "recent", text),
    "seed": lambda text: ExportOptions().having("seed", text),
    "share": lambda text: read_ratio(read_decimal(text, "split")),
    "culprit": lambda text: read_culprit(five(), None, text),
}


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_an_odd_number_is_refused_in_one_short_sentence(
    read: Callable[[str], object], text: str
) -> None:
    sentence = ""
    try:
        read(text)
    except (Refused, Unreadable) as refusal:
        sentence = str(refusal)
    # What is read at all is a plain number that is larger than anything it could count.
    assert sentence or text.isascii()
    assert len(sentence) < 300
    assert "\n" not in sentence


def test_a_whole_number_is_ascii_digits_and_fits_into_64_bits() -> None:
    assert [integer_in(text) for text in ("0", "007", "-12", str(MOST))] == [0, 7, -12, MOST]
    assert [integer_in(text) for text in (*ODD, None, 3, 2.0)] == [None] * (len(ODD) + 3)
    assert (count_in("3"), count_in("-3")) == (3, None)
    assert [decimal_in(text) for text in ("3", "0.5", ".5", "-1e3")] == [3, 0.5, 0.5, -1000]
    assert [decimal_in(text) for text in ("1e400", "NaN", "inf", "1_0", "²", "")] == [None] * 6


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x", "limit 'x' is not a whole number"),
        ("²", "limit '²' is not a whole number"),
        ("-1", "limit -1 is outside 0…10"),
        ("11", "limit 11 is outside 0…10"),
    ],
)
def test_a_refused_number_says_what_is_legal(text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        read_integer(text, "limit", 0, 10)
    assert str(refused.value) == sentence
    with pytest.raises(Refused, match=r"limit '9+'… \(5,000 characters\) is outside 0…10"):
        read_integer(LONG, "limit", 0, 10)


@pytest.mark.parametrize("text", ODD[:-1], ids=range(len(ODD) - 1))
def test_times_and_attributes_of_any_text_are_read_or_passed_over(text: str) -> None:
    assert read_timestamp(text) is None
    span = {
        "traceId": "t",
        "startTimeUnixNano": text,
        "attributes": [{"key": f"gen_ai.prompt.{text}.role", "value": {"intValue": text}}],
    }
    found = spans_of({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    assert len(list(found)) == 1
