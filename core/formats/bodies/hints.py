"""Hints: what headers and body say of the conversation that a request belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Refused
from ...requests.asked import Hints
from ...requests.exchange import Exchange
from ..json_text import read_json

SESSIONS = ("x-claude-code-session-id", "session-id", "session_id", "x-opencode-session")
AGENT = "x-claude-code-agent-id"


def hints_of(exchange: Exchange) -> Hints:
    """Return tag, session and agent. A key for the prompt cache is none: several may share it."""
    headers = exchange.headers
    session = next((headers[name] for name in SESSIONS if headers.get(name)), None)
    return Hints(exchange.tag, session or _user_session(exchange.request), headers.get(AGENT))


def previous_of(request: Mapping[str, Any]) -> str | None:
    """Return the response, or the stored conversation, that a request goes on from."""
    before = request.get("previous_response_id")
    return before if isinstance(before, str) and before else stored_of(request)


def stored_of(request: Mapping[str, Any]) -> str | None:
    """Return the id of the conversation that a provider keeps."""
    stored = request.get("conversation")
    id = stored.get("id") if isinstance(stored, Mapping) else stored
    return id if isinstance(id, str) and id else None


def after_of(request: Mapping[str, Any]) -> str | None:
    """Return the answer that a request wants to be compared with, which came before it."""
    match request:
        case {"diagnostics": {"previous_message_id": str(id)}}:
            return id
        case {"prompt_cache_options": {"comparison_response_id": str(id)}}:
            return id
    return None


def _user_session(request: Mapping[str, Any]) -> str | None:
    """Return the session that a user id holds: as JSON, or behind a word in an older one."""
    metadata = request.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    if not isinstance(user, str):
        return None
    if not user.startswith("{"):
        return user.partition("_session_")[2] or None
    try:
        told = read_json(user)
    except Refused:
        return None
    session = told.get("session_id") if isinstance(told, Mapping) else None
    return session if isinstance(session, str) and session else None
