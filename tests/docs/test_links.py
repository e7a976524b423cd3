"""What documents point to is there: links, anchors, targets of make, files."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, Page, all_pages, page

PAGES = all_pages()
NAMES = [one.name for one in PAGES]


@pytest.mark.parametrize("document", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(document: Page) -> None:
    for link in document.links:
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.path.parent / path).resolve() if path else document.path
        assert target.is_file(), link
        if anchor:
            found = page(target.relative_to(ROOT).as_posix())
            assert anchor in found.anchors, link


@pytest.mark.parametrize("document", PAGES, ids=NAMES)
def test_every_target_of_make_exists(document: Page) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    said = "\n".join([*document.code, *document.blocks()])
    assert set(re.findall(r"^(?:\w+=\S+ )?make (?:\w+=\S+ )?([a-z-]+)", said, re.M)) <= targets


@pytest.mark.parametrize("document", PAGES, ids=NAMES)
def test_every_file_of_the_project_that_is_named_exists(document: Page) -> None:
    places = ("core/", "ctxtui/", "tests/", "docs/", "sample_sessions/")
    named = [code for code in document.code if code.startswith(places) and " " not in code]
    missing = [code for code in named if "NAME" not in code and not _is_there(code)]
    assert missing == []


def _is_there(path: str) -> bool:
    return (ROOT / path).exists() or (ROOT / path).with_suffix(".py").is_file()


def test_the_readme_leads_to_every_document() -> None:
    readme = page("README.md")
    linked = {link.partition("#")[0] for link in readme.links}
    assert {name for name in NAMES if name != "README.md"} <= linked


@pytest.mark.parametrize("document", PAGES, ids=NAMES)
def test_the_engine_is_imported_under_one_name(document: Page) -> None:
    assert not re.search(r"^\s*(>>> )?(from|import) core\b", document.text, re.MULTILINE)
