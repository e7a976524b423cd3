"""Commands on a small file: processor time against a process that builds a conversation."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import DEVNULL, run
from tempfile import TemporaryDirectory

from tests.benchmarks.starting import CONVERSATION
from tests.benchmarks.table import Report, Target, show, times

FILE = Path(__file__).parents[2] / "sample_sessions" / "trip.openai.json"
COMMANDS = {"show": ("show", str(FILE)), "lint": ("lint", str(FILE)), "list": ("list",)}
ROUNDS = 12
MOST = 1.5


def seconds(arguments: tuple[str, ...], library: str) -> float:
    """Return the user and system time of a new process."""
    environment = {**os.environ, "CTXTUI_LIBRARY": library}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = getrusage(RUSAGE_CHILDREN)
    run([sys.executable, *arguments], check=True, env=environment, stdout=DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(out: Report) -> None:
    """Run all commands in turns and print the best times."""
    ways: dict[str, tuple[str, ...]] = {"base": ("-c", CONVERSATION)}
    ways |= {name: ("-m", "ctxtui", *words) for name, words in COMMANDS.items()}
    with TemporaryDirectory() as library:
        seconds(("-m", "ctxtui", "import", str(FILE)), library)
        rounds = [
            {name: seconds(way, library) for name, way in ways.items()} for _ in range(ROUNDS)
        ]
    best = {name: min(one[name] for one in rounds) for name in ways}
    rows = [["a conversation of one message", f"{best['base'] * 1e3:.0f}", "", ""]]
    for name in COMMANDS:
        ratio = best[name] / best["base"]
        verdict = out.judge(Target(f"ctxtui {name}", ratio, "×", MOST))
        rows.append([f"ctxtui {name}", f"{best[name] * 1e3:.0f}", times(ratio), verdict])
    show(
        "Commands",
        ["user and system time of new processes, in turns, best of each; bytecode written"],
        ["process", "ms", "ratio", ""],
        rows,
    )
