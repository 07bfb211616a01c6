"""The two rows of an alignment by rule."""

from __future__ import annotations

from swgui.core.rules.reference import Codes, Fit, Table

GAP = "-"


def aligned_columns(query: Codes, part: Codes, table: Table, fit: Fit) -> str:
    """Return the columns of a fit: ``=`` match, ``X`` mismatch, ``I`` insertion, ``D`` deletion.

    A cell is the fewest mismatches with which the first residues of the query fit with so many insertions and
    deletions; the fit's are exact, since it was the best.

    Parameters
    ----------
    query : codes
        Those residues that are aligned.
    part : codes
        Those of the subject.
    """
    size, added, missing = len(query), fit.insertions, fit.deletions
    cells: dict[tuple[int, int, int], tuple[int, str]] = {(0, 0, 0): (0, "")}
    for i in range(size + 1):
        for a in range(added + 1):
            for d in range(min(i, missing) + 1):
                j = i - d + a
                options = []
                if i and (i - 1, a, d) in cells and 0 < j <= len(part):
                    match = bool(table[query[i - 1], part[j - 1]])
                    options.append((cells[i - 1, a, d][0] + (not match), "=" if match else "X"))
                if a and 0 < i < size and (i, a - 1, d) in cells and j <= len(part):
                    options.append((cells[i, a - 1, d][0], "I"))
                if d and (i - 1, a, d - 1) in cells:
                    options.append((cells[i - 1, a, d - 1][0], "D"))
                if options:
                    cells[i, a, d] = min(options, key=lambda one: one[0])
    columns, i, a, d = [], size, added, missing
    while (i, a, d) != (0, 0, 0):
        column = cells[i, a, d][1]
        columns.append(column)
        i, a, d = i - (column != "I"), a - (column == "I"), d - (column == "D")
    return "".join(reversed(columns))


def as_rows(query: str, part: str, columns: str) -> tuple[str, str]:
    """Return the residues of query and subject in so many columns, gaps as dashes."""
    residues, others = iter(query), iter(part)
    upper = "".join(GAP if column == "I" else next(residues) for column in columns)
    lower = "".join(GAP if column == "D" else next(others) for column in columns)
    return upper, lower
