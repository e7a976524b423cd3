"""docs/scale.md: the plan can be carried out, and every step and file is in its table."""

from __future__ import annotations

import json
from pathlib import Path

from ctxtui.core.corpus import CorpusPlan, LocalEngine, run_plan
from ctxtui.core.corpus.plan import KEYS, READERS, SINK_KEYS
from ctxtui.core.corpus.sources import CHUNK_BYTES, ENDINGS, MIB, PACKED
from ctxtui.core.curation.duplicates import COMPARED, SKETCH_SIZE
from ctxtui.core.policies import Policy
from ctxtui.pages.corpus import write_page
from tests.corpus.small import chat, manifest, put
from tests.docs.pages import code_in, page

PAGE = page("docs/scale.md")


def example() -> dict[str, object]:
    """Return the plan of the page."""
    (block,) = PAGE.blocks("json")
    data: dict[str, object] = json.loads(block)
    return data


def test_the_plan_of_the_page_has_every_key_and_can_be_carried_out(tmp_path: Path) -> None:
    data = example()
    assert list(data) == list(KEYS)
    assert set(data["sink"]) == set(SINK_KEYS)  # type: ignore[call-overload]
    put(tmp_path / "more" / "a.jsonl", chat("hello, I am kim@mail.example", "yes"))
    plan = CorpusPlan.read({**data, "sources": ["more/"]}, Policy.from_dict)
    ran = run_plan(plan, LocalEngine(1), base=tmp_path)
    write_page(ran)
    assert ran.report["kept"] == 1
    told = {key for row in PAGE.table("file") for key in code_in(row[1])}
    assert set(manifest(ran.out)[0]) - {"messages", "tokens", "errors", "replaced"} <= told
    files = {name for row in PAGE.table("file") for name in code_in(row[0])}
    assert {path.name for path in ran.out.iterdir()} - {".corpus"} == files


def test_every_step_is_in_the_table() -> None:
    steps = [code_in(row[0])[0] for row in PAGE.table("step")]
    named = [next(iter(json.loads(step.replace("FILE", '"file"')))) for step in steps]
    assert set(named) == set(READERS)
    assert len(named) == len(READERS)


def test_the_figures_are_those_of_the_code() -> None:
    assert f"chunks of {CHUNK_BYTES // MIB} MiB" in PAGE.text
    assert f"at most {COMPARED} others" in PAGE.text
    assert f"{SKETCH_SIZE} numbers each" in PAGE.text
    for ending in (*ENDINGS, *PACKED):
        assert f"`{ending}`" in PAGE.text
