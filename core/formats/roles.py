"""Roles of other programs, and the four that core has for them."""

from __future__ import annotations

from ..values.roles import Role

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}
"""The roles that chat messages are known to have."""


def core_role(name: str) -> Role:
    """Return core's role for the name of one; what nobody knows is said to the model, as a user."""
    return ROLES.get(name, "user")
