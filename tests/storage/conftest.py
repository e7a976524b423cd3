"""Libraries for the tests: one on disk, one in memory, alike in everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.storage import Library, MemoryLibrary, Session
from tests.storage.samples import append, numbered, small, ticking

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


@pytest.fixture
def crashed(on_disk: Library) -> Session:
    """Return a session that left four confirmed lines in its journal file."""
    session = on_disk.create(small(), title="tea")
    for text in ("a", "b", "c"):
        session.execute(append(text))
    session.describe(tags=["x"])
    session.abandon()
    return session
