"""Libraries for the tests: one on disk, one in memory, alike in everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.storage import Library, MemoryLibrary
from tests.storage.samples import numbered, ticking

Make = Callable[..., Library]


@pytest.fixture
def on_disk(tmp_path: Path) -> Library:
    return Library(tmp_path / "library", clock=ticking(1000), ids=numbered())


@pytest.fixture(params=["disk", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Return what makes a library, of either kind."""
    common: dict[str, Any] = {"clock": ticking(1000), "ids": numbered()}
    if request.param == "disk":
        return lambda **options: Library(tmp_path / "library", **common | options)
    return lambda **options: MemoryLibrary(**common | options)


@pytest.fixture
def library(make: Make) -> Library:
    return make()
