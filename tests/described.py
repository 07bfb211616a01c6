"""Hits made whole, as tests ask for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream
from swgui.jobs.search.describe import describe, describe_list


def describe_hits(
    result: SearchResult, query_index: int, rows: Sequence[int], *, align: bool = True, fit: bool = True
) -> HitStream:
    """Describe rows of the hits of one query."""
    return describe_list(result.hit_list(query_index), rows, align=align, fit=fit)


def describe_all(result: SearchResult, rows: Sequence[Sequence[int]], **how: object) -> HitStream:
    """Describe rows of the hits of every query."""
    return describe([(result.hit_list(at), some) for at, some in enumerate(rows)], **how)  # type: ignore[arg-type]


def numbers_in(text: str) -> list[int]:
    """Return the numbers of a sentence: its facts, for a test that leaves its words to another."""
    return [int(number) for number in re.findall(r"\d+", text)]
