"""A data set holds what was chosen, split by groups, and comes as a whole or not at all."""

from __future__ import annotations

import gc
import json
import weakref
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.curation.dataset import (
    DatasetPlan,
    DatasetRequest,
    Target,
    plan_dataset,
    read_record,
    validation_of,
    write_dataset,
)
from ctxtui.core.formats import format_named
from ctxtui.core.storage import Library
from ctxtui.core.storage.details import Details
from ctxtui.core.storage.disk import RealDisk
from tests.storage.failing import FailingDisk, PowerCut
from tests.storage.samples import numbered, ticking

OPENAI = format_named("openai")


def talk(question: str, answer: str = "Yes.") -> Conversation:
    return Conversation(
        [{"role": "user", "content": question}, {"role": "assistant", "content": answer}],
        clock=ticking(),
    )


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a library of twelve sessions, two of them the same."""
    made = Library(tmp_path / "library", clock=ticking(1000), ids=numbered())
    for number in range(11):
        made.create(talk(f"question {number}"), title=f"talk {number}").close()
    made.create(talk("question 3"), title="talk 3 again").close()
    return made


def plan(library: Library, **asked: Any) -> DatasetPlan:
    order = DatasetRequest(**{"format": OPENAI, **asked})
    return plan_dataset(library, library.list(), order)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def files(folder: Path) -> dict[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes()
        for one in sorted(folder.rglob("*"))
        if one.is_file()
    }


def test_all_chosen_sessions_are_in_one_file_in_their_order(
    library: Library, tmp_path: Path
) -> None:
    out = tmp_path / "train.jsonl"
    outcome = write_dataset(library, plan(library), Target(out))
    titles = [entry.title for entry in library.list()]
    asked = [row["messages"][0]["content"] for row in lines(out)]
    assert [f"talk {one.split()[-1]}" for one in asked] == [
        t.removesuffix(" again") for t in titles
    ]
    assert outcome.counts == {"train": 12}
    assert outcome.files[0].sha256 == sha256(out.read_bytes()).hexdigest()


def test_duplicates_never_straddle_and_counts_sum(library: Library, tmp_path: Path) -> None:
    for seed in range(8):
        planned = plan(library, ratio=0.75, seed=seed)
        same = {one.portion for one in planned.records if one.entry.title.startswith("talk 3")}
        assert len(same) == 1
        assert len(planned.of("train")) + len(planned.of("validation")) == 12
        assert len(planned.of("validation")) == 3
        assert planned.several == 2


def test_near_ones_do_not_straddle_either(library: Library, tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(100))
    for number in range(4):
        library.create(talk(f"{words} end{number}"), title="near").close()
    for seed in range(8):
        planned = plan(library, ratio=0.7, seed=seed, near=0.9)
        assert len({one.portion for one in planned.records if one.entry.title == "near"}) == 1
    parted = [plan(library, ratio=0.5, seed=seed) for seed in range(8)]
    assert any(
        len({one.portion for one in some.records if one.entry.title == "near"}) == 2
        for some in parted
    )


def test_a_split_writes_two_files_and_a_manifest_of_every_record(
    library: Library, tmp_path: Path
) -> None:
    first = library.list()[0]
    with library.open(first.id) as session:
        session.execute({"operation": "REPLACE", "index": 1, "message": said("No.")})
        session.describe(status="accepted", tags=["good"], note="fine")
    target = Target(tmp_path / "train.jsonl", manifest=tmp_path / "train.manifest.json")
    planned = plan(library, ratio=0.75, seed=7, where="status:accepted")
    write_dataset(library, planned, target)
    manifest = json.loads((tmp_path / "train.manifest.json").read_text("utf-8"))
    assert (manifest["kind"], manifest["version"]) == ("ctxtui data set", 1)
    assert manifest["split"] == {"ratio": 0.75, "seed": 7, "near": 1.0}
    assert (manifest["where"], manifest["format"]) == ("status:accepted", "openai")
    assert {one["file"]: one["records"] for one in manifest["files"]} == {
        "train.jsonl": 9,
        "validation.jsonl": 3,
    }
    for one in manifest["files"]:
        data = (tmp_path / one["file"]).read_bytes()
        assert (one["bytes"], one["sha256"]) == (len(data), sha256(data).hexdigest())
    for row in manifest["records"]:
        line = (tmp_path / row["file"]).read_bytes().splitlines(keepends=True)[row["record"] - 1]
        assert row["sha256"] == sha256(line).hexdigest()
    row = next(row for row in manifest["records"] if row["session"] == first.id)
    assert (row["status"], row["tags"], row["note"]) == ("accepted", ["good"], "fine")
    assert (row["messages"], row["rawMessages"], row["counter"]) == (2, 3, "bytes/4")
    assert [one["operation"] for one in row["operations"]] == ["CREATE", "REPLACE"]
    assert [one.get("messages", one.get("message")) for one in row["operations"]] == [2, 1]


def said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def test_nothing_that_was_replaced_stands_in_a_manifest(library: Library, tmp_path: Path) -> None:
    with library.open(library.list()[0].id) as session:
        session.execute({"operation": "APPEND", "messages": [said("hush hush")]})
        session.execute({"operation": "REPLACE", "index": 2, "message": said("nothing")})
    target = Target(tmp_path / "a.jsonl", manifest=tmp_path / "m.json")
    write_dataset(library, plan(library), target)
    assert b"hush" not in (tmp_path / "a.jsonl").read_bytes()
    assert b"hush" not in (tmp_path / "m.json").read_bytes()


def test_what_no_trainer_takes_is_left_out_and_told(library: Library, tmp_path: Path) -> None:
    bad = Conversation([{"role": "user", "content": "hello?"}], clock=ticking())
    library.create(bad, title="no answer").close()
    library.create(Conversation(clock=ticking()), title="empty").close()
    planned = plan(library, is_training=True)
    left = {one.entry.title: one.reason for one in planned.left_out}
    assert set(left) == {"no answer", "empty"}
    assert left["empty"] == "nothing of it is visible"
    target = Target(tmp_path / "a.jsonl", manifest=tmp_path / "m.json")
    write_dataset(library, planned, target)
    manifest = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert {one["title"]: one["reason"] for one in manifest["leftOut"]} == left
    assert len(lines(tmp_path / "a.jsonl")) == 12


def test_a_session_that_cannot_be_read_is_left_out(library: Library, tmp_path: Path) -> None:
    broken = library.list()[0]
    (library.folder / f"{broken.id}.json").write_bytes(b'{"messages":{')
    planned = plan(library)
    assert [one.entry.id for one in planned.left_out] == [broken.id]
    assert len(planned.records) == 11


def test_raw_writes_every_message_ever_added(library: Library, tmp_path: Path) -> None:
    with library.open(library.list()[0].id) as session:
        session.execute({"operation": "TRUNCATE", "keepLast": 1})
    write_dataset(library, plan(library, scope="raw"), Target(tmp_path / "a.jsonl"))
    assert {len(row["messages"]) for row in lines(tmp_path / "a.jsonl")} == {2}


def test_a_folder_takes_a_file_each(library: Library, tmp_path: Path) -> None:
    target = Target(tmp_path / "set", is_folder=True, manifest=tmp_path / "m.json")
    write_dataset(library, plan(library, ratio=0.75), target)
    made = files(tmp_path / "set")
    assert len(made) == 12
    assert {name.split("/")[0] for name in made} == {"train", "validation"}
    manifest = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert {row["file"] for row in manifest["records"]} == set(made)


def test_names_that_are_taken_are_refused_unless_forced(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    target = Target(out, manifest=tmp_path / "m.json")
    (tmp_path / "validation.jsonl").write_text("mine")
    planned = plan(library, ratio=0.75)
    with pytest.raises(Refused, match=r"validation.jsonl is there already, so nothing is written"):
        write_dataset(library, planned, target)
    assert not out.exists()
    write_dataset(library, planned, target, is_forced=True)
    assert len(lines(tmp_path / "validation.jsonl")) == 3
    assert len(list(tmp_path.glob("*.part"))) == 0


def test_the_same_name_twice_or_a_folder_is_refused(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    with pytest.raises(Refused, match="have the same name"):
        write_dataset(library, plan(library), Target(out, manifest=out))
    out.mkdir()
    with pytest.raises(Refused, match="is no regular file"):
        write_dataset(library, plan(library), Target(out), is_forced=True)


def test_a_session_that_changes_meanwhile_stops_it_with_nothing_written(
    library: Library, tmp_path: Path
) -> None:
    planned = plan(library)
    with library.open(library.list()[3].id) as session:
        session.execute({"operation": "APPEND", "messages": [said("more")]})
    with pytest.raises(Refused, match="was changed while the data set was made"):
        write_dataset(library, planned, Target(tmp_path / "a.jsonl"))
    assert [one.name for one in tmp_path.iterdir()] == ["library"]


def test_it_can_be_stopped_and_leaves_nothing(library: Library, tmp_path: Path) -> None:
    told: list[float] = []

    class EnoughError(Exception):
        pass

    def step(done: float) -> None:
        told.append(done)
        if done > 0.5:
            raise EnoughError

    with pytest.raises(EnoughError):
        write_dataset(library, plan(library), Target(tmp_path / "a.jsonl"), step=step)
    assert told == sorted(told)
    assert [one.name for one in tmp_path.iterdir()] == ["library"]


def test_folders_that_were_made_for_nothing_are_gone_again(
    library: Library, tmp_path: Path
) -> None:
    def step(done: float) -> None:
        if done > 0.5:
            raise KeyboardInterrupt

    target = Target(tmp_path / "new" / "set", is_folder=True)
    with pytest.raises(KeyboardInterrupt):
        write_dataset(library, plan(library, ratio=0.75), target, step=step)
    assert [one.name for one in tmp_path.iterdir()] == ["library"]


def test_without_a_record_nothing_is_written(library: Library, tmp_path: Path) -> None:
    order = DatasetRequest(OPENAI)
    with pytest.raises(Refused, match="no record to write"):
        write_dataset(library, plan_dataset(library, [], order), Target(tmp_path / "a.jsonl"))


def test_formats_of_one_conversation_need_a_folder(library: Library, tmp_path: Path) -> None:
    planned = plan(library, format=format_named("claude-code"))
    with pytest.raises(Refused, match="holds one conversation only"):
        write_dataset(library, planned, Target(tmp_path / "a.jsonl"))
    write_dataset(library, planned, Target(tmp_path / "each", is_folder=True))
    assert len(files(tmp_path / "each")) == 12


@pytest.mark.parametrize("is_forced", [False, True])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_disk_that_fails_at_any_step_leaves_everything_as_it_was(
    library: Library, tmp_path: Path, is_forced: bool, is_folder: bool
) -> None:
    planned = plan_dataset(library, library.list()[:4], DatasetRequest(OPENAI, ratio=0.75))
    folder = tmp_path / "out"
    folder.mkdir()
    target = Target(
        folder if is_folder else folder / "train.jsonl",
        is_folder=is_folder,
        manifest=folder / "m.json",
    )
    if is_forced:
        (folder / "train.jsonl").write_text("old train")
        (folder / "m.json").write_text("old manifest")
    before = files(folder)
    disk = FailingDisk(RealDisk())
    failed = 0
    for step in range(500):
        disk.fail(step)
        try:
            write_dataset(library, planned, target, is_forced=is_forced, disk=disk)
        except Refused as refusal:
            sentence = str(refusal)
        else:
            break
        failed += "can't be written: the disk is full" in sentence
        assert failed == step + 1
        assert files(folder) == before, disk.steps[step]
    assert failed > 8
    assert len(files(folder)) >= 3


def test_after_a_power_cut_a_manifest_means_that_all_files_are_there(
    library: Library, tmp_path: Path
) -> None:
    planned = plan_dataset(library, library.list()[:4], DatasetRequest(OPENAI, ratio=0.75))
    told = 0
    for step in range(80):
        folder = tmp_path / str(step)
        folder.mkdir()
        target = Target(folder / "train.jsonl", manifest=folder / "m.json")
        disk = FailingDisk(RealDisk())
        disk.cut_power(step)
        try:
            write_dataset(library, planned, target, disk=disk)
        except PowerCut:
            pass
        else:
            break
        if files(folder).get("m.json"):
            told += 1
            named = (folder / "train.jsonl", folder / "validation.jsonl")
            assert sum(len(lines(path)) for path in named) == 4
    assert told > 0


@pytest.mark.parametrize(
    ("out", "beside"),
    [
        ("train.jsonl", "validation.jsonl"),
        ("support-train.openai.jsonl", "support-validation.openai.jsonl"),
        ("data.jsonl", "data.validation.jsonl"),
        ("data", "data.validation"),
    ],
)
def test_the_file_for_validation_is_named_after_the_other(out: str, beside: str) -> None:
    assert validation_of(Path("x") / out) == Path("x") / beside


@pytest.mark.parametrize(
    "asked",
    [
        {"ratio": 1},
        {"near": 0.1},
        {"seed": "x"},
        {"format": format_named("native"), "scope": "raw"},
    ],
)
def test_orders_that_make_no_sense_are_refused(library: Library, asked: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        plan(library, **asked)


def test_two_verdicts_in_a_group_are_told(library: Library) -> None:
    ids = {one.title: one.id for one in library.list()}
    for title, status in (("talk 3 again", "rejected"), ("talk 3", "accepted")):
        assert plan(library).conflicting == []
        with library.open(ids[title]) as session:
            session.describe(status=status)
    (group,) = plan(library).conflicting
    assert {one.entry.status for one in group} == {"accepted", "rejected"}


@pytest.mark.parametrize("is_folder", [False, True])
def test_sessions_are_read_one_after_the_other_and_let_go(
    library: Library, tmp_path: Path, is_folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[weakref.ref[Conversation]] = []
    most = 0

    def noted(*given: Any) -> tuple[Conversation, Details]:
        found = read_record(*given)
        read.append(weakref.ref(found[0]))
        return found

    def step(done: float) -> None:
        nonlocal most
        gc.collect()
        most = max(most, sum(one() is not None for one in read))

    monkeypatch.setattr("ctxtui.core.curation.dataset.read_record", noted)
    gc.collect()
    gc.freeze()  # Only what is made from now on has to be looked through, at every step.
    order = DatasetRequest(OPENAI, ratio=0.75, near=0.9)
    planned = plan_dataset(library, library.list(), order, step)
    target = Target(tmp_path / "out", is_folder, manifest=tmp_path / "m.json")
    write_dataset(library, planned, target, step=step)
    assert len(read) == 24
    assert most <= 3
