"""Columns with Infernal's score of hits: of the covariance model that the user gives, not of the query."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import Stopped
from swgui.core.hits.table import HitTable
from swgui.core.table import Value
from swgui.core.words import count
from swgui.io.export.columns import Column
from swgui.io.export.rows import read_on_spans
from swgui.io.infernal import CovarianceModel, ModelScore, score_stretches


@dataclass(slots=True, eq=False)
class InfernalScores:
    """Scores of the lines of tables of hits, each table by one run of Infernal.

    Parameters
    ----------
    program : str
        Path of cmsearch.
    version : str
    model : CovarianceModel
    threads : int
        Of Infernal; 0 leaves the number to it.
    cancel : Event, optional
        Ends Infernal; lines that are left have no score then.
    """

    program: str
    version: str
    model: CovarianceModel
    threads: int = 0
    cancel: threading.Event | None = None
    scored: int = 0  # lines with a score, and all lines with an alignment with bases
    lines: int = 0
    left: int = 0  # of these lines, those that Stop left without a score
    _last: tuple[HitTable, list[ModelScore | None]] | None = field(default=None, repr=False)

    def of(self, table: HitTable) -> list[ModelScore | None]:
        """Return the score of each line, None without one; errors as of `score_stretches`."""
        if self._last is None or self._last[0] is not table:
            self._last = table, self._scored(table)
        return self._last[1]

    def _scored(self, table: HitTable) -> list[ModelScore | None]:
        made: list[ModelScore | None] = [None] * table.lines
        database = table.subjects.database
        rows = np.flatnonzero(table.there)
        if table.aligned is None or not len(rows) or database.alphabet.name != NUCLEOTIDE.name:
            return made
        *_, first, last = read_on_spans(table)
        begins, ends = np.minimum(first, last) - 1, np.maximum(first, last)
        stretches = []
        for row in rows.tolist():
            residues = database.record(int(table.subjects.db_index[table.hit[row]])).residues
            stretch = residues[max(0, int(begins[row]) - self.model.length) : int(ends[row]) + self.model.length]
            if first[row] > last[row]:
                stretch = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(stretch)))
            stretches.append(stretch)
        self.lines += len(rows)
        megabases = 2 * database.residues / 1e6
        try:
            found = score_stretches(self.program, self.model, stretches, megabases, self.threads, self.cancel)
        except Stopped:
            self.left += len(rows)
            return made
        for row, score in zip(rows.tolist(), found, strict=True):
            made[row] = score
        self.scored += sum(score is not None for score in found)
        return made

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of bits and of E."""
        model, more = self.model.name, f"{self.model.length:,} bases more on each side"
        about = f"of the covariance model '{model}' in the aligned part with {more}, by Infernal"

        def bits(table: HitTable) -> list[Value]:
            return [None if score is None else score.bits for score in self.of(table)]

        def evalue(table: HitTable) -> list[Value]:
            return [
                None if score is None else math.log10(score.evalue) if score.evalue > 0 else -math.inf
                for score in self.of(table)
            ]

        return (
            Column(
                "infernal_bits", "Infernal's bits", f"Score {about}; empty where it reports none.", "real",
                "alignment", read=bits, decimals=1, on_request=True,
            ),
            Column(
                "infernal_evalue", "Infernal's E", f"E {about}, in a search of both strands of the database.", "evalue",
                "alignment", read=evalue, on_request=True,
            ),
        )  # fmt: skip

    def summary(self) -> str:
        """Return a sentence on the lines that were scored."""
        program = f"Infernal {self.version}".strip()
        if not self.lines:
            return f"{program}: no line has an alignment with bases that '{self.model.name}' could score."
        said = f"{program} scored {self.scored:,} of {count(self.lines, 'line')} by the model '{self.model.name}'"
        return f"{said}; it was stopped before it had scored {self.left:,} of them." if self.left else f"{said}."
