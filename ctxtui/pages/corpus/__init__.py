"""The report of a corpus run as a page: one HTML file that needs nothing else."""

from pathlib import Path

from core.corpus import Ran
from core.corpus.report import PAGE
from ctxtui.files.writing import write_whole
from ctxtui.pages.corpus.page import page_of

__all__ = ["page_of", "write_page"]


def write_page(ran: Ran) -> Path:
    """Write the page of a run beside its report, and return it."""
    path = ran.out / PAGE
    write_whole(path, page_of(ran.report))
    return path
