"""Telling what came of a change: what it did, which errors it brought, and what is offered now."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from core import Refused
from core.conversation.results import Result
from core.queries.notices import Offer
from ctxtui.render.changes import change_told, errors_told, offer_told
from ctxtui.telling import tell
from ctxtui.threads import from_thread

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen


def tell_outcome(
    screen: InspectorScreen, result: Result, word: str | None, errors_before: int | None
) -> None:
    """Say what a change did; an offer is told as soon as it is known what it would do."""
    workspace, now = screen.workspace, screen.explorer.known_errors
    tell(screen, change_told(result, word, workspace.turned(result)))
    new = 0 if errors_before is None or now is None else now - errors_before
    for told in errors_told(new, screen.conversation.settings.profile):
        tell(screen, told)
    offer = workspace.offer
    if offer is not None:
        _tell_offer(screen, offer)


def _tell_offer(screen: InspectorScreen, offer: Offer) -> None:
    """Find out in a thread what an offer would do, and tell; nothing waits for it."""

    def preview() -> None:
        with suppress(Refused):
            cut = screen.session.preview(offer.operation)
            told = offer_told(offer, cut.tokens.before, screen.conversation.settings, cut)
            from_thread(screen, tell, screen, told)

    screen.run_worker(preview, group="offer", exclusive=True, thread=True)
