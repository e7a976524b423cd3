"""Taking a setting of a sweep along: the policy as a file, or as a check for CI."""

from __future__ import annotations

import asyncio
from functools import partial

from core.policies.sweeps import Setting
from ctxtui.files.ci_checks import check_text, usual_check, write_check
from ctxtui.files.overwriting import Overwriting
from ctxtui.files.policies import save_policy
from ctxtui.models.policy_sweep import PolicySweep
from ctxtui.models.told import done
from ctxtui.screens.side import Side
from ctxtui.telling import tell


class Shipping:
    """Asks where to, writes it, and says so; nothing is written over unless asked twice."""

    def __init__(self, side: Side, sweep: PolicySweep) -> None:
        self._side = side
        self._sweep = sweep
        self._overwriting = Overwriting()

    def ask_save(self, setting: Setting) -> None:
        """Ask for a name to save the policy under."""
        name = self._sweep.named(setting).name
        then = partial(self._save, setting)
        self._side.prompt.ask("save the policy as", "a name", then, verb="save it", value=name)

    async def _save(self, setting: Setting, name: str) -> None:
        path = await asyncio.to_thread(save_policy, name.strip(), setting.policy)
        tell(self._side, done(f"Saved as {path.name}", f"It is in {path.parent}."))

    def ask_check(self, setting: Setting) -> None:
        """Ask for a file to write a check for CI to."""
        usual = usual_check(self._sweep.named(setting))
        hint = f"a file; nothing typed means {usual}"
        then = partial(self._check, setting, usual)
        prompt = self._side.prompt
        prompt.ask("CI check", hint, then, verb="write the file", takes_nothing=True)

    async def _check(self, setting: Setting, usual: str, text: str) -> None:
        name = text.strip() or usual
        self._overwriting.check(name)
        comparison = self._sweep.comparison
        question = setting.run.question
        must = None if question.must == question.run.labels() else question.must
        policy = self._sweep.named(setting)
        made = check_text(comparison.source, policy, setting.figures, must)
        await asyncio.to_thread(write_check, name, made)
        told = "sh runs it; it fails when the policy does worse than now."
        tell(self._side, done(f"Written to {name}", told))
