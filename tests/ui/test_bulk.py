"""What is done to many sessions: looked at first, done as one step, taken back as one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation, Refused
from ctxtui.core.curation.verdicts import Member
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.forms.options import OptionForm
from ctxtui.library.bulk import (
    ApplyTab,
    BulkScreen,
    BulkTab,
    DuplicatesTab,
    ExportTab,
    ReplaceTab,
)
from ctxtui.library.drawing.bulk import ReplaceHitSource, SessionHitsSource, text_pair_lines
from ctxtui.library.models.data_set import ExportOptions
from ctxtui.library.models.replacing import DryRun, ReplaceChoice, ReplaceQuery, dry_run
from ctxtui.library.models.steps import compare_texts, read_word, squash_many
from ctxtui.library.screen import LibraryScreen
from ctxtui.progress import TaskProgress
from ctxtui.text.lines import line_width
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from tests.cases import case
from tests.drawing import draw
from tests.ui.test_library import told, wait

MAIL = "My mail is kb@mail.example.org, phone +1 202 555 0147."
HOSTILE = "[/b]\x1b[2J\u202e 漢字 🙂 kb@mail.example.org [red]"
T = TypeVar("T", bound=BulkTab)
TABS: dict[str, type[BulkTab]] = {
    "percent_sign": ReplaceTab,
    "a": ApplyTab,
    "e": ExportTab,
    "equals_sign": DuplicatesTab,
}


def session(library: Library, title: str, said: str, status: str = "new") -> str:
    talk = Conversation(
        [
            {"role": "system", "content": "You help at help@parcel.example."},
            {"role": "user", "content": said},
            {"role": "assistant", "content": "Thank you."},
        ]
    )
    with library.create(talk, title=title) as made:
        made.describe(status=status)
        return made.id


def some() -> MemoryLibrary:
    library = MemoryLibrary()
    session(library, "warranty", MAIL, "accepted")
    session(library, "photo", "It is saved as label@2x.png.")
    session(library, "hostile", HOSTILE)
    session(library, "plain", "Nothing personal here.")
    return library


def with_a_twin() -> MemoryLibrary:
    library = some()
    session(library, "twin of warranty", MAIL)
    return library


def said(library: Library, title: str) -> str:
    with library.open(library.find(title), read_only=True) as one:
        return next(one.text for one in one.conversation.visible if one.role == "user")


def status(library: Library, title: str) -> str:
    return next(entry.status for entry in library.list() if entry.title == title)


@asynccontextmanager
async def opened(
    library: Library, key: str, kind: type[T], size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], T]]:
    app = CtxtuiApp(library=library)
    async with app.run_test(size=size) as pilot:
        await wait(pilot)
        await pilot.press(key)
        await known(pilot)
        tab = shown_tab(pilot)
        assert isinstance(tab, kind)
        yield pilot, tab


def shown_tab(pilot: Pilot[str]) -> BulkTab:
    screen = pilot.app.screen
    assert isinstance(screen, BulkScreen)
    return screen.tab


def form_of(pilot: Pilot[str]) -> OptionForm:
    screen = pilot.app.screen
    assert isinstance(screen, BulkScreen)
    return screen.form


def show(pilot: Pilot[str]) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, BulkScreen)
    screen.show()


async def known(pilot: Pilot[str]) -> None:
    """Wait until it is known what would be done, also by the keys that waited for that."""
    app = pilot.app
    assert isinstance(app, CtxtuiApp)
    await pilot.pause()
    while isinstance(screen := app.screen, BulkScreen):
        await app.type_ahead.settled()  # Or a key may be on its way that starts more work.
        if screen.progress is None and app.type_ahead.is_empty:
            return
        await pilot.pause(0.01)


async def back(pilot: Pilot[str]) -> None:
    """Wait until the library is there again, with what was done shown."""
    while not isinstance(pilot.app.screen, LibraryScreen):
        await pilot.pause(0.01)
    await wait(pilot)


# Replacing


async def test_a_dry_run_shows_every_hit_and_changes_nothing() -> None:
    library = some()
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        figures = tab.choice.figures
        assert (figures.hits, figures.sessions, figures.accepted) == (7, 4, 1)
        assert figures.left_out == 1
        await pilot.press("escape")
        await back(pilot)
    assert said(library, "warranty") == MAIL


async def test_replacing_is_one_step_that_u_takes_back_with_the_verdict() -> None:
    library = some()
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, _):
        await pilot.press("ctrl+s")
        await back(pilot)
        assert said(library, "warranty") == "My mail is [mail], phone [phone]."
        assert said(library, "photo") == "It is saved as label@2x.png."
        assert "[mail]" in said(library, "hostile")
        assert status(library, "warranty") == "in review"
        await pilot.press("u")
        await wait(pilot)
    assert said(library, "warranty") == MAIL
    assert said(library, "hostile") == HOSTILE
    assert status(library, "warranty") == "accepted"


async def test_while_it_searches_it_says_how_far_it_is_and_nothing_of_the_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_end = Event(), Event()

    def slowly(*given: Any) -> DryRun:
        given[-1](1, 3)
        given[-2].step(0.25)
        begun.set()
        may_end.wait()
        return dry_run(*given)

    monkeypatch.setattr("ctxtui.library.bulk.dry_run", slowly)
    app = CtxtuiApp(library=some())
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        await pilot.press("percent_sign")
        while not begun.is_set():
            await pilot.pause(0.01)
        await pilot.pause()
        lines = shown_text(pilot)
        may_end.set()  # Before anything can fail: the thread would wait for ever.
        words = "searched 1 of 4 sessions, 3 hits so far"
        assert sum(words in line for line in lines) > 1
        assert [line for line in lines if any(claim in line for claim in CLAIMS)] == []
        await known(pilot)
        lines = shown_text(pilot)
        assert not any("so far" in line for line in lines)
        assert any("Not searched: the history of changes" in line for line in lines)


CLAIMS = ("Nothing", "No hit", "nowhere else", "nothing is changed until")
"""What may be said when the search is done, if it is so."""


def shown_text(pilot: Pilot[str]) -> list[str]:
    """Return the lines of the screen."""
    return [strip.text for strip in pilot.app.screen._compositor.render_strips()]


async def test_where_nothing_is_found_it_says_what_was_searched_and_what_was_not() -> None:
    library = MemoryLibrary()
    session(library, "plain", "calm")
    with library.open(library.find("plain")) as one:
        one.execute({"operation": "DELETE", "indices": [0]})
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        text = " ".join(shown_text(pilot))
        assert "No hit in what was searched of 1 session." in text
        assert "Not searched: the history of changes" in text
        assert "nowhere else" not in text
        assert tab.choice.run.stays.total("purge") == 1


async def test_hits_beside_the_messages_are_rows_that_can_be_chosen_and_taken_back() -> None:
    library = MemoryLibrary()
    id = session(library, "of kb@mail.example.org", "calm")
    with library.open(id) as one:
        one.execute({"operation": "MARK", "indices": [1], "label": "ask kb@mail.example.org"})
        one.describe(note="call kb@mail.example.org")
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        places = tab.choice.run.touched[0].places
        assert [place.hit.where for place in places] == ["title", "note", "label", "text"]
        assert tab.choice.figures.beside == 3
        assert any("note  call" in line for line in shown_text(pilot))
        tab.choice.turn([places[1]])
        show(pilot)
        await pilot.press("ctrl+s")
        await back(pilot)
        (entry,) = library.list()
        assert (entry.title, entry.note) == ("of [mail]", "call kb@mail.example.org")
        with library.open(id, read_only=True) as one:
            assert list(one.conversation.marks) == ["ask [mail]"]
        await pilot.press("u")
        await wait(pilot)
    (entry,) = library.list()
    assert entry.title == "of kb@mail.example.org"
    with library.open(id, read_only=True) as one:
        assert list(one.conversation.marks) == ["ask kb@mail.example.org"]


def test_a_title_that_was_changed_after_a_replacement_is_not_taken_back() -> None:
    library = MemoryLibrary()
    id = session(library, "of kb@mail.example.org", "calm")
    made = ReplaceChoice(dry_run(library, library.list(), ReplaceQuery(), TaskProgress())).apply(
        library, TaskProgress()
    )
    assert made.toast is not None
    assert "The old text is hidden, not gone." in made.toast.detail
    with library.open(id) as one:
        one.describe(title="mine")
    assert made.step is not None
    made.step.take_back()
    assert library.list()[0].title == "mine"


def test_the_toast_says_what_stays() -> None:
    library = MemoryLibrary()
    mail = "kb@mail.example.org"
    call = {"type": "tool_use", "tool_use": {"id": "c", "name": "send", "input": {mail: mail}}}
    talk = Conversation(
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": mail}]
    )
    talk.execute({"operation": "DELETE", "indices": [1]})
    with library.create(talk, title="one"):
        pass
    choice = ReplaceChoice(dry_run(library, library.list(), ReplaceQuery(), TaskProgress()))
    told = choice.apply(library, TaskProgress()).toast
    assert told is not None
    assert told.title == "Replaced 1 hit in 1 session"
    assert "1 hit stays in names of fields, ids, types or numbers." in told.detail
    assert "1 hit stays in hidden messages, recorded calls or the path of a file." in told.detail


async def test_a_hit_can_be_left_out_and_a_doubt_taken_in() -> None:
    library = some()
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        items = pilot.app.screen.query_one("#hits", LineList)
        items.focus()
        for touched in tab.choice.run.touched:
            if touched.entry.title in ("warranty", "photo"):
                tab.choice.turn(touched.places)
        show(pilot)
        await pilot.press("ctrl+s")
        await back(pilot)
    assert said(library, "warranty") == MAIL
    assert said(library, "photo") == "It is saved as [mail]."


async def test_hits_of_one_message_are_rows_of_their_own_with_the_message_named_once() -> None:
    library = MemoryLibrary()
    session(library, "warranty", MAIL)
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        listed = pilot.app.screen.query_one("#hits", LineList)
        rows = [listed.render_line(y).text.rstrip() for y in range(9)]
        drawn = "\n".join(rows)
        assert drawn.count("❯ user") == 1
        assert drawn.count("− ") == 3
        assert "+ My mail is [mail], phone +1 202 555 0147." in drawn
        assert "phone [phone]." in drawn
        listed.focus()
        await pilot.press("g", "j", "j", "j", "space")  # Only the phone number is left out.
        assert tab.choice.figures.hits == 2
        await pilot.press("ctrl+s")
        await back(pilot)
    assert said(library, "warranty") == "My mail is [mail], phone +1 202 555 0147."


async def test_a_dry_run_tells_the_tokens_before_and_after() -> None:
    library = MemoryLibrary()
    session(library, "warranty", MAIL)
    session(library, "photo", "It is saved as label@2x.png.")
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        figures = tab.choice.figures
        assert figures.tokens_before == sum(entry.tokens for entry in library.list())
        would = pilot.app.screen.query_one("#would")
        drawn = "\n".join(would.render_line(y).text for y in range(would.size.height))
        less = figures.tokens_before - figures.tokens_after
        assert f"{figures.tokens_before}  → {figures.tokens_after}   −{less}" in drawn
        every = [place for touched in tab.choice.run.touched for place in touched.places]
        doubt = next(place for place in every if place.hit.doubt)
        tab.choice.turn([doubt])
        with_doubt = tab.choice.figures.tokens_after
        tab.choice.turn([doubt])
        assert with_doubt < figures.tokens_after == tab.choice.figures.tokens_after
        await pilot.press("ctrl+s")
        await back(pilot)
    assert sum(entry.tokens for entry in library.list()) == figures.tokens_after


async def test_space_leaves_the_row_under_the_cursor_out() -> None:
    library = some()
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        await known(pilot)
        pilot.app.screen.query_one("#touched", LineList).focus()
        await pilot.pause()
        before = tab.choice.figures.sessions
        await pilot.press("g", "space")
        await known(pilot)
        assert tab.choice.figures.sessions != before


async def test_own_words_and_patterns_are_typed_and_bad_ones_stay_in_their_field() -> None:
    library = some()
    async with opened(library, "percent_sign", ReplaceTab) as (pilot, tab):
        await pilot.press("left", "j", "left", "j", "left")  # No built-in one.
        await known(pilot)
        assert tab.action_label == ""
        await pilot.press("j", "down", *"(oops")
        await known(pilot)
        form = form_of(pilot)
        assert "(oops" in str(form.rows["expression"].complaint)
        await pilot.press("ctrl+s")
        assert "Fix the red field first" in told(pilot)
        await pilot.press("ctrl+u", *r"label@\d")
        await known(pilot)
        assert not form.is_wrong
        await pilot.press("down", *"picture")
        await known(pilot)
        assert tab.action_label == "replace 1 in 1"
        await pilot.press("ctrl+s")
        await back(pilot)
    assert said(library, "photo") == "It is saved as picturex.png."


async def test_only_the_selected_sessions_are_looked_through() -> None:
    library = some()
    app = CtxtuiApp(library=library)
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        await pilot.press("space", "percent_sign")
        await known(pilot)
        assert len(shown_tab(pilot).chosen) == 1


async def test_nothing_is_replaced_that_was_not_shown_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_end = Event(), Event()

    def slowly(*given: Any) -> DryRun:
        begun.set()
        may_end.wait()
        return dry_run(*given)

    monkeypatch.setattr("ctxtui.library.bulk.dry_run", slowly)
    library = some()
    app = CtxtuiApp(library=library)
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        await pilot.press("percent_sign")
        while not begun.is_set():
            await pilot.pause(0.01)
        app.screen.action_apply()  # type: ignore[attr-defined]
        may_end.set()
        await known(pilot)
        assert "Not done yet: this is still being found out" in told(pilot)
        assert said(library, "warranty") == MAIL
        await pilot.press("ctrl+s")
        await back(pilot)
        await wait(pilot)
    assert said(library, "warranty") != MAIL


def test_a_session_that_was_changed_since_the_look_is_left_alone_and_told() -> None:
    library = some()
    wanted = ReplaceQuery()
    run = dry_run(library, library.list(), wanted, TaskProgress())
    with library.open(library.find("warranty")) as one:
        one.execute({"operation": "DELETE", "indices": [1]})
    done = ReplaceChoice(run).apply(library, TaskProgress())
    assert done.toast is not None
    assert "stayed as they were" in done.toast.detail
    with library.open(library.find("warranty"), read_only=True) as one:
        assert len(one.conversation.view) == 2
    assert status(library, "warranty") == "accepted"


def test_what_was_changed_after_a_replacement_is_not_taken_back() -> None:
    library = some()
    done = ReplaceChoice(dry_run(library, library.list(), ReplaceQuery(), TaskProgress())).apply(
        library, TaskProgress()
    )
    with library.open(library.find("warranty")) as one:
        one.execute({"operation": "APPEND", "messages": [{"role": "user", "content": "more"}]})
    assert done.step is not None
    told = done.step.take_back().toast
    assert told is not None
    assert "changed since" in told.detail
    assert said(library, "hostile") == HOSTILE
    assert "[mail]" in said(library, "warranty")


# Applying


async def test_a_recipe_is_tried_on_each_and_then_applied_as_one_step() -> None:
    library = some()
    async with opened(library, "a", ApplyTab) as (pilot, tab):
        names = [means.file.name for means in tab.known]
        await pilot.press(*["right"] * names.index("plain-window"))
        await known(pilot)
        assert tab.current is not None
        assert tab.current.file.name == "plain-window"
        assert len(tab.trials.trials) == 4


async def test_a_recipe_that_changes_nothing_leaves_no_batch(tmp_path: Path) -> None:
    recipe = tmp_path / "cut.json"
    recipe.write_text(json.dumps([{"operation": "TRUNCATE", "keepLast": 2}]), encoding="utf-8")
    library = some()
    session(library, "short", "x")
    async with opened(library, "a", ApplyTab) as (pilot, tab):
        await pilot.press("down", *str(recipe), "enter")
        await known(pilot)
        assert tab.action_label == "change 5"
        pilot.app.screen.query_one("#hits", LineList).focus()
        await pilot.press("g", "space")
        assert tab.action_label == "change 4"
        await pilot.press("ctrl+s")
        await back(pilot)
        sizes = sorted(entry.visible for entry in library.list())
        assert sizes == [2, 2, 2, 2, 3]
        await pilot.press("u")
        await wait(pilot)
    assert {entry.visible for entry in library.list()} == {3}
    assert status(library, "warranty") == "accepted"


async def test_a_recipe_that_is_refused_says_why_and_changes_nothing(tmp_path: Path) -> None:
    recipe = tmp_path / "bad.json"
    recipe.write_text(
        json.dumps(
            [{"operation": "DELETE", "indices": [1]}, {"operation": "DELETE", "indices": [99]}]
        )
    )
    library = some()
    async with opened(library, "a", ApplyTab) as (pilot, tab):
        await pilot.press("down", *str(recipe), "enter")
        await known(pilot)
        assert tab.action_label == ""
        assert all("99" in trial.problem for trial in tab.trials.trials)


def test_titles_that_differ_in_their_number_alone_can_be_told_apart() -> None:
    library = MemoryLibrary()
    for number in (8, 9):
        session(library, f"{'a long name of a file ' * 4}#{number}", MAIL)
    run = dry_run(library, library.list(), ReplaceQuery(), TaskProgress())
    lists = (SessionHitsSource(ReplaceChoice(run)), ReplaceHitSource(ReplaceChoice(run)))
    for source in lists:
        drawn = "".join(piece.text for at in range(len(source)) for piece in source.line(at, 42))
        assert "#8" in drawn
        assert "#9" in drawn


# Exporting


async def test_accepted_sessions_are_written_with_a_manifest(tmp_path: Path) -> None:
    library = some()
    out = tmp_path / "train.jsonl"
    async with opened(library, "e", ExportTab) as (pilot, tab):
        assert tab.choice.status == "accepted"
        assert len(tab.preview.plan.records) == 1
        assert tab.action_label == "write 1 record"
        assert tab.choice.name == "dataset.jsonl"
        form_of(pilot).rows["out"].target.focus()
        await pilot.press("ctrl+u", *str(out))
        await known(pilot)
        assert tab.choice.format == "openai"  # No letter of a path is a key.
        assert tab.action_label == "write 1 record"
        assert json.loads(tab.preview.first)["messages"][1]["content"] == MAIL
        await pilot.press("ctrl+s")
        await back(pilot)
    (line,) = out.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["messages"][1]["content"] == MAIL
    manifest = json.loads((tmp_path / "train.manifest.json").read_text(encoding="utf-8"))
    assert [record["session"] for record in manifest["records"]] == [library.find("warranty")]


async def test_a_file_that_is_there_is_not_written_over_unless_it_is_chosen(tmp_path: Path) -> None:
    library = some()
    out = tmp_path / "train.jsonl"
    out.write_text("precious", encoding="utf-8")
    async with opened(library, "e", ExportTab) as (pilot, tab):
        form = form_of(pilot)
        form.rows["out"].target.focus()
        await pilot.press("ctrl+u", *str(out))
        await known(pilot)
        assert tab.action_label == ""
        await pilot.press("ctrl+s")
        form.rows["is_forced"].target.focus()
        await pilot.press("right")
        await known(pilot)
        assert out.read_text(encoding="utf-8") == "precious"
        assert tab.action_label == "write 1 record"


async def test_a_bad_share_stays_in_its_field_with_what_is_legal() -> None:
    async with opened(some(), "e", ExportTab) as (pilot, tab):
        form = form_of(pilot)
        form.rows["ratio"].target.focus()
        await pilot.press(*"1.5", "enter")
        assert "between 0 and 1" in str(form.rows["ratio"].complaint)
        assert tab.choice == ExportOptions(status="accepted")
        form.rows["ratio"].target.focus()
        await pilot.press("ctrl+u", *"0.5", "enter")
        await known(pilot)
        assert tab.choice.ratio == 0.5
        assert form.here == "seed"


@pytest.mark.parametrize("text", ["x", "1.5", "0", "-1", "nan", "inf"])
def test_shares_outside_their_range_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        ExportOptions().having("ratio", text)


def test_the_default_name_is_one_that_no_file_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ExportOptions()
    assert options.name == "dataset.jsonl"
    (tmp_path / "dataset.jsonl").write_text("precious", encoding="utf-8")
    assert options.name == "dataset-2.jsonl"
    assert options.having("is_folder", True).name == "dataset"
    assert options.having("format", "markdown").name.startswith("dataset.")
    assert options.having("out", "mine.jsonl").name == "mine.jsonl"


# Duplicates


async def test_duplicates_are_grouped_and_the_extra_ones_rejected() -> None:
    library = with_a_twin()
    twin = library.find("twin of warranty")
    async with opened(library, "equals_sign", DuplicatesTab) as (pilot, tab):
        (group,) = tab.found.groups
        assert [member.entry.title for member in group.members] == ["warranty", "twin of warranty"]
        await pilot.press("ctrl+s")
        await back(pilot)
        assert status(library, "twin of warranty") == "rejected"
        assert status(library, "warranty") == "accepted"
        await pilot.press("u")
        await wait(pilot)
    assert next(one.status for one in library.list() if one.id == twin) == "new"


async def test_nearly_alike_sessions_are_found_with_a_threshold() -> None:
    library = MemoryLibrary()
    long = " ".join(f"word{number}" for number in range(80))
    session(library, "one", long)
    session(library, "two", f"{long} and one more")
    async with opened(library, "equals_sign", DuplicatesTab) as (pilot, tab):
        assert not tab.action_label
        await pilot.press("right", "right")
        await known(pilot)
        assert tab.choice.threshold == 0.9
        assert len(tab.found.groups) == 1
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        shown = "\n".join(shown_text(pilot))
        assert "2 of 3 messages the same" in shown
        assert "Thank you." in shown
        assert "and one more" in shown
        pilot.app.screen.query_one("#hits", LineList).focus()
        await pilot.press("space")
        assert not tab.extra


def test_two_texts_show_what_differs_and_only_that() -> None:
    library = MemoryLibrary()
    session(library, "one", "A lost book costs 12.00 and a fee.")
    session(library, "two", "A lost book costs 12 euros and a fee.")
    first, other = library.list()
    found = compare_texts(library, first, Member(other, 0.9))
    assert [pair.is_same for pair in found.pairs] == [True, False, True]
    for width in (120, 40):
        lines = text_pair_lines(found, width)
        tinted = {piece.text.strip() for line in lines for piece in line if "-on-" in piece.kind}
        assert " ".join(sorted(tinted)).split() == [".00", "euros"]
        assert all(line_width(line) <= width for line in lines)


# Squashing


def test_squash_keeps_the_originals_and_purge_does_not() -> None:
    library = some()
    entry = next(one for one in library.list() if one.title == "warranty")
    with library.open(entry.id) as one:
        one.execute({"operation": "DELETE", "indices": [1]})
    squashed = squash_many(library, [entry], False, TaskProgress())
    assert len(library.list()) == 5
    assert squashed.step is not None
    squashed.step.take_back()
    assert len(library.list()) == 4
    purged = squash_many(library, [entry], True, TaskProgress())
    assert purged.step is None
    assert entry.id not in {one.id for one in library.list()}
    assert entry.id not in library.trash


def test_only_the_two_words_are_taken() -> None:
    assert read_word(" Purge ") is True
    assert read_word("squash") is False
    for text in ("", "y", "yes", "purge all"):
        with pytest.raises(Refused, match="neither squash nor purge"):
            read_word(text)


async def test_nothing_is_purged_before_the_word_is_typed() -> None:
    library = some()
    app = CtxtuiApp(library=library)
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        await pilot.press("Q", *"yes", "enter")
        assert app.screen.query_one(Prompt).is_open
        assert len(library.list()) == 4
        await pilot.press("ctrl+u", *"squash", "enter")
        await wait(pilot)
        await app.workers.wait_for_complete()
        assert len(library.list()) == 5


# In the inspector


async def test_a_session_is_split_at_the_cursor_and_stays_as_it_was() -> None:
    library = some()
    app = CtxtuiApp(library.open(library.find("warranty")), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        await pilot.press("2", "G")
        await pilot.app.screen.run_action("split")
        await wait(pilot)
        sizes = {entry.title: entry.messages for entry in library.list()}
    assert (sizes["warranty (1 of 2)"], sizes["warranty (2 of 2)"]) == (2, 2)
    assert sizes["warranty"] == 3


async def test_splitting_before_the_first_message_is_refused() -> None:
    library = some()
    app = CtxtuiApp(library.open(library.find("warranty")), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        await pilot.press("2", "g")
        await pilot.app.screen.run_action("split")
        await wait(pilot)
        assert len(library.list()) == 4
        assert "1…2" in app.toasts[-1].title


async def test_only_the_selected_messages_are_kept_and_u_brings_the_others_back() -> None:
    library = some()
    opened_session = library.open(library.find("warranty"))
    app = CtxtuiApp(opened_session, library)
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.pause()
        await pilot.press("asterisk")
        assert list(opened_session.conversation.view) == [0, 1, 2]
        await pilot.press("2", "g", "space", "space", "asterisk")
        assert list(opened_session.conversation.view) == [0, 1]
        await pilot.press("u")
        assert list(opened_session.conversation.view) == [0, 1, 2]


# Everywhere


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (200, 60)])
async def test_every_screen_can_be_looked_at_and_left_at_any_size(size: tuple[int, int]) -> None:
    app = CtxtuiApp(library=some())
    async with app.run_test(size=size) as pilot:
        await wait(pilot)
        for key, tab in TABS.items():
            with case(key):
                await pilot.press(key)
                await known(pilot)
                assert isinstance(shown_tab(pilot), tab)
                draw(app)
                await pilot.press("tab", "j", "shift+tab", "question_mark", "escape", "escape")
                await back(pilot)


async def test_the_four_tabs_share_a_screen_and_remember_their_options() -> None:
    async with opened(some(), "percent_sign", ReplaceTab) as (pilot, tab):
        await pilot.press("left")  # Without mail addresses.
        await known(pilot)
        for key, kind in (("a", ApplyTab), ("e", ExportTab), ("equals_sign", DuplicatesTab)):
            await pilot.press(key)
            await known(pilot)
            assert isinstance(shown_tab(pilot), kind)
        await pilot.press("percent_sign")
        await pilot.pause()
        assert shown_tab(pilot) is tab
        assert tab.is_known
        assert "mail" not in tab.query.names
        head = pilot.app.screen.query_one("#bulk-head").render_line(0).text
        await pilot.click("#bulk-head", offset=(head.index("Apply"), 0))
        await known(pilot)
        assert isinstance(shown_tab(pilot), ApplyTab)
