"""Mutations: JSON data, bytes and patterns with something wrong in them, from a seeded chance."""

from __future__ import annotations

import copy
import random
from typing import Any

Chance = random.Random


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    inner: Any = 0
    for _ in range(depth):
        inner = [inner]
    return inner


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, -(2**63), 2**31, 2**32, 2**40, 2**63, 10**17, 10**400),
    *(10**4000, 10**5000, -(10**5000), 0.0, 1.0, -1.5, 1e308, float("nan"), float("inf")),
    *("", " ", "0", "5", "\x00", "\ud800", "\u202e", "a\nb", "x" * 65, "y" * 10_000, "é" * 300),
    *("system", "user", "assistant", "tool", "robot", "text", "tool_use", "TRUNCATE", "drop"),
    *([], {}, [[]], [{}], {"": {}}, [0, 0], [1, -1], [10**5000], {"raw": [[0, 1]]}, {"raw": 5}),
    *({"role": "user", "content": "x"}, {"start": 0, "end": 1}, {"start": 2, "end": 1}),
    *({"roles": ["user"]}, {"type": "text", "text": ""}),
    *({"self": 1}, {"data": 1}, {"operation": 10**5000}, {"batch": 1, "revision": 1}),
)
"""What nobody means to give, and JSON can say, or nearly."""
FOREIGN: tuple[Any, ...] = (
    *(range(3), range(10**30), (1, 2), {1: 2}, {10**5000: 1}, {"a", "b"}, b"bytes", object(), ODD),
)
"""What only a program can give."""

NAMES = ("operation", "role", "content", "indices", "select", "messages", "keepLast", "raw", "x")
DEPTHS = (50, 99, 100, 101, 300)
PIECES = (
    *(
        "a",
        "b*",
        "(",
        ")",
        "[",
        "]",
        "[^",
        "{3}",
        "{1000}",
        "{99999999}",
        "{,5}",
        "{2,1}",
        "{e<=3}",
    ),
    *("(?:", "(?P<n>", "(?<=", "(?!", "(?i)", "(?x)", "(?V1)", "(?#", "[:alpha:]", "|", "*", "+"),
    *(
        "?",
        "\\",
        "\\d",
        "\\p{L}",
        "\\1",
        "(?R)",
        "(?1)",
        "\\N{",
        ".",
        "^",
        "$",
        "\n",
        "ß",
        "\ud800",
    ),
)


def odd(chance: Chance, foreign: bool) -> Any:
    """Return something odd that nobody else holds."""
    if foreign and chance.random() < 0.1:
        return copy.deepcopy(chance.choice(FOREIGN))
    if chance.random() < 0.05:
        return nested(chance.choice(DEPTHS))
    return copy.deepcopy(chance.choice(ODD))


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every place in JSON data that something else can be put into."""
    found: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        inside = waiting.pop()
        if isinstance(inside, dict | list):
            keys = list(inside) if isinstance(inside, dict) else range(len(inside))
            found += [(inside, key) for key in keys]
            waiting += [inside[key] for key in keys]
    return found


def mutated(chance: Chance, data: Any, *, foreign: bool = False) -> Any:
    """Return JSON data with one to three things changed; ``foreign`` ones may be no JSON."""
    data = copy.deepcopy(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        known = places(data)
        if not known or chance.random() < 0.01:
            data = odd(chance, foreign)
            continue
        inside, key = chance.choice(known)
        _change(chance, inside, key, known, foreign=foreign)
    return data


def _change(
    chance: Chance, inside: Any, key: Any, known: list[tuple[Any, Any]], *, foreign: bool
) -> None:
    """Change what stands at one place."""
    how = chance.randrange(7)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, dict):
        inside[chance.choice(_names(key, foreign))] = inside.pop(key)
    elif how == 2 and isinstance(inside, list):
        inside.insert(key, copy.deepcopy(inside[key]))
    elif how == 3 and isinstance(inside, dict):
        inside[chance.choice(NAMES)] = odd(chance, foreign)
    elif how == 4:
        other, where = chance.choice(known)
        inside[key] = copy.deepcopy(other[where]) if _still_has(other, where) else None
    elif how == 5 and type(inside[key]) is int:
        inside[key] += chance.choice((-1, 1, -100, 100, 2**32, 10**17))
    else:
        inside[key] = odd(chance, foreign)


def _names(key: Any, foreign: bool) -> tuple[Any, ...]:
    """Return other names for a key."""
    known = key if isinstance(key, str) else "key"
    return (*NAMES, known.upper(), f"{known}_", *((5, 10**5000) if foreign else ()))


def _still_has(inside: Any, key: Any) -> bool:
    return key in inside if isinstance(inside, dict) else key < len(inside)


def mutated_bytes(chance: Chance, text: bytes) -> bytes:
    """Return bytes with one to four stretches damaged."""
    made = bytearray(text)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(made) + 1)
        stop = min(len(made), start + chance.choice((0, 1, 1, 2, 10, 100)))
        match chance.randrange(6):
            case 0:
                made[start:stop] = b""
            case 1:
                made[start:start] = made[start:stop]
            case 2:
                made[start:stop] = chance.randbytes(stop - start)
            case 3:
                made[start:stop] = chance.choice((b"9" * 5000, b"1e999", b"NaN", b"[" * 500, b'"'))
            case 4:
                del made[start:]
            case _:
                made[start:stop] = chance.choice((b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\x00"))
    return bytes(made)


def mutated_pattern(chance: Chance) -> str:
    """Return what may be a regular expression, and often a greedy one."""
    return "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12)))
