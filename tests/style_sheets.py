"""Style sheets are parsed once in a process, not once for every app that a test starts.

Parsing takes a sixth of the time of a test of the app, and its outcome depends on nothing but the
text, where it comes from and the colours.
"""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_parse = Stylesheet._parse_rules
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


def _parse_once(self: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
    key = (*source, *options.items(), *self._variables.items())
    if key not in _parsed:
        _parsed[key] = _parse(self, *source, **options)
    return _parsed[key]


Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
