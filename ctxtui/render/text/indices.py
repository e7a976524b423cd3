"""Indices as text: those that follow each other as one run, such as ``0–4, 7``."""

from __future__ import annotations

from collections.abc import Iterable


def run_text(first: int, last: int) -> str:
    """Return a run of indices: ``7``, or ``5–9``."""
    return str(first) if first == last else f"{first}–{last}"


def shown_indices(indices: Iterable[int]) -> str:
    """Return indices as short text, runs of them as ``5–9``."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ", ".join(run_text(first, last) for first, last in runs)
