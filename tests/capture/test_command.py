"""``ctxtui capture`` from the outside: with a command, until ctrl+c, and where it can't."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ctxtui.capture.keeper import UnrecordedCall
from ctxtui.cli import main
from ctxtui.cli.capture import CaptureReport
from ctxtui.core.storage import Library
from tests.capture.spooled import left_behind, slips
from tests.docs.pages import code_in, page

ROOT = Path(__file__).parents[2]
ANSWER = {"id": "1", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
AGENT = """
import json, os, sys, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
sent = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
print(json.load(urllib.request.urlopen(sent))["id"], *sys.argv[1:])
sys.exit(7)
"""


class Answering(BaseHTTPRequestHandler):
    """Answers everything with the same completion."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def upstream() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


def capture(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ctxtui", "capture", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@contextmanager
def capturing(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "ctxtui", "capture", *map(str, arguments)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_command_is_recorded_and_its_exit_code_is_ours(upstream: str, folder: Path) -> None:
    options = ("--upstream", upstream, "--library", folder)
    ran = capture(*options, "--", sys.executable, "-c", AGENT, "--flag", "--", "x")
    assert (ran.returncode, ran.stdout) == (7, "1 --flag -- x\n")
    (entry,) = Library(folder).list()
    assert entry.title == "hello"
    assert ran.stderr.splitlines() == [
        f"ctxtui: 1 call recorded in 1 session of {folder}",
        f"ctxtui: {entry.id}; to see them: ctxtui watch --library {folder}",
    ]


def test_without_a_call_it_says_why_that_may_be(folder: Path) -> None:
    ran = capture("--library", folder, "--", sys.executable, "-c", "pass")
    first, second = ran.stderr.splitlines()
    assert first == f"ctxtui: 0 calls recorded in 0 sessions of {folder}"
    assert "no model call came here" in second
    assert "ctxtui capture --port 8000" in second


@pytest.mark.parametrize(
    ("program", "code"), [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 128 + signal.SIGTERM)]
)
def test_whatever_ends_a_command_is_passed_on(folder: Path, program: str, code: int) -> None:
    assert main(["capture", "--library", str(folder), "--", "sh", "-c", program]) == code


def test_a_command_that_cannot_be_run_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", "--library", str(folder), "--", str(folder / "nothing")]) == 2
    assert "can't be run: No such file or directory" in capsys.readouterr().err


def test_what_is_sent_to_end_us_ends_the_command(folder: Path) -> None:
    program = "import sys, time; print('up', flush=True); time.sleep(60)"
    with capturing("--library", folder, "--", sys.executable, "-c", program) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 128 + signal.SIGTERM


def ask(address: str) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
    with urllib.request.urlopen(f"{address}/v1/chat/completions", body) as answer:
        assert json.load(answer) == ANSWER


def test_without_a_command_it_says_how_it_is_used_and_what_it_records(
    upstream: str, folder: Path
) -> None:
    with capturing("--upstream", upstream, "--library", folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        address = first.split()[2]
        said = [process.stdout.readline() for _ in range(9)]
        assert f"  export OPENAI_BASE_URL={address}/v1\n" in said
        assert f"  export ANTHROPIC_BASE_URL={address}\n" in said
        ask(address)
        line = process.stdout.readline()
        assert "hello #1  START" in line
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert process.stderr.readline() == f"ctxtui: 1 call recorded in 1 session of {folder}\n"


def test_for_programs_each_call_is_a_line_with_the_keys_that_are_told(
    upstream: str, folder: Path
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ("--json", "--port", port, "--upstream", upstream, "--library", folder)
    program = AGENT.replace("7", "0")
    ran = capture(*options, "--", sys.executable, "-c", program)
    said = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    (data,) = map(json.loads, said)
    rows = page("docs/commands.md").table("with `--json`")
    (told,) = [code_in(row[1]) for row in rows if code_in(row[0]) == ["capture"]]
    assert list(data) == told
    assert data["call"] == 1


@pytest.mark.slow
def test_a_killed_proxy_keeps_what_it_has_told(upstream: str, folder: Path) -> None:
    with capturing("--upstream", upstream, "--library", folder) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[2]
        for _ in range(9):
            process.stdout.readline()
        ask(address)
        process.stdout.readline()
        process.kill()
    (entry,) = Library(folder).list()
    assert len(Library(folder).open(entry.id).conversation.calls) == 1


@pytest.mark.slow
def test_what_a_killed_proxy_left_is_recorded_without_starting_another(folder: Path) -> None:
    left_behind(folder, 2)
    done = capture("--recover", "--library", folder, "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    assert done.stderr.startswith(f"ctxtui: 2 calls recorded in 1 session of {folder}\n")
    again = capture("--recover", "--library", folder)
    assert (again.returncode, again.stdout) == (0, "")


def test_what_was_left_and_is_damaged_is_told_by_the_exit_code(folder: Path) -> None:
    left_behind(folder, 1)
    (slip,) = slips(folder)
    slip = slip.rename(slip.with_stem("gj7n3pf26hcw-123"))  # Which looks like a key and is none.
    slip.write_bytes(b"\x1b[31m\n")
    done = capture("--recover", "--library", folder)
    assert done.returncode == 1
    assert f"not recorded: {slip.stem}: it is not JSON" in done.stderr
    assert "\x1b" not in done.stderr


def test_calls_that_were_not_recorded_are_told_by_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = CaptureReport(folder, is_json=False, is_quiet=True)
    for reason in ("it is not JSON", "it is too long", "it is not JSON"):
        report.call(UnrecordedCall("/v1/messages", reason))
    report.sum_up()
    said = capsys.readouterr().err
    assert "2 calls not recorded: /v1/messages: it is not JSON\n" in said
    assert "1 call not recorded: /v1/messages: it is too long\n" in said
    for number in range(12):
        report.call(UnrecordedCall("/v1/messages", f"reason {number}"))
    report.sum_up()
    assert "4 other calls not recorded, each for a reason of its own" in capsys.readouterr().err


def test_recovering_runs_no_command(folder: Path) -> None:
    done = capture("--recover", "--library", folder, "--", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--recover starts no proxy" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--port", "70000"), "port 70000 is outside 0…65535"),
        (("--upstream", "nowhere://x"), "upstream 'nowhere://x' is no address"),
        (("--host", "no.such.host.invalid"), "can't be listened to"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(
    arguments: tuple[str, ...],
    sentence: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["capture", *arguments, "--library", str(folder)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["capture", "--port", str(port), "--library", str(folder)]) == 2
    told = f"port {port} of '127.0.0.1' can't be listened to: {os.strerror(errno.EADDRINUSE)}\n"
    assert told in capsys.readouterr().err


def test_another_host_than_this_machine_is_warned_of(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", "--host", "0.0.0.0", "--library", str(folder), "--", "true"]) == 0
    assert "any program that reaches 0.0.0.0 can send calls" in capsys.readouterr().err


def test_without_aiohttp_it_says_what_to_install(folder: Path) -> None:
    hidden = "import sys; sys.modules['aiohttp'] = None; from ctxtui.cli import main; "
    program = f"{hidden}sys.exit(main(['capture', '--library', {str(folder)!r}]))"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert ran.returncode == 2
    assert ran.stderr == (
        "ctxtui: capture needs aiohttp, which is not installed: "
        "pip install '.[capture]' in a checkout\n"
    )


def test_other_commands_never_load_it() -> None:
    program = "import sys, ctxtui.cli as c; c.main(['list']); sys.exit('aiohttp' in sys.modules)"
    environment = {**os.environ, "CTXTUI_LIBRARY": "/nonexistent"}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, env=environment, capture_output=True
    )
    assert ran.returncode == 0


def test_no_library_logs_on_the_terminal_while_calls_are_recorded(
    folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def logging_all(*_: object) -> None:
        for name in ("aiohttp.server", "aiohttp.client", "asyncio"):
            logging.getLogger(name).error("a body: %s", "a-secret")

    monkeypatch.setattr("ctxtui.capture.running.program_environment", logging_all)
    main(["capture", "--library", str(folder), "--", "true"])
    assert caplog.text == ""
