"""The app in a real browser: it is drawn, keys and mouse work, and nothing is kept or leaks."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxtui.core.storage import Library
from ctxtui.lessons.files import find_lesson
from ctxtui.pages.lesson import lesson_html
from tests.cli.conftest import SAMPLES
from tests.serving.chromium import downloaded, find_chromium, opened_page
from tests.storage.samples import small

BROWSER = find_chromium()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")
PICTURE = "CTXTUI_BROWSER_PICTURE"
"""An environment variable: where to put a picture of the page, to be looked at."""


@asynccontextmanager
async def serving(library: Path, *arguments: str) -> AsyncIterator[str]:
    """Serve as a user does; give the address."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ctxtui", "serve", "--port", "0", "--json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "CTXTUI_LIBRARY": str(library)},
    )
    assert process.stdout is not None
    try:
        told = await process.stdout.readuntil(b"}")
        yield json.loads(told)["url"]
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.slow
async def test_the_app_is_drawn_and_keys_and_mouse_work(tmp_path: Path) -> None:
    assert BROWSER is not None
    library = tmp_path / "library"
    async with (
        serving(library, str(SAMPLES / "tour.json")) as url,
        opened_page(BROWSER, tmp_path / "browser", url) as page,
    ):
        await page.sees("fix-flaky-upload", "not kept", "everything ever added")
        await page.press("L")
        await page.sees("This result has no call")
        await page.press("5")
        await page.sees("what the model is sent")
        await page.click(43, 0)
        await page.sees("Where the pointer was")
        await page.press("1")
        await page.press("=")
        await page.press("P")
        await page.sees("Your browser has it")
        saved = (await downloaded(tmp_path / "browser")).read_text(encoding="utf-8")
        assert saved.startswith("<svg")
        assert saved.endswith("</svg>\n")
        picture = await page.picture()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 20_000
        if PICTURE in os.environ:
            Path(os.environ[PICTURE]).write_bytes(picture)
        assert page.problems == []
        own = url.removeprefix("http://").partition("/")[0]
        ours = (f"http://{own}/", f"ws://{own}/", "data:")
        assert all(one.startswith(ours) for one in page.urls), page.urls
    assert not library.exists()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Return a folder whose name is short, whoever runs this."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.slow
async def test_a_visitor_reads_the_library_and_no_other_file(
    tmp_path: Path, short_folder: Path
) -> None:
    assert BROWSER is not None
    library = tmp_path / "library"
    Library(library).create(small(), title="A session of the owner").close()
    # A short name, so that the refusal stands in one line of the screen.
    secret = short_folder / "secret.json"
    secret.write_text('[{"role": "user", "content": "a secret of the owner"}]')
    before = {path.name: path.read_bytes() for path in library.iterdir()}
    async with (
        serving(library) as url,
        opened_page(BROWSER, tmp_path / "browser", url) as page,
    ):
        await page.sees("A session of the owner")
        await page.click(20, 6)
        await page.press("I")
        await page.sees("the path of a conversation")
        for key in str(secret):
            await page.press(key)
        await page.press("\r")
        await page.sees("are not read from here")
    assert {path.name: path.read_bytes() for path in library.iterdir()} == before


@pytest.mark.slow
async def test_a_lesson_is_played_in_the_app(tmp_path: Path) -> None:
    assert BROWSER is not None
    async with (
        serving(tmp_path / "library") as url,
        opened_page(BROWSER, tmp_path / "browser", url) as page,
    ):
        await page.sees("Start with a sample")
        await page.click(20, 20)
        await page.press("l")
        await page.sees(find_lesson("rollback").lesson.title.en)
        await page.press("\r")
        await page.sees("step 1 of")
        await page.press("\r")
        await page.sees("step 2 of")
        assert page.problems == []
    assert not (tmp_path / "library").exists()


@pytest.mark.slow
async def test_a_lesson_on_a_page_is_stepped_through_without_a_server(tmp_path: Path) -> None:
    assert BROWSER is not None
    page_file = tmp_path / "rollback.html"
    lesson = find_lesson("rollback").lesson
    page_file.write_text(lesson_html(lesson), encoding="utf-8")
    place, count = "document.querySelector('header span').textContent", len(lesson.steps)
    async with opened_page(BROWSER, tmp_path / "browser", page_file.as_uri()) as page:
        await page.becomes(place, f"step 1 of {count}")
        await page.press("\r")
        await page.becomes(place, f"step 2 of {count}")
        covered = "document.querySelector('.arrays b').textContent"
        await page.becomes(covered, "[0, 1, 2, 3, 4] → ▒▒▒▒▒▒")
        await page.becomes("document.querySelectorAll('.timeline circle').length", 1)
        await page.press("\r")
        await page.becomes(
            "document.querySelector('p.bad').textContent.slice(0, 12)", "Answer first"
        )
        await page.press_named("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
        await page.press(" ")
        await page.press_named("ArrowDown")
        await page.press(" ")
        await page.becomes("document.querySelectorAll('tr.picked').length", 2)
        await page.press("\r")
        await page.becomes(covered, "[3, 4]")
        await page.becomes("document.querySelector('p.good').textContent", "Right.")
        await page.press("l")
        await page.becomes("document.documentElement.lang", "zh")
        await page.becomes("document.querySelector('p.good').textContent", "正确。")
        await page.press_named("ArrowLeft", "ArrowLeft")
        await page.becomes(place, f"第 1/{count} 步")
        assert page.problems == []
        assert page.urls == [page_file.as_uri()]


@pytest.mark.slow
async def test_a_field_for_a_number_takes_digits_and_leaves_other_keys_to_the_page(
    tmp_path: Path,
) -> None:
    assert BROWSER is not None
    page_file = tmp_path / "lesson.html"
    page_file.write_text(lesson_html(find_lesson("lost-zero").lesson), encoding="utf-8")
    place = "document.querySelector('header span').textContent.split(' ')[1]"
    field = "document.querySelector('input').value"
    async with opened_page(BROWSER, tmp_path / "browser", page_file.as_uri()) as page:
        await page.becomes(place, "1")
        while not await page.value_of("document.activeElement.tagName === 'INPUT'"):
            await page.press_named("ArrowRight")
        asked = await page.value_of(place)
        await page.press("h")
        await page.becomes("document.querySelectorAll('.asked div.faint').length", 1)
        for key in ("l", "l", "x", " ", "."):
            await page.press(key)
        await page.becomes("document.documentElement.lang", "en")
        assert await page.value_of(field) == ""
        await page.press("-")
        await page.press("\r")
        await page.becomes(
            "document.querySelector('p.bad').textContent.slice(0, 12)", "Answer first"
        )
        await page.press_named("ArrowLeft")
        await page.becomes(place, str(int(asked) - 1))
        await page.press_named("ArrowRight")
        await page.becomes(place, asked)
        await page.ask("Input.insertText", text="\uff19 apples-3")
        await page.becomes(field, "-93")
        await page.press("1")
        await page.becomes(field, "-931")
        await page.press_named("ArrowRight")
        await page.becomes("document.querySelector('input').disabled", True)
        assert await page.value_of("document.querySelector('p.bad').textContent") == "Not quite."
        assert page.problems == []
