"""docs/architecture.md: every file it names is there, and no room is missing."""

from __future__ import annotations

import re
import tomllib

from tests.docs.pages import ROOT, code_in, page

ARCHITECTURE = page("docs/architecture.md")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]


def layers(name: str) -> list[str]:
    """Return the rooms of a contract from the top to the bottom."""
    (contract,) = [one for one in CONTRACTS if one["name"] == name]
    return [room.strip() for layer in contract["layers"] for room in layer.split("|")]


def rooms(section: str) -> list[str]:
    return [code_in(row[0])[0] for row in ARCHITECTURE.section(section).table("room")]


def test_the_rooms_of_core_stand_in_the_order_of_the_layers() -> None:
    told = rooms("The rooms of core")
    assert told == [f"core/{room}" for room in layers("the packages of core are layers")]


def test_the_rooms_of_the_app_stand_in_the_order_of_the_layers() -> None:
    told = rooms("The rooms of ctxtui")
    known = [room.replace(".", "/") for room in layers("the rooms of the app stand on each other")]
    assert told == [*known, "ctxtui/capture", "ctxtui/cli"]


def test_every_file_beside_the_rooms_is_told() -> None:
    told = [code_in(row[0])[0] for row in ARCHITECTURE.table("file beside them")]
    files = sorted(path.name for path in (ROOT / "ctxtui").glob("*.py"))
    assert told == [f"ctxtui/{name}" for name in files if name not in ("__init__.py", "app.py")]


def test_every_folder_of_both_packages_is_a_room_or_within_one() -> None:
    told = {*rooms("The rooms of core"), *rooms("The rooms of ctxtui")}
    found = {
        path.parent.relative_to(ROOT).as_posix()
        for name in ("core", "ctxtui")
        for path in (ROOT / name).glob("*/__init__.py")
        if not path.parent.is_symlink()
    }
    assert found <= told


def test_every_path_it_names_is_there() -> None:
    named = {code for code in ARCHITECTURE.code if re.fullmatch(r"[\w.]+(/[\w.]+)+/?", code)}
    assert len(named) > 100
    assert sorted(path for path in named if not _is_there(path)) == []


def _is_there(path: str) -> bool:
    """Tell whether there is such a file or room; what is yet to be made needs only its folder."""
    place = ROOT / (path.rpartition("/")[0] if "NAME" in path else path)
    return place.exists() or place.with_suffix(".py").is_file()


def test_every_registry_stands_in_the_file_that_is_named() -> None:
    named = re.findall(r"`([A-Z][A-Z_]+)` (?:of|in) `([\w/.]+\.py)`", ARCHITECTURE.text)
    assert len(named) > 5
    for name, path in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^{name}\b", text, re.MULTILINE), f"{name} in {path}"
