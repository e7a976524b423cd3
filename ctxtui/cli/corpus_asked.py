"""What ``ctxtui corpus`` is asked for: a file with the run, flags in place of it, or both.

Flags for steps can be given several times; steps are taken in the order in which they are typed.
"""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ctxtui.core.corpus import Plan
from ctxtui.core.corpus.plan import PACKINGS, SHARD, line_formats
from ctxtui.core.curation.patterns import PATTERNS
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats import READABLE
from ctxtui.core.policies import Policy
from ctxtui.core.values.numbers import count_in, read_decimal
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import open_policy, read_file

ENGINES = ("local", "dask")


class _Step(Action):
    """Notes a step in the order in which the flags are typed."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add the step."""
        steps = [*(getattr(namespace, "steps", None) or []), (self.dest, values)]
        namespace.steps = steps


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("run", metavar="RUN", nargs="?", help="a JSON file that says all of it")
    parser.add_argument(
        "--source",
        metavar="FILES",
        nargs="+",
        action="extend",
        help="files, folders or patterns such as 'data/*.jsonl.gz'",
    )
    parser.add_argument(
        "--from", dest="format", choices=READABLE, metavar="FORMAT", help="the format of the files"
    )
    _steps(parser)
    parser.add_argument("-o", "--out", metavar="FOLDER", help="the folder to write into")
    parser.add_argument("--to", choices=line_formats(), metavar="FORMAT", help="what to write")
    parser.add_argument(
        "--shard", metavar="COUNT", type=int, help=f"conversations of a file; else {SHARD:,}"
    )
    parser.add_argument("--as", dest="packing", choices=PACKINGS, help="JSON lines, or Parquet")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="where it runs")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a dask scheduler; else dask starts workers here"
    )
    parser.add_argument("--workers", metavar="COUNT", type=int, help="else one for each core")
    parser.add_argument(
        "--chunk", metavar="MIB", type=int, default=16, help="what a worker is given at a time"
    )
    parser.add_argument(
        "--force", action="store_true", help="begin anew in a folder that holds another run"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _steps(parser: ArgumentParser) -> None:
    steps = parser.add_argument_group("steps, in the order in which they are given")
    steps.add_argument(
        "--lint", action=_Step, metavar="PROFILE", choices=PROFILES, help="count what is broken"
    )
    steps.add_argument(
        "--clean", action=_Step, metavar="PROFILE", choices=PROFILES, help="keep only clean ones"
    )
    steps.add_argument(
        "--messages", action=_Step, metavar="LEAST:MOST", help="keep those with so many messages"
    )
    steps.add_argument(
        "--tokens", action=_Step, metavar="LEAST:MOST", help="keep those with so many tokens"
    )
    steps.add_argument("--policy", action=_Step, metavar="FILE", help="apply a policy or recipe")
    steps.add_argument(
        "--what", action=_Step, metavar="LIST", help=f"replace these: {', '.join(PATTERNS)}"
    )
    steps.add_argument(
        "--replace", action=_Step, nargs=2, metavar=("PATTERN", "TEXT"), help="replace own words"
    )
    steps.add_argument(
        "--dedupe",
        action=_Step,
        metavar="HOW",
        help="keep the first of those that are alike: exact, or a share such as 0.9",
    )
    steps.add_argument("--squash", action=_Step, nargs=0, help="keep only what is visible")
    steps.add_argument(
        "--simulate", action=_Step, nargs="+", metavar="FILE", help="let policies run over all"
    )


def plan_asked(asked: Namespace) -> tuple[Plan, Path]:
    """Return the plan, and the folder from which its names are seen."""
    data: dict[str, Any] = {}
    here = Path.cwd()
    base = here
    if asked.run is not None:
        read = read_file(asked.run, keys_once=True)
        if not isinstance(read, dict):
            raise Unreadable(f"{asked.run}: a run is an object with sources, steps and sink")
        data = read
        base = here if asked.run == "-" else Path(asked.run).resolve().parent
    _override(data, asked, here)
    if asked.run is None and "sources" not in data:
        raise Unreadable("no sources are given; name a RUN file, or give --source")
    if asked.run is None and asked.out is None:
        raise Unreadable("no folder to write into is given; name a RUN file, or give -o")

    def policy_at(name: str) -> Policy:
        return open_policy(str(base / name))

    try:
        return Plan.read(data, policy_at), base
    except Refused as refusal:
        where = "" if asked.run is None else f"{asked.run}: "
        raise Unreadable(f"{where}{refusal}") from None


def _override(data: dict[str, Any], asked: Namespace, here: Path) -> None:
    """Put what flags say in place of what the file says; names of flags are seen from here."""
    is_alone = asked.run is None or asked.run == "-"
    if asked.source:
        data["sources"] = [one if is_alone else str(here / one) for one in asked.source]
    if asked.format is not None:
        data["from"] = asked.format
    steps = getattr(asked, "steps", None)
    if steps:
        data["steps"] = [_step(name, values, here) for name, values in steps]
    sink = {
        "folder": asked.out if asked.out is None or is_alone else str(here / asked.out),
        "to": asked.to,
        "shard": asked.shard,
        "as": asked.packing,
    }
    given = {key: value for key, value in sink.items() if value is not None}
    if given:
        known = data.get("sink", {})
        data["sink"] = {**known, **given} if isinstance(known, dict) else known


def _step(name: str, values: Any, here: Path) -> dict[str, Any]:
    """Return a step that a flag asks for as a plan says it."""
    match name:
        case "lint" | "clean":
            return {"lint": {"profile": values, "keep": "clean" if name == "clean" else "all"}}
        case "messages" | "tokens":
            return {"length": {name: _bounds(name, values)}}
        case "policy":
            return {"policy": str(here / values)}
        case "what":
            return {"replace": {"what": values}}
        case "replace":
            return {"replace": {"pattern": values[0], "text": values[1]}}
        case "dedupe":
            return {"dedupe": values if values == "exact" else {"near": _share(values)}}
        case "squash":
            return {"squash": True}
    return {"simulate": [str(here / one) for one in values]}


def _bounds(name: str, text: str) -> Sequence[int | None]:
    given = text.split(":")
    bounds = [count_in(one) for one in given]
    empty = [not one for one in given]
    if text.count(":") == 1 and all(
        is_empty or bound is not None for is_empty, bound in zip(empty, bounds, strict=True)
    ):
        return bounds
    raise Unreadable(f"--{name} {format_value(text)} is not LEAST:MOST, such as 2:200, 2: or :200")


def _share(text: str) -> float:
    try:
        return read_decimal(text, "--dedupe")
    except Refused:
        raise Unreadable(
            f"--dedupe {format_value(text)} is neither exact nor a share from 0.5 to 1, such as 0.9"
        ) from None
