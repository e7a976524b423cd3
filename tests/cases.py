"""Cases that walk through one app: a failure says which of them it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*name: object) -> Iterator[None]:
    """Add the name of a case to whatever fails in it."""
    try:
        yield
    except BaseException as problem:
        problem.add_note(f"in the case {' '.join(map(str, name))}")
        raise
