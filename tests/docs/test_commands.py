"""docs/commands.md has every command and option, and what each prints for programs."""

from __future__ import annotations

import json
import re

import pytest

from ctxtui.cli import COMMANDS, EXIT_CODES
from ctxtui.core.formats.source import MIB, MOST_BYTES
from ctxtui.files.reading import MOST_RECIPE_BYTES
from tests.docs.conftest import Shell
from tests.docs.pages import ROOT, code_in, page

PAGE = page("docs/commands.md")
NAMES = [command.name for command in COMMANDS]
EVERYWHERE = {"--help", "--json", "--library"}
"""Options that are described once for all commands."""

RUNS = {
    "find": "find",
    "corpus": "corpus --source curate-thirty.openai.jsonl -o corpus --workers 1",
    "replay": "replay scripts/policy-regression.json",
    "apply": "apply trip.openai.json --ops recipes/sliding-window.json --dry-run",
    "policies": "policies",
    "simulate": "simulate tour.json --policy policies/plain-window.json --sweep k=1:2",
    "lint": "lint tour.json",
    "show": "show tour.json",
    "diff": "diff tour.json 3 4",
    "calls": f"calls {ROOT}/tests/vectors/requests/oa_chat.jsonl",
    "why": "why tour.json 10",
    "screenshot": "screenshot tour.json -o x.svg",
    "timeline": "timeline tour.json -o x.svg",
    "film": "film tour.json --size 80x24 -o film.svg",
    "search": "search upload",
    "squash": "squash tour.json",
    "import": "import tour.json",
    "list": "list",
    "status": "status accepted --where talk",
    "tag": "tag +good --where talk",
    "note": "note fine --where talk",
    "watch": "watch",
    "threads": "threads",
    "replace": "replace --what mail --where '' --dry-run",
    "dedupe": "dedupe",
    "split": "split fix-flaky-upload 3",
    "verify": "verify",
    "learn": "learn",
    "delete": "delete --purge",
}


WRITING = ("export",)
"""Commands whose output is the file itself."""
CALL = (
    *("call", "revision", "batch", "time", "model", "outcome", "messages", "estimated"),
    *("measured", "warnings", "explained", "cache", "seen"),
)
RUN_CALL, WHOLE_CALL = ("record", "thread", "purpose"), ("request", "tools", "facts", "lint")
OTHER_WAYS = {
    "find": {"path", "tool", "title", "updated", "bytes"},
    "calls": {*RUN_CALL, *CALL, *WHOLE_CALL, "--call"},
    "lint": {"conversations", "name"},
    "why": {"messages", "count"},
    "apply": {"session", "inReviewAgain", "sessions", "visible", "errors", "warnings", "saved"},
    "simulate": {"before", "recipes", "neverActed"},
}
"""Keys that are printed for sessions or for several conversations, or that are inside others."""
SERVING = ("capture", "serve")
"""Commands that print while others work; their own tests hold their keys to the table."""


def options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


def test_every_command_has_a_section_in_its_group() -> None:
    titles = re.findall(r"^###? (.+)$", PAGE.prose, re.MULTILINE)
    groups = {command.group.capitalize(): "" for command in COMMANDS}
    found = [title for title in titles if title in groups or title in NAMES]
    wanted: list[str] = []
    for command in COMMANDS:
        if command.group.capitalize() not in wanted:
            wanted.append(command.group.capitalize())
        wanted.append(command.name)
    assert found == wanted


def test_the_exit_codes_are_those_of_the_help() -> None:
    told = [row[0] for row in PAGE.table("exit code")]
    assert told == re.findall(r"\d+", EXIT_CODES)


@pytest.mark.parametrize("name", NAMES)
def test_each_command_is_told_with_all_its_options(name: str, shell: Shell) -> None:
    offered = options(shell(f"ctxtui {name} --help").split("options:")[1]) - {"-h"}
    told = options(" ".join(PAGE.section(name).code))
    others = {"--batch"} if name == "diff" else set()
    assert told - others - EVERYWHERE == offered - EVERYWHERE
    assert f"ctxtui {name}" in PAGE.section(name).text


def test_the_app_is_told_with_all_its_options(shell: Shell) -> None:
    offered = options(shell("ctxtui --help").split("options:")[1].split("commands")[0]) - {"-h"}
    assert options(" ".join(PAGE.section("The app").code)) == offered - {"--help"}


def test_a_call_has_the_keys_that_are_told(shell: Shell) -> None:
    rows = {code_in(row[0])[0]: code_in(row[1]) for row in PAGE.table("with `--json`")}
    assert rows["calls"] == ["calls", "findings", *RUN_CALL, *CALL, "--call", *WHOLE_CALL]
    (first, *_) = json.loads(shell(f"ctxtui {RUNS['calls']} --json"))["calls"]
    assert list(first) == [*RUN_CALL, *CALL]
    assert list(json.loads(shell(f"ctxtui {RUNS['calls']} --call 2 --json"))) == [
        *CALL,
        *WHOLE_CALL,
    ]


def test_what_is_printed_for_programs_is_told_key_by_key(shell: Shell) -> None:
    rows = {code_in(row[0])[0]: code_in(row[1]) for row in PAGE.table("with `--json`")}
    assert list(rows) == [name for name in NAMES if name not in WRITING]
    shell("cd sample_sessions")
    for name, keys in rows.items():
        if name in SERVING:
            continue
        found = json.loads(shell(f"ctxtui {RUNS[name]} --json"))
        assert list(found[0] if isinstance(found, list) else found) == [
            key for key in dict.fromkeys(keys) if key not in OTHER_WAYS.get(name, ())
        ], name


def test_only_what_writes_files_has_no_json(shell: Shell) -> None:
    without = [name for name in NAMES if "--json" not in shell(f"ctxtui {name} --help")]
    assert without == list(WRITING)


def test_the_limits_are_those_of_the_code() -> None:
    limits = PAGE.section("Limits").text
    assert f"{MOST_BYTES // MIB // 1024} GiB" in limits
    assert f"{MOST_RECIPE_BYTES // MIB} MiB" in limits
