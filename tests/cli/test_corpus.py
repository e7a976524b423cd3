"""``ctxtui corpus``: a plan in a file, in flags, or both; what is printed, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.corpus.small import chat, lines, put

LONG = chat(*(f"message {number}" for number in range(20)))
POLICY = {"name": "last six", "do": [{"operation": "TRUNCATE", "keepLast": 6}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data, a policy and a plan; commands run beside it."""
    home = tmp_path / "home"
    put(home / "data" / "a.jsonl", LONG, chat("write to kim@mail.example", "yes"), b"{broken\n")
    put(home / "last-six.json", POLICY)
    run = {
        "sources": ["data/*.jsonl"],
        "steps": [{"policy": "last-six.json"}, {"simulate": ["last-six.json"]}],
        "sink": {"folder": "out", "to": "openai", "shard": 1},
    }
    put(home / "run.json", run)
    monkeypatch.chdir(tmp_path)
    return home


def test_a_plan_in_a_file_sees_names_from_its_own_folder(run: Run, folder: Path) -> None:
    done = run("corpus", "home/run.json", "--workers", "1")
    assert done.code == 0
    assert [len(row["messages"]) for row in lines(folder / "out")] == [6, 2]
    assert "read      3 records of 1 file" in done.out
    assert "kept      2 conversations, 1 of them changed" in done.out
    assert "simulated last six: 0 broken calls" in done.out
    assert "data/a.jsonl:3: it is not JSON" in done.err
    again = run("corpus", "home/run.json", "--workers", "1", "--json")
    told = json.loads(again.out)
    assert (told["wasDone"], told["report"]["kept"]) == (True, 2)


def test_flags_are_taken_in_the_order_they_are_typed(run: Run, folder: Path) -> None:
    given = ("--source", "home/data", "--workers", "1", "-o", "made")
    steps = ("--messages", "2:", "--what", "mail", "--policy", "home/last-six.json", "--squash")
    done = run("corpus", *given, *steps, "--dedupe", "exact", "--json")
    assert done.code == 0
    report = json.loads(done.out)["report"]
    kinds = [next(iter(step["step"])) for step in report["steps"]]
    assert kinds == ["length", "replace", "policy", "squash", "dedupe"]
    assert "kim@" not in (folder.parent / "made" / "part-00000.jsonl").read_text()


def test_flags_override_the_file(run: Run, folder: Path) -> None:
    done = run("corpus", "home/run.json", "--to", "sharegpt", "--clean", "openai", "-o", "other")
    assert done.code == 0
    assert "conversations" in lines(folder.parent / "other")[0]
    assert not (folder / "out").exists()
    assert "lint by openai, keep clean ones" in done.out


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((), "no sources are given; name a RUN file, or give --source"),
        (("--source", "home/data"), "no folder to write into is given; name a RUN file, or give"),
        (("--source", "home/data", "--to", "openai"), "no folder to write into is given"),
        (("home/none.json",), "home/none.json"),
        (("home/data/a.jsonl",), "home/data/a.jsonl"),
        (("home/last-six.json",), "'name' is not a field of the run"),
        (("home/run.json", "--workers", "0"), "--workers 0 is below 1"),
        (("home/run.json", "--chunk", "0"), "--chunk 0 is below 1"),
        (("home/run.json", "--scheduler", "tcp://x"), "--scheduler needs --engine dask"),
        (("home/run.json", "--dedupe", "some"), "--dedupe 'some' is neither exact nor a share"),
        (("home/run.json", "--tokens", "many"), "--tokens 'many' is not LEAST:MOST"),
        (("home/run.json", "--policy", "none.json"), "none.json"),
        (("home/run.json", "--source", "nothing/*"), "names no file"),
        (("home/run.json", "-o", "home"), "lies in the folder that is written"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(
    run: Run, folder: Path, given: tuple[str, ...], sentence: str
) -> None:
    done = run("corpus", *given)
    assert done.code in (1, 2)
    assert sentence in done.err
    assert not (folder / "out").exists()


def test_another_plan_needs_force(run: Run, folder: Path) -> None:
    assert run("corpus", "home/run.json").code == 0
    refused = run("corpus", "home/run.json", "--squash")
    assert refused.code in (1, 2)
    assert "--force" in refused.err
    assert run("corpus", "home/run.json", "--squash", "--force").code == 0


def test_a_run_that_could_read_nothing_is_no_success(run: Run, folder: Path) -> None:
    put(folder / "bad" / "a.jsonl", b"nonsense\n")
    done = run("corpus", "--source", "home/bad", "-o", "made", "--workers", "1")
    assert done.code == 1
    assert "home/bad/a.jsonl" in done.err


def test_files_that_hold_nothing_are_named_and_no_bad_records(run: Run, folder: Path) -> None:
    for number in range(7):
        put(folder / "data" / f"empty-{number}.jsonl", b"")
    done = run("corpus", "home/run.json", "--workers", "1")
    assert done.code == 0
    assert "read      3 records of 8 files" in done.out
    assert "bad       1 can't be read" in done.out
    named = ", ".join(f"data/empty-{number}.jsonl" for number in range(5))
    assert f"{named} and 2 more: the file is empty" in done.err
    page = (folder / "out" / "report.html").read_text()
    assert "the file is empty" in page
    assert f"{named} and 2 more" in page


def test_a_run_over_nothing_is_no_success(run: Run, folder: Path) -> None:
    put(folder / "none" / "a.jsonl", b"")
    done = run("corpus", "--source", "home/none", "-o", "made", "--workers", "1")
    assert done.code == 1
    assert "home/none/a.jsonl: the file is empty" in done.err


@pytest.mark.parametrize("twice", ["run.json", "last-six.json"])
def test_a_key_that_stands_twice_is_refused_by_its_name(run: Run, folder: Path, twice: str) -> None:
    text = (folder / twice).read_text()
    first = next(iter(json.loads(text)))
    (folder / twice).write_text(text.replace("{", f'{{"{first}": [], ', 1))
    done = run("corpus", "home/run.json")
    assert done.code in (1, 2)
    assert f"{twice}: the key '{first}' is given twice in one object" in done.err
    assert not (folder / "out").exists()


def test_what_was_read_differently_than_it_stood_is_told(run: Run, folder: Path) -> None:
    asked = {"role": "user", "content": "where is it?"}
    for number in range(7):
        said = {"role": f"wizard{number}", "content": "abracadabra"}
        put(folder / "odd" / f"{number}.jsonl", {"messages": [asked, said]})
    done = run("corpus", "--source", "home/odd", "-o", "made", "--workers", "1")
    assert done.code == 0
    names = ", ".join(f"wizard{number} as user" for number in range(7))
    told = f"messages were read with another role: {names}, in 7 conversations"
    assert f"ctxtui: {told}\n" in done.err
