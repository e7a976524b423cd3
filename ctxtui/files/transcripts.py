"""The transcripts of coding agents on this machine: where they are, and what each is about.

For the list only the beginning of a file is read, and nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

BEGINNING = 64 * 1024
MOST_TITLE = 80
TITLES = ("custom-title", "custom_title", "customTitle", "title", "name", "description")
"""Keys of a line, or of an object in it, that hold the name of a session."""
OWN_TEXT = ("<", "# AGENTS.md", "Caveat:")
"""What texts begin with that a program put in the user's place."""

EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
EXTENSIONS = {
    "saoudrizwan.claude-dev": "Cline",
    "rooveterinaryinc.roo-cline": "Roo Code",
    "kilocode.kilo-code": "Kilo Code",
}


class Place(NamedTuple):
    """A folder of a tool's transcripts, and which files in it are some."""

    tool: str
    folder: Path
    pattern: str


def places(home: Path, environment: Mapping[str, str]) -> Iterator[Place]:
    """Yield where tools keep transcripts; some let a variable say so."""

    def folder(variable: str, usual: str) -> Path:
        return Path(environment[variable]) if environment.get(variable) else home / usual

    codex = folder("CODEX_HOME", ".codex")
    data = folder("XDG_DATA_HOME", ".local/share")
    yield Place("Claude Code", folder("CLAUDE_CONFIG_DIR", ".claude") / "projects", "*/*.jsonl")
    yield Place("Codex", codex / "sessions", "**/rollout-*.json*")
    yield Place("Codex", codex / "archived_sessions", "**/rollout-*.json*")
    yield Place("Pi", folder("PI_CODING_AGENT_DIR", ".pi/agent") / "sessions", "*/*.jsonl")
    yield Place("oh-my-pi", home / ".omp/agent/sessions", "**/*.jsonl")
    yield Place("OpenClaw", home / ".openclaw/agents", "*/sessions/*.jsonl")
    yield Place("Gemini CLI", home / ".gemini/tmp", "*/chats/session-*.json*")
    yield Place("Qwen Code", folder("QWEN_DATA_DIR", ".qwen") / "projects", "*/chats/*.jsonl")
    yield Place("Copilot CLI", home / ".copilot/session-state", "*/events.jsonl")
    yield Place("Copilot CLI", home / ".copilot/session-state", "*.jsonl")
    yield Place("OpenCode", data / "opencode/storage/session", "*/ses_*.json")
    yield Place("Goose", data / "goose/sessions", "*.jsonl")
    yield Place("Cursor", home / ".cursor/projects", "*/agent-transcripts/**/*.jsonl")
    yield Place("OpenHands", home / ".openhands/conversations", "*/events")
    yield Place("context-lens", home / ".context-lens/data", "*.lhar")
    yield Place("Cline", home / ".cline/data/tasks", "*/api_conversation_history.json")
    roots = [home / ".config", home / "Library/Application Support"]
    if environment.get("APPDATA"):
        roots.append(Path(environment["APPDATA"]))
    for root in roots:
        for editor in EDITORS:
            for extension, tool in EXTENSIONS.items():
                tasks = root / editor / "User/globalStorage" / extension / "tasks"
                yield Place(tool, tasks, "*/api_conversation_history.json")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file that a coding agent wrote: its path, the tool, a title, when it changed, its size."""

    path: Path
    tool: str
    title: str
    updated: datetime
    bytes: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "tool": self.tool,
            "title": self.title,
            "updated": self.updated.isoformat(),
            "bytes": self.bytes,
        }


def find_transcripts(
    home: Path | None = None, environment: Mapping[str, str] | None = None
) -> list[Transcript]:
    """Return the transcripts of this machine, the newest first; what can't be read is left out."""
    found: dict[Path, Transcript] = {}
    for place in places(home or Path.home(), os.environ if environment is None else environment):
        try:
            paths = sorted(place.folder.glob(place.pattern))
        except OSError:
            continue
        for path in paths:
            try:
                state = path.stat()
                title = title_in(_beginning(path)) if path.is_file() else ""
            except OSError:
                continue
            updated = datetime.fromtimestamp(state.st_mtime, UTC)
            found.setdefault(path, Transcript(path, place.tool, title, updated, state.st_size))
    return sorted(found.values(), key=lambda one: (one.updated, str(one.path)), reverse=True)


def _beginning(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(BEGINNING).decode("utf-8", errors="replace")


def title_in(text: str) -> str:
    """Return the name that the beginning of a file gives its session, else the user's first words.

    A file that is packed, or whose first lines are longer than what is read, has no title.
    """
    named = said = ""
    for line in text.splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if isinstance(data, dict):
            named = named or _named(data)
            said = said or _said(data)
    if not named and not said and text.lstrip()[:1] in ("{", "["):
        said = _first_words(text)
    return " ".join((named or said).split())[:MOST_TITLE]


def _named(data: Mapping[str, Any]) -> str:
    for part in (data, data.get("session_info"), data.get("info")):
        if isinstance(part, dict):
            for key in TITLES:
                value = part.get(key)
                if isinstance(value, str) and value.strip() and "role" not in part:
                    return value
    return ""


def _said(data: Mapping[str, Any]) -> str:
    """Return the text of a line if it is a user's."""
    for part in (data, data.get("message"), data.get("payload"), data.get("data")):
        if isinstance(part, dict) and "user" in (part.get("role"), part.get("type")):
            for key in ("content", "text", "message", "parts"):
                text = _text(part.get(key))
                if text.strip() and not text.lstrip().startswith(OWN_TEXT):
                    return text
    return ""


def _text(value: Any) -> str:
    if isinstance(value, list):
        texts = (one.get("text") for one in value if isinstance(one, dict))
        return next((text for text in texts if isinstance(text, str)), "")
    return value if isinstance(value, str) else ""


def _first_words(text: str) -> str:
    """Return the user's first words in a file that is one JSON value, of which this is a start."""
    decoder = json.JSONDecoder()
    at = -1
    while (at := text.find("{", at + 1)) != -1:
        try:
            data, _ = decoder.raw_decode(text, at)
        except ValueError:
            continue
        if isinstance(data, dict) and (said := _said(data)):
            return said
    return ""
