"""A projection as lint reads it: columns of facts, and the pairing of calls and results."""

from __future__ import annotations

from functools import cached_property
from itertools import compress

from ..history.columns import ROLE_CODES, flag_table, role_table
from ..history.state import State
from ..messages.facts import CALLS, LINKED, RESULTS
from ..values.roles import ROLES
from ..views.masks import either
from ..views.view import View
from .pairing import Pairing, Site, pair

TOOL = ROLE_CODES["tool"]


class Projection:
    """The facts about everything visible in a state; no message is opened to make them."""

    def __init__(self, state: State) -> None:
        self.log = state.log
        self.view = state.view
        self.size = len(state.view)
        self.roles = state.view.column(state.log.roles)
        self.flags = state.view.column(state.log.flags)
        self.tokens = state.total(state.current)
        self.limit = state.head.settings.token_limit

    @cached_property
    def raws(self) -> list[int]:
        """Return the raw indices by position."""
        return list(self.view)

    @cached_property
    def pairing(self) -> Pairing:
        """Return how calls and results stand to each other."""
        mask = either(self.flagged(LINKED), self.roles.translate(role_table(["tool"])))
        roles = [ROLES[code] for code in compress(self.roles, mask)]
        links = map(self.log.links, compress(self.view, mask))
        return pair(zip(compress(range(self.size), mask), roles, links, strict=True))

    @cached_property
    def unsound(self) -> list[Site]:
        """Return the calling messages that something is wrong with."""
        return self.pairing.unsound()

    @cached_property
    def known_calls(self) -> set[str]:
        """Return the ids of all calls that were ever made, visible or not."""
        everything = View.of_runs([(0, len(self.log))])
        calling = self.log.with_flag(everything, CALLS)
        return {call for raw in calling for call in self.log.links(raw).calls}

    @cached_property
    def conversation(self) -> list[int]:
        """Return the positions of all but the system messages."""
        return list(compress(range(self.size), self.roles.translate(role_table(ROLES[1:]))))

    def flagged(self, flag: int) -> bytes:
        """Return for each position whether it carries any of some flags."""
        return self.flags.translate(flag_table(flag))

    def positions(self, flag: int) -> list[int]:
        """Return the positions that carry any of some flags."""
        return list(compress(range(self.size), self.flagged(flag)))

    def of_role(self, role: str) -> list[int]:
        """Return the positions of a role."""
        return list(compress(range(self.size), self.roles.translate(role_table([role]))))

    def role(self, position: int) -> str:
        """Return the role at a position."""
        return ROLES[self.roles[position]]

    def is_result(self, position: int) -> bool:
        """Tell whether a result stands at a position: a tool message, or one with results."""
        return self.roles[position] == TOOL or bool(self.flags[position] & RESULTS)

    def is_call(self, position: int) -> bool:
        """Tell whether a message that calls tools stands at a position."""
        return bool(self.flags[position] & CALLS)
