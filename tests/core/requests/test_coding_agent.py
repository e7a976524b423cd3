"""A coding agent as it is: moving markers, a line that bills, agents, compaction, side calls."""

from typing import Any

from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.checking import Checked, titles
from tests.core.requests.traffic import Row, said

MARKER: Row = {"cache_control": {"type": "ephemeral"}}
TOOLS: list[Row] = [
    {"name": "Bash", "input_schema": {"type": "object"}},
    {"name": "Task", "input_schema": {"type": "object"}, **MARKER},
]
SESSION = "0b0e6f3c-7d0c-4a52-9a55-6c54ad4b3f7e"
GOAL = "Make the failing test in the parser pass, please."
SUMMARY = (
    "<summary>\nThe parser drops the last token.\nThe fix is in lexer.py, line 12.\n</summary>"
)


def text(words: str, **more: Any) -> Row:
    return {"type": "text", "text": words, **more}


def use(id: str, name: str = "Bash", **given: Any) -> Row:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def done(id: str, words: str) -> Row:
    return {"type": "tool_result", "tool_use_id": id, "content": words}


class Agent:
    """An agent that writes its requests as such agents do, and counts them."""

    def __init__(self, checked: Checked, prompt: str, agent: str | None = None) -> None:
        self._checked, self._prompt, self._agent = checked, prompt, agent
        self._count = 0

    def ask(self, *rows: Row, says: list[Row] | None = None, path: str = "/v1/messages") -> Any:
        """Send some messages, the newest with the marker, and record what comes back."""
        self._count += 1
        *before, last = rows
        content = last["content"]
        blocks = [text(content)] if isinstance(content, str) else [dict(one) for one in content]
        blocks[-1] = {**blocks[-1], **MARKER}
        billing = text(f"x-anthropic-billing-header: cc_version=2.1; cch={self._count:05};")
        body = {
            "model": "claude-x",
            "max_tokens": 100,
            "metadata": {"user_id": f'{{"session_id": "{SESSION}"}}'},
            "system": [billing, text(self._prompt, **MARKER)],
            "tools": TOOLS,
            "messages": [*before, {**last, "content": blocks}],
        }
        headers = {"X-Claude-Code-Session-Id": SESSION}
        if self._agent is not None:
            headers["X-Claude-Code-Agent-Id"] = self._agent
        response = None if says is None else {"id": f"msg_{self._count}", "content": says}
        names = {name.lower(): value for name, value in headers.items()}
        return self._checked.record(Exchange(body, response, "messages", path, names, 200))


def beside(checked: Checked, prompt: str, words: str, says: str) -> Any:
    """Ask something beside the session: another prompt, no tools."""
    body = {"model": "small", "system": prompt, "messages": [said("user", words)]}
    headers = {"x-claude-code-session-id": SESSION}
    response = {"content": [text(says)]}
    return checked.record(Exchange(body, response, "messages", "/v1/messages", headers, 200))


def test_a_day_of_a_coding_agent() -> None:
    checked = Checked()
    main = Agent(checked, "You are a coding agent.")
    asked = said("user", GOAL)
    thought = {"type": "thinking", "thinking": "Look first.", "signature": "s"}
    look = [thought, use("t1", command="pytest -q")]

    title = beside(checked, "Name this session in five words.", GOAL, "Parser test")
    count = main.ask(asked, path="/v1/messages/count_tokens?beta=true")
    first = main.ask(asked, says=look)
    assert [one.thread.role for one in (count, first)] == ["counts", "main"]

    called = [asked, said("assistant", look)]
    failed = said("user", [done("t1", "1 failed: test_last_token"), text("Remember the style.")])
    delegate = [text("I let an agent search."), use("t2", "Task", prompt="Find the lexer's end.")]
    second = main.ask(*called, failed, says=delegate)
    assert titles(second) == "APPEND"
    assert second.cache.cause == "message 0 changed: the cache breaks there"

    helper = Agent(checked, "You are a search agent.", agent="a1")
    found = "The end is handled in lexer.py, line 12, in next_token."
    agent = helper.ask(said("user", "Find the lexer's end."), says=[text(found)])
    thread = checked.recorder.threads[agent.thread.id]
    assert (thread.role, thread.parent, thread.call) == ("agent", first.thread.id, "t2")

    # The thinking is left out from now on, and the older messages lost their markers.
    quiet = [asked, said("assistant", look[1:]), failed, said("assistant", delegate)]
    third = main.ask(*quiet, said("user", [done("t2", found)]), says=[text("Now I know enough.")])
    assert titles(third) == "APPEND"
    assert third.notices == ("the thinking of 1 message is no longer sent",)
    assert third.cache.markers == (0, 5)

    history = [*quiet, said("user", [done("t2", found)]), said("assistant", "Now I know enough.")]
    fourth = main.ask(*history, said("user", "Go on."))
    compact = main.ask(
        *history,
        said("user", "Go on.\n\nWrite a summary of all this."),
        says=[text(SUMMARY)],
    )
    assert (titles(fourth), titles(compact)) == ("APPEND", "REPLACE")

    told = SUMMARY.removeprefix("<summary>\n").removesuffix("\n</summary>")
    goes_on = main.ask(said("user", f"This session goes on from another:\n\n{told}\n\nGo on."))
    assert titles(goes_on) == "COMPRESS"
    assert goes_on.explanations[0].certainty == "proven"

    mains = (first, second, third, fourth, compact, goes_on)
    assert {one.thread.id for one in mains} == {first.thread.id}
    put_aside = checked.recorder.threads[title.thread.id]
    assert (put_aside.role, put_aside.parent) == ("sideCalls", first.thread.id)
    talk = checked.conversation(first.thread.id)
    assert talk.lint("anthropic") == []
    checked.finish()
