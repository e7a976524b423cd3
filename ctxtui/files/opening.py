"""Opening files: conversations, scripts and recipes, from files or standard input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from core import Conversation, Refused
from core.errors import not_a
from core.formats import foreign_lines, load, read_json
from core.messages.message import METADATA_HINT
from core.scripts import Script
from core.scripts.kept import keep_steps
from ctxtui.files.reading import MOST_BYTES, MOST_RECIPE_BYTES, Unreadable, read_bytes
from ctxtui.progress import Watch, watched
from ctxtui.words import plural


def read_file(path: str, most: int = MOST_BYTES) -> object:
    """Return the JSON data of a file; ``-`` is standard input."""
    content = read_bytes(path, most=most)
    with _reading(path):
        return read_json(content)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Say of which file it is that something in it is refused, or is too much."""
    try:
        yield
    except Refused as refusal:
        raise Unreadable(f"{path}: {refusal.hinting(METADATA_HINT)}") from None
    except MemoryError:
        raise Unreadable(f"{path}: there is not enough memory to read it") from None
    except RecursionError:
        raise Unreadable(f"{path}: it is nested deeper than can be read") from None


class Opened(NamedTuple):
    """A conversation, the format it came in, and whether it was a bare list of messages.

    Each problem is a sentence about something that was adapted.
    """

    conversation: Conversation
    format: str
    is_list: bool = False
    problems: tuple[str, ...] = ()


def read_conversation(path: str, watch: Watch | None = None) -> Opened:
    """Return the conversation of a file, telling a watch how far that is."""
    return parse_conversation(path, read_bytes(path, watch), watch)


def parse_conversation(
    path: str, content: bytes, watch: Watch | None = None, *, is_story: bool = False
) -> Opened:
    """Return the conversation in the content of a file, whose name is for what goes wrong.

    A script whose steps fail is refused, unless it is opened as a story, which tells of them.
    """
    with _reading(path):
        try:
            data = read_json(content)
        except Refused as refusal:
            raise foreign_lines(content) or refusal from None
        if watch is not None:
            data = watched(data, watch)
        if is_script(data):
            if is_story:
                return _story(data)  # type: ignore[arg-type]
            return Opened(Script.from_dict(data).run(), "native")  # type: ignore[arg-type]
        loaded = load(data)
    return Opened(loaded.conversation, loaded.format, isinstance(data, list), loaded.problems)


def _story(data: Mapping[str, Any]) -> Opened:
    """Return the conversation that a script leads to, which remembers its steps.

    A step that fails is a problem that is told, not a reason to show nothing.
    """
    script = Script.from_dict(keep_steps(data))
    conversation = script.start()
    reports = script.take(conversation, keep_going=True)
    failed = [f"step {one.index} failed: {one.error}" for one in reports if not one.ok]
    more = f", and {plural(len(failed) - 1, 'other step')} too" if len(failed) > 1 else ""
    problems = (f"{failed[0]}{more}. The journal shows it, step by step.",) if failed else ()
    return Opened(conversation, "native", False, problems)


def is_script(data: object) -> bool:
    """Tell whether JSON data looks like a script."""
    return isinstance(data, Mapping) and "steps" in data


def read_script(path: str) -> Script:
    """Return the script of a file."""
    data = read_file(path)
    with _reading(path):
        return Script.from_dict(data)  # type: ignore[arg-type]


def open_recipe(path: str) -> list[Any]:
    """Return the operations of a recipe; they are judged when they are applied."""
    data = read_file(path, MOST_RECIPE_BYTES)
    if not isinstance(data, list):
        raise Unreadable(f"{path}: {not_a('recipe', data, 'a list of operations')}")
    if not data:
        raise Unreadable(f"{path}: recipe [] holds no operation")
    return data
