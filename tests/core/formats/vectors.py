"""The sample files of all formats: ``tests/vectors/formats/NAME/*`` is data of the format NAME.

A file called ``dirt…`` has something wrong with it: it is read with problems, the others without
anything left out.
"""

from pathlib import Path

import pytest

from ctxtui.core.formats import FORMATS, Format, format_named

FOLDER = Path(__file__).parents[2] / "vectors" / "formats"
READING = [known for known in FORMATS if known.reads]
FILES = sorted(path for path in FOLDER.glob("*/*") if path.is_file())
CLEAN = [path for path in FILES if not path.name.startswith("dirt")]

JSON = [path for path in FILES if path.suffix != ".md"]
"""The files that are not texts."""

every_file = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}"
)
clean_files = pytest.mark.parametrize(
    "path", CLEAN, ids=lambda path: f"{path.parent.name}/{path.name}"
)


every_json_file = pytest.mark.parametrize(
    "path", JSON, ids=lambda path: f"{path.parent.name}/{path.name}"
)


def format_of(path: Path) -> Format:
    """Return the format that a sample is of."""
    return format_named(path.parent.name)
