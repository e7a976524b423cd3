"""Portions: which records are for training and which for validation, whole groups at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal

from ..errors import Refused, shown
from ..values.models import read_number

Portion = Literal["train", "validation"]


def read_ratio(value: object) -> float:
    """Return which share is for training, or refuse it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:  # type: ignore[operator]
        raise Refused(
            f"split {shown(value)} is not between 0 and 1",
            field="split",
            value=value,
            legal="above 0, below 1",
        )
    return float(value)  # type: ignore[arg-type]


def portions(
    groups: Sequence[Sequence[str]], keys: Mapping[str, str], ratio: float, seed: int
) -> dict[str, Portion]:
    """Return the portion of each record; those of a group are never parted.

    Which groups are for validation depends on the seed and on what is in them, not on the order
    they come in: a few more records later on move only a few. Where groups are too large for the
    ratio, validation gets fewer rather than more.
    """
    read_ratio(ratio)
    read_number(seed, "seed")
    count = sum(map(len, groups))
    wanted = min(max(1, round((1 - ratio) * count)), count - 1)
    order = sorted(groups, key=lambda names: _chance(seed, min(keys[name] for name in names)))
    chosen: dict[str, Portion] = {}
    for names in order:
        is_fitting = len(names) <= wanted
        wanted -= len(names) if is_fitting else 0
        chosen |= dict.fromkeys(names, "validation" if is_fitting else "train")
    return chosen


def _chance(seed: int, key: str) -> bytes:
    return blake2b(f"{seed} {key}".encode(), digest_size=16).digest()
