"""A process of its own for each measurement.

A copy that is kept needs memory nobody used before. In a process that has freed a lot, copies get
that for nothing, and engines that copy would look several times quicker than they are.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def apart(measure: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function finds out when it runs in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *args, **kwargs).result()
