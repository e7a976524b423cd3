"""The one-byte columns of a log, and the tables that turn them into masks at C speed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ..values.roles import ROLES

ROLE_CODES = {role: code for code, role in enumerate(ROLES)}


def role_table(roles: Iterable[str]) -> bytes:
    """Return a translation that maps wanted roles to 1 and all others to 0."""
    return _role_table(frozenset(roles))


@cache
def _role_table(roles: frozenset[str]) -> bytes:
    return bytes(code < len(ROLES) and ROLES[code] in roles for code in range(256))


@cache
def flag_table(flag: int) -> bytes:
    """Return a translation that maps bytes with any of some flags to 1 and all others to 0."""
    return bytes(bool(code & flag) for code in range(256))
