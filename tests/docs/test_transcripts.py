"""Every transcript is what a user would see."""

from __future__ import annotations

import pytest

from tests.docs.conftest import Shell
from tests.docs.pages import Page, all_pages

PROMPT = "$ "
TRANSCRIPTS = [
    (page, block)
    for page in all_pages()
    for block in page.blocks()
    if any(line.startswith(PROMPT) for line in block.splitlines())
]


def test_there_are_transcripts() -> None:
    assert {page.name for page, _ in TRANSCRIPTS} >= {"README.md", "docs/commands.md"}


@pytest.mark.parametrize(
    ("page", "block"),
    TRANSCRIPTS,
    ids=[f"{page.name}-{i}" for i, (page, _) in enumerate(TRANSCRIPTS)],
)
def test_a_transcript_is_what_is_printed(page: Page, block: str, shell: Shell) -> None:
    asked = [line for line in block.splitlines() if line.startswith(PROMPT)]
    seen = "".join(f"{line}\n{shell(line.removeprefix(PROMPT))}" for line in asked)
    assert seen == block
