"""Rows that are brought together by their key: 16 bytes of a key, and 8 of a record's number."""

from __future__ import annotations

from collections.abc import Iterator

KEY_BYTES = 16
NUMBER_BYTES = 8
ROW_BYTES = KEY_BYTES + NUMBER_BYTES
BUCKET_BYTES = 16 << 20
"""About how many bytes of rows are in memory at once; as Python's objects they take three times
as much."""

Rows = list[bytes]


def row_of(key: bytes, number: int) -> bytes:
    """Return a row; sorted as bytes, rows are in order of their keys, then of their numbers."""
    return key + number.to_bytes(NUMBER_BYTES, "big")


def rows_in(content: bytes) -> Iterator[bytes]:
    """Yield the rows of some bytes."""
    for start in range(0, len(content), ROW_BYTES):
        yield content[start : start + ROW_BYTES]


def key_of(row: bytes) -> bytes:
    """Return the key of a row."""
    return row[:KEY_BYTES]


def number_of(row: bytes) -> int:
    """Return the number of the record that a row is about."""
    return int.from_bytes(row[KEY_BYTES:], "big")


def bucket_of(row: bytes, buckets: int) -> int:
    """Return the bucket of a row: the same for all rows of a key."""
    return int.from_bytes(row[:4], "big") % buckets


def buckets_for(rows: int) -> int:
    """Return into how many buckets so many rows are brought."""
    return max(1, -(-rows * ROW_BYTES // BUCKET_BYTES))
