"""What every run of the tests starts with, and how it stays small."""

import ctypes
import gc
from collections.abc import Iterator

import pytest
from textual._styles_cache import StylesCache

from ctxtui.core.engine.tokens import _COUNTERS, VOCABULARIES

# Every app that a test starts is a large web of objects; looking through it again and again for
# garbage took up to a third of the time of such a test. Never looking would keep all of them.
gc.set_threshold(50_000, 10, 5)


def pytest_collection_finish() -> None:
    """Let the collector look through what tests make, and not through all that was imported."""
    gc.collect()
    gc.freeze()


MANY_OBJECTS = 20_000


@pytest.fixture(autouse=True, scope="module")
def _memory_is_given_back() -> Iterator[None]:
    """Release what a file of tests has loaded: exact counters alone are 400 MB."""
    yield
    counters = [_COUNTERS.pop(name, None) for name in VOCABULARIES]
    young, middle, old = gc.get_count()
    if not any(counters) and young < MANY_OBJECTS and not middle and not old:
        return
    del counters
    StylesCache.get_inner_outer.cache_clear()  # It holds what a thousand widgets have drawn.
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@pytest.fixture(autouse=True, scope="session")
def _disks_are_not_waited_for() -> Iterator[None]:
    """Let what is written reach the disk later: tests of power cuts have disks of their own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("os.fsync", lambda _: None)
        yield


pytest_plugins = ["tests.profiles", "tests.settling", "tests.style_sheets"]
