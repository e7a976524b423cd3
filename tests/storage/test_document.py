"""What docs/library.md says about files is what a library has."""

from __future__ import annotations

import re
from pathlib import Path

from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.storage import Library
from ctxtui.core.storage.disk import MOST_BYTES, part_of
from ctxtui.core.storage.folder import kept_of
from tests.storage.samples import append, small

TEXT = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
FILES = re.findall(r"^\| `([^`]+)` \|", TEXT.partition("## ")[0], re.MULTILINE)


def documented(name: str) -> bool:
    """Tell whether the table of files has a name, whatever its id, process and token."""
    for told in FILES:
        pattern = re.escape(told.rstrip("/"))
        for word, meaning in (
            ("ID", "[a-z0-9]{12}"),
            ("TOKEN", "[0-9a-f]{16}"),
            ("PROCESS", "[0-9]+"),
            ("RUN", "[a-z0-9]{12}"),
            ("NUMBER", "[0-9]+"),
            ("…", ".+"),
        ):
            pattern = pattern.replace(word, meaning)
        if re.fullmatch(pattern, name):
            return True
    return False


def test_every_file_of_a_library_is_documented(on_disk: Library) -> None:
    on_disk.create(small()).close()
    (on_disk.folder / "session00001.json").write_bytes(b"damaged")
    on_disk.delete("session00001")
    session = on_disk.create(small())
    session.execute(append("a"))
    with Catalog(on_disk) as catalog:
        catalog.learn()
    names = {path.name for path in on_disk.folder.iterdir()}
    slip = on_disk.spool.begin()
    names |= {f"spool/{path.name}" for path in on_disk.spool.folder.iterdir()}
    journal = on_disk.folder / f"{session.id}.journal"
    names |= {part_of(journal).name, kept_of(journal).name}
    names |= {f"trash/{path.name}" for path in on_disk.folder.glob("trash/*.deleted")}
    assert len(names) == len(FILES)
    assert [name for name in names if not documented(name)] == []
    slip.delete()
    session.close()


def test_the_largest_file_is_documented() -> None:
    assert f"at most {MOST_BYTES >> 30} GiB" in TEXT
