"""docs/datasets.md has the keys of a manifest and all patterns."""

from __future__ import annotations

import json
from pathlib import Path

from ctxtui.core.curation.patterns import PATTERNS
from tests.docs.conftest import Shell
from tests.docs.pages import code_in, page

PAGE = page("docs/datasets.md")


def test_the_keys_of_a_manifest_are_those_it_has(shell: Shell, tmp_path: Path) -> None:
    shell("ctxtui import sample_sessions/tour.json sample_sessions/trip.openai.json")
    told = shell(
        "ctxtui export --where '' --to openai -o train.jsonl --split 0.5 --near 1 "
        "--manifest train.manifest.json"
    )
    assert "1 conversation written to train.jsonl" in told
    manifest = json.loads((tmp_path / "train.manifest.json").read_text("utf-8"))
    keys = [key for row in PAGE.table("key") for key in code_in(row[0])]
    assert list(manifest) == keys
    of_record = {key for row in PAGE.table("key of a record") for key in code_in(row[0])}
    assert all(set(row) == of_record for row in manifest["records"])
    told_of_files = PAGE.table("key")[4][1]
    assert list(manifest["files"][0]) == code_in(told_of_files)


def test_the_patterns_are_those_there_are() -> None:
    assert [code_in(row[0])[0] for row in PAGE.table("pattern")] == list(PATTERNS)
