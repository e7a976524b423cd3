"""Patches: the edits that make one JSON value of another.

A patch is a list of edits, each at a path of keys and indices. It is small: a cache marker that
moved, a null that was added or arguments that were rewritten cost their own size, not that of the
message; keys in another order cost their names. A change between a text and a list of one text part
does not repeat the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .frozen import same_json

JsonEdit = dict[str, Any]
Patch = list[JsonEdit]
JsonPath = tuple[str | int, ...]

AT, SET, DROP, SPLICE, WRAP, UNWRAP = "at", "set", "drop", "splice", "wrap", "unwrap"
ORDER = "order"
TEXT = "text"


def patch_between(before: Any, after: Any) -> Patch:
    """Return the edits that make one JSON value of another; an empty list if they are equal."""
    edits: Patch = []
    _compare(before, after, (), edits)
    return edits


def is_patch(value: Any) -> bool:
    """Return whether a value is a list of edits; what a file has there may be anything."""
    return isinstance(value, list) and all(map(_is_edit, value))


def _is_edit(value: Any) -> bool:
    match value:
        case {"at": list(path)} if all(isinstance(step, str | int) for step in path):
            pass
        case _:
            return False
    match value:
        case {"splice": [int(), int(), list()]}:
            return True
    order = value.get(ORDER, [])
    is_order = isinstance(order, list) and all(isinstance(key, str) for key in order)
    return is_order and SPLICE not in value and isinstance(value.get(WRAP, {}), dict)


def patched(value: Any, patch: Sequence[JsonEdit]) -> Any:
    """Return a value with a patch applied; what does not fit it is left as it is."""
    for edit in patch:
        value = _edited(value, tuple(edit[AT]), edit)
    return value


def _compare(before: Any, after: Any, path: JsonPath, edits: Patch) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key not in after:
                edits.append({AT: [*path, key], DROP: True})
        for key, value in after.items():
            if key in before:
                _compare(before[key], value, (*path, key), edits)
            else:
                edits.append({AT: [*path, key], SET: value})
        kept = [key for key in before if key in after]
        if [*kept, *(key for key in after if key not in before)] != list(after):
            edits.append({AT: list(path), ORDER: list(after)})
    elif isinstance(before, list) and isinstance(after, list):
        _compare_lists(before, after, path, edits)
    elif not same_json(before, after):
        edits.append({AT: list(path), **_new_value(before, after)})


def _compare_lists(before: list[Any], after: list[Any], path: JsonPath, edits: Patch) -> None:
    if len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            _compare(one, other, (*path, place), edits)
        return
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if patch_between(before[i], after[i])), shorter)
    tail = 0
    while tail < shorter - head and not patch_between(before[-1 - tail], after[-1 - tail]):
        tail += 1
    news = after[head : len(after) - tail]
    edits.append({AT: list(path), SPLICE: [head, len(before) - tail - head, news]})


def _new_value(before: Any, after: Any) -> JsonEdit:
    """Return what an edit says of a new value: the value, or how the old one is put."""
    match before, after:
        case str(text), [{"text": str(inner), **rest}] if inner == text:
            return {WRAP: rest}
        case [{"text": str(inner)}], str(text) if inner == text:
            return {UNWRAP: True}
    return {SET: after}


def _edited(value: Any, path: JsonPath, edit: JsonEdit) -> Any:
    if not path:
        return _replaced(value, edit)
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and isinstance(step, str):
        if not rest and DROP in edit:
            return {key: item for key, item in value.items() if key != step}
        if step in value or not rest:
            return {**value, step: _edited(value.get(step), rest, edit)}
    elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return [*value[:step], _edited(value[step], rest, edit), *value[step + 1 :]]
    return value


def _replaced(value: Any, edit: JsonEdit) -> Any:
    if SET in edit:
        return edit[SET]
    if WRAP in edit and isinstance(value, str):
        return [{**edit[WRAP], TEXT: value}]
    match value:
        case dict() if ORDER in edit:
            return {key: value[key] for key in edit[ORDER] if key in value} | value
        case [{"text": str(text)}] if UNWRAP in edit:
            return text
        case list() if SPLICE in edit:
            start, count, news = edit[SPLICE]
            return [*value[:start], *news, *value[start + count :]]
    return value
