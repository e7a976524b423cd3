"""Writing over a file: only when that was asked for twice."""

from __future__ import annotations

from ctxtui.core import Refused
from ctxtui.files.paths import read_path


class Overwriting:
    """Remembers which taken name was given before, so that giving it again is meant."""

    def __init__(self) -> None:
        self._asked: str | None = None

    def check(self, name: str) -> None:
        """Refuse a name that is taken unless it was given just before."""
        if self._asked != name and _exists(name):
            self._asked = name
            sentence = f"{name} is there already. enter again writes over it"
            raise Refused(sentence, field="file", value=name, legal="a name that is not taken")
        self._asked = None


def _exists(name: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False
