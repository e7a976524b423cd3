"""Background work: what is shown of it, what is dropped, and that nothing that fails is silent."""

from __future__ import annotations

import ast
import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

import ctxtui
from ctxtui.app import CtxtuiApp
from ctxtui.background import Background, BackgroundTask, background_of
from ctxtui.core.storage import MemoryLibrary
from ctxtui.help.screen import HelpScreen
from ctxtui.library.bulk import BulkScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.opening import ProblemScreen
from ctxtui.progress import TaskProgress
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.prompt import Later, Prompt
from ctxtui.widgets.styled import STYLE_CLASSES
from tests.drawing import draw
from tests.settling import FOR_EVER_SECONDS, idle
from tests.ui.opening import TOUR, opened, painted, refusal, tour
from tests.ui.runs import run
from tests.ui.sent_calls import coder
from tests.ui.test_bulk import some, with_a_twin
from tests.ui.test_following import following, watched
from tests.ui.test_library import filled, shown, wait
from tests.ui.test_lint_view import cut
from tests.ui.test_sent_and_seen import recorded
from tests.ui.test_watch import two_threads, watching

SOURCES = Path(ctxtui.__file__).parent
STARTS_A_THREAD = re.compile(
    r"run_worker|@work\b|to_thread|\bThread\(|call_from_thread|run_in_executor|ThreadPool"
)
NOT_THE_APP = ("capture", "cli", "serving")


class Stage(BaseScreen[None]):
    """A screen with nothing on it; it counts how often what keys wait for has changed."""

    COMPONENT_CLASSES = STYLE_CLASSES
    changes = 0

    def waiting_changed(self) -> None:
        self.changes += 1


@asynccontextmanager
async def staged() -> AsyncIterator[tuple[Pilot[str], Background, list[object]]]:
    """Show a screen; return its runner and a list for what is shown."""
    app = CtxtuiApp()
    async with app.run_test() as pilot:
        stage = Stage()
        await app.push_screen(stage)
        yield pilot, stage.background, []


def told(pilot: Pilot[str]) -> list[str]:
    assert isinstance(pilot.app, CtxtuiApp)
    return [one.title for one in pilot.app.toasts]


def waits(event: threading.Event, result: object) -> Callable[[TaskProgress], object]:
    """Return work that waits until it may go on, whether or not somebody still wants it."""

    def work(_: TaskProgress) -> object:
        assert event.wait(timeout=60)
        return result

    return work


def test_only_the_runner_starts_threads() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{number}"
        for path in sorted(SOURCES.rglob("*.py"))
        if path.relative_to(SOURCES).parts[0] not in (*NOT_THE_APP, "background.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STARTS_A_THREAD.search(line)
    ]
    assert found == []
    assert STARTS_A_THREAD.search((SOURCES / "background.py").read_text(encoding="utf-8"))


async def test_a_result_is_shown_in_the_thread_of_the_app() -> None:
    async with staged() as (pilot, background, shown):
        background.run(
            "count",
            lambda _: threading.get_ident(),
            lambda worked_in: shown.extend([worked_in, threading.get_ident()]),
        )
        assert background.is_running("count")
        await idle(pilot)
        here = threading.get_ident()
        assert (shown[0] == here, shown[1] == here) == (False, True)
        assert not background.is_running("count")


async def test_the_latest_run_of_a_name_wins_and_what_came_before_is_dropped() -> None:
    async with staged() as (pilot, background, shown):
        first, second = threading.Event(), threading.Event()
        background.run("count", waits(first, "stale"), shown.append)
        background.run("count", waits(second, "latest"), shown.append)
        background.run("lint", lambda _: "another", shown.append)
        second.set()
        await idle(pilot)
        first.set()
        await idle(pilot)
        assert sorted(map(str, shown)) == ["another", "latest"]


async def test_work_in_a_queue_is_all_done_one_after_the_other() -> None:
    async with staged() as (pilot, background, shown):
        begun: list[int] = []
        may_go = threading.Event()

        def work(number: int, _: TaskProgress) -> int:
            begun.append(number)
            assert may_go.wait(timeout=60)
            return number

        for number in range(3):
            background.run(
                f"save {number % 2}",
                lambda task, number=number: work(number, task),  # type: ignore[misc]
                lambda number: shown.append((number, list(begun))),
                queue="save",
            )
        may_go.set()
        await idle(pilot)
        assert shown == [(0, [0]), (1, [0, 1]), (2, [0, 1, 2])]


async def test_cancelled_work_shows_nothing_and_is_told_to_stop() -> None:
    async with staged() as (pilot, background, shown):
        begun, may_go, ended = threading.Event(), threading.Event(), threading.Event()

        def work(task: BackgroundTask) -> None:
            begun.set()
            assert may_go.wait(timeout=60)
            shown.append(task.is_wanted())
            try:
                task.show(shown.append, "too late")
            finally:
                ended.set()

        background.run("search", work, shown.append, progress=shown.append, holds_keys=True)
        await asyncio.to_thread(begun.wait, 60)
        background.cancel("search")
        assert [background.holds_keys, background.is_running("search")] == [False, False]
        may_go.set()
        await asyncio.to_thread(ended.wait, 60)
        await idle(pilot)
        assert shown == [False]
        assert told(pilot) == []


async def test_progress_is_shown_until_it_is_cancelled() -> None:
    async with staged() as (pilot, background, shown):
        begun, may_go = threading.Event(), threading.Event()

        def work(watch: TaskProgress) -> None:
            watch.step(0.5)
            begun.set()
            assert may_go.wait(timeout=60)
            watch.step(0.9)

        background.run("search", work, shown.append, progress=shown.append)
        await asyncio.to_thread(begun.wait, 60)
        background.cancel("search")
        may_go.set()
        await idle(pilot)
        assert shown == [0.5]


async def test_work_that_must_not_be_half_done_goes_on_when_nobody_wants_it() -> None:
    async with staged() as (pilot, background, shown):
        begun, may_go, ended = threading.Event(), threading.Event(), threading.Event()

        def work(task: BackgroundTask) -> None:
            watch = task.to_the_end
            begun.set()
            assert may_go.wait(timeout=60)
            watch.step(0.5)
            ended.set()

        background.run("replace", work, shown.append, progress=shown.append)
        await asyncio.to_thread(begun.wait, 60)
        background.cancel("replace")
        may_go.set()
        assert await asyncio.to_thread(ended.wait, 60)
        await idle(pilot)
        assert shown == []


class Handle:
    """Something that is open until it is closed."""

    def __init__(self) -> None:
        self.is_closed = threading.Event()

    def close(self) -> None:
        self.is_closed.set()


async def test_a_screen_that_is_left_in_the_middle_drops_the_result_and_closes_it() -> None:
    async with staged() as (pilot, background, shown):
        begun, may_go, handle = threading.Event(), threading.Event(), Handle()

        def work(_: TaskProgress) -> Handle:
            begun.set()
            assert may_go.wait(timeout=60)
            return handle

        background.run("open it", work, shown.append)
        await asyncio.to_thread(begun.wait, 60)
        await pilot.app.pop_screen()
        may_go.set()
        assert await asyncio.to_thread(handle.is_closed.wait, 60)
        await idle(pilot)
        assert shown == []


async def test_a_result_that_comes_as_the_work_is_cancelled_is_closed() -> None:
    async with staged() as (pilot, background, shown):
        handle, ended = Handle(), threading.Event()

        def work(_: TaskProgress) -> Handle:
            ended.set()
            return handle

        background.run("open it", work, shown.append)
        await asyncio.sleep(0)  # The work is begun, and nothing in this thread looks at it.
        assert ended.wait(timeout=60)
        background.cancel("open it")
        assert await asyncio.to_thread(handle.is_closed.wait, 60)
        await idle(pilot)
        assert shown == []


def raises(problem: BaseException) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise problem

    return fail


UNEXPECTED = {
    "RuntimeError: boom": RuntimeError("boom"),
    "RuntimeError": RuntimeError(),
    "KeyError: 'a'": KeyError("a"),
    "StopIteration": StopIteration(),
    "SystemExit: 3": SystemExit(3),
    "CancelledError": asyncio.CancelledError(),
    "GeneratorExit": GeneratorExit(),
    "MemoryError": MemoryError(),
    "ValueError: one two": ValueError("one\n  two"),
    "AssertionError: [/x]": AssertionError("[/x]"),
}


@pytest.mark.parametrize("sentence", UNEXPECTED)
async def test_any_exception_in_the_work_is_a_sentence(sentence: str) -> None:
    async with staged() as (pilot, background, shown):
        background.run("count", raises(UNEXPECTED[sentence]), shown.append, holds_keys=True)
        await idle(pilot)
        assert told(pilot) == [f"Failed to count: {sentence}"]
        assert shown == []
        assert not background.holds_keys


async def test_what_is_known_to_go_wrong_keeps_its_own_words() -> None:
    async with staged() as (pilot, background, _):
        background.run("write", raises(OSError(28, "No space left on device", "/a/b")))
        await idle(pilot)
        assert told(pilot) == ["/a/b: No space left on device"]


@pytest.mark.parametrize("problem", [RuntimeError("boom"), StopIteration(), KeyError()])
async def test_an_exception_in_what_shows_the_result_is_a_sentence_too(
    problem: Exception,
) -> None:
    async with staged() as (pilot, background, shown):
        background.run("count", lambda _: 1, raises(problem), failed=shown.append, holds_keys=True)
        background.run("lint", lambda task: task.show(raises(problem)), failed=shown.append)

        async def late(_: object) -> None:
            await asyncio.sleep(0)
            raise problem

        background.run("list", lambda _: 1, late, failed=shown.append)
        await idle(pilot)
        assert sorted(str(one).partition(":")[0] for one in shown) == [
            "Failed to count",
            "Failed to lint",
            "Failed to list",
        ]
        assert not background.holds_keys


async def test_a_sentence_that_can_not_be_shown_where_it_belongs_is_a_toast() -> None:
    async with staged() as (pilot, background, _):
        background.run("count", raises(RuntimeError("boom")), failed=raises(ValueError("no pane")))
        await idle(pilot)
        assert told(pilot) == ["Failed to count: RuntimeError: boom"]


async def test_what_goes_wrong_in_stale_work_is_nobodys_business() -> None:
    async with staged() as (pilot, background, shown):
        may_go = threading.Event()

        def fail(_: TaskProgress) -> None:
            assert may_go.wait(timeout=60)
            raise RuntimeError("stale")

        background.run("count", fail, shown.append, failed=shown.append)
        background.run("count", lambda _: "latest", shown.append)
        may_go.set()
        await idle(pilot)
        assert (shown, told(pilot)) == (["latest"], [])


async def test_keys_are_held_until_the_result_is_shown() -> None:
    async with staged() as (pilot, background, shown):
        stage = pilot.app.screen
        assert isinstance(stage, Stage)
        background.run("lint", lambda _: 1)
        assert (background.holds_keys, stage.changes) == (False, 0)
        background.run(
            "save", lambda _: 1, lambda _: shown.append(background.holds_keys), holds_keys=True
        )
        assert (background.holds_keys, stage.changes) == (True, 1)
        await idle(pilot)
        assert (shown, background.holds_keys, stage.changes) == ([True], False, 2)


# Every place

Step = str | Callable[[Pilot[str]], object]
Opening = Callable[[], AbstractAsyncContextManager[tuple[Any, ...]]]


class Place(NamedTuple):
    """Where background work is started: its name, how to get there, and what is made small."""

    name: str
    opening: Opening
    steps: tuple[Step, ...] = ()
    prompt: str = ""
    """The method that answers a prompt with this work."""
    small: tuple[str, ...] = ()
    """Limits below which work is done at once."""


def answer(text: str) -> Step:
    """Return the step that answers a prompt."""

    def enter(pilot: Pilot[str]) -> str:
        pilot.app.screen.query_one("#ask", Input).value = text
        return "enter"

    return enter


def of_screen(act: Callable[[Any], object]) -> Step:
    """Return the step that does something with the screen, as a timer or a worker would."""
    return lambda pilot: act(pilot.app.screen)


def some_sessions() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    return shown(filled("one", "two", "three"))


def of_run() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    return opened(run())


def of_calls() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    return opened(coder())


def of_managed() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    return opened(recorded("a_tools_grow"))


def of_threads() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    library = MemoryLibrary()
    two_threads(library)
    return watching(library)


def of_another() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    return following(watched()[1])


def with_an_offer() -> AbstractAsyncContextManager[tuple[Any, ...]]:
    conversation = tour()
    compression = {"enabled": True, "threshold": 300, "targetTokens": 200}
    settings = {"tokenLimit": 1_000, "compressionConfig": compression}
    conversation.execute({"operation": "CONFIGURE", **settings})
    return opened(conversation)


def look_at_others(screen: Any) -> None:
    screen.learning._stamp = 1  # As if a file of the folder had changed.
    screen.learning.look()


def count_errors(screen: Any) -> None:
    draw(screen.app)  # What is in sight is what has to be counted.
    screen.explorer.panes.count_errors()


LOOK, COUNTS = (
    "ctxtui.inspector.models.look.MESSAGES_AT_ONCE",
    "ctxtui.inspector.models.lint.MESSAGES_AT_ONCE",
)
ARRAYS, JOURNEY = "ctxtui.inspector.player.MESSAGES_AT_ONCE", "ctxtui.inspector.models.player"
TEXT = of_screen(lambda screen: screen.explorer.action_view("text"))
JOURNAL = of_screen(lambda screen: screen.explorer.action_view("journal"))
FILE = str(TOUR)
PLACES = (
    Place("open it", some_sessions, ("enter",)),
    # The library
    Place("look into sessions", some_sessions),
    Place("read the library", some_sessions, (of_screen(look_at_others),)),
    *(
        Place("change the library", some_sessions, (key,))
        for key in ("n", "d", "D", "plus", "9", "u")
    ),
    Place("change the library", some_sessions, ("Q", answer("squash"))),
    Place("import it", some_sessions, ("i", answer(FILE))),
    Place("rename it", some_sessions, ("r", answer("x")), "library._describe"),
    Place("give these tags", some_sessions, ("t", answer("x")), "library._tag"),
    Place("save it", some_sessions, ("semicolon", answer("x")), "library._describe"),
    Place("search", some_sessions, ("slash", answer("x")), "library._search"),
    *(
        Place("find out what would be done", some_sessions, (key,))
        for key in ("percent_sign", "a", "e", "equals_sign")
    ),
    Place("change many sessions", lambda: shown(some()), ("percent_sign", "ctrl+s")),
    Place("compare the texts", lambda: shown(with_a_twin()), ("equals_sign",)),
    # Calls
    Place("look for findings", of_calls, ("I",)),
    Place("look for findings", of_threads),
    Place("read what was seen", of_managed, ("Y",)),
    # The inspector
    Place("lint", opened, small=(LOOK,)),
    Place("count errors", opened, (of_screen(count_errors),), small=(COUNTS,)),
    Place("count matches", opened, ("slash", "t")),
    Place("search", opened, ("slash", answer("tea"))),
    Place("search", opened, ("ampersand", answer("tea"))),
    Place("search", opened, ("B", answer("G1"))),
    Place(
        "lay out the text", opened, (TEXT,), small=("ctxtui.inspector.text_view.QUICK_MESSAGES",)
    ),
    Place("read the journal", opened, (JOURNAL,), small=(f"{JOURNEY}.MOST_RECORDS_AT_ONCE",)),
    Place("work out the index arrays", opened, (JOURNAL,), small=(ARRAYS,)),
    Place("count the findings of every profile", opened, ("L",)),
    Place("try the repairs", lambda: opened(cut()), ("L",)),
    Place("save", opened, ("S",)),
    Place("save", opened, ("asterisk", "d", "ctrl+s")),
    Place("preview the offer", with_an_offer, ("a", *"something to say", "ctrl+s")),
    Place("check the session", opened, (of_screen(lambda screen: screen.action_check()),)),
    Place("judge the session", opened, ("plus",)),
    Place("find the next session", opened, ("greater_than_sign",)),
    Place("split the session", opened, (of_screen(lambda screen: screen.action_split()),)),
    Place("take it back", some_sessions, ("enter", "plus", "u")),
    Place("follow the session", of_another, (of_screen(lambda screen: screen.live.look()),)),
    Place("write the file", opened, ("e", "enter", answer("x.json")), "inspector._export"),
    Place("write it down", opened, ("semicolon", answer("x")), "inspector._write_note"),
    # Forms, and other screens of the inspector
    Place("preview", opened, ("d",)),
    Place("look for cuts to start from", opened, ("t",)),
    Place("compare", opened, ("equals_sign",), small=("ctxtui.diff.models.RUNS_AT_ONCE",)),
    Place("lint", opened, ("equals_sign",), small=(LOOK,)),
    Place("lint", of_calls, ("I",)),
    Place("copy the request", of_calls, ("I", "y")),
    Place("read the strategy files", opened, ("w", "delete", "i")),
    Place(
        *("add it", opened, ("w", "delete", "i", "end", "enter", answer("x.json"))),
        "what_if._take",
    ),
    Place("walk through the run", of_run, ("w",)),
    Place("show what it changes", opened, ("w", "enter")),
    Place("walk through the run", of_run, ("w", "tab")),
    Place("save it", of_run, ("w", "tab", "S", answer("x")), "what_if._save"),
    Place("write the file", of_run, ("w", "tab", "e", answer("x.sh")), "what_if._check"),
    # Watching
    Place("read the threads", of_threads, (of_screen(lambda screen: screen.look()),)),
    Place("change the threads", of_threads, ("m", "j", "enter")),
    Place("rename it", of_threads, ("r", answer("x")), "watch._rename"),
)
WORDS_OF_PROGRESS = re.compile(
    r"… (linting|comparing|counting|trying|reading|walking|looking|saving)|\d% · esc"
)


def names_in_the_sources() -> tuple[set[str], set[str]]:
    """Return the names of all background work, and the methods that answer prompts with some."""
    names, prompts = set(), set()
    for path in SOURCES.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for method in ast.walk(tree):
            if isinstance(method, ast.FunctionDef) and re.search(
                r"(?<!def )\b(Later|\.later)\(", ast.unparse(method).replace("work.later", "Later")
            ):
                prompts.add(f"{path.parent.name}.{method.name}")
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and re.search(
                r"(background(_of\(.*\))?\.run|self\._run)$", ast.unparse(call.func)
            ):
                name = call.args[0]
                if isinstance(name, ast.Constant):
                    names.add(str(name.value))
                elif isinstance(name, ast.JoinedStr):
                    parts = (one for one in name.values if isinstance(one, ast.Constant))
                    names.add(".*".join(str(one.value) for one in parts))
                elif isinstance(name, ast.Name) and name.id.isupper():
                    names.add(getattr(import_module(module), name.id))
    return names, prompts


def test_every_place_that_starts_work_is_in_the_table() -> None:
    names, prompts = names_in_the_sources()
    assert {place.prompt for place in PLACES if place.prompt} == prompts - {"library.later"}
    known = {place.name for place in PLACES if not place.prompt}
    assert [name for name in names if not any(re.fullmatch(name, one) for one in known)] == []
    assert len(names) > 20


def plant(monkeypatch: pytest.MonkeyPatch, name: str, problem: Exception) -> list[str]:
    """Let all work of a name fail; return the names of what was started since."""
    real, started = Background.run, list[str]()

    def run(self: Background, one: str, work: Any, then: Any = None, **options: Any) -> None:
        started.append(one)
        real(self, one, raises(problem) if one == name else work, then, **options)

    monkeypatch.setattr(Background, "run", run)
    return started


def sentences(pilot: Pilot[str]) -> list[str]:
    """Return what is said of something that went wrong: in toasts, the prompt, a form, or alone."""
    screen = pilot.app.screen
    shown = [*told(pilot), screen.sentence if isinstance(screen, ProblemScreen) else ""]
    if screen.query(Prompt):
        shown.append(refusal(screen))
    return [*shown, painted(screen)]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.name} {place.prompt}")
async def test_an_unexpected_error_anywhere_is_said_and_the_next_key_works(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    # Screens look again after a while, and would start again what has just failed.
    for module in ("inspector.saving", "library.screen", "watch.screen"):
        monkeypatch.setattr(f"ctxtui.{module}.LOOK_SECONDS", FOR_EVER_SECONDS)
    for limit in place.small:
        monkeypatch.setattr(limit, -1)
    started = plant(monkeypatch, place.name, RuntimeError("boom [/x] \x1b[31m\u202e"))
    async with place.opening() as (pilot, *_):
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        for step in place.steps:
            key = step if isinstance(step, str) else step(pilot)
            if isinstance(key, str):
                await pilot.press(key)
            await wait(pilot)
        await idle(pilot)
        assert place.name in started
        said = f"Failed to {place.name}: RuntimeError: boom"
        assert any(said in one for one in sentences(pilot)), sentences(pilot)
        drawn = painted(app.screen)
        assert "\x1b" not in drawn
        assert not WORDS_OF_PROGRESS.search(drawn), drawn
        runner = background_of(app.screen)
        assert not runner.is_running(place.name)
        assert not runner.holds_keys
        await pilot.press("f9")
        assert app.type_ahead.is_empty
        assert app.is_running


async def test_the_root_is_no_file_to_export_to_and_keys_work_afterwards() -> None:
    async with shown(some()) as (pilot, app):
        await pilot.press("e")
        screen: Screen[Any] = app.screen
        assert type(screen) is BulkScreen
        screen.form.rows["out"].target.focus()
        await pilot.press("ctrl+u", "slash", "enter")
        await wait(pilot)
        assert "'/' is not a file name" in painted(screen)
        passed = []
        for key in ("f1", "escape", "escape"):
            await pilot.press(key)
            await wait(pilot)
            passed.append(type(app.screen))
        assert passed == [HelpScreen, BulkScreen, LibraryScreen]


async def test_a_prompt_keeps_what_was_typed_whatever_goes_wrong_with_it() -> None:
    async with opened() as (pilot, screen):
        prompt = screen.explorer.prompt
        prompt.ask("place", "a hint", raises(KeyError("[/x]")), verb="go there")
        await pilot.press("7", "enter")
        assert refusal(screen) == "✖ Failed to go there: KeyError: '[/x]'"
        await pilot.press("8")
        assert (prompt.is_open, prompt.line.value, refusal(screen)) == (True, "78", "")


async def test_a_prompt_that_was_left_says_in_a_toast_what_went_wrong() -> None:
    async with opened() as (pilot, screen):
        prompt, may_go = screen.explorer.prompt, threading.Event()

        def fail(_: TaskProgress) -> None:
            assert may_go.wait(timeout=60)
            raise RuntimeError("boom")

        prompt.ask("place", "", lambda _: Later(fail, lambda _: None), verb="go there")
        await pilot.press("7", "enter")
        await pilot.press("escape")
        assert not prompt.is_open
        may_go.set()
        await idle(pilot)
        assert told(pilot) == ["Failed to go there: RuntimeError: boom"]
