"""Makes any text safe to show on one line; the engine does the same for the pages it writes."""

from core.values.symbols import LINE_BREAK, escaped, unsafe, visible

__all__ = ["LINE_BREAK", "escaped", "unsafe", "visible"]
