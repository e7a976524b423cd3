"""Files that are refused by name: what other programs write that has no conversation to read.

Each is known by what no other file has, and is asked for before any format is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .detection import MISSING, ONLY, among, starts, sure_signs


class ForeignKind(NamedTuple):
    """What a file is, what it is known by, and what can be given instead of it."""

    name: str
    shapes: tuple[object, ...]
    instead: str = ""


STREAM = "the transcript, which has the prompt too"
FOREIGN: tuple[ForeignKind, ...] = (
    ForeignKind(
        "Claude Code stream output",
        (
            {
                "subtype": "init",
                "type": "system",
                "session_id": str,
                "tools": list,
                "qwen_code_version": MISSING,
            },
        ),
        f"{STREAM}: a file in ~/.claude/projects",
    ),
    ForeignKind(
        "Qwen Code stream output",
        ({"qwen_code_version": object, "type": "system", "subtype": "init"},),
        f"{STREAM}: a file in ~/.qwen/projects",
    ),
    ForeignKind(
        "Codex stream output",
        (
            {"thread_id": str, "type": "thread.started"},
            {"item": dict, "type": among("item.started", "item.updated", "item.completed")},
        ),
        "the rollout in ~/.codex/sessions",
    ),
    ForeignKind(
        "Gemini CLI stream output",
        ({"type": "init", "session_id": str, "timestamp": str, "tools": MISSING},),
        "the file in ~/.gemini/tmp/PROJECT/chats",
    ),
    ForeignKind(
        "OpenCode stream output",
        (
            {
                "sessionID": str,
                "part": dict,
                "type": among("step_start", "text", "tool_use", "step_finish"),
            },
        ),
        "what opencode export prints",
    ),
    ForeignKind(
        "Pi stream output",
        ({"type": among("agent_start", "message_update", "tool_execution_start")},),
        "the session file in ~/.pi/agent/sessions",
    ),
    ForeignKind(
        "the Gemini CLI log of what was typed",
        ({"messageId": object, "sessionId": str, "type": "user", "message": str},),
        "a file of the chats folder next to it",
    ),
    ForeignKind(
        "the Claude Code history of what was typed",
        ({"pastedContents": object, "display": str},),
        "a file in ~/.claude/projects",
    ),
    ForeignKind(
        "the Codex history of what was typed",
        ({"ts": int, "session_id": str, "text": str, ONLY: True},),
        "a rollout in ~/.codex/sessions",
    ),
    ForeignKind(
        "what Cline or Roo Code showed on the screen",
        ({"say": str, "type": "say", "ts": int}, {"ask": str, "type": "ask", "ts": int}),
        "the api_conversation_history.json next to it",
    ),
    ForeignKind(
        "a VS Code Copilot chat",
        ({"requesterUsername": object, "requests": list}, {"kind": int, "v": object, ONLY: True}),
    ),
    ForeignKind("a Kimi CLI session", ({"protocol_version": object, "type": "metadata"},)),
    ForeignKind("a Factory Droid session", ({"type": "session_start", "cwd": str},)),
    ForeignKind(
        "a Grok CLI session",
        (
            {"synthetic_reason": object, "type": "user"},
            {"prompt_index": int, "type": "user", "uuid": MISSING, "role": MISSING},
            {"model_id": str, "type": "assistant", "uuid": MISSING, "role": MISSING},
        ),
    ),
    ForeignKind(
        "a Hermes session",
        ({"session_start": object, "platform": object, "system_prompt": object, "messages": list},),
    ),
    ForeignKind(
        "an Amp thread",
        (
            {"env": object, "v": object, "id": starts("T-")},
            {"messages": [{"createdAt": object, "role": str, "text": str, "content": MISSING}]},
        ),
    ),
    ForeignKind("an Antigravity session", ({"step_index": int, "source": str, "type": str},)),
    ForeignKind("a Kiro chat", ({"executionId": object, "chat": list, "metadata": object},)),
    ForeignKind(
        "OpenClaw telemetry",
        ({"type": among("message.in", "message.out", "agent.end", "tool.start")},),
        "a session in ~/.openclaw/agents",
    ),
    ForeignKind("a claude.ai export", ({"chat_messages": list, "uuid": object},)),
    ForeignKind("an Open WebUI export", ({"chat": {"history": {"messages": dict}}},)),
    ForeignKind(
        "a LibreChat export",
        ({"conversationId": object, "messages": [{"parentMessageId": object}]},),
    ),
    ForeignKind(
        "an LM Studio conversation",
        ({"messages": [{"currentlySelected": object, "versions": list}]},),
    ),
    ForeignKind("a SillyTavern chat", ({"user_name": object, "character_name": object},)),
    ForeignKind(
        "messages of an OpenAI Assistants thread",
        ({"data": [{"object": "thread.message"}], "object": "list"},),
    ),
    ForeignKind(
        "items of an OpenAI conversation",
        ({"data": [{"object": "conversation.item"}], "object": "list"},),
    ),
    ForeignKind(
        "OpenAI batch errors",
        ({"custom_id": object, "error": dict, "response": among(None)},),
        "the files of requests and of answers",
    ),
    ForeignKind(
        "OpenAI Evals API items",
        ({"item": dict, "sample": object, ONLY: True}, {"item": dict, ONLY: True}),
    ),
    ForeignKind(
        "one record of an OpenCode store",
        (
            {"sessionID": str, "role": str, "time": dict, "part": MISSING, "parts": MISSING},
            {"messageID": str, "sessionID": str, "type": str},
            {"projectID": str, "directory": str, "time": dict, "messages": MISSING},
        ),
        "the storage folder, or what opencode export prints",
    ),
    ForeignKind(
        "LiteLLM spend logs without content",
        (
            {"spend": object, "request_id": str, "messages": among("{}", None)},
            {"spend": object, "request_id": str, "messages": {ONLY: True}},
        ),
        "logs made with the storage of prompts switched on",
    ),
    ForeignKind(
        "Anthropic Managed Agents events",
        (
            [starts("client.beta.sessions")],
            {"type": starts("session.status_"), "id": object},
            {"type": starts("span.model_request"), "id": object},
        ),
    ),
    ForeignKind(
        "AG-UI events", ({"type": among("RUN_STARTED", "TEXT_MESSAGE_CONTENT", "RUN_FINISHED")},)
    ),
    ForeignKind("JSON-RPC traffic of ACP or MCP", ({"jsonrpc": "2.0"},)),
    ForeignKind(
        "the state of an OpenHands conversation, without its events",
        ({"persistence_dir": object, "agent": object, "workspace": object},),
        "its folder of events",
    ),
    ForeignKind(
        "the description of a Hugging Face data set",
        (
            {"_data_files": list},
            {"features": dict, "splits": object},
            {"features": dict, "license": str},
        ),
        "the folder, or its data files",
    ),
    ForeignKind(
        "the state of a Strands session, without its messages",
        (
            {"conversation_manager_state": dict},
            {"session_type": str, "session_id": str, "agents": MISSING},
        ),
        "the folder of the session",
    ),
    ForeignKind(
        "one message of a Strands session",
        ({"message_id": int, "message": {"role": str, "content": list}},),
        "the folder of the session",
    ),
    ForeignKind("a corpus of texts without roles", ({"text": str, ONLY: True},)),
    ForeignKind(
        "embeddings, which have no messages",
        ({"embedding": list}, {"url": "/v1/embeddings", "body": dict}),
    ),
)
"""Every kind that is refused by name."""
INSTEAD = {one.name: one.instead for one in FOREIGN}
sure_signs((one.name, shape) for one in FOREIGN for shape in one.shapes)

TEXTS: tuple[tuple[str, str, str], ...] = (
    (r"version https://git-lfs", "a Git LFS pointer, not the file itself", "git lfs pull"),
    (r"<!-- Generated by SpecStory", "a SpecStory document", "the transcript of the agent itself"),
    (r"interactions:", "a VCR cassette", "a HAR file, or recorded requests"),
    (r"\s*# (?:User|Assistant|System|Human)\b", "a conversation as Markdown", "the session itself"),
)
"""How texts begin that are no JSON, what they are, and what can be given instead."""


def text_kind(text: str) -> tuple[str, str] | None:
    """Return what a text is that is no JSON, and what can be given instead."""
    return next((found[1:] for found in TEXTS if re.match(found[0], text)), None)


STORES: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"cursorDiskKV"}), "Cursor", "an agent transcript in ~/.cursor/projects"),
    (frozenset({"sessions", "messages", "extension_data"}), "Goose", ""),
    (frozenset({"sessions", "messages"}), "Goose", "what goose session export prints"),
    (frozenset({"message", "part"}), "OpenCode", "what opencode export prints"),
    (frozenset({"threads"}), "Zed", ""),
    (frozenset({"ai_queries"}), "Warp", ""),
    (frozenset({"sessions", "files"}), "Crush", ""),
    (frozenset({"blobs", "meta"}), "Cursor", "an agent transcript in ~/.cursor/projects"),
    (frozenset({"conversations"}), "Forge", ""),
)
"""The tables of SQLite databases, whose they are, and what can be given instead."""
TABLE = re.compile(rb"CREATE TABLE (?:IF NOT EXISTS )?[\"'`\[]?(\w+)")


def store_kind(head: bytes) -> tuple[str, str] | None:
    """Return whose SQLite database begins with some bytes, and what can be given instead."""
    tables = {name.decode() for name in TABLE.findall(head)}
    return next((found[1:] for found in STORES if found[0] <= tables), None)
