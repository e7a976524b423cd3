"""The wheel installs one package, ctxtui, wherever it was built from."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parent.parent
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "core", "ctxtui", "sample_sessions")
CACHES = shutil.ignore_patterns("__pycache__")
OWN_CORE = "MINE = 'a package of the project itself'\n"
OWN_TEST = """
from core import MINE
from ctxtui.core import Conversation
from ctxtui.core.integrations.context import ManagedContext

def test_both():
    assert MINE
    assert ManagedContext
    assert len(Conversation([{"role": "user", "content": "x"}]).log) == 1
"""
IMPORT_EVERYTHING = """
import importlib, json, pkgutil, sys
import ctxtui
for found in pkgutil.walk_packages(ctxtui.__path__, "ctxtui."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ImportError as error:  # A framework that is not installed.
            assert (error.name or "").split(".")[0] not in {"core", "ctxtui"}, error
print(json.dumps([name for name in sys.modules if name.split(".")[0] == "core"]))
"""


def copied(into: Path) -> Path:
    """Copy what a build needs, with the link as a link."""
    into.mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, into / name, symlinks=True, ignore=CACHES)
        else:
            shutil.copy(ROOT / name, into)
    return into


def from_clone(folder: Path) -> Path:
    return copied(folder / "clone")


def from_zip(folder: Path) -> Path:
    """An archive of the repository, unpacked by a program that knows no links."""
    source = copied(folder / "unpacked")
    link = source / "ctxtui/core"
    link.unlink()
    link.write_text("../core", encoding="utf-8")
    return source


def from_sdist(folder: Path) -> Path:
    (archive,) = SdistBuilder(str(copied(folder / "source"))).build(directory=str(folder))
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "sdist", filter="data")
    (source,) = (folder / "sdist").iterdir()
    return source


def wheel(make: Callable[[Path], Path], folder: Path) -> Path:
    source = make(folder)
    (built,) = WheelBuilder(str(source)).build(directory=str(folder), versions=["standard"])
    return Path(built)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def installed(wheel: Path, folder: Path) -> Path:
    """Install a wheel into a new environment that shares the other packages; return its Python."""
    venv.create(folder, symlinks=True)
    variables = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=variables))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    # Files like this one in the folder it names are not read, so ctxtui itself is not shared.
    (site / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return Path(sysconfig.get_path("scripts", "venv", vars=variables)) / "python"


def run(python: Path, *arguments: object, folder: Path) -> str:
    done = subprocess.run(
        [python, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_is_the_same_from_a_clone_a_zip_and_an_sdist(tmp_path: Path) -> None:
    made = []
    for make in (from_clone, from_zip, from_sdist):
        folder = tmp_path / make.__name__
        folder.mkdir()
        made.append(contents(wheel(make, folder)))
    assert {name.split("/")[0] for name in made[0]} == {"ctxtui", "ctxtui-0.1.0.dist-info"}
    assert "ctxtui/core/py.typed" in made[0]
    assert made[0] == made[1] == made[2]


def test_a_wheel_works_next_to_a_core_of_the_users_own(tmp_path: Path) -> None:
    python = installed(wheel(from_clone, tmp_path), tmp_path / "environment")
    project = tmp_path / "project"
    (project / "core").mkdir(parents=True)
    (project / "core/__init__.py").write_text(OWN_CORE, encoding="utf-8")
    (project / "test_own.py").write_text(OWN_TEST, encoding="utf-8")
    assert run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=project)
    tour = ROOT / "sample_sessions/tour.json"
    shown = run(python, "-m", "ctxtui", "show", tour, "--json", folder=project)
    assert len(json.loads(shown)) > 1
    where = "import ctxtui, pathlib; print(pathlib.Path(ctxtui.__file__).parents[0])"
    assert tmp_path in Path(run(python, "-c", where, folder=project).strip()).parents


def test_nothing_is_imported_as_core() -> None:
    assert run(Path(sys.executable), "-c", IMPORT_EVERYTHING, folder=ROOT) == "[]\n"
