"""Masks: one byte for each visible position, 0 or 1, combined at C speed."""

from __future__ import annotations


def either(one: bytes, other: bytes) -> bytes:
    """Return the union of two masks, at C speed."""
    joined = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return joined.to_bytes(len(one), "little")


def without(one: bytes, other: bytes) -> bytes:
    """Return what of a mask is not in another, at C speed."""
    left = int.from_bytes(one, "little") & ~int.from_bytes(other, "little")
    return left.to_bytes(len(one), "little")
