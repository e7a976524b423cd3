"""Numbers in a text: typed by a user, or read from a file, a header or a key.

Python reads more than a user means (``²``, ``٣``, ``1_000``, ``1e999``), and refuses very long
numbers with an error of its own. Every text that may be a number is read here instead.
"""

from __future__ import annotations

import re
from math import isfinite

from ..errors import out_of_range, wrong_type

MOST = 2**63 - 1
"""No text is read as a larger whole number: these fit into 64 bits."""
SPACES = " \t\r\n"
"""What may be around a number; other spaces are signs of another text."""
_WHOLE = re.compile(r"-?[0-9]+", re.ASCII)
_LONGEST = len(str(MOST))
_DECIMAL = re.compile(r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


def integer_in(text: object) -> int | None:
    """Return the whole number that a text is, in ASCII digits; None for any other value.

    A number beyond ``MOST`` is not read.
    """
    if not isinstance(text, str) or _WHOLE.fullmatch(text) is None:
        return None
    digits = text.removeprefix("-").lstrip("0") or "0"
    if len(digits) > _LONGEST or (number := int(digits)) > MOST:
        return None
    return -number if text.startswith("-") else number


def count_in(text: object) -> int | None:
    """Return the whole number of 0 or more that a text is; None for any other value."""
    number = integer_in(text)
    return number if number is not None and number >= 0 else None


def read_integer(text: str, field: str, least: int = 0, most: int = MOST) -> int:
    """Return the whole number that a text is, with spaces around it or not, or refuse it."""
    plain = text.strip(SPACES)
    if _WHOLE.fullmatch(plain) is None:
        raise wrong_type(field, plain, "a whole number")
    number = integer_in(plain)
    if number is None or not least <= number <= most:
        raise out_of_range(field, plain if number is None else number, f"{least}…{most}")
    return number


def decimal_in(text: str) -> float | None:
    """Return the number that a text is, whole or with a point; None for any other text."""
    number = float(text) if _DECIMAL.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


def read_decimal(text: str, field: str) -> float:
    """Return the number that a text is, whole or with a point, or refuse it."""
    plain = text.strip(SPACES)
    number = decimal_in(plain)
    if number is None:
        raise wrong_type(field, plain, "a number such as 0.9")
    return number
