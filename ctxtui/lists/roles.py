"""One column of the roles view: the messages of a role, hidden ones dimmed."""

from __future__ import annotations

from core.log import role_table
from ctxtui.look import Look
from ctxtui.render.lines import Line, Piece, fit_pieces
from ctxtui.render.numbers import percent, tokens
from ctxtui.render.preview import preview


class RoleSource:
    """A line for every message of a role in the log; its key is the raw index."""

    def __init__(self, look: Look, role: str) -> None:
        self.look = look
        self.role = role
        everything = look.conversation.query.all(role, scope="raw")
        self.raws = [raw for raw in everything if raw < look.log_size]
        self._places = {raw: at for at, raw in enumerate(self.raws)}

    def about(self) -> str:
        """Return counts, tokens and the share of the visible tokens."""
        codes = self.look.view.column(self.look.state.log.roles)
        sent = codes.translate(role_table([self.role])).count(1)
        count = self.look.role_tokens[self.role]
        share = percent(count, self.look.total)
        return f"{sent} of {len(self.raws)} sent · {tokens(count)} tokens, {share}"

    def __len__(self) -> int:
        """Return how many messages the role has."""
        return len(self.raws)

    def key(self, at: int) -> int:
        """Return the raw index of a line."""
        return self.raws[at]

    def find(self, key: int) -> int | None:
        """Return the line of a raw index."""
        return self._places.get(key)

    def tint(self, at: int) -> str:
        """Return no tint."""
        return ""

    def header(self, width: int) -> Line | None:
        """Return no header: the border says what the column is."""
        return None

    def line(self, at: int, width: int) -> Line:
        """Return one message."""
        raw = self.raws[at]
        hidden = self.look.view.position(raw) is None
        count = f"{tokens(self.look.tokens(raw)):>6}"
        body = fit_pieces(preview(self.look.state.log[raw]), max(0, width - 5 - len(count)))
        if hidden:
            body = [Piece(text, "faint") for text, _ in body]
        lead = Piece(f"{raw:>4} ", "faint" if hidden else self.role)
        return [lead, *body, Piece(count, "faint" if hidden else "muted")]
