"""Roles: who speaks in a message."""

from __future__ import annotations

from typing import Literal

from ..errors import Refused, shown

Role = Literal["system", "user", "assistant", "tool"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


def read_role(value: object) -> Role:
    """Return a role, or refuse it."""
    if isinstance(value, str) and value in ROLES:
        return value
    legal = ", ".join(ROLES)
    raise Refused(
        f"role {shown(value)} is not one of {legal}", field="role", value=value, legal=legal
    )
