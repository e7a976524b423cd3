"""The promises about the shape of the code: layers and typing markers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted(init.parent for init in ROOT.glob("*/__init__.py") if init.parent.name != "tests")

USE_CORE = """
import json, sys
import core
core.Conversation([{"role": "user", "content": "hi"}])
print(json.dumps(sorted(sys.modules)))
"""


def test_using_core_loads_no_user_interface() -> None:
    probe = subprocess.run(
        [sys.executable, "-c", USE_CORE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert probe.returncode == 0, probe.stderr
    loaded: list[str] = json.loads(probe.stdout)
    assert "core" in loaded
    assert [name for name in loaded if name.split(".")[0] in {"textual", "rich", "ctxtui"}] == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_package_says_that_it_is_typed(package: Path) -> None:
    assert (package / "py.typed").is_file()
