"""What the app remembers between two runs: nothing about any conversation."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_config_path

FOLDER = "CTXTUI_CONFIG"
"""The environment variable that names another folder for preferences."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """How the app should look, and what tokens cost, as that is typed; nothing means unknown."""

    theme: str = "ink"
    is_ascii: bool = False
    prices: str = ""


def preferences_file() -> Path:
    """Return where preferences are kept."""
    folder = os.environ.get(FOLDER)
    return (Path(folder) if folder else user_config_path("ctxtui")) / "preferences.json"


def load_preferences() -> Preferences:
    """Return what was chosen last; a file that can't be read is as good as none."""
    try:
        found = json.loads(preferences_file().read_text(encoding="utf-8"))
        theme, prices = (found.get(name) for name in ("theme", "prices"))
        is_ascii = found.get("is_ascii") is True
    except (OSError, ValueError, AttributeError, RecursionError):
        return Preferences()
    return Preferences(
        theme if isinstance(theme, str) else Preferences().theme,
        is_ascii,
        prices if isinstance(prices, str) else Preferences().prices,
    )


def save_preferences(preferences: Preferences) -> None:
    """Remember what was chosen; where that can't be done, nobody needs to hear of it."""
    path = preferences_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(preferences)), encoding="utf-8")
    except OSError:
        pass
