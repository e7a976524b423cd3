"""The bill of a run as a card of lines, and as text."""

from __future__ import annotations

from collections.abc import Callable

from ctxtui.core.policies import Prices
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.lines import Line, Piece, fit, line_width, paragraph, spread
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import bar
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable
from ctxtui.what_if.drawing.words import money, prices_text
from ctxtui.what_if.models.bill import Bill, BillColumn

WIDEST = 72
NAME_CELLS = 18
MOST_NAME = 40
NO_PRICE = "No price is set, and none is built in: $ sets what a million tokens cost."
ASSUMED = (
    "Counted here; a cache is taken to serve every start that a call shares with the one before."
)


def bill_lines(bill: Bill, width: int) -> list[Line]:
    """Return what the run costs as it is and under policies, what would be refused, and why."""
    width = min(width, WIDEST)
    cells = max(10, (width - NAME_CELLS) // len(bill.columns))
    columns = bill.columns
    calls = plural(bill.as_it_is.figures.calls, "call")
    title = fit(printable(bill.title, 200), MOST_NAME).rstrip()
    lines = [
        spread(
            [Piece("The bill", "bright"), Piece(f"  {calls}", "muted")],
            [Piece(title, "muted")],
            width,
        )
    ]
    lines += [[], _row("", [Piece(_heading(bill, one), "bright") for one in columns], cells)]
    lines.append(_row("", [Piece(_name(one), "muted") for one in columns], cells))
    for name, amount in _amounts(bill):
        lines.append(_row(name, [Piece(amount(one), "text") for one in columns], cells))
    lines.append([Piece("─" * width, "track")])
    word = "the run" if bill.prices else "not cached, all"
    lines.append(_row(word, [_total(bill, one) for one in columns], cells))
    lines.append(_row("refused calls", [_count(one.refused) for one in columns], cells))
    if any(one.figures.over_limit for one in columns):
        over = [_count(one.figures.over_limit) for one in columns]
        lines.append(_row("  above the limit", over, cells))
    if bill.labels:
        without = [_count(one.figures.without_marked) for one in columns]
        lines.append(_row("without ★", without, cells))
    return [*lines, [], *_bars(bill, width), [], *_words(bill, width)]


def bill_text(bill: Bill) -> str:
    """Return the bill as text."""
    lines = ("".join(piece.text for piece in line).rstrip() for line in bill_lines(bill, WIDEST))
    return "\n".join(lines) + "\n"


def _heading(bill: Bill, column: BillColumn) -> str:
    if column is bill.as_it_is:
        return "R as it is"
    return f"{column.letter} best" if column == bill.best else column.letter


def _name(column: BillColumn) -> str:
    return "" if column.letter == "R" else printable(column.name, MOST_NAME)


def _row(name: str, pieces: list[Piece], cells: int) -> Line:
    line = [Piece(fit(name, NAME_CELLS), "muted")]
    for text, kind in pieces:
        shown = fit(text, cells - 1).rstrip()
        line += [Piece(" " * (cells - line_width([Piece(shown)]))), Piece(shown, kind)]
    return line


Amount = Callable[[BillColumn], str]


def _amounts(bill: Bill) -> list[tuple[str, Amount]]:
    """Return what the bill is made of: in money where there are prices, else in tokens."""
    prices = bill.prices
    if prices is None:
        return [
            ("sent", lambda one: tokens(one.figures.tokens_sent)),
            ("from cache", lambda one: tokens(one.prefix)),
            ("answers", lambda one: tokens(one.figures.output)),
        ]
    names = ["not cached", "from cache", "answers"]
    if any(one.figures.summaries for one in bill.columns):
        names.append("summaries")

    def amount(at: int) -> Amount:
        return lambda one: money(one.parts(prices)[at])

    return [(name, amount(at)) for at, name in enumerate(names)]


def _total(bill: Bill, column: BillColumn) -> Piece:
    cost = column.figures.cost
    text = tokens(int(column.price)) if cost is None else money(cost)
    first = bill.as_it_is.price
    kind = "ok" if column.price < first else "error" if column.price > first else "bright"
    return Piece(text, kind)


def _count(count: int) -> Piece:
    return (
        Piece(ERROR.text(f"{count:,}"), ERROR.kind)
        if count
        else Piece(PASSED.text("0"), PASSED.kind)
    )


def _bars(bill: Bill, width: int) -> list[Line]:
    most = max(1.0, *(one.price for one in bill.columns)) if not bill.prices else 0.0
    most = most or max(one.price for one in bill.columns) or 1.0
    room = max(1, width - 3)
    scale = 1_000_000
    return [
        [
            Piece(f"{one.letter}  ", "bright"),
            Piece(bar(round(one.price / most * scale), scale, room), _total(bill, one).kind),
        ]
        for one in bill.columns
    ]


def _words(bill: Bill, width: int) -> list[Line]:
    lines = paragraph(verdict(bill), width, "bright")
    measured, prices = bill.measured, bill.prices
    if measured is not None:
        said = f"The provider counted {tokens(measured.input)} in, "
        said += f"{percent(measured.cached, measured.input)} cached, {tokens(measured.output)} out"
        if prices is not None:
            cost = prices.cost(measured.input, measured.cached, measured.output)
            said += f": {money(cost)}"
        lines += paragraph(f"{said}.", width)
    return [
        *lines,
        *paragraph(_prices_words(prices), width, "muted"),
        *paragraph(ASSUMED, width, "faint"),
    ]


def _prices_words(prices: Prices | None) -> str:
    if prices is None:
        return NO_PRICE
    return f"At your prices per million tokens: {prices_text(prices)}."


def verdict(bill: Bill) -> str:
    """Return in a sentence what the best policy costs, and what a provider would make of it."""
    best, first = bill.best, bill.as_it_is
    if best is None:
        return "No policy was compared: + in what-if adds one."
    name = f"{best.letter} {printable(best.name, MOST_NAME)}"
    what = "costs" if bill.prices else "leaves uncached"
    share = round(100 * (best.price - first.price) / first.price) if first.price else 0
    less = f"{what} {abs(share)} % {'less' if share < 0 else 'more'} than the run as it is"
    if not share:
        less = f"{what} as much as the run as it is"
    if (best.failing, best.price) >= (first.failing, first.price):
        return (
            f"No policy that was compared does better than the run as it is; {name} comes closest."
        )
    failing = best.failing
    if failing:
        lacks = " or lack a labelled message" if bill.labels else ""
        fails = plural(failing, "call")
        return f"Under {name}, {fails} would be refused{lacks}, the fewest; it {less}."
    refused = first.refused
    end = f", where {plural(refused, 'call')} would be refused" if refused else ""
    return f"{name} {less}{end}; none of its calls would be refused."
