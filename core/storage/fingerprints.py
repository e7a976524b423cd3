"""Fingerprints of views: equal views have equal ones, however their runs are cut up.

Views share their chunks, so what a chunk gives to a fingerprint is worked out once for all the
revisions that hold it; a thousand small edits of a scattered view stay cheap.
"""

from __future__ import annotations

import sys
from array import array
from hashlib import blake2b
from itertools import islice
from operator import add, eq
from typing import NamedTuple

from ..views.chunks import Chunk
from ..views.view import View

SIZE = 8


class ViewPiece(NamedTuple):
    """The runs of a chunk, none of which continues the one before."""

    starts: array[int]
    lengths: array[int]


class Fingerprints:
    """Makes fingerprints of many views that have much in common."""

    def __init__(self) -> None:
        self._pieces: dict[int, tuple[Chunk, ViewPiece]] = {}

    def of(self, view: View) -> str:
        """Return the fingerprint of a view."""
        starts, lengths = array("I"), array("I")
        for chunk in view.chunks:
            piece = self._piece(chunk)
            if starts and starts[-1] + lengths[-1] == piece.starts[0]:
                lengths[-1] += piece.lengths[0]
                starts += piece.starts[1:]
                lengths += piece.lengths[1:]
            else:
                starts += piece.starts
                lengths += piece.lengths
        if sys.byteorder == "big":
            starts.byteswap()
            lengths.byteswap()
        return blake2b(starts.tobytes() + lengths.tobytes(), digest_size=SIZE).hexdigest()

    def _piece(self, chunk: Chunk) -> ViewPiece:
        known = self._pieces.get(id(chunk))
        if known is None:
            # The chunk is kept, so that no other can get its id.
            known = self._pieces[id(chunk)] = (chunk, _joined(chunk))
        return known[1]


def _joined(chunk: Chunk) -> ViewPiece:
    starts, lengths = chunk.starts, chunk.lengths
    if not any(map(eq, map(add, starts, lengths), islice(starts, 1, None))):
        return ViewPiece(starts, lengths)
    piece = ViewPiece(array("I"), array("I"))
    for start, length in View((chunk,)).joined():
        piece.starts.append(start)
        piece.lengths.append(length)
    return piece
