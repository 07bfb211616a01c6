"""Bars of the alignments of a hit along the query, as the HTML report and paper draw them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swgui.core.hits.along_query import SCORE_CLASSES, lanes_of, score_class
from swgui.core.hits.table import Hit
from swgui.io.export.rows import spans_of


class AlongQuery(NamedTuple):
    """The bar of one alignment; `top` and `height` are shares of the height of the hit's row."""

    start: int  # first residue of the query, from 1
    end: int  # last one
    top: float
    height: float
    shade: int  # place in `SCORE_CLASSES`


def bars_of(hit: Hit) -> list[AlongQuery]:
    """Return a bar for each alignment of a hit, higher for more bits, so that none hides another."""
    ones = list(hit.rows())
    ends = [(min(span.query_start, span.query_end), max(span.query_start, span.query_end)) for span in spans_of(hit)]
    classes = score_class(
        np.array([span.bit_score for span in ones], np.float64), np.array([span.score for span in ones], np.int32)
    )
    lanes = lanes_of(ends)
    room = 1 / (max(lanes) + 1)
    bars = []
    for (start, end), lane, shade in zip(ends, lanes, classes.tolist(), strict=True):
        height = room * SCORE_CLASSES[shade][2] / 6
        bars.append(AlongQuery(start, end, room * lane + (room - height) / 2, height, shade))
    return bars
