"""A text replaced everywhere and purged is in no byte below the library, nor in an export."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.patterns import own_pattern
from ctxtui.core.curation.purging import squash_session
from ctxtui.core.curation.replacing import find_in, replace_in
from ctxtui.core.storage import Library
from tests.core.curation.canary import CANARIES, below, exports, holds, plant, talk
from tests.storage.samples import numbered, ticking


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library", clock=ticking(1000), ids=numbered())


@pytest.mark.parametrize("text", CANARIES)
@pytest.mark.parametrize("new", ["", "[gone]"])
def test_nothing_is_left_of_a_text_that_was_replaced_everywhere_and_purged(
    library: Library, text: str, new: str
) -> None:
    id = plant(library, text)
    with Catalog(library) as catalog:
        catalog.learn()
        assert below(library.folder, text)
        done = replace_in(library, id, [own_pattern(text, new)], everywhere=True)
        assert done.hits > 40
        assert {one.remedy for one in done.stays.places} == {"purge"}
        made = squash_session(library, id, is_purging=True)
        catalog.learn()
        assert below(library.folder, text) == []
    assert below(library.folder, text) == []
    with library.open(made.new, read_only=True) as session:
        assert session.conversation.check() == []
        written = exports(session.conversation)
        assert not {name for name, one in written.items() if holds(one.encode(), text)}
    seen = find_in(library, made.new, [own_pattern(text, "x")], everywhere=True)
    assert (seen.hits, seen.stays.places) == ([], ())
    assert library.verify(made.new) == []


@pytest.mark.parametrize("text", CANARIES)
def test_what_stays_by_default_is_named_and_nothing_else_is_there(
    library: Library, text: str
) -> None:
    id = plant(library, text)
    replace_in(library, id, [own_pattern(text, "x")])
    made = squash_session(library, id, is_purging=True)
    seen = find_in(library, made.new, [own_pattern(text, "y")])
    assert seen.hits == []
    assert {one.remedy for one in seen.stays.places} == {"everywhere"}
    replace_in(library, made.new, [own_pattern(text, "x")], everywhere=True)
    squash_session(library, made.new, is_purging=True)
    assert below(library.folder, text) == []


@pytest.mark.parametrize("text", CANARIES)
def test_what_was_replaced_is_found_in_no_other_way_before_it_is_purged(text: str) -> None:
    """Without this, the tests above could miss a form."""
    everything: Any = talk(text).to_dict()
    assert holds(json.dumps(everything).encode(), text)
    for way in (text.encode(), quote(text).encode(), b"x" + text.encode(), text.upper().encode()):
        assert holds(way, text)
        assert holds(b64encode(b"ab" + way + b"c"), text) or way != text.encode()
    assert not holds(b"something else", text)
