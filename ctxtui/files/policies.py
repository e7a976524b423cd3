"""Policies on disk: the bundled ones, those a user saved, recipes, and any other file."""

from __future__ import annotations

from pathlib import Path

from ctxtui.core import Refused
from ctxtui.core.formats import dump_json
from ctxtui.core.policies import Policy
from ctxtui.files.opening import open_policy
from ctxtui.files.paths import read_path
from ctxtui.files.preferences import preferences_file
from ctxtui.files.reading import Unreadable
from ctxtui.files.recipes import SUFFIX, RecipeFile, files_in, safe_name
from ctxtui.files.samples import samples_folder
from ctxtui.files.writing import write_new

PolicyFile = RecipeFile
"""A policy that can be read: its file, and where that comes from."""
TEACHING = ("plain-window", "window-with-marks", "token-budget", "summarise", "clear-tool-results")
"""Bundled policies that say most beside each other, what goes wrong first."""


def policies_folder() -> Path:
    """Return where saved policies are kept; nothing is there before the first one."""
    return preferences_file().parent / "policies"


def list_policies() -> list[PolicyFile]:
    """Return the bundled policies and then the saved ones, each by name; none is read yet."""
    return [
        *(PolicyFile(path, "bundled") for path in files_in(samples_folder() / "policies")),
        *(PolicyFile(path, "saved") for path in files_in(policies_folder())),
    ]


def first_policies(count: int) -> list[PolicyFile]:
    """Return the policies to begin a comparison with: saved ones, then the bundled."""
    known = list_policies()
    saved = [one for one in known if one.origin == "saved"]
    rank = {name: at for at, name in enumerate(TEACHING)}
    bundled = sorted(
        (one for one in known if one.origin == "bundled"),
        key=lambda one: rank.get(one.name, len(rank)),
    )
    return [*saved, *bundled][:count]


def find_policy(text: str) -> PolicyFile:
    """Return the policy at a path as a user types it, with ~ for home; it is not read yet."""
    return PolicyFile(read_path(text), "file")


def load_policy(path: Path | str) -> Policy:
    """Return the policy of a file, or refuse it with what is wrong and where."""
    try:
        return open_policy(str(Path(path).absolute()))  # So that - is not standard input.
    except Unreadable as problem:
        raise Refused(str(problem), field="path", value=str(path)) from None
    except OSError as error:
        sentence = f"{path}: it can't be read: {error.strerror}"
        raise Refused(sentence, field="path", value=str(path)) from None


def policy_text(policy: Policy) -> str:
    """Return the text of a policy's file."""
    return dump_json(policy.to_dict(), indent=1) + "\n"


def save_policy(name: str, policy: Policy) -> Path:
    """Keep a policy under a name and return its file; another one of that name stays as it is."""
    folder = policies_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_new(folder, safe_name(name), SUFFIX, policy_text(policy.named(name)))
    except OSError as error:
        raise Refused(
            f"{folder}: the policy can't be saved there: {error.strerror or error}",
            field="name",
            value=name,
        ) from None
