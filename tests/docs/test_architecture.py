"""docs/architecture.md: every file it names exists, and no package is missing."""

from __future__ import annotations

import re
import tomllib

from tests.docs.pages import ROOT, code_in, page

ARCHITECTURE = page("docs/architecture.md")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]

PLAIN = {"CONFIGURE", "NAME"}
"""Words in capitals that are no names of Python."""
DEFINED = "(?:class )?"


def layers(name: str) -> list[str]:
    """Return the packages of a contract from the top to the bottom."""
    (contract,) = [one for one in CONTRACTS if one["name"] == name]
    return [one.strip() for layer in contract["layers"] for one in layer.split("|")]


def named(head: str) -> list[str]:
    return [path for row in ARCHITECTURE.table(head) for path in code_in(row[0])]


def test_the_packages_of_core_are_in_the_order_of_the_layers() -> None:
    assert named("package") == [f"core/{one}" for one in layers("the packages of core are layers")]


def test_every_folder_of_the_app_is_a_feature_or_shared() -> None:
    folders = {f"ctxtui/{init.parent.name}" for init in (ROOT / "ctxtui").glob("*/__init__.py")}
    assert {*named("feature"), *named("shared")} == folders - {"ctxtui/core"}


def test_every_path_it_names_exists() -> None:
    paths = {code for code in ARCHITECTURE.code if re.fullmatch(r"[\w.]+(/[\w.]+)+/?", code)}
    assert len(paths) > 60
    assert sorted(path for path in paths if not _exists(path)) == []


def _exists(path: str) -> bool:
    """Return whether there is such a file or package; of a new file, its folder."""
    place = ROOT / (path.rpartition("/")[0] if "NAME" in path else path)
    return place.exists() or place.with_suffix(".py").is_file()


def test_every_registry_is_in_the_file_that_is_named() -> None:
    registries = re.findall(r"`([A-Z][A-Z_]+)` (?:of|in) `([\w/.]+\.py)`", ARCHITECTURE.text)
    assert len(registries) > 5
    for name, path in registries:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^{name}\b", text, re.MULTILINE), f"{name} in {path}"


def test_every_name_of_code_in_it_is_defined() -> None:
    """A class, a function that is called, or a registry."""
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("core", "ctxtui")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    tree = "\n".join(sources)
    named = [re.match(r"([A-Za-z_]+)(\(|$)", code) for code in ARCHITECTURE.code]
    names = {(one[1], one[2]) for one in named if one and (one[2] or not one[1].islower())}
    missing = [
        name
        for name, called in sorted(names)
        if name not in PLAIN
        and not re.search(rf"^{'def ' if called else DEFINED}{name}\b", tree, re.MULTILINE)
    ]
    assert len(names) > 15
    assert missing == []
