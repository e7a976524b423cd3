"""What the naive model knows about a message, which is a plain JSON object."""

from __future__ import annotations

import json
import math
import string
from typing import Any

Fields = dict[str, Any]

SEALED = {
    *("signature", "thought_signature", "thoughtSignature", "thinkingSignature"),
    *("encrypted_content", "encryptedContent", "encrypted_index", "reasoningOpaque"),
}

TOOL_PREFIXES = ("可用工具:", "可用工具\uff1a", "Available tools:")


def parts(message: Fields) -> list[Fields]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text(message: Fields) -> str:
    return "\n".join(part["text"] for part in parts(message) if part["type"] == "text")


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value if isinstance(value, str) else json.dumps(value)]


def words(part: Fields) -> list[str]:
    match part["type"]:
        case "text":
            return [part["text"]]
        case "thinking":
            return [part["thinking"]["text"]]
        case "tool_use":
            return [part["tool_use"]["name"], *leaves(part["tool_use"]["input"])]
        case "tool_result":
            content = part["tool_result"]["content"]
            if isinstance(content, str):
                return [content]
            return [word for inner in content for word in words(inner)]
        case "data":
            return readable(part["data"])
    return []


def readable(value: Any, key: str = "") -> list[str]:
    """Return the leaves of data that somebody can read: neither sealed nor bytes as text."""
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in readable(item, name)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in readable(item, key)]
    if isinstance(value, str) and value and (key in SEALED or is_base64(value)):
        return []
    return leaves(value)


def is_base64(text: str) -> bool:
    body = text.partition(";base64,")[2] if text.startswith("data:") else text
    known = string.ascii_letters + string.digits + "+/_-"
    return len(body) >= 100 and not body.rstrip("=").strip(known)


def search_text(message: Fields) -> str:
    return "\n".join(word for part in parts(message) for word in words(part))


def contains(message: Fields, wanted: list[str], ignore_case: bool = False) -> bool:
    whole = search_text(message)
    if ignore_case:
        return any(word.casefold() in whole.casefold() for word in wanted)
    return any(word in whole for word in wanted)


def count_tokens(message: Fields, counter: str) -> int:
    whole = search_text(message)
    return len(whole) if counter == "letters" else math.ceil(len(whole.encode()) / 4)


def describes_tools(message: Fields, description: str) -> bool:
    whole = text(message)
    return whole == description or whole.strip().startswith(TOOL_PREFIXES)


def calls(message: Fields) -> list[str]:
    found = [p["tool_use"]["id"] for p in parts(message) if p["type"] == "tool_use"]
    return found if message["role"] == "assistant" else []


def results(message: Fields) -> list[str]:
    found = [p["tool_result"] for p in parts(message) if p["type"] == "tool_result"]
    return [result["tool_use_id"] for result in found]


def redacted(message: Fields, new: str) -> Fields:
    if isinstance(message["content"], str):
        return {**message, "content": new}
    kept: list[Fields] = []
    for part in message["content"]:
        match part["type"]:
            case "text":
                kept.append({**part, "text": new})
            case "thinking":
                kept.append({**part, "thinking": {"text": new}})
            case "tool_result":
                kept.append({**part, "tool_result": {**part["tool_result"], "content": new}})
            case "tool_use":
                kept.append(part)
    return {**message, "content": kept or new}


def exchanges(messages: dict[int, Fields]) -> list[set[int]]:
    """Return which messages, given in visible order, calls and results tie together.

    A message's own calls count as standing before its results. Exchanges that share a message can
    only stay or go together, so they count as one.
    """
    tied: list[set[int]] = []
    latest: dict[str, int] = {}
    for raw, message in messages.items():
        for known_as in calls(message):
            latest[known_as] = raw
        for known_as in results(message):
            group = {raw, latest.get(known_as, raw)}
            for other in [one for one in tied if one & group]:
                tied.remove(other)
                group |= other
            tied.append(group)
    return tied
