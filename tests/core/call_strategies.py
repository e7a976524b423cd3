"""Random calls: what a program may say of a request it made."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.core.naive_messages import Fields

TOOL_SETS: tuple[list[Fields], ...] = (
    [],
    [{"name": "look", "parameters": {"type": "object", "required": ["at"]}}],
    [{"parameters": {"required": ["at"], "type": "object"}, "name": "look"}],
    [{"name": "look"}, {"name": "run", "strict": True}],
    [{"name": "run", "strict": True}, {"name": "look"}],
)
"""Sets of definitions; the second and third are equal, though their keys stand in another order."""

counts = st.integers(0, 900)
values: st.SearchStrategy[Any] = st.sampled_from(
    ["red", 3, False, 0.5, [], {"role": "assistant", "content": "red"}, {"a": [None, {}]}]
)
objects = st.dictionaries(st.sampled_from(["0", "3", "temperature"]), values, max_size=2)
names = st.sampled_from(["m", "r\ud800", "漢"])
usages = st.dictionaries(st.sampled_from(["input", "cached", "written", "output"]), counts)

calls: st.SearchStrategy[Fields] = st.fixed_dictionaries(
    {},
    optional={
        "request": names,
        "model": names,
        "tools": st.sampled_from(TOOL_SETS),
        "parameters": objects,
        "usage": usages,
        "answer": values,
        "wire": objects,
        "outcome": st.sampled_from(["complete", "cut", "failed"]),
        "time": st.integers(0, 9_000),
    },
)
