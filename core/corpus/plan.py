"""Plans: which conversations are read, what is done to each, and where they go. A plan is data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import Any, Literal

from ..conversation.conversation import Conversation
from ..errors import Refused, below, not_a
from ..formats import FORMATS, READABLE, Layout, format_named
from ..values.models import read_number, read_text
from .step_reading import PolicyAt, fields_of, read_some, read_steps
from .steps import LintStep, Step

VERSION = 2
"""Is raised when the same plan would come out differently."""
SHARD = 10_000
Packing = Literal["jsonl", "parquet"]
PACKINGS: tuple[Packing, ...] = ("jsonl", "parquet")
KEYS = ("sources", "from", "steps", "sink")
SINK_KEYS = ("folder", "to", "shard", "as")


@cache
def line_formats() -> tuple[str, ...]:
    """Return the formats that can put a conversation in one line."""
    some = Conversation([{"role": "user", "content": "hello"}])
    kept = (Layout.DOCUMENT, Layout.LIST, Layout.LINES)
    return tuple(
        one.name for one in FORMATS if one.writes and one.many and one.write(some).layout in kept
    )


@dataclass(frozen=True)
class Sink:
    """Where the conversations go: a folder with files of so many of them each."""

    folder: str
    to: str = "openai"
    shard: int = SHARD
    packing: Packing = "jsonl"

    @classmethod
    def read(cls, data: object) -> Sink:
        """Return the sink of a plan, or refuse it."""
        given = fields_of(data, "sink", SINK_KEYS)
        if "folder" not in given:
            raise Refused(
                "sink has no folder; it must name one to write into",
                field="folder",
                legal="the name of a folder",
            )
        to = given.get("to", cls.to)
        format_named(read_text(to, "to"))
        if to not in line_formats():
            lines = ", ".join(line_formats())
            raise not_a("to", to, f"a format with a line for each conversation: {lines}")
        shard = read_number(given.get("shard", SHARD), "shard")
        if shard < 1:
            raise below("shard", shard, 1)
        packing = given.get("as", PACKINGS[0])
        if packing not in PACKINGS:
            raise not_a("as", packing, " or ".join(PACKINGS))
        return cls(read_text(given["folder"], "folder"), to, shard, packing)

    def to_dict(self) -> dict[str, Any]:
        """Return what decides how files look, which the folder does not."""
        return {"to": self.to, "shard": self.shard, "as": self.packing}


@dataclass(frozen=True)
class Plan:
    """What is to be done; the same plan over the same files always gives the same files."""

    sources: tuple[str, ...]
    sink: Sink
    steps: tuple[Step, ...] = ()
    format: str | None = None
    """The format of the sources; else each file is looked at."""

    @classmethod
    def read(cls, data: object, policy_at: PolicyAt) -> Plan:
        """Return the plan of JSON data, or refuse it; files of policies are read right now."""
        given = fields_of(data, "the run", KEYS)
        for key in ("sources", "sink"):
            if key not in given:
                raise Refused(
                    f"the run has no {key}; it must have sources and a sink",
                    field=key,
                    legal=", ".join(KEYS),
                )
        sources = given["sources"]
        sources = [sources] if isinstance(sources, str) else sources
        files = read_some(sources, "sources", "files, folders or patterns such as *.jsonl")
        format = given.get("from")
        if format is not None and read_text(format, "from") not in READABLE:
            raise not_a("from", format, f"a format that can be read: {', '.join(READABLE)}")
        return cls(
            tuple(read_text(one, f"sources[{place}]") for place, one in enumerate(files)),
            Sink.read(given["sink"]),
            read_steps(given.get("steps", []), policy_at),
            format,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as data that needs no other file; where it goes is none of it."""
        return {
            "sources": list(self.sources),
            "from": self.format,
            "steps": [step.to_dict() for step in self.steps],
            "sink": self.sink.to_dict(),
        }

    @property
    def text(self) -> str:
        """Return the plan as text, which workers are given."""
        return json.dumps(self.to_dict())

    @property
    def profile(self) -> str:
        """Return whose rules the report counts by: those of the first lint, else the generic."""
        named = [step.profile for step in self.steps if isinstance(step, LintStep)]
        return named[0] if named else "generic"

    def identity(self, files: Sequence[object]) -> str:
        """Return what is equal for the same plan over the same files."""
        told = json.dumps([VERSION, self.to_dict(), files], sort_keys=True)
        return blake2b(told.encode(), digest_size=16).hexdigest()

    def into(self, folder: str) -> Plan:
        """Return the same plan with another folder."""
        return replace(self, sink=replace(self.sink, folder=folder))


@cache
def plan_of(text: str) -> Plan:
    """Return the plan that a worker was given, read once in each process."""
    data = json.loads(text)
    return Plan.read({**data, "sink": {**data["sink"], "folder": "."}}, _no_file)


def _no_file(name: str) -> Any:
    raise AssertionError(f"a plan for workers names the file {name}")
