"""JSON text: read strictly, told where it is broken, and written so that any text survives."""

from __future__ import annotations

import json
from math import isinf

from core.errors import Refused

BYTE_ORDER_MARK = "\ufeff"


def read_json(source: str | bytes) -> object:
    """Return the value of a JSON text, or refuse it; a key given twice has its last value."""
    text = source if isinstance(source, str) else _decoded(source)
    try:
        return json.loads(
            text.removeprefix(BYTE_ORDER_MARK), parse_constant=_no_number, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" at")
        sentence = f"it is not JSON: {why} at line {error.lineno}, column {error.colno}"
    except Refused:
        raise
    except RecursionError:
        sentence = "it is JSON nested deeper than can be read"
    except ValueError:
        sentence = "it is JSON with a whole number of more digits than can be read"
    raise Refused(sentence, field="text", legal="JSON in UTF-8")


def _decoded(source: bytes) -> str:
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(
            f"byte {error.start} (0x{source[error.start]:02x}) is not UTF-8 text",
            field="text",
            value=error.start,
            legal="JSON in UTF-8",
        ) from None


def _no_number(name: str) -> float:
    raise Refused(f"it is not JSON: {name} is no JSON number", field="text", value=name)


def _finite(digits: str) -> float:
    """Return a number; one beyond what a float can hold would silently become Infinity."""
    number = float(digits)
    if isinf(number):
        raise Refused(f"the number {digits[:60]} is too large to be kept", field="text")
    return number


def dump_json(data: object, *, indent: int | None = None) -> str:
    """Return data as JSON text of ASCII characters only, so that lone surrogates survive too."""
    try:
        return json.dumps(data, ensure_ascii=True, allow_nan=False, indent=indent)
    except ValueError as error:
        raise Refused(f"it can't be written as JSON: {error}", field="data") from None
