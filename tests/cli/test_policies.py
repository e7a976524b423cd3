"""``ctxtui policies``, and presets in place of the files of policies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Run
from tests.cli.test_simulate import AGENT

Write = Callable[[str, Any], Path]


def test_presets_are_listed_by_family_with_source_version_and_doubt(run: Run) -> None:
    told = run("policies").out
    assert "\nLangChain\n  deepagents" in told
    assert "langchain SummarizationMiddleware 1.5.0; trigger 50, keep 20" in told
    (line,) = [line for line in told.splitlines() if line.startswith("  claude-code")]
    assert "(unproven)" in line
    listed = run("policies", "--json").data["presets"]
    assert len(listed) == 67
    assert {"name", "family", "line", "source", "version", "proven", "cannot"} <= set(listed[0])


def test_a_preset_takes_other_numbers_and_a_limit_where_the_run_has_none(
    run: Run, write: Write, tmp_path: Path
) -> None:
    file = write("run.json", {**AGENT, "settings": {}})
    window, reserve = "preset:strands-window?window=4", "preset:openai-truncation-auto"
    out = tmp_path / "requests.jsonl"
    asked = ("simulate", file, "--policy", window, reserve, "--limit", 40, "--max-output", 25)
    found = run(*asked, "--requests", out, "--json").data
    first, second = found["policies"]
    assert first["name"] == "strands-window"
    assert max(call["messages"] for call in first["perCall"]) == 5
    assert second["name"] == "openai-truncation-auto (unproven)"
    assert max(call["tokens"] for call in second["perCall"]) == 15
    assert second["overLimit"] == 0
    requests = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [one["call"] for one in requests] == [*range(1, 14)] * 2
    assert requests[0]["messages"][0] == {"role": "system", "content": "You fix things."}
    assert requests[12]["messages"][-1]["tool_call_id"] == "c11"


def test_a_preset_that_never_acted_says_so_and_what_would_suit(run: Run, write: Write) -> None:
    file = write("run.json", AGENT)
    told = run("simulate", file, "--policy", "preset:lc-summarize-messages").out
    assert "lc-summarize-messages never acted" in told
    assert "this run has at most 26 messages" in told
    assert "Try preset:lc-summarize-messages?trigger=13&keep=5" in told


def test_an_unknown_preset_is_refused(run: Run, write: Write) -> None:
    ran = run("simulate", write("run.json", AGENT), "--policy", "preset:lc-trimm")
    assert ran.code == 2
    assert "there is no preset 'lc-trimm'; try lc-clear-tools" in ran.err
