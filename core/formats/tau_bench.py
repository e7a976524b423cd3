"""tau-bench results: one run of a task after the other, each with the chat it was."""

from __future__ import annotations

from typing import Any

from ..conversation.conversation import Conversation
from .base import JsonFormat, Loaded, ReadOnly, split_rows
from .format_metadata import FormatMetadata
from .openai import read_chat
from .warnings import bare


class TauBench(ReadOnly, JsonFormat):
    """A trajectory; its task, reward and whatever else was written are other fields."""

    name = "tau-bench"
    about = "tau-bench results, each with its trajectory"
    kinds = ("tau-bench results",)
    signs = ({"traj": list},)

    def read_one(self, value: Any) -> Loaded:
        rows, fields = split_rows(value, "traj", "a list of chat messages")
        messages, adapted = read_chat(rows, self.name)
        meta = FormatMetadata(self.name).meta({}, fields)
        if isinstance(fields.get("task_id"), int | str):
            trial = f", trial {bare(fields['trial'])}" if "trial" in fields else ""
            meta["title"] = f"task {bare(fields['task_id'])}{trial}"
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)
