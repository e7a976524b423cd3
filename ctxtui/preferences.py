"""What the app remembers between two runs: the theme, and nothing about any conversation."""

from __future__ import annotations

import json
import os
from pathlib import Path

from platformdirs import user_config_path

FOLDER = "CTXTUI_CONFIG"
"""The environment variable that names another folder for preferences."""


def preferences_file() -> Path:
    """Return where preferences are kept."""
    folder = os.environ.get(FOLDER)
    return (Path(folder) if folder else user_config_path("ctxtui")) / "preferences.json"


def load_theme(known: set[str], default: str) -> str:
    """Return the theme that was chosen last; a file that can't be read is as good as none."""
    try:
        theme = json.loads(preferences_file().read_text(encoding="utf-8")).get("theme")
    except (OSError, ValueError, AttributeError):
        return default
    return theme if theme in known else default


def save_theme(theme: str) -> None:
    """Remember a theme; where that can't be done, nobody needs to hear of it."""
    path = preferences_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"theme": theme}), encoding="utf-8")
    except OSError:
        pass
