"""The settings of the app, one after the other: what each is, what is legal, what it leads to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.tokens import counter_names
from ctxtui.files.preferences import Preferences, preferences_file
from ctxtui.files.sessions import VARIABLE, library_folder
from ctxtui.text.options import Option


class Choice(NamedTuple):
    """One of a few values, and what it means in a few words."""

    value: Any
    about: str = ""


class Preference(NamedTuple):
    """A setting of the app; without choices it is typed."""

    name: str
    label: str
    group: str
    about: str
    choices: Callable[[], tuple[Choice, ...]] | None = None
    hint: str = ""
    """What a prompt says may be typed."""

    def next_value(self, value: Any, by: int) -> Any:
        """Return the choice after a value, or before it; the last is followed by the first."""
        assert self.choices is not None
        values = [choice.value for choice in self.choices()]
        at = values.index(value) if value in values else -by if by > 0 else 0
        return values[(at + by) % len(values)]


COUNTERS = {"bytes/4": "a quarter of the bytes: an estimate, for any language"}
PROFILE_WORDS = {
    "generic": "what no provider takes",
    "openai": "what OpenAI's chat completions refuse",
    "anthropic": "what Anthropic's messages refuse",
    "gemini": "what Gemini refuses",
    "strict-template": "what strict chat templates refuse",
    "fine-tuning": "what a training file may not hold",
}


def preferences_of(themes: Mapping[str, str]) -> tuple[Preference, ...]:
    """Return all settings in the order they are shown; the themes come from the app."""
    return (
        Preference(
            "theme",
            "theme",
            "How it looks",
            "The colours of every screen.",
            lambda: tuple(Choice(name, about) for name, about in themes.items()),
        ),
        Preference(
            "is_ascii",
            "signs",
            "How it looks",
            "Which symbols are drawn. Plain ASCII is for terminals and fonts without the others.",
            lambda: (Choice(False, "all symbols"), Choice(True, "plain ASCII")),
        ),
        Preference(
            "counter",
            "token counter",
            "What new sessions start with",
            "How tokens are counted in sessions that are made from now on. Exact counters need "
            "the extra tokens; without it a quarter of the bytes is counted.",
            lambda: tuple(
                Choice(name, COUNTERS.get(name, "exact, a public tokenizer"))
                for name in counter_names()
            ),
        ),
        Preference(
            "limit",
            "token limit",
            "What new sessions start with",
            "How many tokens a model takes, in sessions that are made from now on: the gauge and "
            "what is offered above 80 % of it follow from that.",
            hint="a number of tokens, such as 128000; 0 for no limit",
        ),
        Preference(
            "profile",
            "lint profile",
            "What new sessions start with",
            "Whose rules lint applies in sessions that are made from now on.",
            lambda: tuple(Choice(name, PROFILE_WORDS[name]) for name in PROFILES),
        ),
        Preference(
            "library",
            "library folder",
            "Where things are",
            "The folder of the sessions, from the next start on. Sessions stay in the folder they "
            "are in; --library and CTXTUI_LIBRARY go before this.",
            hint="a folder, such as ~/datasets/support; nothing for the default",
        ),
        Preference(
            "prices",
            "prices",
            "Where things are",
            "What a million tokens cost, so that policies and sweeps can say what a run costs.",
            hint="such as input=3,cached=0.3,output=15; nothing for unknown",
        ),
    )


def shown_value(preference: Preference, preferences: Preferences) -> str:
    """Return the value of a setting in words."""
    value = getattr(preferences, preference.name)
    match preference.name:
        case "is_ascii":
            return "plain ASCII" if value else "all"
        case "limit":
            return f"{value:,}" if value else "none"
        case "library":
            return value or "the default"
        case "prices":
            return value or "unknown"
    return str(value)


def option_of(preference: Preference, preferences: Preferences) -> Option:
    """Return a setting as a row; what is not the usual value is bright."""
    return Option(
        preference.name,
        preference.label,
        shown_value(preference, preferences),
        "typed" if preference.choices is None else "turn",
        preference.group,
        is_on=getattr(preferences, preference.name) != getattr(Preferences(), preference.name),
    )


def library_notes() -> list[str]:
    """Return where the sessions are at the next start, and why."""
    given = os.environ.get(VARIABLE)
    because = f", because {VARIABLE} is set" if given else ""
    return [f"next start: {library_folder()}{because}"]


def kept_at() -> str:
    """Return the file that holds all of this."""
    return str(preferences_file())
