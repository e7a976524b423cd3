"""Views read from lists of raw indices."""

from __future__ import annotations

from .view import View


def read_view(value: object) -> View:
    """Return raw indices from a list of them; a range may be endless, a generator too."""
    if not isinstance(value, list | tuple | View) or not all(type(raw) is int for raw in value):
        raise TypeError("not a list of raw indices")
    return View.of(value)
