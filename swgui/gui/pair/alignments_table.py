"""The alignments of a pair as a table: the best and the next best ones. No Qt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.result import PairResult
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.words import formatting


def alignments_source(result: PairResult) -> ColumnSource:
    """Return a row for each alignment of a result, best first."""
    found, length = result.alignments, result.query_length
    ranges = [each.query_range(length) for each in found]
    numbers = {
        "number": np.array([each.index for each in found]),
        "score": np.array([each.score for each in found]),
        "identity": np.array([each.counts.pident for each in found]),
        "columns": np.array([each.counts.length for each in found]),
        "gaps": np.array([each.counts.gaps for each in found]),
        "query_start": np.array([start + 1 for start, _ in ranges]),
        "query_end": np.array([stop for _, stop in ranges]),
        "subject_start": np.array([each.alignment.subject_start + 1 for each in found]),
        "subject_end": np.array([each.alignment.subject_end for each in found]),
    }
    titles = (
        ("number", "#", "Place by score"),
        ("score", "Score", "Score of the alignment"),
        ("identity", "Identity %", "Identical residues in percent of the columns"),
        ("columns", "Columns", "Columns of the alignment, gaps included"),
        ("gaps", "Gaps", "Residues in gaps"),
        ("query_start", "Query from", "First residue of the query, as it was written"),
        ("query_end", "to", "Last residue of the query, as it was written"),
        ("subject_start", "Subject from", "First residue of the subject"),
        ("subject_end", "to", "Last residue of the subject"),
    )
    columns = [
        TableColumn(
            key, title, tip, _percent(numbers[key]) if key == "identity" else _whole(numbers[key]), numbers[key]
        )
        for key, title, tip in titles
    ]
    if result.scheme.alphabet.complements:
        columns.insert(
            2, TableColumn("strand", "Strand", "Strand of the query that is aligned", lambda row: found[row].strand)
        )
    if any(not np.isnan(each.bit_score) for each in found):
        evalues = np.array([each.log10_evalue for each in found])
        bits = np.array([each.bit_score for each in found])
        columns[2:2] = [
            TableColumn("bits", "Bits", "Bit score", lambda row: formatting.tenths(bits[row]), bits),
            TableColumn("evalue", "E", "Expected number of alignments of this score by chance",
                        lambda row: formatting.evalue(evalues[row]), evalues),
        ]  # fmt: skip
    return ColumnSource(columns, len(found))


def _whole(values: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda row: f"{int(values[row]):,}"


def _percent(values: NDArray[np.float64]) -> Callable[[int], str]:
    return lambda row: formatting.tenths(float(values[row]))
