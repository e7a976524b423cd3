"""Gemini's contents, in camelCase or snake_case; start with ``format``.

``parts`` has what contents are made of, ``functions`` the tools that are declared, ``losses`` what
can't be held.
"""

from .format import Gemini

__all__ = ["Gemini"]
