"""The promises about the shape of the code: layers and typing markers."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted(init.parent for init in ROOT.glob("*/__init__.py") if init.parent.name != "tests")

USE_CORE = """
import json, sys
from ctxtui import core
core.Conversation([{"role": "user", "content": "hi"}])
print(json.dumps(sorted(sys.modules)))
"""


def test_using_core_loads_no_user_interface() -> None:
    probe = subprocess.run(
        [sys.executable, "-c", USE_CORE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert probe.returncode == 0, probe.stderr
    loaded: list[str] = json.loads(probe.stdout)
    assert "ctxtui.core" in loaded
    assert [name for name in loaded if name.split(".")[0] in {"textual", "rich"}] == []
    of_the_app = [name for name in loaded if name.startswith("ctxtui")]
    assert [name for name in of_the_app if not f"{name}.".startswith("ctxtui.core.")] == ["ctxtui"]


def test_core_is_found_from_the_top_of_a_clone() -> None:
    code = "from core import Conversation; print(len(Conversation().log))"
    probe = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (probe.stdout, probe.stderr) == ("0\n", "")


def test_a_class_name_exists_once_in_core_and_app() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(path for folder in PACKAGES for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(found) > 500
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_core_does_not_know_its_own_name() -> None:
    absolute = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "core").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (
            isinstance(node, ast.ImportFrom)
            and not node.level
            and (node.module or "").split(".")[0] in {"core", "ctxtui"}
        )
        or (
            isinstance(node, ast.Import)
            and {name.name.split(".")[0] for name in node.names} & {"core", "ctxtui"}
        )
    ]
    assert absolute == []


@pytest.mark.parametrize(
    "planted",
    [
        "from rich.text import Text",
        "import ctxtui.text.plurals",
        "from ctxtui.text.plurals import percent",
    ],
)
def test_a_user_interface_below_core_breaks_its_contract(tmp_path: Path, planted: str) -> None:
    for name in ("core", "ctxtui"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "core/errors.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{planted}\n")
    contract = "core does not depend on any user interface"
    found = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert f"{contract} BROKEN" in found.stdout


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_package_says_that_it_is_typed(package: Path) -> None:
    assert (package / "py.typed").is_file()
