"""tau-bench results: one run of a task after the other, each with the chat it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import wrong_type
from .base import JsonFormat, Loaded, ReadOnly
from .format_metadata import FormatMetadata, without
from .openai import read_chat
from .warnings import bare


class TauBench(ReadOnly, JsonFormat):
    """A trajectory; its task, reward and whatever else was written are other fields."""

    name = "tau-bench"
    about = "tau-bench results, each with its trajectory"
    kinds = ("tau-bench results",)
    signs = ({"traj": list},)

    def read_one(self, value: Any) -> Loaded:
        rows = value.get("traj") if isinstance(value, Mapping) else None
        if not isinstance(rows, list):
            raise wrong_type("traj", rows, "a list of chat messages")
        messages, adapted = read_chat(rows, self.name)
        meta = FormatMetadata(self.name).meta({}, without(value, "traj"))
        if isinstance(value.get("task_id"), int | str):
            trial = f", trial {bare(value['trial'])}" if "trial" in value else ""
            meta["title"] = f"task {bare(value['task_id'])}{trial}"
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)
