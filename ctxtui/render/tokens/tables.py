"""The words and figures of the tokens view: by role, the largest messages, limit and policy."""

from __future__ import annotations

from ctxtui.core.engine.queries import Offer, notices_of
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.values.models import ROLES
from ctxtui.models.look import Look
from ctxtui.models.token_facts import (
    ProviderFigure,
    cached_prefix,
    next_offer,
    off_by,
    provider_figures,
)
from ctxtui.render.message.preview import GLYPHS, WORDS, plain_preview
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.severity import WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

NAME_CELLS = 12
COUNT_CELLS = 7
FIGURE_CELLS = 8
SHARE_CELLS = 7
LEAST_BAR_CELLS = 6
MOST_BAR_CELLS = 24
ROOMY_CELLS = 60


def role_table_lines(look: Look, width: int) -> list[Line]:
    """Return who holds the visible tokens, and what of the raw log that is."""
    figures = look.figures
    sent, log = look.view.column(look.state.log.roles), look.state.log
    raw_codes, raw = log.roles(0, look.log_size), figures.raw_by_role(look.log_size)
    visible_sums = figures.by_role(look.view)
    total = sum(visible_sums)
    rest = max(0, width - NAME_CELLS - COUNT_CELLS - 2 * FIGURE_CELLS - SHARE_CELLS - 2)
    with_raw = rest - COUNT_CELLS - FIGURE_CELLS >= LEAST_BAR_CELLS
    size = min(MOST_BAR_CELLS, rest - (COUNT_CELLS + FIGURE_CELLS if with_raw else 0))
    about = f"{visible(look.counter, 20)}{'' if is_exact(look.counter) else ', estimated'}"
    lines = [head("By role", [Piece(about, "faint")], width)]
    shape = f"{'':<{NAME_CELLS}}{'visible':>{COUNT_CELLS}}{'tokens':>{FIGURE_CELLS}}"
    shape += f"{'mean':>{FIGURE_CELLS}}{'share':>{SHARE_CELLS}}"
    behind = f"{'':<{size + 2}}{'raw':>{COUNT_CELLS}}{'tokens':>{FIGURE_CELLS}}" if with_raw else ""
    lines.append([Piece(shape + behind, "faint")])
    for code, role in enumerate(ROLES):
        count, amount = sent.count(code), visible_sums[code]
        line = [
            Piece(f"{GLYPHS[role]} {role:<{NAME_CELLS - 2}}", role),
            *_figures(count, amount, total),
            Piece(f"  {bar(amount, total, size):<{size}}", role),
        ]
        if with_raw:
            there = raw_codes.count(code)
            line.append(
                Piece(f"{there:>{COUNT_CELLS},}{tokens(raw[code]):>{FIGURE_CELLS}}", "muted")
            )
        lines.append(line)
    lines.append([Piece("─" * width, "track")])
    lines.append(_all_visible(look, len(sent), total))
    share = f"{percent(total, sum(raw))} of it visible" if sum(raw) else ""
    lines.append(
        [
            Piece(f"{'all raw':<{NAME_CELLS}}{look.log_size:>{COUNT_CELLS},}", "muted"),
            Piece(f"{tokens(sum(raw)):>{FIGURE_CELLS}}", "text"),
            Piece(f"   {share}", "muted"),
        ]
    )
    lines += [*_tools(look), *_cache(look), *_provider(look)]
    return cropped(lines, width)


def _figures(count: int, amount: int, total: int) -> Line:
    mean = tokens(round(amount / count)) if count else "·"
    return [
        Piece(f"{count:>{COUNT_CELLS},}", "text"),
        Piece(f"{tokens(amount):>{FIGURE_CELLS}}", "bright"),
        Piece(f"{mean:>{FIGURE_CELLS}}{percent(amount, total):>{SHARE_CELLS}}", "muted"),
    ]


def _all_visible(look: Look, count: int, total: int) -> Line:
    limit = look.conversation.settings.token_limit
    line = [
        Piece(f"{'all visible':<{NAME_CELLS}}{count:>{COUNT_CELLS},}", "text"),
        Piece(f"{tokens(total):>{FIGURE_CELLS}}", "bright"),
    ]
    if limit is not None:
        over = total > limit
        said = f"   {'! ' if over else ''}{percent(total, limit)} of {tokens(limit)}"
        line.append(Piece(said, "error" if over else "muted"))
    not_counted = look.sizes.not_counted
    if not_counted:
        line += [Piece("   "), WARNING.piece(f"{not_counted:,} parts not counted")]
    return line


def _tools(look: Look) -> list[Line]:
    """Return what the tool definitions take, which are sent beside the messages."""
    count, amount = look.tool_definitions
    return [_figure_line("tools", count, amount, "definitions, sent beside")] if count else []


def _cache(look: Look) -> list[Line]:
    """Return what a prompt cache keeps of the batch before, and what is sent again."""
    kept = cached_prefix(look)
    if kept is None:
        return []
    share = percent(kept.tokens, look.total)
    rest = len(look.view) - kept.messages
    return [
        _figure_line("cached", kept.messages, kept.tokens, f"{share}, as in batch {kept.batch}"),
        _figure_line("sent again", rest, kept.sent_again, percent(kept.sent_again, look.total)),
    ]


def _figure_line(name: str, count: int, amount: int, said: str) -> Line:
    return [
        Piece(f"{name:<{NAME_CELLS}}{count:>{COUNT_CELLS},}", "muted"),
        Piece(f"{tokens(amount):>{FIGURE_CELLS}}", "text"),
        Piece(f"   {said}", "muted"),
    ]


def _provider(look: Look) -> list[Line]:
    """Return what providers said beside what was counted, each with who counted it."""
    figures = provider_figures(look)
    if figures is None:
        return []
    asked = plural(figures.requests, "request")
    lines = [] if figures.newest is None else _newest_request(figures.newest, look.counter)
    return [*lines, _said("lifetime", figures.lifetime, f"{asked}, as providers count")]


def _newest_request(newest: ProviderFigure, counter: str) -> list[Line]:
    lines = [_said("provider said", newest.prompt, "prompt of the newest request")]
    if newest.counted is not None:
        apart = off_by(newest.prompt, newest.counted)
        off = f", provider {apart}" if apart else ""
        lines.append(_said("counted then", newest.counted, f"by {visible(counter, 20)}{off}"))
    return lines


def _said(name: str, amount: int, said: str) -> Line:
    return [
        Piece(f"{name:<{NAME_CELLS + COUNT_CELLS}}", "muted"),
        Piece(f"{tokens(amount):>{FIGURE_CELLS}}", "text"),
        Piece(f"   {said}", "muted"),
    ]


def largest_lines(look: Look, width: int, raw: int | None) -> list[Line]:
    """Return the largest visible messages: where they stand, who said them, how much they take."""
    sizes, total = look.sizes, look.total
    if not sizes.largest:
        return [
            head("Largest visible messages", [], width),
            [Piece("Nothing is visible.", "muted")],
        ]
    held = sum(sizes.column[at] for at in sizes.largest)
    count = len(sizes.largest)
    holds = plural(count, "message holds", "messages hold")
    lines = [
        head("Largest visible messages", [Piece(f"{holds} {percent(held, total)}", "faint")], width)
    ]
    places = max(4, len(f"{len(look.view)}") + 1)
    raws = max(5, len(f"{look.log_size}") + 1)
    rest = max(0, width - places - raws)
    lines.append([Piece(f"{'pos':>{places}}{'raw':>{raws}}{'tokens  share':>{rest}}", "faint")])
    peak = sizes.column[sizes.largest[0]]
    size = max(LEAST_BAR_CELLS, min(16, (width - 50) // 2)) if width >= ROOMY_CELLS else 0
    room = max(1, width - places - raws - 8 - size - 1 - FIGURE_CELLS - SHARE_CELLS)
    for at in sizes.largest:
        found = look.view[at]
        message = look.state.log[found]
        amount, here = sizes.column[at], found == raw
        lines.append(
            [
                Piece(f"{at:>{places}}", "key" if here else "text"),
                Piece(f"{found:>{raws}}  ", "muted"),
                Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
                Piece(fit(plain_preview(message), room - 1)),
                Piece(f" {bar(amount, peak, size):<{size}}" if size else "", message.role),
                Piece(f"{amount:>{FIGURE_CELLS},}", "bright"),
                Piece(f"{percent(amount, total):>{SHARE_CELLS}}", "muted"),
            ]
        )
    return cropped(lines, width)


def policy_lines(look: Look, width: int) -> list[Line]:
    """Return what the settings say about tokens, and what the engine offers or will offer."""
    settings, total = look.conversation.settings, look.total
    limit, policy = settings.token_limit, settings.compression_config
    said: list[tuple[str, str]] = []
    if limit is None:
        said.append(("No token limit is set.", "muted"))
    elif total > limit:
        over = f"! {total - limit:,} tokens above the limit of {limit:,}."
        said.append((over, "error"))
    else:
        said.append((f"Limit {limit:,}: room for {limit - total:,} more tokens.", "text"))
    if policy.threshold is None or policy.target_tokens is None:
        said.append(("No policy: nothing is offered when the context grows.", "muted"))
    elif not policy.enabled:
        what = f"threshold {policy.threshold:,}, target {policy.target_tokens:,}"
        said.append((f"Policy off ({what}): nothing is offered.", "muted"))
    else:
        said += _offers(look, policy.threshold, policy.target_tokens)
    lines = [head("Limit and policy", [], width)]
    for text, kind in said:
        lines += [[Piece(row, kind)] for row in wrap(text, width)]
    return lines


def _offers(look: Look, threshold: int, target: int) -> list[tuple[str, str]]:
    """Return what an enabled policy says now."""
    said = [(f"Policy on: threshold {threshold:,}, target {target:,}.", "text")]
    offers = [one for one in notices_of(look.state, look.revision) if isinstance(one, Offer)]
    if offers:
        said += [(WARNING.text(f"Offered now: {offers[0].operation.sentence()}."), WARNING.kind)]
    elif look.total > threshold:
        above = look.total - threshold
        told = f"{above:,} above the threshold: the next APPEND offers a cut."
        said.append((WARNING.text(told), WARNING.kind))
    elif (offer := next_offer(look)) is not None:
        about = f", about {plural(offer.messages, 'message')} as they are here"
        near = about if offer.messages else ""
        said.append((f"Next offer at {offer.threshold:,}: {offer.operation}.", "text"))
        said.append((f"{offer.left:,} more tokens until then{near}.", "muted"))
    return said
