"""Recipes on disk: the bundled ones, those a user recorded, and any other file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ctxtui.core import Refused
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.engine.operations import Operation
from ctxtui.core.formats import dump_json
from ctxtui.core.recipes import Recipe, read_recipe
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import read_file
from ctxtui.files.paths import read_path
from ctxtui.files.preferences import preferences_file
from ctxtui.files.reading import MOST_RECIPE_BYTES
from ctxtui.files.samples import samples_folder
from ctxtui.files.writing import write_new

Origin = Literal["bundled", "recorded", "saved", "file"]

SUFFIX = ".json"
LONGEST_NAME_CHARACTERS = 60
"""Characters of a name that its file's name takes over."""
UNNAMED = "recipe"
_UNSAFE = re.compile(r"[^\w.]+")


class RecipeFile(NamedTuple):
    """A recipe that can be read: its file, and where that comes from."""

    path: Path
    origin: Origin

    @property
    def name(self) -> str:
        """Return what the recipe is called: its file's name without the ending."""
        return self.path.name.removesuffix(SUFFIX)


def recipes_folder() -> Path:
    """Return where recorded recipes are kept; nothing is there before the first one."""
    return preferences_file().parent / "recipes"


def list_recipes() -> list[RecipeFile]:
    """Return the bundled recipes and then the recorded ones, each by name; none is read yet."""
    bundled = files_in(samples_folder() / "recipes")
    recorded = files_in(recipes_folder())
    return [
        *(RecipeFile(path, "bundled") for path in bundled),
        *(RecipeFile(path, "recorded") for path in recorded),
    ]


def files_in(folder: Path) -> list[Path]:
    """Return the JSON files of a folder by name; hidden ones are passed over."""
    try:
        found = [path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file()]
    except OSError:
        return []
    return sorted((path for path in found if not path.name.startswith(".")), key=_order)


def _order(path: Path) -> tuple[str, str]:
    return path.stem.casefold(), path.name


def find_recipe(text: str) -> RecipeFile:
    """Return the recipe at a path as a user types it, with ~ for home; it is not read yet."""
    return RecipeFile(read_path(text), "file")


def load_recipe(path: Path | str) -> Recipe:
    """Return the recipe of a file, or refuse it with what is wrong and where."""
    try:
        path = Path(path).absolute()  # So that a file called - is not taken for standard input.
        return read_recipe(read_file(str(path), MOST_RECIPE_BYTES, keys_once=True))
    except Unreadable as problem:
        raise Refused(str(problem), field="path", value=str(path)) from None
    except OSError as error:
        sentence = f"{path}: it can't be read: {error.strerror}"
        raise Refused(sentence, field="path", value=str(path)) from None
    except Refused as refusal:
        sentence = f"{path}: {refusal.with_hint(METADATA_HINT)}"
        raise Refused(sentence, field=refusal.field, value=refusal.value) from None


def save_recipe(name: str, recipe: Sequence[Operation | dict[str, Any]]) -> Path:
    """Keep a recipe under a name and return its file; another one of that name stays as it is.

    The file is there as a whole or not at all, whatever fails or is cut off.
    """
    operations = [operation.to_dict() for operation in read_recipe(list(recipe))]
    text = dump_json(operations, indent=1) + "\n"
    folder = recipes_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_new(folder, safe_name(name), SUFFIX, text)
    except OSError as error:
        raise Refused(
            f"{folder}: the recipe can't be saved there: {error.strerror or error}",
            field="name",
            value=name,
        ) from None


def safe_name(name: str) -> str:
    """Return a name that any file may have: letters, digits, dots and dashes."""
    safe = _UNSAFE.sub("-", name.removesuffix(SUFFIX))[:LONGEST_NAME_CHARACTERS].strip("-.")
    return safe.encode("utf-8")[: 3 * LONGEST_NAME_CHARACTERS].decode("utf-8", "ignore") or UNNAMED
