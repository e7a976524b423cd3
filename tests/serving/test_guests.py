"""What a guest in a browser sees of a library: that it is read-only, and not where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.storage import Library, VisitedLibrary
from core.storage.details import Source
from ctxtui.files.preferences import Preferences, save_preferences
from ctxtui.serving.visitor import GuestApp
from tests.storage.samples import small


def shown(app: GuestApp) -> str:
    """Return everything on the screen."""
    return app.export_screenshot(simplify=True).replace("&#160;", " ")


async def test_a_guest_is_told_read_only_and_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CTXTUI_CONFIG", str(tmp_path / "settings"))
    save_preferences(Preferences(library=str(tmp_path / "preferred")))
    source = Source(str(tmp_path / "somewhere" / "chat.json"), "c")
    library = Library(tmp_path / "library")
    library.create(small(), title="One", source=source).close()
    app = GuestApp(None, VisitedLibrary(library.folder))
    app.animation_level = "none"
    seen = []
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        seen.append(shown(app))
        for keys in (["comma", "G"], ["escape", "W"]):
            await pilot.press(*keys)
            await pilot.pause()
            seen.append(shown(app))
    assert "chat.json" in seen[0]
    assert ["read-only" in one for one in seen] == [True, False, True]
    assert "not kept: it counts until you leave" in seen[1]
    for one in seen:
        assert "saved" not in one
        for place in ("somewhere", "preferred", "settings/", tmp_path.name):
            assert place not in one
