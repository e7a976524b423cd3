"""The list of policies to add to a comparison, and the line that asks for the path of another."""

from __future__ import annotations

from pathlib import Path

from ctxtui.files.policies import PolicyFile, find_policy, list_policies, load_policy
from ctxtui.render.what_if.words import SENTENCE_CHARACTERS
from ctxtui.screens.what_if_picker import RecipePicker
from ctxtui.symbols import visible


class PolicyPicker(RecipePicker):
    """Lists the policies there are; the last line asks for the path of another one."""

    noun = "policy"

    def list_files(self) -> list[PolicyFile]:
        """Return the policies there are."""
        return list_policies()

    def find_file(self, text: str) -> PolicyFile:
        """Return the policy at a path."""
        return find_policy(text)

    def about(self, path: Path) -> str:
        """Return what a policy does."""
        return visible(load_policy(path).in_words(), SENTENCE_CHARACTERS)
