"""Small corpora for tests, and ways to run plans over them and to compare what comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxtui.core.corpus import CorpusPlan, Engine, LocalEngine, RunResult, run_plan
from ctxtui.core.policies import Policy
from ctxtui.pages.corpus import write_page

CHUNK = 1 << 24
Steps = list[dict[str, Any]]
LAST_SIX: dict[str, Any] = {
    "name": "last six",
    "do": [{"operation": "TRUNCATE", "keepLast": 6, "keepPairs": True}],
}
ALL_STEPS: Steps = [
    {"length": {"messages": [2, 40]}},
    {"dedupe": "exact"},
    {"lint": {"profile": "openai", "keep": "clean"}},
    {"replace": {"what": "mail"}},
    {"policy": LAST_SIX},
    {"dedupe": {"near": 0.8}},
    {"simulate": [LAST_SIX]},
    {"squash": True},
]


def no_file(name: str) -> Policy:
    raise AssertionError(f"no test names the file {name}")


def plan(
    sources: list[str], out: str, steps: Steps, *, format: str | None = None, **sink: Any
) -> CorpusPlan:
    if "packing" in sink:
        sink["as"] = sink.pop("packing")
    base = {"sources": sources, "from": format, "steps": steps}
    data = {**base, "sink": {"folder": out, "to": "openai", **sink}}
    return CorpusPlan.read(data, no_file)


def ran(
    folder: Path,
    steps: Steps,
    *,
    sources: list[str] | None = None,
    out: str = "out",
    engine: Engine | None = None,
    chunk: int = CHUNK,
    **sink: Any,
) -> RunResult:
    """Run steps over the files of a folder."""
    made = plan(sources or ["data"], out, steps, **sink)
    done = run_plan(made, engine or LocalEngine(1), base=folder, chunk=chunk)
    write_page(done)
    return done


def written(out: Path) -> dict[str, bytes]:
    """Return everything a run has written, but for what differs from run to run."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".corpus" not in path.parts and path.name != "run.json"
    }


def lines(out: Path) -> list[Any]:
    """Return all conversations that were written, in order."""
    parts = sorted(out.glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_bytes().splitlines()]


def manifest(out: Path) -> list[dict[str, Any]]:
    """Return a row for each record that was read."""
    return [json.loads(line) for line in (out / "manifest.jsonl").read_bytes().splitlines()]


def chat(*texts: str) -> dict[str, Any]:
    """Return a conversation of texts, the user's and the assistant's by turns."""
    roles = ("user", "assistant")
    return {
        "messages": [
            {"role": roles[place % 2], "content": text} for place, text in enumerate(texts)
        ]
    }


def put(path: Path, *rows: Any) -> Path:
    """Write rows as lines; bytes are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = [row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows]
    path.write_bytes(b"".join(content))
    return path
