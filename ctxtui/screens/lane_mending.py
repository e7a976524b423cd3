"""Mending lanes on the screen that watches them: renaming, merging, splitting, and the way back."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.models.describing import describe
from ctxtui.models.lane_steps import Mended, merge, split
from ctxtui.models.library_steps import PROBLEMS, Done, UndoStep, sentence_of
from ctxtui.models.told import Told, done, failed, note
from ctxtui.models.watching import Lane
from ctxtui.telling import tell
from ctxtui.widgets.prompt import Prompt
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.screens.watch import WatchScreen

BACK = ("u", "takes it back")


class _Step(NamedTuple):
    """Something that was done: how to take it back, what is said then, and what is shown again."""

    undo: UndoStep
    away: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class LaneMending:
    """Does to the sessions of lanes what a user asks for; keys wait until it is done."""

    def __init__(self, screen: WatchScreen) -> None:
        self._screen = screen
        self._steps: list[_Step] = []
        self.is_busy = False
        self._goal: str | None = None
        """The session that is shown when something was done."""
        self.merging: Lane | None = None
        """The lane that is about to be merged into another, which is being picked."""

    @property
    def can_undo(self) -> bool:
        """Tell whether something can be taken back."""
        return bool(self._steps)

    # Asking

    def mend(self, way: str) -> None:
        """Rename, merge or split a lane, or take back what was done last."""
        ways = {"rename": self._ask, "merge": self._pick, "split": self._cut, "undo": self._undo}
        ways[way]()

    def _ask(self) -> None:
        """Ask for another name."""
        lane = self._free_lane("renamed")
        if lane is not None:
            self._screen.query_one(Prompt).ask(
                "rename",
                "the lane's new name",
                partial(self._rename, lane),
                verb="rename it",
                value=lane.title,
                takes_nothing=True,
            )

    def _pick(self) -> None:
        """Let the lane into which this one is merged be picked."""
        lane = self._free_lane("merged")
        if lane is not None:
            self.merging = lane
            self._screen.show()

    def leave(self) -> None:
        """Merge nothing."""
        self.merging = None
        self._screen.show()

    def picked(self, into: Lane) -> None:
        """Merge the lane into the one that was picked."""
        lane = self.merging
        if lane is None or self._is_written(into, "merged"):
            return
        if into is lane:
            tell(self._screen, note("This is the lane itself", "Go to another one."))
            return
        self.merging = None
        self._do(partial(self._merge, lane, into))

    def _cut(self) -> None:
        """Split the lane at the call that is looked at."""
        screen, lane = self._screen, self._free_lane("split")
        if lane is None:
            return
        told = screen.gaze.call(lane)
        if told is None or told.number == 1 or not screen.gaze.is_past(lane):
            which = "first" if told and told.number == 1 else "newest"
            said = f"The {which} call is looked at" if told else "There is no call"
            tell(screen, note(said, "[ and ] go to the call where the new lane begins."))
            return
        self._do(partial(self._split, lane, told.number))

    def _undo(self) -> None:
        """Take back what was done last."""
        if self._steps:
            self._do(self._take_back)
        else:
            tell(self._screen, note("Nothing was changed here yet"))

    def _free_lane(self, word: str) -> Lane | None:
        """Return the lane under the cursor, if it can be changed; else say why not."""
        screen, lane = self._screen, self._screen.chosen
        if lane is None:
            if screen.lane is not None:
                tell(screen, note("Several lanes are folded here", "enter shows them one by one."))
            return None
        return None if self._is_written(lane, word) else lane

    def _is_written(self, lane: Lane, word: str) -> bool:
        if lane.holder is None:
            return False
        said = f"{lane.title} is being written by {lane.holder}"
        tell(self._screen, note(said, f"It can be {word} when that has ended."))
        return True

    # Doing

    async def _rename(self, lane: Lane, text: str) -> None:
        library = self._screen.library
        act = partial(describe, library, [lane.entry], {"title": text.strip()})
        self._renamed(await to_thread(act))

    def _renamed(self, finished: Done) -> None:
        if finished.step is not None:
            self._steps.append(_Step(finished.step))
        if finished.told is not None:
            tell(self._screen, finished.told)
        self._screen.look()

    def _merge(self, lane: Lane, into: Lane) -> Told:
        mended = merge(self._screen.library, into.session.id, [lane.session.id])
        said = f"{plural(mended.made[0].calls, 'call')}; the old sessions are in the trash."
        back = f"{lane.title} and {into.title} are two lanes again."
        return self._done(mended, f"Merged: {lane.title} into {into.title}", said, back)

    def _split(self, lane: Lane, number: int) -> Told:
        mended = split(self._screen.library, lane.session.id, number)
        first, second = mended.made
        said = f"{plural(first.calls, 'call')} and {plural(second.calls, 'call')}."
        back = f"{lane.title} is one lane again."
        return self._done(mended, f"Split: {lane.title} at call {number:,}", said, back)

    def _done(self, mended: Mended, title: str, said: str, back: str) -> Told:
        made = tuple(one.id for one in mended.made)

        def take_back() -> Done:
            mended.take_back()
            return Done(must_list=True)

        self._steps.append(_Step(UndoStep(take_back, back), made, mended.gone))
        self._screen.watching.replace(mended.gone, made)
        self._goal = made[-1]
        return done(title, said, BACK)

    def _take_back(self) -> Told:
        step = self._steps[-1]
        step.undo.take_back()
        self._steps.pop()
        self._screen.watching.replace(step.away, step.back)
        self._goal = step.back[-1] if step.back else None
        return done("Taken back", step.undo.told)

    def _do(self, act: Callable[[], Told]) -> None:
        self.is_busy = True
        self._screen.show()
        self._screen.run_worker(self._work(act), group="mend", exit_on_error=False)

    async def _work(self, act: Callable[[], Told]) -> None:
        """Do it in a thread while nobody looks, then look again and say what came of it."""
        screen = self._screen
        try:
            async with screen.looking:
                told = await to_thread(act)
                await screen.look_now()
                screen.go_to(self._goal)
        except PROBLEMS as problem:
            told = failed(sentence_of(problem), "Nothing was changed.")
        except Exception as error:
            # Whatever somebody's requests are like, the lanes stay and can be looked at.
            told = failed(f"It failed with {type(error).__name__}", "Nothing was changed.")
        finally:
            self.is_busy = False
        screen.show()
        tell(screen, told)
