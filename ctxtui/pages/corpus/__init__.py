"""The report of a corpus run as a page: one HTML file that needs nothing else."""

import os
from pathlib import Path

from ctxtui.core.corpus import Ran
from ctxtui.core.corpus.work_folder import PAGE, write_output
from ctxtui.pages.corpus.page import page_of

__all__ = ["page_of", "write_page"]


def write_page(ran: Ran) -> Path:
    """Write the page of a run beside its report, and return it.

    The page of a run that was done before stays as it is.
    """
    path = ran.out / PAGE
    if not (ran.was_done and os.path.lexists(path)):
        write_output(ran.out, PAGE, page_of(ran.report).encode("utf-8", "surrogatepass"))
    return path
