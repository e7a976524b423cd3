"""Which fields the naive model takes, and which values it takes in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.core.naive_messages import Fields

ROLES = ("system", "user", "assistant", "tool")
COUNTERS = ("bytes/4", "letters")
PROFILES = ("generic", "openai", "anthropic", "gemini", "strict-template", "fine-tuning")
CUTS = ("keepFirst", "keepLast", "removeFirst", "removeLast", "range", "maxTokens")

TAKES: dict[str, str] = {
    "APPEND": "messages",
    "INSERT": "position messages description",
    "REPLACE": "index message indices messages description",
    "TRUNCATE": " ".join(CUTS)
    + " role keepOthers keepSystem keepPairs keepRoles keepMarks description",
    "CLEAR": "keepSystemMessage keepRoles keepMarks description",
    "FILTER": "roles contentContains contentExcludes marks ignoreCase "
    "keepRoles keepMarks description",
    "SELECT": "indices description",
    "DELETE": "indices select description",
    "COMPRESS": "indices select summary keepPairs keepRoles keepMarks description",
    "REDACT": "indices select text description",
    "BATCH_START": "boundary initialTools description",
    "ROLLBACK": "targetBatchIndex",
    "CHECKOUT": "batch revision",
    "UNDO": "",
    "REDO": "",
    "MARK": "indices select label",
    "UNMARK": "indices select label",
    "DESCRIBE": "batch text",
    "CONFIGURE": "tokenLimit compressionConfig toolDescription counter profile",
}
NEEDS: dict[str, str] = {
    "APPEND": "messages",
    "INSERT": "position messages",
    "SELECT": "indices",
    "ROLLBACK": "targetBatchIndex",
    "MARK": "label",
    "UNMARK": "label",
    "DESCRIBE": "batch text",
}


class No(Exception):  # noqa: N818 - it is an answer, not an accident
    """The naive model refuses; ``step`` is the place in a list of operations."""

    step: int | None = None


def need(condition: object, why: str) -> None:
    if not condition:
        raise No(why)


def is_whole(value: Any) -> bool:
    return type(value) is int


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_flag(value: Any) -> bool:
    return type(value) is bool


def is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def is_role(value: Any) -> bool:
    return type(value) is str and value in ROLES


def is_label(value: Any) -> bool:
    return is_text(value) and len(value) <= 64 and value.isprintable()


def some(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and len(value) > 0 and all(map(is_one, value))


def is_message(value: Any) -> bool:
    if type(value) is not dict or not {"role", "content"} <= value.keys():
        return False
    if not value.keys() <= {"role", "content", "id", "timestamp", "metadata"}:
        return False
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    time_is_fine = "timestamp" not in value or is_count(value["timestamp"])
    content_is_fine = is_text(value["content"]) or some(is_part)(value["content"])
    return is_role(value["role"]) and time_is_fine and content_is_fine


def is_part(value: Any) -> bool:
    kinds = {"text", "image", "tool_use", "tool_result", "thinking", "data"}
    return type(value) is dict and value.get("type") in kinds


def is_range(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"start", "end"}:
        return False
    return is_count(value["start"]) and is_count(value["end"]) and value["start"] < value["end"]


def is_positions(value: Any) -> bool:
    if type(value) is not dict or not value or not value.keys() <= {"start", "end"}:
        return False
    return all(map(is_whole, value.values()))


def is_choice(value: Any) -> bool:
    if type(value) is not dict or not value or not value.keys() <= CHOICE.keys():
        return False
    return all(CHOICE[key](item) for key, item in value.items())


def is_compression(value: Any) -> bool:
    if type(value) is not dict or not value.keys() <= COMPRESSION.keys():
        return False
    return all(COMPRESSION[key](item) for key, item in value.items())


def is_pairs(value: Any) -> bool:
    return is_flag(value) or value in ("drop", "extend")


COMPRESSION: dict[str, Callable[[Any], bool]] = {
    "enabled": is_flag,
    "threshold": lambda value: value is None or is_count(value),
    "targetTokens": lambda value: value is None or is_count(value),
    "keepPairs": is_pairs,
    "keepRoles": lambda value: value is None or some(is_role)(value),
    "keepMarks": lambda value: value is None or some(is_label)(value),
}
CHOICE: dict[str, Callable[[Any], bool]] = {
    "roles": some(is_role),
    "marks": some(is_label),
    "contentContains": some(is_text),
    "contentExcludes": some(is_text),
    "positions": is_positions,
    "exceptLast": is_count,
}
VALUES: dict[str, Callable[[Any], bool]] = {
    **CHOICE,
    "batch": is_whole,
    "boundary": is_whole,
    "compressionConfig": is_compression,
    "counter": lambda value: value in COUNTERS,
    "description": is_text,
    "ignoreCase": is_flag,
    "index": is_whole,
    "initialTools": is_flag,
    "indices": some(is_count),
    "keepFirst": is_count,
    "keepLast": is_count,
    "keepMarks": some(is_label),
    "keepOthers": is_flag,
    "keepPairs": is_pairs,
    "keepRoles": some(is_role),
    "keepSystem": is_flag,
    "keepSystemMessage": is_flag,
    "label": is_label,
    "maxTokens": is_count,
    "message": is_message,
    "messages": some(is_message),
    "position": is_whole,
    "profile": lambda value: value in PROFILES,
    "range": is_range,
    "removeFirst": is_count,
    "removeLast": is_count,
    "revision": is_whole,
    "role": is_role,
    "select": is_choice,
    "summary": lambda value: is_message(value) or some(is_message)(value),
    "targetBatchIndex": is_whole,
    "text": is_text,
    "tokenLimit": lambda value: value is None or is_count(value),
    "toolDescription": lambda value: value is None or is_text(value),
}


def check_fields(name: str, fields: Fields) -> None:
    """Refuse unknown, missing and ill-typed fields."""
    for key, value in fields.items():
        need(key in TAKES[name].split(), f"{name} takes no {key}")
        need(VALUES[key](value), f"{key} can't be {value!r}")
    for key in NEEDS.get(name, "").split():
        need(key in fields, f"{name} needs {key}")
    need(name != "CONFIGURE" or fields, "CONFIGURE needs a setting")


def check_settings(settings: Fields) -> None:
    """Refuse limits that are out of order: targetTokens ≤ threshold ≤ tokenLimit."""
    config = settings["compressionConfig"]
    target, threshold = config["targetTokens"], config["threshold"]
    given = [x for x in (target, threshold, settings["tokenLimit"]) if x is not None]
    need(given == sorted(given), f"the limits {given} descend")
    complete = target is not None and threshold is not None
    need(complete or not config["enabled"], "nothing to offer without threshold and targetTokens")
