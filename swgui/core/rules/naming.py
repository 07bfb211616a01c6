"""Names of queries in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

NAMED: Final = 3  # queries in a remark
LISTED: Final = 10  # queries in a sentence on a result


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return names, the first of many, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def queries_named(ids: Sequence[str]) -> str:
    """Return ``query q1``, or how many queries and the first of them."""
    return f"query {ids[0]}" if len(ids) == 1 else f"{len(ids):,} queries ({listed(ids, NAMED)})"
