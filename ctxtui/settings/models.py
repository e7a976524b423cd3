"""The settings of the app, one after the other: what each is, what is legal, what it leads to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
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
    """What may be typed."""


MOST_SIDE_BY_SIDE = 8
"""Choices of a setting that are all shown in its field; the pane next to it lists more."""
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
            "symbols",
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
            hint="none; such as 128000",
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
            hint="the default; such as ~/datasets",
        ),
        Preference(
            "prices",
            "prices",
            "Where things are",
            "What a million tokens cost, so that policies and sweeps can say what a run costs.",
            hint="unknown; input=3,cached=0.3,output=15",
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
    """Return a setting as a field; nothing typed is the default."""
    value = getattr(preferences, preference.name)
    if preference.choices is None:
        text = shown_value(preference, preferences) if value else ""
        return Option(
            *(preference.name, preference.label, text, {}, preference.group, preference.hint)
        )
    values = [choice.value for choice in preference.choices()]
    as_chosen = (replace(preferences, **{preference.name: one}) for one in values)
    words = {
        one: shown_value(preference, chosen) for one, chosen in zip(values, as_chosen, strict=True)
    }
    return Option(
        *(preference.name, preference.label, value, words, preference.group),
        is_stepped=len(words) > MOST_SIDE_BY_SIDE,
    )


def library_notes() -> list[str]:
    """Return where the sessions are at the next start, and why."""
    given = os.environ.get(VARIABLE)
    because = f", because {VARIABLE} is set" if given else ""
    return [f"next start: {library_folder()}{because}"]


def kept_at() -> str:
    """Return the file that holds all of this."""
    return str(preferences_file())
