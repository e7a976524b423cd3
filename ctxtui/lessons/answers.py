"""Answers of a learner, and what is right about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ctxtui.core.lessons.lesson import Prediction

Row = Literal["right", "missed", "not sent", "left"]
"""A row after the reveal: picked and sent, sent only, picked only, or neither."""
Part = Literal["rows", "number", "answer"]
"""What a question can ask for."""
MOST_DIGITS = 9


class Given(NamedTuple):
    """What a learner has answered so far: rows picked, a number, one of the answers.

    ``is_none`` says that no row is right, which is an answer; no row picked yet is none.
    """

    rows: frozenset[int] = frozenset()
    number: int | None = None
    answer: int | None = None
    is_none: bool = False

    def picking(self, raw: int) -> Given:
        """Return this with a row picked, or put back where it was."""
        return self._replace(rows=self.rows ^ {raw}, is_none=False)

    def picking_none(self) -> Given:
        """Return this with the answer that no row is right, or without it where it was given."""
        return self._replace(rows=frozenset(), is_none=not self.is_none)

    def typing(self, digit: int) -> Given:
        """Return this with one more digit of the number."""
        number = (self.number or 0) * 10 + digit
        return self if number >= 10**MOST_DIGITS else self._replace(number=number)

    def rubbing_out(self) -> Given:
        """Return this without the last digit of the number."""
        return self._replace(number=(self.number or 0) // 10 or None)

    def missing(self, asked: Prediction) -> list[Part]:
        """Return what is asked for and not answered yet, in the order it is asked for."""
        is_missing: dict[Part, bool] = {
            "rows": asked.rows is not None and not self.rows and not self.is_none,
            "number": asked.number is not None and self.number is None,
            "answer": bool(asked.answers) and self.answer is None,
        }
        return [part for part, missing in is_missing.items() if missing]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data."""
        return {
            "rows": sorted(self.rows),
            "number": self.number,
            "answer": self.answer,
            "none": self.is_none,
        }


def read_given(data: object) -> Given:
    """Return an answer from JSON data; whatever is no answer is none."""
    if not isinstance(data, Mapping):
        return Given()
    rows, number, answer = (data.get(name) for name in ("rows", "number", "answer"))
    picked = [raw for raw in rows if _is_count(raw)] if isinstance(rows, list) else ()
    return Given(
        frozenset(picked),
        number if _is_count(number) else None,
        answer if _is_count(answer) else None,
        data.get("none") is True and not picked,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS


class Verdict(NamedTuple):
    """How right an answer is, each part on its own; None where nothing was asked."""

    rows: bool | None = None
    number: bool | None = None
    answer: bool | None = None

    @property
    def asked(self) -> int:
        """Return how many things were asked."""
        return sum(part is not None for part in self)

    @property
    def right(self) -> int:
        """Return how many of them are right."""
        return sum(part is True for part in self)

    @property
    def is_right(self) -> bool:
        """Tell whether all of them are."""
        return self.right == self.asked


def judge(asked: Prediction, given: Given) -> Verdict:
    """Return how right an answer is."""
    number = asked.number
    return Verdict(
        None if asked.rows is None else given.rows == set(asked.rows),
        None
        if number is None
        else given.number is not None and abs(given.number - number.answer) <= number.within,
        None if asked.right is None else given.answer == asked.right,
    )


def judge_row(asked: Prediction, given: Given, raw: int) -> Row:
    """Return what a row is after the reveal."""
    is_sent = raw in (asked.rows or ())
    if raw in given.rows:
        return "right" if is_sent else "not sent"
    return "missed" if is_sent else "left"
