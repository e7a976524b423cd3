"""JSON text: read strictly, with the place of an error, and written so that any text survives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from math import isinf
from typing import Any

import orjson

from ..errors import Refused, format_value
from ..values.frozen import freeze

NO_NUMBERS = "number-read-as-null"
BYTE_ORDER_MARK = "\ufeff"
LONG_NUMBER = b"0" * 20
STEP = 4
SPARSE_NUMBER = LONG_NUMBER[::STEP]
ZEROS_FOR_DIGITS = bytes(ord("0") if 0x30 <= byte <= 0x39 else 0 for byte in range(256))  # noqa: PLR2004
"""To find digits of a number that may be beyond 64 bits, which orjson would read as a float."""


class NotJson(Refused):
    """Text that is not JSON; ``why`` has no place, so that many of them can be counted."""

    why = ""

    @classmethod
    def at(cls, why: str, place: str = "", value: object = None) -> NotJson:
        refusal = cls(f"it is not JSON: {why}{place}", "text", value, "JSON in UTF-8")
        refusal.why = why
        return refusal


def read_json(source: str | bytes, *, keys_once: bool = False) -> object:
    """Return the value of a JSON text, or refuse it.

    A key given twice has its last value, or with ``keys_once`` is refused: nothing that was written
    by hand is silently left out.
    """
    text = source if isinstance(source, str) else _decoded(source)
    return _parsed(text.removeprefix(BYTE_ORDER_MARK), STRICT_KEYS_ONCE if keys_once else STRICT)


def _parsed(text: str, decoder: json.JSONDecoder) -> object:
    try:
        if text.startswith(BYTE_ORDER_MARK):
            return json.loads(text)  # This refuses the mark by its name.
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        why = error.msg.removesuffix(" at")
        raise NotJson.at(why, f" at line {error.lineno}, column {error.colno}") from None
    except Refused:
        raise
    except RecursionError:
        sentence = "it is JSON nested deeper than can be read"
    except ValueError:
        sentence = "it is JSON with a whole number of more digits than can be read"
    raise Refused(sentence, field="text", legal="JSON in UTF-8")


def read_dirty_json(source: bytes, note: Callable[[str], None]) -> object:
    """Return the value of JSON as programs really write it, or refuse it.

    A number that JSON has not (NaN, Infinity, 1e999) is null, and noted; a lone surrogate stays,
    whether it is escaped or, as in UTF-16, written as itself.
    """
    if not _may_hold_long_number(source):
        try:
            return orjson.loads(source)
        except orjson.JSONDecodeError:
            pass

    def no_number(digits: str) -> None:
        note(digits[:60])

    def finite(digits: str) -> float | None:
        number = float(digits)
        if isinf(number):
            note(digits[:60])
            return None
        return number

    try:
        text = source.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = _decoded(source)
    return _parsed(text, json.JSONDecoder(parse_constant=no_number, parse_float=finite))


def _may_hold_long_number(source: bytes) -> bool:
    """Return whether there are digits of a long number; every fourth byte rules out most texts."""
    if SPARSE_NUMBER not in source[::STEP].translate(ZEROS_FOR_DIGITS):
        return False
    return LONG_NUMBER in source.translate(ZEROS_FOR_DIGITS)


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
    raise NotJson.at(f"{name} is no JSON number", value=name)


def _finite(digits: str) -> float:
    """Return a number; one beyond what a float can hold would silently become Infinity."""
    number = float(digits)
    if isinf(number):
        raise Refused(f"the number {digits[:60]} is too large to be kept", field="text")
    return number


def _keys_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise Refused(
            f"the key {format_value(twice)} is given twice in one object",
            field=twice,
            legal="each key once",
        )
    return made


STRICT = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)
STRICT_KEYS_ONCE = json.JSONDecoder(
    parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_keys_once
)
"""Made once, since arguments of calls are read by the thousand and making one takes longer."""


def dump_json(data: object, *, indent: int | None = None) -> str:
    """Return data as JSON text of ASCII characters only, so that lone surrogates survive too."""
    try:
        return json.dumps(data, ensure_ascii=True, allow_nan=False, indent=indent)
    except ValueError as error:
        raise Refused(f"it can't be written as JSON: {error}", field="data") from None


ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Made once, since calls come by the thousand and ``json.dumps`` would make one for each."""


def parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON that a message can hold, and its value or the text itself."""
    try:
        value = read_json(text)
        freeze(value, "arguments")
    except Refused:
        return False, text
    return True, value


def arguments_text(value: object) -> str:
    """Return an input as ``arguments``; a text that is not JSON stays as it is."""
    if isinstance(value, str) and not parsed(value)[0]:
        return value
    return ENCODER.encode(value)
