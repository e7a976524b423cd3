"""``ctxtui screenshot`` and ``ctxtui timeline``: pictures without a terminal."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ctxtui.files.opening import open_source, parse_conversations
from ctxtui.files.preferences import Preferences, save_preferences
from ctxtui.pictures.screen import CALL, SCREENS
from tests.cli.conftest import SAMPLES, Run

TOUR = SAMPLES / "tour.json"
SENT = SAMPLES / "framework-trims.requests.jsonl"
FACTS = {
    "inspector": "everything ever added",
    "raw": "everything ever added",
    "visible": "what the model is sent",
    "message": "You are a careful coding agent",
    "timeline": "keep the last eight",
    "text": "whole messages",
    "roles": "assistant",
    "mark-map": "originalIndices",
    "state": "batchSnapshots",
    "journal": "Where the pointer was",
    "tokens": "by role",
    "lint": "G1",
    "diff": "prompt cache",
    "what-if": "Who keeps what",
    "over-run": "Tokens per call",
    "sweep": "Which setting would you ship",
    "call": "The operation that explains it",
    "loom": "labelled",
    "operations": "Put a summary",
    "help": "Press",
    "library": "Sessions",
}


def words(svg: str) -> str:
    """Return all texts of a picture, which must be well-formed."""
    root = ElementTree.fromstring(svg)
    return "".join(root.itertext()).replace("\xa0", " ")


def test_every_screen_has_a_fact_to_be_known_by() -> None:
    assert set(FACTS) == set(SCREENS)


@pytest.mark.parametrize("screen", SCREENS)
def test_each_screen_is_the_one_that_was_asked_for(screen: str, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    file = SENT if screen == CALL else TOUR
    done = run("screenshot", file, "-o", out, "--screen", screen, "--size", "140x42", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.data == {
        "written": str(out),
        "screen": screen,
        "width": 140,
        "height": 42,
        "theme": "ink",
    }
    assert FACTS[screen].lower() in words(out.read_text(encoding="utf-8")).lower()


def test_a_call_that_was_never_recorded_has_no_screen(run: Run) -> None:
    done = run("screenshot", TOUR, "-o", "-", "--screen", "call")
    assert (done.code, done.out) == (2, "")
    assert f"screen call shows a recorded call, and none was recorded in {TOUR}" in done.err


def test_no_two_screens_look_alike(run: Run, tmp_path: Path) -> None:
    small = ("inspector", "raw", "roles", "mark-map", "journal", "lint", "library")
    pictures = []
    for screen in small:
        run("screenshot", TOUR, "-o", tmp_path / f"{screen}.svg", "--screen", screen)
        pictures.append((tmp_path / f"{screen}.svg").read_text(encoding="utf-8"))
    assert len(set(pictures)) == len(small)


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        ("tour.json", "journal"),
        ("trip.openai.json", "over-run"),
        ("coding-agent.json", "inspector"),
    ],
)
def test_the_same_input_gives_the_same_bytes(
    name: str, screen: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    for zone, theme in (("UTC", "ink"), ("Asia/Tokyo", "paper")):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("CTXTUI_CONFIG", str(tmp_path / theme))
        save_preferences(Preferences(theme=theme, is_ascii=theme == "paper", prices="input=3"))
        taken.append(run("screenshot", SAMPLES / name, "-o", "-", "--screen", screen).out)
    assert taken[0] == taken[1]
    assert "<svg" in taken[0]


def test_a_batch_size_theme_and_keys_are_what_is_seen(run: Run) -> None:
    given = ("screenshot", TOUR, "-o", "-", "--theme", "paper", "--size", "100x30")
    assert "VIEWING BATCH 2 OF 4" in words(run(*given, "--batch", "2").out)
    assert "abandoned" in words(run(*given, "--batch", "#1").out)
    chosen = run(*given, "--keys", "j j").out
    assert "Project rule: error messages" in words(chosen)
    assert re.findall(r'<svg class="rich-terminal" viewBox="0 0 (\d+)', chosen) == ["1238"]
    assert "#F4F0E6".lower() in chosen or "#fcfaf5" in chosen


def test_a_picture_loads_nothing_and_is_named_by_no_chance(run: Run) -> None:
    svg = run("screenshot", TOUR, "-o", "-").out
    assert not re.search(r"url\((?!#)|@font-face|@import|<script|<image|href", svg)
    assert not re.search(r"terminal-\d+", svg)


def test_chinese_has_the_width_of_its_cells(run: Run) -> None:
    svg = run("screenshot", SAMPLES / "chinese-moving.json", "-o", "-", "--theme", "paper").out
    places = re.findall(r'<tspan x="([\d.]+)" textLength="24.4">([一-鿿])</tspan>', svg)
    assert len(places) > 100
    head = re.search(r"<text [^>]*>(?:<tspan[^>]*>.</tspan>){5,}", svg)
    assert head is not None
    xs = [float(x) for x in re.findall(r'<tspan x="([\d.]+)"', head[0])]
    assert all(abs(b - a - 24.4) < 0.01 for a, b in pairwise(xs))


@pytest.mark.parametrize("screen", ["raw", "message", "timeline", "journal", "mark-map", "library"])
def test_hostile_text_is_only_text(screen: str, run: Run) -> None:
    done = run("screenshot", SAMPLES / "hostile.json", "-o", "-", "--screen", screen)
    assert done.code == 0
    found = words(done.out)
    assert not set("\x1b\x00\u202e\x9b") & set(found)
    root = ElementTree.fromstring(done.out)
    tags = {one.tag.rpartition("}")[2] for one in root.iter()}
    assert tags <= {"svg", "style", "defs", "clipPath", "rect", "g", "circle", "text", "tspan"}


def test_a_session_is_pictured_and_stays_as_it_is(run: Run, tour: str, library: Path) -> None:
    before = {path: path.read_bytes() for path in library.rglob("*") if path.is_file()}
    done = run("screenshot", tour, "-o", "-", "--keys", "d ctrl+s")
    assert "fix-flaky-upload" in words(done.out)
    after = {path: path.read_bytes() for path in library.rglob("*") if path.is_file()}
    assert before == after


def test_the_library_shows_all_conversations_of_a_file(run: Run) -> None:
    given = ("screenshot", SAMPLES / "curate-thirty.openai.jsonl", "-o", "-", "--screen", "library")
    assert "curate-thirty.openai.jsonl #27" in words(run(*given, "--size", "180x40").out)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--size", "10x4"), "size '10x4' is outside 40x12…400x200"),
        (("--size", "wide"), "size 'wide' is outside 40x12…400x200"),
        (("--batch", "9"), "batch 9 is outside 0…4"),
        (("--screen", "sky"), "invalid choice: 'sky'"),
        (("--theme", "neon"), "invalid choice: 'neon'"),
        (("--keys", "j nokey"), "keys 'nokey' is not a key, such as j"),
        (("--keys", "q"), "keys: q leaves the app"),
    ],
)
def test_what_can_not_be_pictured_is_said_in_a_sentence(
    arguments: tuple[str, ...], sentence: str, run: Run, tmp_path: Path
) -> None:
    done = run("screenshot", TOUR, "-o", tmp_path / "x.svg", *arguments)
    assert done.code == 2
    assert sentence in done.err
    assert not (tmp_path / "x.svg").exists()


def test_a_picture_that_can_not_be_written_is_said(run: Run, tmp_path: Path) -> None:
    done = run("screenshot", TOUR, "-o", tmp_path / "no" / "x.svg")
    assert done.code == 2
    assert "it can't be written" in done.err


@pytest.mark.parametrize(
    ("command", "name", "legal"),
    [
        (("screenshot", TOUR), "x.gif", ".svg or .png"),
        (("timeline", TOUR), "x.pdf", ".svg or .png or .mmd or .mermaid"),
        (("learn", "rollback"), "x.docx", ".html or .htm"),
    ],
)
def test_a_file_that_promises_something_else_is_not_written(
    command: tuple[object, ...], name: str, legal: str, run: Run, tmp_path: Path
) -> None:
    out = tmp_path / name
    done = run(*command, "-o", out)
    assert (done.code, done.out) == (2, "")
    assert f"ends with {out.suffix}; {legal} can be written" in done.err
    assert len(done.err.splitlines()) == 1
    assert not out.exists()


def test_an_ending_may_be_large_left_out_or_overruled(run: Run, tmp_path: Path) -> None:
    for name, more in (("X.SVG", ()), ("x", ()), ("x.txt", ("--to", "mermaid"))):
        assert run("timeline", TOUR, "-o", tmp_path / name, *more).code == 0
        assert (tmp_path / name).read_text(encoding="utf-8")


def test_the_timeline_is_drawn_with_every_batch(run: Run, tmp_path: Path) -> None:
    done = run("timeline", TOUR, "-o", tmp_path / "x.svg", "--json")
    assert done.data == {"written": str(tmp_path / "x.svg"), "kind": "svg", "batches": 6}
    found = words((tmp_path / "x.svg").read_text(encoding="utf-8"))
    for fact in ("fix-flaky-upload", "keep the last eight", "COMPRESS", "✖ 1", "−10"):
        assert fact in found


def test_the_timeline_as_mermaid_has_arrows_from_parents(run: Run, tmp_path: Path) -> None:
    run("timeline", TOUR, "-o", tmp_path / "x.mmd")
    text = (tmp_path / "x.mmd").read_text(encoding="utf-8")
    assert text.startswith("flowchart TD\n")
    assert "  b0 -.-> b1\n" in text
    assert "  b4 --> b5\n" in text
    assert "  class b5 now\n" in text
    assert "  class b1 left\n" in text
    assert "  class b1,b5 broken\n" in text


def test_hostile_names_do_nothing_in_a_timeline(run: Run) -> None:
    hostile = SAMPLES / "hostile.json"
    svg = run("timeline", hostile, "-o", "-").out
    tags = {one.tag.rpartition("}")[2] for one in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "title", "rect", "text", "path", "circle"}
    assert not set("\x1b\x00\u202e") & set(svg)
    mermaid = run("timeline", hostile, "-o", "-", "--to", "mermaid").out
    labels = re.findall(r'^  b\d+\["(.*)"\]$', mermaid, re.MULTILINE)
    assert len(labels) == 4
    for label in labels:
        assert not set('"[]{}|`<>\x1b') & set(label.replace("<br>", ""))
        assert "end of a tag" not in label
    assert len(mermaid.splitlines()) == 1 + 4 + 3 + 3 + 2


# The film, and PNG


def test_a_film_shows_each_record_and_rests_on_the_last(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    done = run("film", TOUR, "-o", out, "--size", "100x30", "--json")
    assert (done.code, done.err) == (0, "")
    first = next(iter(parse_conversations(str(TOUR), open_source(str(TOUR)))))
    records = len(first.conversation.journal)
    assert done.data == {"written": str(out), "kind": "svg", "frames": records}
    svg = out.read_text("utf-8")
    assert "RECORD 10 OF 10" in words(svg)
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    stays = re.findall(r'<g class="f(\d+)-(\d+)">', svg)
    assert all(0 <= int(first) < int(stop) <= records for first, stop in stays)
    always, last = ("0", str(records)), f"-{records} {{ visibility: visible; animation"
    assert always in stays
    assert last in svg


def test_an_asciinema_recording_writes_only_rows_that_change(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.cast"
    assert run("film", TOUR, "-o", out, "--size", "100x30", "--seconds", "0.5").code == 0
    header, *events = map(json.loads, out.read_text("utf-8").splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, 100, 30)
    times = [time for time, _, _ in events]
    assert times[:3] == [0, 0.5, 1.0]
    assert times == sorted(times)
    assert all(kind == "o" for _, kind, _ in events)
    rows = [set(re.findall(r"\x1b\[(\d+);1H", written)) for _, _, written in events]
    assert rows[0] == {str(at + 1) for at in range(30)}
    assert 0 < len(rows[1]) < 30


def test_a_film_refuses_odd_names_and_times(run: Run, tmp_path: Path) -> None:
    done = run("film", TOUR, "-o", tmp_path / "x.gif")
    assert done.code == 2
    assert "ends with .gif; .svg or .cast can be written" in done.err
    done = run("film", TOUR, "-o", tmp_path / "x.svg", "--seconds", "0")
    assert done.code == 2
    assert "seconds" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["screenshot", "timeline"])
def test_pictures_are_png_where_the_name_says_so(command: str, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.png"
    done = run(command, TOUR, "-o", out)
    assert (done.code, done.err) == (0, f"ctxtui: written to {out}\n")
    assert out.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_without_the_converter_a_png_names_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    done = run("timeline", TOUR, "-o", tmp_path / "x.png")
    assert done.code == 2
    assert "a PNG needs resvg-py, which is not installed: pip install '.[png]'" in done.err
    assert list(tmp_path.iterdir()) == []
