"""Facts about the tokens of a look: what a prompt cache keeps, what a provider said, what is next.

Figures of two counters are side by side; neither is derived from the other.
"""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import common_prefix
from ctxtui.core.engine.journal import Record, Usage
from ctxtui.core.engine.queries import charged, offered
from ctxtui.inspector.models.look import Look


class CachedPrefix(NamedTuple):
    """The start that a prompt cache keeps, against the batch before."""

    messages: int
    tokens: int
    batch: int
    """The number of the batch it is compared with."""
    sent_again: int
    """The tokens behind it."""


def cached_prefix(look: Look) -> CachedPrefix | None:
    """Return what is kept of the batch before the one that is shown; None for the first."""
    before = look.before
    if before is None or look.is_seen:
        return None
    messages, tokens = common_prefix(look.state, before.view, look.view)
    number = look.state.batches[before.batch].number
    return CachedPrefix(messages, tokens, number, look.total - tokens)


class ProviderFigure(NamedTuple):
    """What a provider said the newest request cost, beside what was counted here for it."""

    prompt: int
    counted: int | None
    """The tokens of what was visible when it was recorded, by the counter in use."""


def off_by(said: int, counted: int | None) -> str:
    """Return how much more or less a provider counted, as a share of what was counted here."""
    if not counted:
        return ""
    share = (200 * said // counted + 1) // 2 - 100
    sign = "+" if share > 0 else "−" if share < 0 else "±"
    return f"{sign}{abs(share):,} %"


class ProviderFigures(NamedTuple):
    """The newest request, how many there were, and the tokens of all of them.

    A request that was recorded as a call has figures of its own, and is no newest one here.
    """

    newest: ProviderFigure | None
    requests: int
    lifetime: int


def provider_figures(look: Look) -> ProviderFigures | None:
    """Return what providers said, where they were asked."""
    usage = look.conversation.usage
    if not usage.requests:
        return None
    return ProviderFigures(_newest(look), len(usage.requests), usage.total)


def _newest(look: Look) -> ProviderFigure | None:
    for record in reversed(look.conversation.journal):
        match record.operations[0]:
            case Usage() as said:
                return ProviderFigure(said.prompt, _counted_then(look, record))
            case Call() as call if charged(call) is not None:
                return None
    return None


def _counted_then(look: Look, record: Record) -> int | None:
    revisions = look.state.revisions
    if record.after is None or record.after.revision >= len(revisions):
        return None
    return look.state.total(revisions[record.after.revision])


class NextOffer(NamedTuple):
    """The cut that an APPEND above the threshold will be offered."""

    operation: str
    threshold: int
    left: int
    """How many more tokens there may be before."""
    messages: int
    """About how many messages that is, of the size they have here."""


def next_offer(look: Look) -> NextOffer | None:
    """Return what is offered next, if the policy is on and the threshold not passed yet."""
    policy = look.conversation.settings.compression_config
    if not policy.enabled or policy.threshold is None or look.total > policy.threshold:
        return None
    left = policy.threshold - look.total
    mean = look.total / len(look.view) if look.total else 0
    about = round(left / mean) if mean else 0
    return NextOffer(offered(policy).sentence(), policy.threshold, left, about)
