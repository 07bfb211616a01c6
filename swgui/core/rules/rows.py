"""The two rows of an alignment by rule."""

from __future__ import annotations

GAP = "-"


def as_rows(query: str, part: str, columns: str) -> tuple[str, str]:
    """Return the residues of query and subject in so many columns, gaps as dashes."""
    residues, others = iter(query), iter(part)
    upper = "".join(GAP if column == "I" else next(residues) for column in columns)
    lower = "".join(GAP if column == "D" else next(others) for column in columns)
    return upper, lower
