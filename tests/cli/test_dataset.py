"""``ctxtui export`` makes data sets; ``squash --purge`` and ``split`` leave only what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.cli.conftest import Run
from tests.cli.test_replace import MAIL, make
from tests.storage.samples import said


def talk(library: Path, number: int, **details: Any) -> str:
    made = Conversation([said("user", f"question {number}"), said("assistant", f"yes {number}")])
    with Library(library).create(made, title=f"talk {number}") as session:
        session.describe(status="accepted", **details)
        return session.id


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_command_of_the_documents_makes_a_data_set(
    run: Run, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [talk(library, number) for number in range(20)]
    make(library, "not chosen")
    monkeypatch.chdir(tmp_path)
    command = (
        *("export", "--where", "status:accepted", "--to", "openai", "-o", "train.jsonl"),
        *("--split", "0.9", "--seed", "7", "--manifest", "train.manifest.json"),
    )
    told = run(*command)
    assert (told.code, told.out) == (0, "")
    assert "18 conversations written to train.jsonl (openai, for training)" in told.err
    assert "2 conversations written to" in told.err
    both = lines(tmp_path / "train.jsonl") + lines(tmp_path / "validation.jsonl")
    assert len(both) == 20
    manifest = json.loads((tmp_path / "train.manifest.json").read_text("utf-8"))
    assert {row["session"] for row in manifest["records"]} == set(ids)
    assert manifest["where"] == "status:accepted"
    again = run(*command)
    assert again.code == 2
    assert "is there already, so nothing is written; --force writes over it" in again.err
    before = (tmp_path / "train.jsonl").read_bytes()
    assert run(*command, "--force").code == 0
    assert (tmp_path / "train.jsonl").read_bytes() == before


def test_what_no_trainer_takes_is_told_and_left_out(
    run: Run, library: Path, tmp_path: Path
) -> None:
    talk(library, 1)
    bad = make(library, "no answer", status="accepted")
    told = run(
        *("export", "--where", "status:accepted", "--fine-tuning", "-o", tmp_path / "a.jsonl"),
        *("--manifest", tmp_path / "m.json"),
    )
    assert told.code == 1
    assert f"session {bad} (talk) is left out: " in told.err
    assert "1 conversation written" in told.err
    manifest = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert [one["session"] for one in manifest["leftOut"]] == [bad]


def test_a_folder_takes_a_file_each_and_keeps_what_is_there(
    run: Run, library: Path, tmp_path: Path
) -> None:
    ids = [talk(library, number) for number in range(3)]
    out = tmp_path / "each"
    assert run("export", *ids, "--to", "openai", "-o", f"{out}/").code == 0
    assert {one.name for one in out.iterdir()} == {f"{id}.openai.json" for id in ids}
    (out / f"{ids[1]}.openai.json").write_text("mine")
    (out / f"{ids[0]}.openai.json").unlink()
    told = run("export", *ids, "--to", "openai", "-o", out)
    assert told.code == 2
    assert (out / f"{ids[1]}.openai.json").read_text() == "mine"
    assert not (out / f"{ids[0]}.openai.json").exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--split", "0.9"), "--split needs -o"),
        (("--manifest", "m.json"), "--manifest needs -o"),
        (("-o", "a.jsonl", "--seed", "1"), "--seed needs --split"),
        (("-o", "a.jsonl", "--near", "0.9"), "--near needs --split"),
        (("-o", "a.jsonl", "--split", "1.5"), "split 1.5 is not between 0 and 1"),
        (("-o", "a.jsonl", "--split", "0.5", "--near", "0.1"), "near 0.1 is outside"),
        (("-o", "a.json", "--scope", "raw"), "native keeps every message"),
        (("-o", "a.jsonl", "--to", "openai", "--manifest", "a.jsonl"), "have the same name"),
    ],
)
def test_what_makes_no_sense_is_refused_with_nothing_written(
    run: Run,
    library: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    sentence: str,
) -> None:
    id = talk(library, 1)
    monkeypatch.chdir(tmp_path)
    told = run("export", id, *given)
    assert told.code == 2
    assert sentence in told.err
    assert list(tmp_path.iterdir()) == []


def test_a_filter_that_chooses_nothing_says_so(run: Run, library: Path, tmp_path: Path) -> None:
    talk(library, 1)
    told = run("export", "--where", "status:rejected", "-o", tmp_path / "a.jsonl")
    assert told.code == 2
    assert "no session matches: status:rejected" in told.err


def in_library(library: Path, text: str) -> list[str]:
    return [
        one.name
        for one in library.rglob("*")
        if one.is_file() and text.encode() in one.read_bytes()
    ]


def test_squash_with_purge_leaves_nothing_of_what_was_replaced(run: Run, library: Path) -> None:
    ids = [make(library, MAIL, "calm", title=f"of {MAIL}", status="accepted") for _ in range(3)]
    run("list", "--where", "has:personal")
    run("delete", ids[2])
    assert run("replace", "--what", "mail", "--titles", "--where", "status:accepted").code == 0
    assert in_library(library, MAIL)
    told = run("squash", "--where", 'status:"in review"', "--purge", "--json")
    assert told.code == 0
    assert [row["purged"] for row in told.data["squashed"]] == [True, True]
    assert "the trash holds 1 session; ctxtui delete --purge empties it" in told.err
    assert len(in_library(library, MAIL)) == 1
    run("delete", "--purge")
    assert in_library(library, MAIL) == []
    assert {one.title for one in Library(library).list()} == {"of [mail]"}


def test_squash_where_makes_one_beside_each(run: Run, library: Path) -> None:
    for number in range(3):
        talk(library, number)
    told = run("squash", "--where", "status:accepted")
    assert told.code == 0
    assert len(told.out.splitlines()) == 3
    assert len(Library(library).list()) == 6
    assert run("squash").code == 2
    assert run("squash", "x.json", "--purge", "-o", "y").code == 2


def test_split_makes_two_sessions_and_the_old_one_stays_or_goes(run: Run, library: Path) -> None:
    id = make(library, "a", "b", "c", title="long")
    told = run("split", "long", "1")
    assert told.code == 0
    rows = told.out.splitlines()
    assert [row.split("  ")[1] for row in rows[:2]] == [
        "long (1 of 2): 1 message",
        "long (2 of 2): 2 messages",
    ]
    assert rows[2] == f"{id}: stays"
    assert run("split", id, "2", "--delete").out.splitlines()[2] == f"{id}: in the trash"
    assert len(Library(library).list()) == 4
    made = run("split", "long (2 of 2)", "9")
    assert made.code == 2


def test_split_says_what_is_not_possible(run: Run, library: Path) -> None:
    id = make(library, "a", "b")
    for position, sentence in (
        ("0", "outside 1…1"),
        ("2", "outside 1…1"),
        ("x", "is not a whole number"),
    ):
        told = run("split", id, position)
        assert (told.code, told.out) == (2, "")
        assert sentence in told.err
    data = run("split", id, "1", "--purge", "--with-system", "--json").data
    assert [row["messages"] for row in data["made"]] == [1, 1]
    assert id not in {one.id for one in Library(library).list()}


def test_each_portion_is_told_with_its_place(
    run: Run, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        talk(library, number)
    monkeypatch.chdir(tmp_path)
    told = run("export", "--where", "", "--to", "openai", "-o", "set/", "--split", "0.5")
    assert "2 conversations written to set/train (openai, for training)" in told.err
    assert "2 conversations written to set/validation (openai, for validation)" in told.err
    told = run("export", "--where", "", "--to", "openai", "-o", "a.jsonl", "--split", "0.5")
    assert "2 conversations written to a.validation.jsonl (openai, for validation)" in told.err
    told = run("export", "talk 1", "--to", "openai", "-o", "one/")
    assert len(list((tmp_path / "one").iterdir())) == 1
    assert f"written to {next((tmp_path / 'one').iterdir()).relative_to(tmp_path)} (" in told.err


def test_who_may_read_a_file_stays_when_it_is_written_over(
    run: Run, library: Path, tmp_path: Path
) -> None:
    id, out = talk(library, 1), tmp_path / "a.jsonl"
    assert run("export", id, "--to", "openai", "-o", out).code == 0
    out.chmod(0o600)
    assert run("export", id, "--to", "openai", "-o", out, "--force").code == 0
    assert out.stat().st_mode & 0o777 == 0o600
