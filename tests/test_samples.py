"""The samples are what their index and their README say of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.formats import WRITABLE
from ctxtui.core.formats.detection import is_script
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.lint import RULES
from ctxtui.files.opening import Opened, open_source, parse_conversations
from ctxtui.files.samples import Sample, load_samples, samples_folder
from tests.cli.conftest import Run, run
from tests.docs.pages import code_in, page

__all__ = ["run"]

SAMPLES = load_samples()
BY_NAME = {sample.path.name: sample for sample in SAMPLES}
UNCLEAN = {"tour.json", "messy.json", "hostile.json", "curate-thirty.openai.jsonl"}
EACH = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.path.name)


def conversations(sample: Sample) -> Iterator[Opened]:
    """Yield all conversations of a sample's file."""
    return parse_conversations(str(sample.path), open_source(str(sample.path)))


def texts(conversation: Conversation) -> str:
    """Return every text of the log."""
    return json.dumps([message.to_dict() for message in conversation.log], ensure_ascii=False)


def operations(conversation: Conversation) -> list[str]:
    """Return the names of the operations that opened batches."""
    return [one.operation.to_dict()["operation"] for one in conversation.batches if one.operation]


@EACH
def test_the_index_says_what_is_in_each_file(sample: Sample) -> None:
    found = list(conversations(sample))
    first = found[0].conversation
    assert len(found) == sample.conversations
    assert (len(first.log), len(first.batches)) == (sample.messages, sample.batches)
    assert not any(sentences(one.warnings) for one in found)
    if sample.path.name not in ("hostile.json", "framework-trims.requests.jsonl"):
        assert first.meta.get("title", sample.title) == sample.title
        assert first.meta.get("about", sample.about) == sample.about
    assert len(sample.about) <= 110
    assert sample.about.endswith(".")


def test_listing_the_samples_reads_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> Opened:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr("ctxtui.files.samples.read_conversation", refuse)
    assert [sample.title for sample in load_samples()] == [sample.title for sample in SAMPLES]


def test_a_sample_that_was_damaged_is_empty_and_does_not_stop_the_list(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    broken = Sample(tmp_path / "x.json", "x", "x.", 1, 1, 1)
    assert len(broken.conversation.log) == 0


def test_every_conversation_in_the_folder_is_listed_and_described() -> None:
    folder = samples_folder()
    there = {path.name for path in folder.glob("*.json*")} - {"index.json"}
    assert there <= set(BY_NAME)
    told = {
        Path(code).name
        for row in page("sample_sessions/README.md").table("file")
        for code in code_in(row[0])
    }
    assert there <= told
    assert all((folder / Path(name)).exists() or name in BY_NAME for name in told)


@EACH
def test_every_sample_keeps_what_the_engine_promises_and_comes_back(sample: Sample) -> None:
    for one in conversations(sample):
        assert one.conversation.check() == []
        again = Conversation.from_dict(json.loads(json.dumps(one.conversation.to_dict())))
        assert again == one.conversation


@EACH
@pytest.mark.parametrize("format", WRITABLE)
def test_every_sample_is_written_in_every_format(
    sample: Sample, format: str, run: Run, tmp_path: Path
) -> None:
    done = run("export", sample.path, "--to", format, "-o", f"{tmp_path}/out/")
    assert done.code == 0, done.err
    assert len(list((tmp_path / "out").iterdir())) == sample.conversations


@EACH
def test_a_sample_in_its_own_format_is_the_same_data(sample: Sample, run: Run) -> None:
    format = next(conversations(sample)).format
    is_lines = sample.path.suffix == ".jsonl"
    given = sample.path.read_text(encoding="utf-8")
    if not is_lines and is_script(json.loads(given)):
        pytest.skip("a script is no format: what it leads to is written")
    done = run("export", sample.path, "--to", format)
    assert done.code == 0
    if format == "native":
        assert Conversation.from_dict(json.loads(done.out)) == sample.conversation
    elif is_lines:
        rows = [json.loads(line) for line in given.splitlines()]
        assert [json.loads(line) for line in done.out.splitlines()] == rows
    else:
        assert json.loads(done.out) == json.loads(given)


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one.path.name not in UNCLEAN])
@pytest.mark.parametrize("profile", ["generic", "openai", "fine-tuning"])
def test_the_others_are_clean(sample: Sample, profile: str) -> None:
    found = sample.conversation.lint(profile)
    assert [one.rule for one in found if one.severity == "error"] == []


def test_the_messy_one_breaks_every_rule_of_every_profile() -> None:
    messy = BY_NAME["messy.json"].conversation
    for profile in PROFILES:
        found = {f.rule for batch in messy.batches for f in messy.at(batch).lint(profile)}
        assert found == {rule.id for rule in RULES if profile in rule.profiles}, profile
    now = {finding.rule for profile in PROFILES for finding in messy.lint(profile)}
    assert {rule.id for rule in RULES} - now == {"G6", "F1", "F3"}


def test_the_coding_agent_compacts_away_a_rule_between_parallel_calls() -> None:
    coding = BY_NAME["coding-agent.json"].conversation
    assert any(sum(part.type == "tool_use" for part in m.parts) == 3 for m in coding.log)
    hidden = coding.blame(11)
    assert hidden is not None
    assert "COMPRESS" in str(hidden)
    assert 11 in coding.marks["rule"]
    assert "keep zones.csv" in coding.log[11].text
    assert all(call.usage.input for call in coding.calls if call.usage)


def test_the_research_run_stays_in_its_budget_and_keeps_what_is_marked() -> None:
    research = BY_NAME["research-budget.json"].conversation
    limit = research.settings.token_limit
    assert limit == 2000
    assert all(research.at(call.revision).tokens.total <= limit for call in research.calls.all)
    assert operations(research) == ["TRUNCATE"] * 4
    marked = set(research.marks["finding"]) | set(research.marks["condition"])
    assert marked <= set(research.view)


def test_the_framework_that_trims_was_refused_once_and_lost_its_cache() -> None:
    sent = BY_NAME["framework-trims.requests.jsonl"].conversation
    calls = list(sent.calls)
    assert len(calls) == 16
    failed = [call for call in calls if call.outcome == "failed"]
    assert [finding.rule for finding in sent.at(failed[0].revision).lint()] == ["G1", "G1"]
    assert len(failed) == 1
    assert operations(sent) == ["TRUNCATE", "TRUNCATE", "REDACT", "COMPRESS"]
    cached = [call.usage.cached or 0 for call in calls if call.usage]
    assert sum(b < a for a, b in pairwise(cached)) >= 3


def test_the_thirty_have_something_of_everything_a_curator_meets() -> None:
    found = [one.conversation for one in conversations(BY_NAME["curate-thirty.openai.jsonl"])]
    assert len(found) == 30
    written = [texts(one) for one in found]
    assert len(set(written)) == 28
    everything = "".join(written)
    assert len(re.findall(r"[\w.]+@example\.(?:org|com|net)", everything)) >= 5
    assert set(re.findall(r"\d{3}-\d{4}", everything)) == {"555-0117", "555-0163", "555-0142"}
    assert not re.search(r"@(?!example\.)", everything)
    broken = [one for one in found if any(f.severity == "error" for f in one.lint("fine-tuning"))]
    assert len(broken) == 4
    assert sum(bool(re.search("[一-鿿]", text)) for text in written) == 4


def test_the_hostile_one_is_hostile() -> None:
    text = texts(BY_NAME["hostile.json"].conversation)
    for sign in (
        "[/foo]",
        "\\u001b[31m",
        "\u202e",
        "<script>",
        "漢字",
        "\u200d",
        "\ud800",
        "\\u0000",
    ):
        assert sign in text, sign
    assert max(map(len, text.split('"'))) >= 20_000
