"""What a guest in a browser sees of a library: that it is read-only, and not where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core.storage import Library, ReadOnlyLibrary
from ctxtui.core.storage.details import ImportSource
from ctxtui.files.preferences import Preferences, save_preferences
from ctxtui.serve.visitor import GuestApp
from ctxtui.widgets.footer import KeyFooter
from tests.storage.samples import small
from tests.ui.test_library import wait


def shown(app: GuestApp) -> str:
    """Return everything on the screen."""
    return app.export_screenshot(simplify=True).replace("&#160;", " ")


async def test_a_guest_is_told_read_only_and_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CTXTUI_CONFIG", str(tmp_path / "settings"))
    save_preferences(Preferences(library=str(tmp_path / "preferred")))
    source = ImportSource(str(tmp_path / "somewhere" / "chat.json"), "c")
    library = Library(tmp_path / "library")
    library.create(small(), title="One", source=source).close()
    app = GuestApp(None, ReadOnlyLibrary(library.folder))
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
    assert "lasts until you leave" in seen[1]
    for one in seen:
        assert "saved" not in one
        for place in ("somewhere", "preferred", "settings/", tmp_path.name):
            assert place not in one


REFUSED = ("accept", "reject", "needs work", "tag", "note", "replace", "apply", "import", "export")


def foot(app: GuestApp) -> str:
    """Return the line of keys."""
    return app.screen.query_one(KeyFooter).render_line(0).text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (220, 42)])
async def test_a_guest_is_offered_only_what_can_be_done(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    library = Library(tmp_path / "library")
    for title in ("One", "Two"):
        library.create(small(), title=title).close()
    app = GuestApp(None, ReadOnlyLibrary(library.folder))
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await wait(pilot)
        assert [word for word in REFUSED if f" {word}" in foot(app)] == []
        assert "search" in foot(app)
        assert "verdict" not in shown(app)
        await pilot.press("enter")
        await wait(pilot)
        assert "+ - !" not in foot(app)
        assert "other" in foot(app)


async def test_a_guest_may_judge_a_session_of_their_own(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    library.create(small(), title="One").close()
    app = GuestApp(None, ReadOnlyLibrary(library.folder))
    app.animation_level = "none"
    async with app.run_test(size=(220, 42)) as pilot:
        await wait(pilot)
        await pilot.press("n")
        await wait(pilot)
        await pilot.press("g", "plus", "g")
        await wait(pilot)
        assert "accept" in foot(app)
        assert "export" not in foot(app)
        assert "verdict, then the next" in shown(app)
        await pilot.press("G")
        assert "accept" not in foot(app)
        assert "verdict, then on" not in shown(app)


async def test_the_first_run_of_a_guest_offers_no_import(tmp_path: Path) -> None:
    app = GuestApp(None, ReadOnlyLibrary(tmp_path / "library"))
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        assert "Start with a sample" in shown(app)
        assert "import" not in shown(app)
