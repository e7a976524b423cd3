"""Hostile names and JSON, through every command: nothing acts on a terminal, nothing crashes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ctxtui.cli import COMMANDS
from tests.cli.conftest import SAMPLES, Ran, Run, Write

TRIP = SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"
EVIL = "\x1b[31mE\x1b]0;t\x07\x9b2J\x9d\x85\u202eR\u2066\u2069\u200f\u2028\x7f\r"
SURROGATE = "\ud800"
ACTING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def check(told: Ran) -> None:
    """See that nothing printed acts on a terminal, and that there is no traceback."""
    for text in (told.out, told.err):
        assert ACTING.search(text) is None
        # As bytes too: what a terminal gets is UTF-8.
        assert b"\x1b" not in text.encode()
    assert "Traceback" not in told.err


def conversation() -> dict[str, Any]:
    """Return a script in which every text that may be printed is hostile."""
    evil = EVIL + SURROGATE
    call = {"id": evil, "name": evil, "input": {evil: evil}}
    result = {"tool_use_id": evil + "?", "content": evil}
    messages = [
        {"role": "system", "content": evil},
        {"role": "user", "content": evil, "metadata": {evil: evil}},
        {"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]},
        {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]},
        {"role": "user", "content": [{"type": "image", "image_url": {"url": evil}}]},
        {"role": "user", "content": [{"type": "data", "data": {evil: evil}}]},
    ]
    steps: list[Any] = [
        {"operation": "MARK", "indices": [1], "label": "a\u202eb\u2066"},
        {"operation": "DELETE", "indices": [0], "description": evil},
        {"operation": "BATCH_START", "description": evil},
        {"operation": "COMPRESS", "indices": [1], "summary": {"role": "user", "content": evil}},
        {"query": {"kind": "search", "text": evil}},
        {"operation": evil, "refused": True},
        {"operation": "ROLLBACK", "targetBatchIndex": 0, evil: evil, "refused": True},
    ]
    return {"messages": messages, "meta": {"title": evil}, "steps": steps}


def test_the_conversation_can_be_read(run: Run, write: Write) -> None:
    script = write("script.json", conversation())
    assert run("replay", script, "--keep-going").code == 0
    assert len(run("show", script, "--scope", "raw", "--json").data) == 7


def ways(file: object, recipe: object, out: Path) -> dict[str, Sequence[tuple[object, ...]]]:
    """Return how each command is run on a file, or on sessions."""
    session = [(file,), (EVIL,), ("--library", out / EVIL, EVIL)]
    policy = out / f"{EVIL}-policy.json"
    kept = {"operation": "TRUNCATE", "keepLast": 2, "keepMarks": ["a\u202eb\u2066"]}
    policy.write_text(json.dumps({"name": EVIL, "do": [kept]}))
    return {
        "replay": [(file,), (file, "--json")],
        "import": [(file,), (file, "--json")],
        "apply": [
            (file, "--ops", recipe),
            (file, "--ops", recipe, "--dry-run"),
            (file, "--ops", recipe, "-o", out / f"{EVIL}.json"),
        ],
        "capture": [("--host", EVIL), ("--upstream", EVIL), ("--", out / EVIL / "x")],
        "simulate": [
            (file, "--policy", recipe, WINDOW),
            (file, "--policy", policy, "--json"),
            (file, "--policy", policy, "--sweep", "keepLast=1:3", "--expect", "broken=0"),
            (file, "--policy", WINDOW, "--must", EVIL),
            (file, "--policy", WINDOW, "--expect", EVIL),
            (file, "--policy", WINDOW, "--record", out / f"{EVIL}-script.json"),
            (file, "--policy", WINDOW, f"preset:{EVIL}", "--probe", EVIL, "a"),
        ],
        "diff": [(file, "0", "1"), (file, EVIL, "0")],
        "calls": [(file,), (file, "--call", EVIL), (file, "--call", "1"), (file, "--json")],
        "why": [*((file, str(index)) for index in range(7)), (file, EVIL)],
        "show": [(file,), (file, "--scope", "raw"), (file, "--batch", EVIL)],
        "lint": [(file,), (file, "--profile", "openai"), (file, EVIL), ("--where", EVIL)],
        "find": [(), ("--json",), (EVIL,)],
        "policies": [(), ("--json",), (EVIL,)],
        "list": [
            (),
            ("--library", out / EVIL),
            ("--where", f"tag:{EVIL}"),
            ("--where", f"{EVIL}:"),
        ],
        "search": [(EVIL,), ("2J", "--json"), (EVIL, "--where", EVIL), ("2", "--limit", "1")],
        "status": [("accepted", file), (EVIL, file), ("new", "--where", EVIL)],
        "tag": [("+good", file), (f"+{EVIL}", file), (f"-{EVIL}", EVIL), ("+a\u202eb", file)],
        "note": [(EVIL, file), (EVIL, file, "--message", "1"), (EVIL, EVIL, "--message", "99")],
        "watch": [(), ("--json",), ("--library", out / EVIL, "--json")],
        "threads": [
            (),
            (EVIL,),
            ("merge", file, EVIL),
            ("split", file, "2"),
            ("split", file, EVIL),
            ("rename", file, EVIL),
            ("--library", out / EVIL, "--json"),
        ],
        "screenshot": [(file, "-o", out / f"{EVIL}.png"), (file, "--screen", EVIL, "-o", "x.svg")],
        "timeline": [(file, "-o", "-"), (file, "--to", "mermaid", "-o", "-"), (file, "--to", EVIL)],
        "film": [
            (file, "-o", out / f"{EVIL}.svg", "--size", "60x20"),
            (EVIL, "-o", out / "film.svg"),
        ],
        "serve": [(file, "--port", EVIL), (file, "--host", EVIL), (out, "--port", "0.5")],
        "learn": [(file,), (EVIL,), ("--check", file), ("rollback", "--lang", EVIL), ("--json",)],
        "squash": [*session, (file, "-o", out / f"{EVIL}.json"), (file, "--purge")],
        "split": [(file, "1"), (EVIL, "1"), (file, EVIL)],
        "replace": [
            (EVIL, "x", file, "--dry-run"),
            ("[a-z]", EVIL, file, "--dry-run", "--regex"),
            ("a", EVIL, file, "--titles"),
            ("--what", EVIL, file),
            (EVIL,),
        ],
        "dedupe": [(), ("--near", "0.9"), ("--tag", "a\u202eb"), *session],
        "corpus": [
            ("--source", file, "-o", out / f"{EVIL}-corpus", "--workers", "1"),
            ("--source", EVIL, "-o", out / EVIL),
            ("--source", file, "--policy", policy, "-o", out / f"{EVIL}-run", "--workers", "1"),
            (EVIL,),
        ],
        "verify": session,
        "delete": session,
        "export": [
            *session,
            (file, "-o", out / f"{EVIL}.jsonl", "--manifest", out / f"{EVIL}.manifest.json"),
            ("--where", EVIL, "-o", out / f"{EVIL}.jsonl"),
        ],
    }


@pytest.mark.parametrize("command", [one.name for one in COMMANDS])
def test_nothing_acts_on_a_terminal(run: Run, tmp_path: Path, command: str) -> None:
    folder = tmp_path / EVIL.replace("\r", "")
    folder.mkdir()
    good = folder / f"good{EVIL}.json"
    good.write_text(json.dumps(conversation()), encoding="utf-8")
    recipe = folder / f"recipe{EVIL}.json"
    operation = {"operation": "REDACT", "select": {"roles": ["tool"]}, "text": EVIL}
    recipe.write_text(json.dumps([operation]), encoding="utf-8")
    bad = folder / f"bad{EVIL}.json"
    bad.write_text(json.dumps({EVIL: SURROGATE, "\ud800": EVIL}), encoding="utf-8")
    refused = folder / f"refused{EVIL}.json"
    refused.write_text(json.dumps([{"operation": EVIL}, {EVIL: EVIL}]), encoding="utf-8")
    broken = folder / f"broken{EVIL}.json"
    broken.write_bytes(f'["{EVIL}'.encode())
    (session,) = run("import", good, "--json").data["sessions"]
    asked = dict.fromkeys(
        arguments
        for file in (good, session["id"], session["title"], bad, broken, folder / EVIL, folder)
        for ops in (recipe, refused, bad, broken, folder / EVIL)
        for arguments in ways(file, ops, folder)[command]
    )
    # Once more where what is written is there already.
    for arguments in (*asked, *(one for one in asked if "-o" in one or command == "import")):
        check(run(command, *arguments))
    check(run(EVIL))
    check(run(f"--{EVIL}"))
    check(run(command, f"--{EVIL}"))
    check(run(command, good, "--profile", EVIL, "--to", EVIL, "--role", EVIL))


DEEP = 100_000
MANY_DIGITS = "9" * 5_000
NUMBERS = {
    "digits": MANY_DIGITS,
    "negative": f"-{MANY_DIGITS}",
    "nan": "NaN",
    "infinity": "-Infinity",
    "overflow": "1e999",
    "deep": "[" * DEEP + "]" * DEEP,
    "deep objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "rather deep": "[" * 500 + "]" * 500,
}
PLACES = {
    "alone": "{}",
    "message": '[{{"role": "user", "content": "x", "metadata": {{"a": {}}}}}]',
    "chat": '{{"messages": [{{"role": "user", "content": "x", "weight": {0}}}], "more": {0}}}',
    "script": '{{"messages": [], "steps": [{{"expect": {{"visible": {}}}}}]}}',
    "recipe": '[{{"operation": "TRUNCATE", "keepLast": {}}}]',
    "journal": '{{"format": "ctxtui", "version": 1, "messages": [], "journal": [{}]}}',
}


NULLS = {
    (place, number) for place in ("message", "chat") for number in ("nan", "infinity", "overflow")
}
"""Where a number that JSON has not is null, since the rest can be read."""


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", PLACES)
def test_numbers_and_nesting_beyond_reason_are_one_sentence(
    run: Run, tmp_path: Path, place: str, number: str
) -> None:
    path = tmp_path / "file.json"
    path.write_text(PLACES[place].format(NUMBERS[number]), encoding="utf-8")
    for arguments in (
        ("show", path),
        ("import", path),
        ("replay", path),
        ("apply", TRIP, "--ops", path),
        ("simulate", TRIP, "--policy", path),
        (path,),
    ):
        told = run(*arguments)
        check(told)
        if arguments[0] in ("show", "import") and (place, number) in NULLS:
            assert told.code == 0
            assert "NaN and Infinity were read as null: " in told.err
            continue
        if number == "rather deep" and arguments[0] in ("apply", "simulate"):
            assert told.code in (1, 2)  # It is JSON; that the operation is none is a refusal.
            continue
        assert (told.code, told.out) == (2, "")
        assert told.err.count("\n") == 1
        assert len(told.err) < 500
    code = 0 if (place, number) in NULLS else 2
    assert run("show", "-", stdin=path.read_text(encoding="utf-8")).code == code


@pytest.mark.parametrize("time", [10**17, 10**18, 2**63, 2**64, 10**4000, -1])
def test_a_time_no_calendar_has_is_no_crash(
    run: Run, write: Write, tmp_path: Path, time: int
) -> None:
    path = tmp_path / "saved.json"
    made = run("import", write("chat.json", [{"role": "user", "content": "x"}]), "--json")
    run("export", made.data["sessions"][0]["id"], "-o", path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert "time" in saved["journal"][0]
    saved["journal"][0]["time"] = time
    saved["messages"][0]["timestamp"] = time
    write("saved.json", saved)
    for command in ("show", "lint", "import", "list", "verify"):
        told = run(command, *(() if command in ("list", "verify") else (path,)))
        check(told)
        assert told.code in (0, 2)
        assert told.err.count("\n") <= 1


NESTED = [
    '{"messages": [{"role": "user", "content": "hi", "metadata": %s}]}',
    '{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "x": %s}]}]}',
    '{"messages": [{"role": "user", "content": "hi"}], "tools": %s}',
    '{"messages": [], "steps": [{"operation": "APPEND", "messages": [{"role": "user", "x": %s}]}]}',
    '{"messages": [], "steps": [{"operation": "KNOWN", "metadata": %s}]}',
    '{"messages": [], "steps": [{"operation": %s}, [%s]]}',
    '{"messages": [], "steps": [%s]}',
    '{"system": "a", "messages": [{"role": "assistant", "content": '
    '[{"type": "tool_use", "id": "t", "name": "f", "input": %s}]}]}',
    '{"contents": [{"role": "user", "parts": [{"functionCall": {"name": "f", "args": %s}}]}]}',
    '{"input": [{"type": "function_call", "call_id": "a", "name": "f", "z": %s}]}',
    '[{"operation": "APPEND", "messages": [{"role": "user", "content": "x", "metadata": %s}]}]',
    '{"name": "x", "do": [{"operation": "APPEND", "messages": %s}]}',
    '{"name": "x", "when": %s, "do": [{"operation": "TRUNCATE", "keepLast": 2}]}',
    '{"sources": ["good.json"], "steps": %s, "sink": {"folder": "out"}}',
    '{"sources": ["good.json"], "steps": [{"simulate": [{"name": "x", "do": '
    '[{"operation": "APPEND", "messages": %s}]}]}], "sink": {"folder": "out"}}',
    '{"title": "x", "messages": [], "steps": [{"lesson": %s}]}',
    "%s",
]
"""JSON that each command reads in one way or another, with a place for something deep."""


@pytest.mark.parametrize(
    ("brackets", "levels"),
    [
        *((("[", "]"), levels) for levels in (90, 500, 1_000, 100_000)),
        *((('{"a":', "}"), levels) for levels in (101, 950, 100_000)),
    ],
)
def test_json_that_is_nested_deeply_never_ends_in_a_traceback(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    brackets: tuple[str, str],
    levels: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").write_text('{"messages": [{"role": "user", "content": "hi"}]}')
    (tmp_path / "policy.json").write_text(
        '{"name": "x", "do": [{"operation": "TRUNCATE", "keepLast": 1}]}'
    )
    deep = brackets[0] * levels + "1" + brackets[1] * levels
    for number, outer in enumerate(NESTED):
        name = f"deep-{number}.json"
        (tmp_path / name).write_text(outer.replace("%s", deep))
        for given in (
            ("replay", name),
            ("replay", name, "--json"),
            ("show", name),
            ("lint", name),
            ("apply", "good.json", "--ops", name),
            ("apply", name, "--ops", "policy.json"),
            ("simulate", "good.json", "--policy", name),
            ("simulate", name, "--policy", "policy.json"),
            ("calls", name),
            ("export", name, "--to", "anthropic"),
            ("verify", name),
            ("import", name),
            ("corpus", name),
            ("corpus", "--source", name, "-o", f"out-{number}", "--workers", "1"),
            ("corpus", "--source", "good.json", "-o", "never", "--policy", name),
            ("learn", "--check", name),
        ):
            done = run(*given)
            assert done.code in (0, 1, 2), given
            assert "worked on" not in done.err, given  # What is known is refused where it is read.
            assert "itself fails" not in done.err, given
            assert len(done.err) < 2_000, given
