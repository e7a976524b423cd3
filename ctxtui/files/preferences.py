"""What the app remembers between two runs: how it looks, and what new sessions start with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ctxtui.core.engine.settings import PROFILES, Settings
from ctxtui.core.engine.tokens import DEFAULT, counter_named, counter_names
from ctxtui.core.errors import Refused, wrong_type
from ctxtui.core.values.models import read_choice, read_count
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_whole

FOLDER = "CTXTUI_CONFIG"
"""The environment variable that names another folder for preferences."""
MOST_BORDERS, WHOLE = 2, 1_000


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a user has chosen; an empty text means that nothing was."""

    theme: str = "auto"
    """A theme, or ``auto``: the one that suits the background of the terminal."""
    is_ascii: bool = False
    counter: str = DEFAULT.name
    limit: int = 0
    profile: str = PROFILES[0]
    library: str = ""
    prices: str = ""
    panes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Where the borders of the inspector's panes are, by layout, in thousandths."""

    @property
    def settings(self) -> Settings:
        """Return what new sessions start with; an exact counter only where it is installed."""
        try:
            counter = counter_named(self.counter).name
        except Refused:
            counter = DEFAULT.name
        return Settings(token_limit=self.limit, counter=counter, profile=self.profile)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    return value


def _flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(field, value, "true or false")
    return value


def _prices(value: object, field: str) -> str:
    text = _text(value, field).strip()
    if text:
        from ctxtui.core.policies import Prices

        Prices.read(text)
    return text


def _panes(value: object, name: str) -> dict[str, tuple[int, ...]]:
    """Return places of borders; one that can't be used counts as not chosen."""
    if not isinstance(value, dict):
        raise wrong_type(name, value, "an object")
    return {str(layout): tuple(places) for layout, places in value.items() if _ascends(places)}


def _ascends(places: object) -> bool:
    """Return whether these are one or two places between the edges, from left to right."""
    if not isinstance(places, list | tuple) or not 0 < len(places) <= MOST_BORDERS:
        return False
    if not all(type(place) is int and 0 < place < WHOLE for place in places):
        return False
    return sorted(set(places)) == list(places)


READERS: dict[str, Callable[[object, str], Any]] = {
    "theme": _text,
    "is_ascii": _flag,
    "counter": lambda value, field: str(read_choice(value, field, counter_names())),
    "limit": read_count,
    "profile": lambda value, field: str(read_choice(value, field, PROFILES)),
    "library": _text,
    "prices": _prices,
    "panes": _panes,
}
"""How each preference is read; a value that is refused counts as not chosen."""


def read_preference(name: str, value: object) -> Any:
    """Return the value of a preference, or refuse it in a sentence with what is legal."""
    return READERS[name](value, name)


def preferences_file() -> Path:
    """Return where preferences are kept."""
    from platformdirs import user_config_path

    folder = os.environ.get(FOLDER)
    return (Path(folder) if folder else user_config_path("ctxtui")) / "preferences.json"


def load_preferences() -> Preferences:
    """Return what was chosen last; what can't be read counts as not chosen."""
    try:
        found = json.loads(preferences_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Preferences()
    legal = {}
    for name in READERS.keys() & found.keys() if isinstance(found, dict) else ():
        with suppress(Refused):
            legal[name] = read_preference(name, found[name])
    return Preferences(**legal)


def save_preferences(preferences: Preferences) -> None:
    """Save what was chosen; failures are ignored."""
    path = preferences_file()
    with suppress(OSError, Unreadable):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(asdict(preferences), indent=2) + "\n")
