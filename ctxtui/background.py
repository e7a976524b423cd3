"""Background work: threads for a screen or the app, and the one place where one is started.

What takes longer than a frame is given to `Background.run`: it runs in a thread, what it returns
is shown in the thread of the app, and whatever goes wrong becomes a sentence.
"""

from __future__ import annotations

from asyncio import CancelledError, Future, Lock, get_running_loop, shield
from collections.abc import Callable
from contextlib import nullcontext, suppress
from contextvars import copy_context
from inspect import iscoroutine
from traceback import format_exception
from typing import Any, TypeVar, cast

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.worker import Worker

from ctxtui.notify import notify
from ctxtui.progress import Cancelled, TaskProgress
from ctxtui.text.toast import failed, sentence_of

T = TypeVar("T")


class BackgroundTask(TaskProgress):
    """One run of some work, which is given it: to report progress, show results, be stopped."""

    def __init__(
        self,
        name: str,
        host: Screen[Any] | App[Any],
        progress: Callable[[float], object] | None,
        *,
        holds_keys: bool,
    ) -> None:
        super().__init__(self._report, lambda: not self.is_wanted())
        self.name = name
        self.holds_keys = holds_keys
        self.worker: Worker[None] | None = None
        self._host = host
        self._app = host.app
        self._progress = progress
        self._is_cancelled = False

    def is_wanted(self) -> bool:
        """Return whether its result is still waited for; any thread may ask."""
        host = self._host
        return not self._is_cancelled and host.is_attached and host.is_running

    def cancel(self) -> None:
        """Drop the result; the work itself ends where it next asks whether it is wanted."""
        self._is_cancelled = True
        if self.worker is not None:
            self.worker.cancel()

    def show(self, act: Callable[..., object], *given: Any) -> None:
        """Call something in the app's thread and wait for it; stop if it is no longer wanted."""
        if not self.is_wanted():
            raise Cancelled
        self._call(act, *given)

    def _call(self, act: Callable[..., object], *given: Any) -> None:
        def act_if_wanted() -> None:
            if self.is_wanted():
                act(*given)

        self._app.call_from_thread(act_if_wanted)

    def _report(self, done: float) -> None:
        if self._progress is not None and self.is_wanted():
            self._call(self._progress, done)

    @property
    def to_the_end(self) -> TaskProgress:
        """Return what reports the same progress and never stops, for what must not be half done."""
        return TaskProgress(self._report)

    def attempt(
        self, work: Callable[[BackgroundTask], object]
    ) -> tuple[object, BaseException | None]:
        """Do the work, in a thread: return its result, or what went wrong.

        Nothing is raised, since some exceptions never arrive in an event loop.
        """
        try:
            if not self.is_wanted():
                raise Cancelled
            result = work(self)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return None, problem
        if self.is_wanted():
            return result, None
        _close(result)
        return None, Cancelled()


class Background:
    """Runs work in threads for a screen or for the app.

    A run replaces an earlier one of the same name, whose result is dropped; runs in a queue
    are done one after the other instead. The name is a verb, since it is part of what is said if
    the work fails: "Failed to lint: …".
    """

    def __init__(
        self, host: Screen[Any] | App[Any], changed: Callable[[], object] = lambda: None
    ) -> None:
        self._host = host
        self._changed = changed
        """Is called when what keys wait for has begun or ended."""
        self._tasks: list[BackgroundTask] = []
        self._queues: dict[str, Lock] = {}

    def run(  # noqa: PLR0913 - each is a separate choice
        self,
        name: str,
        work: Callable[[BackgroundTask], T],
        then: Callable[[T], object] | None = None,
        *,
        failed: Callable[[str], object] | None = None,
        progress: Callable[[float], object] | None = None,
        queue: str = "",
        holds_keys: bool = False,
    ) -> None:
        """Do some work in a thread, then something with its result in the thread of the app.

        Nothing is done with the result if the screen has been left or the work was cancelled.
        ``failed`` takes the sentence that says what went wrong in ``work`` or ``then``; without
        it that is a toast. ``holds_keys`` lets keys wait until all of it has ended.
        """
        if not queue:
            self.cancel(name)
        task = BackgroundTask(name, self._host, progress, holds_keys=holds_keys)
        self._tasks.append(task)
        lock = self._queues.setdefault(queue, Lock()) if queue else nullcontext()
        self._say_change(task)

        async def follow() -> None:
            try:
                async with lock:
                    result, problem = await self._attempt(task, work)
                    if problem is None and not task.is_wanted():
                        _close(result)
                    elif problem is None and then is not None:
                        shown = then(result)
                        if iscoroutine(shown):
                            await shown
            except (CancelledError, KeyboardInterrupt):
                raise
            except BaseException as error:
                problem = error
            finally:
                self._ended(task)
            self._failed(task, problem, failed)

        task.worker = self._host.run_worker(follow, name, group=name)

    async def _attempt(
        self, task: BackgroundTask, work: Callable[[BackgroundTask], object]
    ) -> tuple[Any, BaseException | None]:
        loop, context = get_running_loop(), copy_context()
        attempt = loop.run_in_executor(None, context.run, task.attempt, work)
        try:
            return await shield(attempt)
        except CancelledError:
            task.cancel()
            attempt.add_done_callback(_close_result)
            raise

    def _failed(
        self,
        task: BackgroundTask,
        problem: BaseException | None,
        failed: Callable[[str], object] | None,
    ) -> None:
        if problem is None or isinstance(problem, Cancelled) or not task.is_wanted():
            return
        self._host.log.error("".join(format_exception(problem)))
        sentence = sentence_of(problem, task.name)
        try:
            (failed or self.complain)(sentence)
        except Exception as another:
            self._host.log.error("".join(format_exception(another)))
            self.complain(sentence)

    def complain(self, sentence: str) -> None:
        notify(self._host, failed(sentence))

    def _ended(self, task: BackgroundTask) -> None:
        if task in self._tasks:
            self._tasks.remove(task)
            self._say_change(task)

    def _say_change(self, task: BackgroundTask) -> None:
        if task.holds_keys and self._host.is_attached and self._host.is_running:
            self._changed()

    def cancel(self, name: str) -> None:
        """Stop all work of a name: nothing is done with what it finds."""
        for task in [one for one in self._tasks if one.name == name]:
            task.cancel()
            self._ended(task)

    def is_running(self, *names: str) -> bool:
        return any(task.name in names for task in self._tasks)

    @property
    def holds_keys(self) -> bool:
        return any(task.holds_keys for task in self._tasks)


def background_of(node: DOMNode) -> Background:
    """Return the runner of the screen that a widget is on."""
    return cast("Background", cast(Any, node.screen).background)


def _close(result: object) -> None:
    """Close a result that holds something open, such as a session."""
    close = getattr(result, "close", None)
    if callable(close):
        with suppress(Exception):
            close()


def _close_result(attempt: Future[Any]) -> None:
    _close(attempt.result()[0])
