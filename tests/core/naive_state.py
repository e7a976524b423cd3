"""What the naive model remembers, and what can be read from it by plain walking and counting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.core import naive_messages as says
from tests.core.naive_fields import ROLES, need
from tests.core.naive_messages import Fields

NO_SETTINGS: Fields = {
    "tokenLimit": None,
    "compressionConfig": {
        "enabled": False,
        "threshold": None,
        "targetTokens": None,
        "keepPairs": True,
        "keepRoles": None,
        "keepMarks": None,
    },
    "toolDescription": None,
    "counter": "bytes/4",
    "profile": "generic",
}


@dataclass
class Revision:
    parent: int | None
    batch: int
    operation: str | None
    view: list[int]
    log_length: int


@dataclass
class Batch:
    number: int
    parent: int | None
    boundary: int
    description: str | None


@dataclass
class Head:
    """Everything that UNDO takes back."""

    revision: int
    marks: dict[str, set[int]]
    names: dict[int, str]
    settings: Fields


@dataclass
class State:
    log: list[Fields]
    head: Head
    revisions: list[Revision] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)

    @property
    def here(self) -> Revision:
        return self.revisions[self.head.revision]

    @property
    def view(self) -> list[int]:
        return list(self.here.view)

    def ancestors(self) -> list[int]:
        """Return the revision ids from the first one to the current one."""
        ids = [self.head.revision]
        while (parent := self.revisions[ids[0]].parent) is not None:
            ids.insert(0, parent)
        return ids

    def path(self) -> list[int]:
        """Return the batch ids of the path."""
        ids = [self.revisions[revision].batch for revision in self.ancestors()]
        return sorted(set(ids), key=ids.index)

    def left_at(self, number: int) -> int:
        """Return the newest revision among the ancestors that belongs to a number."""
        batch = self.path()[number]
        return [i for i in self.ancestors() if self.revisions[i].batch == batch][-1]

    def role(self, raw: int) -> str:
        return str(self.log[raw]["role"])

    def total(self, indices: list[int]) -> int:
        counter = self.head.settings["counter"]
        return sum(says.count_tokens(self.log[raw], counter) for raw in indices)

    def description(self, batch: int) -> str | None:
        return self.head.names.get(batch, self.batches[batch].description)

    def blame(self, raw: int) -> Any:
        """Return None, the words for a message unknown to this path, or revision and batch."""
        path = self.ancestors()
        shown = [place for place, i in enumerate(path) if raw in self.revisions[i].view]
        if not shown:
            return "never visible here"
        if shown[-1] == len(path) - 1:
            return None
        revision = path[shown[-1] + 1]
        return (revision, self.revisions[revision].batch)

    def carries(self, raw: int, labels: list[str]) -> bool:
        return any(raw in self.head.marks.get(label, set()) for label in labels)

    def stays(self, raw: int, fields: Fields) -> bool:
        """Tell whether keepRoles, keepMarks or keepSystem sets a message aside."""
        return (
            self.role(raw) in fields.get("keepRoles", [])
            or self.carries(raw, fields.get("keepMarks", []))
            or (fields.get("keepSystem", False) and self.role(raw) == "system")
        )

    def notices(self) -> list[Fields]:
        limit, config = self.head.settings["tokenLimit"], self.head.settings["compressionConfig"]
        tokens, found = self.total(self.view), []
        if limit is not None and tokens > limit:
            found.append({"kind": "overLimit", "tokens": tokens, "limit": limit})
        if self.here.operation == "APPEND" and config["enabled"] and tokens > config["threshold"]:
            kept = {key: config[key] for key in ("keepRoles", "keepMarks") if config[key]}
            cut = {"maxTokens": config["targetTokens"], "keepSystem": True, **kept}
            cut["keepPairs"] = config["keepPairs"]
            found.append({"kind": "offer", "operation": {"operation": "TRUNCATE", **cut}})
        return found

    def chosen(self, choice: Fields) -> list[int]:
        positions = choice.get("positions", {})
        found = [
            raw
            for raw in self.view[positions.get("start") : positions.get("end")]
            if ("roles" not in choice or self.role(raw) in choice["roles"])
            and ("marks" not in choice or self.carries(raw, choice["marks"]))
            and (
                "contentContains" not in choice
                or says.contains(self.log[raw], choice["contentContains"])
            )
            and not says.contains(self.log[raw], choice.get("contentExcludes", []))
        ]
        return found[: max(0, len(found) - choice.get("exceptLast", 0))]

    def picked(self, fields: Fields, lenient: bool, hidden_too: bool = False) -> list[int]:
        """Return the messages an operation names; a lenient one skips what is hidden."""
        need(("indices" in fields) != ("select" in fields), "indices or select")
        if "select" in fields:
            return self.chosen(fields["select"])
        indices: list[int] = fields["indices"]
        need(max(indices) < len(self.log), "beyond the log")
        if lenient:
            return [raw for raw in self.view if raw in indices]
        need(len(set(indices)) == len(indices), "named twice")
        need(hidden_too or set(indices) <= set(self.view), "hidden")
        return indices

    def stats(self) -> Fields:
        number = self.batches[self.here.batch].number
        return {
            "totalMessages": len(self.log),
            "currentBatchMessages": len(self.view),
            "totalBatches": len(self.path()),
            "currentBatchIndex": number,
        }

    def mark_map(self) -> Fields:
        batches = [self.batches[i] for i in self.path()]
        return {
            "originalIndices": self.view,
            "typeIndices": {
                role: [raw for raw in self.view if self.role(raw) == role] for role in ROLES
            },
            "batchBoundaries": [batch.boundary for batch in batches],
            "boundaryToBatch": [batch.number for batch in batches],
            "currentBatch": batches[-1].number,
        }
