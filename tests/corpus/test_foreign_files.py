"""What a run finds in its folder and has not written itself stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.corpus import LocalEngine, RunProgress, run_plan
from ctxtui.core.corpus.work_folder import PAGE, WorkFolder, is_work_name
from ctxtui.core.errors import Refused
from ctxtui.pages.corpus import write_page
from tests.corpus.small import LAST_SIX, chat, manifest, plan, put, ran, written

DEDUPED: list[dict[str, Any]] = [{"dedupe": {"near": 0.9}}, {"policy": LAST_SIX}]
FAULTY = {"messages": [{"role": "user", "content": ""}]}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    put(tmp_path / "data" / "a.jsonl", chat("hello", "hi"), chat("more", "words"), FAULTY)
    return tmp_path


def everything(folder: Path) -> dict[str, object]:
    """Return all files, links and folders below a folder, with what is in them."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def forced(base: Path, out: str = "out", shard: int = 1) -> None:
    run_plan(plan(["data"], out, [], shard=shard), LocalEngine(1), base=base, is_forced=True)


def refused(base: Path, why: str, *, is_forced: bool = False) -> None:
    """Require that a run is refused, and that nothing at all has changed."""
    before = everything(base)
    with pytest.raises(Refused, match=why):
        run_plan(plan(["data"], "out", []), LocalEngine(1), base=base, is_forced=is_forced)
    assert everything(base) == before


def stopped_at(base: Path, phase: str, steps: list[dict[str, Any]]) -> None:
    """Run a plan up to a phase, as if it had been killed there."""

    def stop(progress: RunProgress) -> None:
        if progress.phase == phase and progress.done == progress.of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(plan(["data"], "out", steps), LocalEngine(1), base=base, on_progress=stop)


@pytest.mark.parametrize("is_forced", [False, True])
def test_a_link_in_place_of_the_work_folder_is_refused(base: Path, *, is_forced: bool) -> None:
    put(base / "foreign" / "thesis.txt", b"years of work")
    (base / "out").mkdir()
    (base / "out" / ".corpus").symlink_to(base / "foreign")
    refused(base, r"\.corpus is not a folder", is_forced=is_forced)
    (base / "out" / ".corpus").unlink()
    ran(base, [])
    shutil.move(base / "out" / ".corpus", base / "elsewhere")
    (base / "out" / ".corpus").symlink_to(base / "elsewhere")
    refused(base, r"\.corpus is not a folder", is_forced=is_forced)


@pytest.mark.parametrize("is_forced", [False, True])
@pytest.mark.parametrize(
    "marker",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"kind": "another program", "shards": []}',
        b'{"kind": "ctxtui corpus run"}',
        b'{"kind": "ctxtui corpus run", "shards": 3}',
        None,
    ],
)
def test_a_work_folder_without_our_marker_is_refused(
    base: Path, marker: bytes | None, *, is_forced: bool
) -> None:
    put(base / "out" / ".corpus" / "thesis.txt", b"years of work")
    if marker is not None:
        put(base / "out" / ".corpus" / "run.json", marker)
        (base / "out" / ".corpus" / "thesis.txt").unlink()
    refused(base, "is not a file of a run", is_forced=is_forced)


@pytest.mark.parametrize("is_forced", [False, True])
@pytest.mark.parametrize("is_over", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        "thesis.txt",
        "thesis.part",
        "shard-00000.records.old",
        "shard-00007.records",
        "alike-notes",
        "shuffle-0/thesis.txt",
        "shuffle-notes/thesis.txt",
        "part-00000.jsonl",
        "notes/thesis.txt",
        "run.json.part",
        "new\nline\x1b[31m",
        "lock.0123456789ab4123812345678901234.part",
    ],
)
def test_a_work_folder_that_holds_another_file_is_refused(
    base: Path, name: str, *, is_forced: bool, is_over: bool
) -> None:
    if is_over:
        ran(base, [])
    else:
        stopped_at(base, "work", [])
    put(base / "out" / ".corpus" / name, b"years of work")
    refused(base, "is not a file of a run", is_forced=is_forced)


@pytest.mark.parametrize("name", ["lock", "run.json", "shard-00000.facts", "alike-0", "shuffle-0"])
def test_a_link_in_the_work_folder_is_refused(base: Path, name: str) -> None:
    stopped_at(base, "settle", DEDUPED)
    inside = base / "out" / ".corpus" / name
    inside.unlink(missing_ok=True) if not inside.is_dir() else shutil.rmtree(inside)
    put(base / "foreign" / "thesis.txt", b"years of work")
    inside.symlink_to(base / "foreign" / ("" if name == "shuffle-0" else "thesis.txt"))
    for is_forced in (False, True):
        refused(base, "is not a file of a run", is_forced=is_forced)


@pytest.mark.parametrize("content", [b"years of work", b""])
def test_a_lock_that_is_a_file_of_others_is_refused(base: Path, content: bytes) -> None:
    thesis = put(base / "thesis.txt", content)
    (base / "out" / ".corpus").mkdir(parents=True)
    (base / "out" / ".corpus" / "lock").hardlink_to(thesis)
    refused(base, "lock is not a file of a run")


def test_a_file_in_place_of_the_work_folder_or_of_the_folder_is_refused(base: Path) -> None:
    put(base / "out" / ".corpus", b"years of work")
    refused(base, "is not a folder", is_forced=True)
    shutil.rmtree(base / "out")
    put(base / "out", b"years of work")
    refused(base, "out", is_forced=True)


def test_a_folder_that_leads_in_a_circle_is_refused(base: Path) -> None:
    (base / "out").symlink_to("out")
    refused(base, "leads nowhere")


def test_a_folder_that_is_a_link_is_written_where_it_leads(base: Path) -> None:
    (base / "disk").mkdir()
    (base / "out").symlink_to(base / "disk")
    ran(base, DEDUPED)
    assert (base / "out").is_symlink()
    assert len(manifest(base / "disk")) == 3
    forced(base)
    assert len(list((base / "disk").glob("part-*"))) == 3


def test_beginning_anew_removes_what_is_listed_and_nothing_else(base: Path) -> None:
    ran(base, [])
    out = base / "out"
    mine = {
        out / "part-notes.txt": b"mine",
        out / "part-chapters" / "one.txt": b"mine",
        out / "thesis.part": b"mine",
        out / "drafts" / "thesis.part": b"mine",
        out / "worst" / "notes.txt": b"mine",
        out / ".git" / "HEAD": b"mine",
    }
    for path, content in mine.items():
        put(path, content)
    forced(base)
    assert {path: path.read_bytes() for path in mine} == mine
    assert len(list(out.glob("part-0*"))) == 3
    assert not (out / PAGE).exists()


@pytest.mark.parametrize(
    "name", ["part-00000.jsonl", "report.json", PAGE, "manifest.jsonl", "run.json", "worst/01.json"]
)
def test_an_output_that_somebody_has_changed_is_not_removed(base: Path, name: str) -> None:
    ran(base, [])
    put(base / "out" / name, b"years of work")
    refused(base, "is not as a run has written it", is_forced=True)
    path = base / "out" / name
    path.unlink()
    path.symlink_to(put(base / "thesis.txt", b"years of work"))
    refused(base, "is not as a run has written it", is_forced=True)
    path.unlink()
    path.mkdir()
    refused(base, "is not as a run has written it", is_forced=True)
    path.rmdir()
    forced(base)


def test_an_output_that_is_in_no_list_is_not_removed(base: Path) -> None:
    ran(base, [])
    put(base / "out" / "part-00099.jsonl", b"years of work")
    refused(base, "part-00099.jsonl is not as a run has written it", is_forced=True)


@pytest.mark.parametrize("is_forced", [False, True])
def test_a_link_in_place_of_the_folder_of_the_worst_is_refused(
    base: Path, *, is_forced: bool
) -> None:
    ran(base, [])
    shutil.move(base / "out" / "worst", base / "elsewhere")
    (base / "out" / "worst").symlink_to(base / "elsewhere")
    refused(base, "worst is not as a run has written it", is_forced=is_forced)


@pytest.mark.parametrize("name", ["part-00000.jsonl", "manifest.jsonl", "report.json", "run.json"])
@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder"])
def test_what_is_in_the_way_of_an_output_is_never_overwritten(
    base: Path, name: str, kind: str
) -> None:
    stopped_at(base, "work", [])
    thesis, path = put(base / "thesis.txt", b"years of work"), base / "out" / name
    match kind:
        case "file":
            put(path, b"years of work")
        case "link":
            path.symlink_to(thesis)
        case "dangling":
            path.symlink_to(base / "nowhere")
        case _:
            put(path / "thesis.txt", b"years of work")
    before = everything(path.parent), path.lstat().st_ino
    with pytest.raises(Refused, match="is not as a run has written it"):
        ran(base, [])
    after = everything(path.parent)
    assert {name: after[name] for name in before[0] if ".corpus" not in name} == {
        name: content for name, content in before[0].items() if ".corpus" not in name
    }
    assert path.lstat().st_ino == before[1]
    assert thesis.read_bytes() == b"years of work"
    assert not (base / "nowhere").exists()
    path.rename(base / "moved away")
    ran(base, [])
    ran(base, [], out="expected")
    assert written(base / "out") == written(base / "expected")


def test_a_page_never_goes_through_a_link_or_over_another_file(base: Path) -> None:
    done = run_plan(plan(["data"], "out", []), LocalEngine(1), base=base)
    thesis = put(base / "thesis.txt", b"years of work")
    (base / "out" / PAGE).symlink_to(thesis)
    with pytest.raises(Refused, match="is not as a run has written it"):
        write_page(done)
    assert thesis.read_bytes() == b"years of work"
    (base / "out" / PAGE).unlink()
    put(base / "out" / PAGE, b"my own page")
    with pytest.raises(Refused, match="is not as a run has written it"):
        write_page(done)
    again = ran(base, [])
    assert again.was_done
    assert (base / "out" / PAGE).read_bytes() == b"my own page"


def test_a_folder_that_takes_the_place_of_the_work_folder_meanwhile_is_not_written(
    base: Path,
) -> None:
    put(base / "foreign" / "shard-00000.records", b"years of work")
    before = everything(base / "foreign")

    def swap(progress: RunProgress) -> None:
        work = base / "out" / ".corpus"
        if progress.phase == "work" and not work.is_symlink():
            work.rename(base / "moved away")
            work.symlink_to(base / "foreign")

    with pytest.raises(Refused, match="out"):
        run_plan(plan(["data"], "out", []), LocalEngine(1), base=base, on_progress=swap)
    assert everything(base / "foreign") == before


@pytest.mark.parametrize("phase", ["work", "settle", "write"])
def test_a_run_that_an_earlier_version_has_begun_goes_on(base: Path, phase: str) -> None:
    stopped_at(base, phase, DEDUPED)
    for path in (base / "out" / ".corpus").glob("*.written"):
        path.unlink()  # Earlier versions had no list.
    left = put(base / "out" / "part-00000.jsonl.0123456789ab4123812345678901234.part", b"half")
    ran(base, DEDUPED)
    left.unlink()
    ran(base, DEDUPED, out="expected")
    assert written(base / "out") == written(base / "expected")
    forced(base)


def test_a_run_that_an_earlier_version_has_finished_is_not_removed(base: Path) -> None:
    ran(base, [])
    (base / "out" / ".corpus" / "written.json").unlink()
    assert ran(base, []).was_done
    refused(base, "written by a version that had no list", is_forced=True)


def test_a_run_that_was_killed_before_it_began_goes_on(base: Path) -> None:
    put(base / "out" / ".corpus" / "lock")
    put(base / "out" / ".corpus" / f"run.json.{'0' * 12}4000a{'0' * 15}.part", b'{"kind"')
    ran(base, [])
    assert sorted(path.name for path in (base / "out" / ".corpus").iterdir()) == [
        "lock",
        "run.json",
        "seen.json",
        "written.json",
    ]


def test_beginning_anew_goes_on_where_it_was_killed(base: Path) -> None:
    ran(base, [])
    (base / "out" / "part-00000.jsonl").unlink()
    (base / "out" / "worst" / "01.json").unlink()
    forced(base)
    assert len(list((base / "out").glob("part-*"))) == 3


def test_a_finished_folder_that_was_copied_begins_anew(base: Path) -> None:
    ran(base, [])
    shutil.copytree(base / "out", base / "copy", copy_function=shutil.copyfile)
    forced(base, "copy")


def test_every_file_of_a_work_folder_has_a_name_of_ours(base: Path) -> None:
    folder = WorkFolder(base / "out")
    seen: set[str] = set()

    def note(_: RunProgress) -> None:
        if folder.path.exists():
            seen.update(path.name for path in folder.path.iterdir())

    run_plan(plan(["data"], "out", DEDUPED), LocalEngine(1), base=base, on_progress=note)
    seen -= {"lock", "shuffle-0"}
    assert len(seen) > 6
    assert [name for name in seen if not is_work_name(name, 1)] == []
    listed = json.loads((folder.path / "written.json").read_bytes())["files"]
    files = {path.relative_to(base / "out").as_posix() for path in (base / "out").rglob("*.json*")}
    assert {one["name"] for one in listed} == {one for one in files if ".corpus" not in one}


DEEP = "[" * 100_000
LISTED = '{"kind": "ctxtui corpus run", "files": [7, {"name": "report.json", "files": '


@pytest.mark.parametrize("content", [DEEP, "7", f"{LISTED}[[1], [null, 2], 3]}}]}}"], ids=range(3))
@pytest.mark.parametrize("is_forced", [False, True])
def test_a_damaged_list_names_nothing_that_may_be_removed(
    base: Path, content: str, *, is_forced: bool
) -> None:
    ran(base, [])
    (base / "out" / ".corpus" / "written.json").write_text(content)
    before = everything(base)
    if is_forced:
        with pytest.raises(Refused, match="is not as a run has written it"):
            forced(base)
    else:
        ran(base, [])
    assert everything(base) == before


@pytest.mark.parametrize("content", ["[]", DEEP, '{"files": 2}'], ids=range(3))
def test_a_report_that_somebody_has_changed_is_not_given_as_the_report_of_the_run(
    base: Path, content: str
) -> None:
    ran(base, [])
    (base / "out" / "report.json").write_text(content)
    refused(base, r"report\.json is not as a run has written it")


@pytest.mark.parametrize(
    "content", ["{", DEEP, '{"a": 1}', "[[[1]]]", '[[[1, 2, 3, 4, "x"]], [], []]'], ids=range(5)
)
def test_a_damaged_note_about_the_sources_is_refused(base: Path, content: str) -> None:
    ran(base, [])
    (base / "out" / ".corpus" / "seen.json").write_text(content)
    refused(base, r"seen\.json is damaged")
    forced(base)


@pytest.mark.parametrize("shard", [1, ["a"], [[]], [[9, "lines", 0, 1, None, 0]]])
def test_shards_of_another_shape_are_refused(base: Path, shard: object) -> None:
    stopped_at(base, "work", [])
    path = base / "out" / ".corpus" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "shards": [shard]}))
    refused(base, r"run\.json is damaged")
    forced(base)


@pytest.mark.parametrize("file", ["shard-00000.json", "shard-00000.settled.json"])
@pytest.mark.parametrize("content", [DEEP, "[]", '[0, 1, [2], ["x"], "y", [], []]'], ids=range(3))
def test_a_shard_whose_notes_are_damaged_is_done_again(base: Path, file: str, content: str) -> None:
    ran(base, [], out="whole")
    stopped_at(base, "settle", [])
    (base / "out" / ".corpus" / file).write_text(content)
    ran(base, [])
    for name in ("part-00000.jsonl", "manifest.jsonl"):
        assert (base / "out" / name).read_bytes() == (base / "whole" / name).read_bytes()
