"""Policies on disk: the bundled ones, those a user saved, recipes, and any other file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, Literal, NamedTuple

from ctxtui.core import Refused
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.engine.operation import Operation
from ctxtui.core.formats import dump_json
from ctxtui.core.policies import Policy, PolicyFigures
from ctxtui.core.recipes import Recipe, read_recipe
from ctxtui.files.opening import PRESET, open_policy, open_recipe_or_policy, read_file
from ctxtui.files.preferences import preferences_file
from ctxtui.files.reading import MOST_RECIPE_BYTES, read_path
from ctxtui.files.samples import samples_folder
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_new, write_whole

Origin = Literal["bundled", "recorded", "saved", "file"]

RECIPES_SUFFIX = ".json"
LONGEST_NAME_CHARACTERS = 60
"""Characters of a name that its file's name takes over."""
UNNAMED = "recipe"
_UNSAFE = re.compile(r"[^\w.]+")
TEACHING = (
    ("policies", "plain-window"),
    ("policies", "window-with-marks"),
    ("policies", "summarise"),
)
"""Bundled policies that say most next to each other."""


class RecipeFile(NamedTuple):
    """A recipe or policy that can be read: its file, and where that comes from."""

    path: Path
    origin: Origin

    @property
    def name(self) -> str:
        """Return what it is called: its file's name without the ending."""
        return self.path.name.removesuffix(RECIPES_SUFFIX)


PolicyFile = RecipeFile


def recipes_folder() -> Path:
    """Return where recorded recipes are kept; nothing is there before the first one."""
    return preferences_file().parent / "recipes"


def policies_folder() -> Path:
    """Return where saved policies are kept; nothing is there before the first one."""
    return preferences_file().parent / "policies"


def list_recipes() -> list[RecipeFile]:
    """Return the bundled recipes and then the recorded ones, each by name; none is read yet."""
    bundled = [RecipeFile(path, "bundled") for path in files_in(samples_folder() / "recipes")]
    return bundled + [RecipeFile(path, "recorded") for path in files_in(recipes_folder())]


def list_policies() -> list[PolicyFile]:
    """Return the bundled policies and then the saved ones, each by name; none is read yet."""
    bundled = [PolicyFile(path, "bundled") for path in files_in(samples_folder() / "policies")]
    return bundled + [PolicyFile(path, "saved") for path in files_in(policies_folder())]


def files_in(folder: Path) -> list[Path]:
    """Return the JSON files of a folder by name; hidden ones are passed over."""
    try:
        found = [
            path for path in folder.iterdir() if path.suffix == RECIPES_SUFFIX and path.is_file()
        ]
    except OSError:
        return []
    visible = (path for path in found if not path.name.startswith("."))
    return sorted(visible, key=lambda path: (path.stem.casefold(), path.name))


def first_strategies(count: int) -> list[PolicyFile]:
    """Return the files to begin a comparison with: the user's own, then bundled policies."""
    known = [*list_policies(), *list_recipes()]
    own = [one for one in known if one.origin != "bundled"]
    bundled = {(one.path.parent.name, one.name): one for one in known if one.origin == "bundled"}
    return [*own, *(bundled[key] for key in TEACHING if key in bundled)][:count]


def find_policy(text: str) -> PolicyFile:
    """Return the file at a path as a user types it, with ~ for home; it is not read yet."""
    if text.startswith(PRESET):
        return PolicyFile(Path(text), "file")
    return PolicyFile(read_path(text), "file")


@contextmanager
def _refusing(path: Path | str) -> Iterator[str]:
    """Give a path that is not taken for standard input; refuse what can't be read there."""
    try:
        yield str(path) if str(path).startswith(PRESET) else str(Path(path).absolute())
    except Unreadable as problem:
        raise Refused(str(problem), field="path", value=str(path)) from None
    except OSError as error:
        sentence = f"{path}: it can't be read: {error.strerror}"
        raise Refused(sentence, field="path", value=str(path)) from None


def load_recipe(path: Path | str) -> Recipe:
    """Return the recipe of a file, or refuse it with what is wrong and where."""
    with _refusing(path) as name:
        data = read_file(name, MOST_RECIPE_BYTES, keys_once=True)
    try:
        return read_recipe(data)
    except Refused as refusal:
        sentence = f"{name}: {refusal.with_hint(METADATA_HINT)}"
        raise Refused(sentence, field=refusal.field, value=refusal.value) from None


def load_policy(path: Path | str) -> Policy:
    """Return the policy of a file, or refuse it with what is wrong and where."""
    with _refusing(path) as name:
        return open_policy(name)


def load_recipe_or_policy(path: Path | str) -> Recipe | Policy:
    """Return what a file holds: a list of operations is a recipe, an object a policy."""
    with _refusing(path) as name:
        loaded = open_recipe_or_policy(name)
    return load_recipe(path) if isinstance(loaded, list) else loaded


def save_recipe(name: str, recipe: Sequence[Operation | dict[str, Any]]) -> Path:
    """Save a recipe under a name and return its file; another one of that name stays as it is."""
    operations = [operation.to_dict() for operation in read_recipe(list(recipe))]
    return _save("recipe", recipes_folder(), name, dump_json(operations, indent=1) + "\n")


def save_policy(name: str, policy: Policy) -> Path:
    """Save a policy under a name and return its file; another one of that name stays as it is."""
    return _save("policy", policies_folder(), name, policy_text(policy.named(name)))


def _save(noun: str, folder: Path, name: str, text: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_new(folder, safe_name(name), RECIPES_SUFFIX, text)
    except OSError as error:
        why = f"{folder}: the {noun} can't be saved there: {error.strerror or error}"
        raise Refused(why, field="name", value=name) from None


def policy_text(policy: Policy) -> str:
    """Return the text of a policy's file."""
    return dump_json(policy.to_dict(), indent=1) + "\n"


def safe_name(name: str) -> str:
    """Return a name that any file may have: letters, digits, dots and dashes."""
    safe = _UNSAFE.sub("-", name.removesuffix(RECIPES_SUFFIX))[:LONGEST_NAME_CHARACTERS].strip("-.")
    return safe.encode("utf-8")[: 3 * LONGEST_NAME_CHARACTERS].decode("utf-8", "ignore") or UNNAMED


# CI checks: a shell script that lets a policy run over a run, and fails when it gets worse.

CI_CHECKS_SUFFIX = ".sh"
HEAD = """\
#!/bin/sh
# Fails when this context policy breaks a call of the run, loses what must stay, or sends more than
# it did when this check was written. Another run may be given as the first argument.
set -eu
run={run}
if [ $# -gt 0 ]; then run=$1; fi
policy=$(mktemp)
trap 'rm -f "$policy"' EXIT
cat > "$policy" <<'POLICY'
{policy}POLICY
"""


def expectations(figures: PolicyFigures) -> list[str]:
    """Return what holds of a policy now, as a simulation expects it."""
    exact = {"broken": figures.broken, "withoutMarked": figures.without_marked}
    most = {"peak": figures.peak, "tokensOutsidePrefix": figures.tokens_outside_prefix}
    return [
        *(f"{name}{'<=' if count else '='}{count}" for name, count in exact.items()),
        *(f"{name}<={count}" for name, count in most.items()),
    ]


def check_text(run: str, policy: Policy, figures: PolicyFigures, must: Sequence[str] | None) -> str:
    """Return the script; ``must`` are the labels that must stay, or None where all of them must."""
    command = ['ctxtui simulate "$run" --policy "$policy"']
    if must is not None:
        command.append(f"--must {' '.join(map(quote, must))}")
    command.append(f"--expect {' '.join(map(quote, expectations(figures)))}")
    head = HEAD.format(run=quote(run), policy=policy_text(policy))
    return f"{head}{' '.join(command)}\n"


def usual_check(policy: Policy) -> str:
    """Return the default file name of the script of a policy."""
    return f"check-{safe_name(policy.name)}{CI_CHECKS_SUFFIX}"


def write_check(name: str, text: str) -> None:
    """Write the script as a whole or not at all."""
    write_whole(read_path(name), text)
