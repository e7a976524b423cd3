"""What find and replace looks for, and what stands in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ctxtui.core.curation.patterns import PATTERNS, Pattern, named_patterns, own_pattern
from ctxtui.core.curation.replacing import EVERYWHERE
from ctxtui.core.values.models import ROLES
from ctxtui.models.option import Option


@dataclass(frozen=True)
class Wanted:
    """What is looked for: built-in patterns, own words or an expression, and in which roles."""

    names: frozenset[str] = frozenset(PATTERNS)
    words: str = ""
    expression: str = ""
    text: str = ""
    """What stands in place of own words."""
    roles: frozenset[str] = frozenset(ROLES)
    everywhere: bool = False
    """Whether names of fields, ids, types and numbers are replaced, too."""

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Return what to look for; refuse an expression that can't be."""
        found = named_patterns([name for name in PATTERNS if name in self.names])
        if self.words:
            found.append(own_pattern(self.words, self.text))
        if self.expression:
            found.append(own_pattern(self.expression, self.text, is_regex=True))
        return found

    def turned(self, name: str) -> Wanted:
        """Return it with a pattern, a role or everything on or off."""
        if name == EVERYWHERE:
            return replace(self, everywhere=not self.everywhere)
        if name in ROLES:
            return replace(self, roles=self.roles ^ {name})
        return replace(self, names=self.names ^ {name})

    def typed(self, name: str, value: str) -> Wanted:
        """Return it with other words; words and an expression replace each other."""
        news: dict[str, Any] = {name: value}
        if name != "text":
            news["expression" if name == "words" else "words"] = ""
        wanted = replace(self, **news)
        _ = wanted.patterns  # Refused now, while it can still be mended.
        return wanted

    def options(self, counts: dict[str, int]) -> list[Option]:
        """Return it as rows, with how much was found of each."""

        def count(name: str) -> str:
            return f"{counts[name]:,}" if counts.get(name) else ""

        said = Option("words", "own words", self.words or "none", "typed", "Find")
        expression = Option("expression", "/pattern/", self.expression or "none", "typed", "Find")
        by = Option("text", "replace them by", self.text or "nothing", "typed", "Find")
        return [
            *(
                Option(
                    name,
                    {"mail": "mail addresses", "phone": "phone numbers", "key": "keys, tokens"}[
                        name
                    ],
                    f"→ {pattern.replacement}",
                    "flag",
                    "Find",
                    is_on=name in self.names,
                    about=count(name),
                )
                for name, pattern in PATTERNS.items()
            ),
            said._replace(is_on=bool(self.words), about=count("words") if self.words else ""),
            expression._replace(
                is_on=bool(self.expression), about=count("words") if self.expression else ""
            ),
            by._replace(is_on=bool(self.text)),
            *(Option(role, role, "", "flag", "In", is_on=role in self.roles) for role in ROLES),
            Option(EVERYWHERE, EVERYWHERE, "field names, ids …", "flag", "In", self.everywhere),
        ]
