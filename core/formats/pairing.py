"""Pairing: which call a result answers, in formats whose results do not name one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

OUT_OF_ORDER = "results-out-of-order"
TOO_FEW = "results-missing"


class Waiting:
    """The calls that wait for a result, in their order."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, str]] = []

    def call(self, id: str, name: str) -> None:
        """Take note of a call."""
        self._calls.append((id, name))

    def answer(self, name: object = None) -> str | None:
        """Return the id of the first call that waits, of that name if there is such a one."""
        named = (call for call in self._calls if call[1] == name)
        found = next(named, self._calls[0] if self._calls else None)
        if found is None:
            return None
        self._calls.remove(found)
        return found[0]

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._calls)

    def answered(self, id: str) -> None:
        """Take note of a result that does name its call."""
        self._calls = [call for call in self._calls if call[0] != id]

    def forget(self) -> None:
        """Let no later result answer what nothing has answered until now."""
        self._calls.clear()


def in_a_row(are_results: Iterable[bool]) -> list[int]:
    """Return for each row how many results stand in a row there, itself among them."""
    found: list[int] = []
    for is_result, run in groupby(are_results):
        length = len(list(run))
        found += [length if is_result else 0] * length
    return found
