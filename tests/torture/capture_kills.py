"""Kills of a recording proxy under load: what a client saw the end of is in the library, once.

Several agents talk through a proxy in a process of its own, each in a conversation that grows. The
process is killed at a random moment, the next one is started on the same library, and the agents
go on with it. In the end what was left is taken in, and everything is counted.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import ClientError, ClientSession

from ctxtui.core.storage import Library
from tests.capture.provider import Came, Reply, provider, streamed, whole
from tests.capture.streams import chat
from tests.torture.report import Report

ROOT = Path(__file__).parents[2]
CAPTURE = (sys.executable, "-m", "ctxtui", "capture")
AGENTS = 4
MOST_CALLS = 25
"""Calls that are over before a proxy is killed: at least one, at most so many."""
MOST_SECONDS = 0.5
"""How much later than the last of these calls the kill may come; as a rule it comes sooner."""


class Agent:
    """A client with a conversation; ``seen`` are the questions whose answer it had to the end."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self._name, self._chance = name, chance
        self._messages: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.seen: list[str] = []

    async def talk(self, client: ClientSession, address: str) -> None:
        """Ask one question after the other, until there is nobody to ask."""
        while True:
            question = f"{self._name} asks question {len(self.asked)}"
            self.asked.append(question)
            messages = [*self._messages, {"role": "user", "content": question}]
            is_streamed = self._chance.random() < 0.7
            body = {"model": "m", "stream": is_streamed, "messages": messages}
            try:
                text = await self._answer(client, f"{address}/v1/chat/completions", body)
            except (ClientError, ConnectionError):
                return
            self.seen.append(question)
            self._messages = [*messages, {"role": "assistant", "content": text}]

    async def _answer(self, client: ClientSession, address: str, body: Any) -> str:
        """Return an answer; of some streams, as soon as their last event is there."""
        async with client.post(address, json=body) as answer:
            content = b""
            if body["stream"] and self._chance.random() < 0.5:
                while b"data: [DONE]" not in content:
                    piece = await answer.content.readany()
                    if not piece:
                        raise ConnectionResetError
                    content += piece
            else:
                content = await answer.read()
        return f"the answer to {body['messages'][-1]['content']}"


def answering(came: Came) -> Reply:
    """Answer a question as it was asked, in one piece or in several."""
    body = json.loads(came.body)
    text = f"the answer to {body['messages'][-1]['content']}"
    if body["stream"]:
        return streamed(chat([text[:10], text[10:]]))
    message = {"role": "assistant", "content": text}
    return whole({"id": "x", "choices": [{"index": 0, "message": message}]})


@asynccontextmanager
async def _capturing(upstream: str, folder: Path) -> AsyncIterator[tuple[Process, str]]:
    options = ("--upstream", upstream, "--library", str(folder))
    process = await asyncio.create_subprocess_exec(
        *CAPTURE, *options, cwd=ROOT, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    try:
        address = (await process.stdout.readline()).split()[2].decode()
        told = asyncio.create_task(process.stdout.read())  # Somebody has to listen.
        yield process, address
    except BaseException:
        process.kill()
        raise
    finally:
        await process.wait()
    await told


async def _kill_one(
    upstream: str, folder: Path, agents: list[Agent], chance: random.Random
) -> None:
    count = sum(len(agent.seen) for agent in agents) + chance.randint(1, MOST_CALLS)
    async with _capturing(upstream, folder) as (process, address), ClientSession() as client:
        talks = [asyncio.create_task(agent.talk(client, address)) for agent in agents]
        while sum(len(agent.seen) for agent in agents) < count:
            await asyncio.sleep(0.001)
        await asyncio.sleep(chance.random() ** 4 * MOST_SECONDS)
        process.kill()
        await asyncio.gather(*talks)


async def _killed(folder: Path, kills: int, chance: random.Random) -> list[Agent]:
    agents = [Agent(f"agent {number}", random.Random(chance.random())) for number in range(AGENTS)]
    async with provider() as server:
        server.answering = answering
        for _ in range(kills):
            await _kill_one(server.address, folder, agents, chance)
    process = await asyncio.create_subprocess_exec(
        *CAPTURE, "--recover", "--library", str(folder), cwd=ROOT, stdout=PIPE, stderr=PIPE
    )
    await process.communicate()
    return agents


def recorded(folder: Path) -> list[list[str]]:
    """Return the last question of each recorded call, by session."""
    library, found = Library(folder), []
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            talk = session.conversation
            views = [talk.revisions[call.revision].view for call in talk.calls.all]
            found.append([talk.log[list(view)[-1]].text for view in views])
    return found


def run(count: int, seed: int) -> Report:
    """Kill so many proxies, and report what is missing or there twice."""
    report = Report("kills of a recording proxy", count)
    with TemporaryDirectory() as name:
        folder = Path(name)
        agents = asyncio.run(_killed(folder, count, random.Random(seed)))
        sessions = recorded(folder)
        counts = Counter(question for session in sessions for question in session)
        left = [path.name for path in (folder / "spool").glob("*")]
        library = Library(folder)
        problems = [said for entry in library.list() for said in library.verify(entry.id)]
    seen = [question for agent in agents for question in agent.seen]
    report.failures += [f"{one} was answered and is lost" for one in seen if not counts[one]]
    report.failures += [f"{one} is there {n} times" for one, n in counts.items() if n > 1]
    report.failures += [f"{one} was left in the spool" for one in left]
    report.failures += problems
    report.detail = f"{len(seen):,} calls of {AGENTS} agents in {len(sessions)} sessions"
    return report
