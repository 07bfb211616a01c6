"""Many subjects on one query: a matrix of symbols, one column for each residue of the query. Pure, without Qt.

Residues of a subject between two residues of the query (an insertion) are folded away and kept apart from the
matrix; single insertions can be unfolded, which gives them columns of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import query_frame, subject_frame
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import shifting
from swgui.gui.viewer.residues.coloring import ColumnProfile
from swgui.gui.viewer.rows.layout import BLANK, GAP, lay_out_rows
from swgui.io.export.rows import AGAIN, SKIPPED

_SIGNS: Final = (ord(SKIPPED), ord(AGAIN))


@dataclass(frozen=True, slots=True, eq=False)
class StackRow:
    """One subject laid on the query."""

    row: int  # place in the ranked list, from 0
    part: int  # number of the alignment within its subject, from 0
    log10_evalue: float  # and identity: of the alignment; the identity in percent
    identity: float
    # Symbol aligned with each residue of the query in ASCII, ``-`` in a gap, blank outside the alignment.
    symbols: NDArray[np.uint8]
    insertions: dict[int, str]  # residues behind a query residue (numbered from 1)
    start: int  # and step: number of the subject's first aligned residue as shown, and +1 or -1 (minus strand)
    step: int
    # Number of the subject's residue against each of the query, 0 for none: where its reading may shift, or cross the
    # origin of a circular record.
    numbers: NDArray[np.int64] | None = None
    place: str = ""  # first and last residue in the subject, where several rows are of one; empty for one

    def name(self, subject: str) -> str:
        """Return the name of the subject, with its place, or the number of the alignment if it is not the best one."""
        if self.place:
            return f"{subject}/{self.place}"
        return f"{subject} ({self.part + 1})" if self.part else subject

    def position(self, column: int) -> int:
        """Return the subject's residue number against a query residue (from 0), 0 in a gap or outside."""
        if self.symbols[column] in (GAP, BLANK):
            return 0
        if self.numbers is not None:
            return int(self.numbers[column])
        before = self.symbols[:column]
        passed = int(((before != GAP) & (before != BLANK)).sum())
        passed += sum(len(symbols) for before, symbols in self.insertions.items() if before <= column)
        return self.start + self.step * passed


def stack_row(hit: Hit, scheme: ScoringScheme) -> StackRow:
    layout = lay_out_rows(hit, scheme)
    symbols = np.full(len(hit.query_record.residues), BLANK, dtype=np.uint8)
    backwards = query_frame(hit.strand) < 0  # a query whose opposite strand is read
    layout = layout.backwards() if backwards else layout
    shifted = np.isin(layout.query, _SIGNS) | np.isin(layout.subject, _SIGNS)
    positions = layout.query_positions
    symbols[positions[positions > 0] - 1] = layout.subject[positions > 0]
    insertions: dict[int, str] = {}
    behind = np.maximum.accumulate(positions)
    for column in np.flatnonzero((positions == 0) & ~shifted).tolist():
        key = int(behind[column])
        insertions[key] = insertions.get(key, "") + chr(layout.subject[column])
    start = int(layout.subject_positions[layout.subject_positions > 0][0])
    identity = hit.counts.pident if hit.counts is not None else float("nan")
    frame = subject_frame(hit.strand)
    step = CODON * (1 if frame > 0 else -1) if frame else 1 if hit.strand > 0 else -1
    step = -step if backwards else step
    numbers = None
    across = hit.alignment is not None and hit.alignment.subject_end > len(hit.subject.residues)
    if shifting(hit.translation) or (across and not frame):
        numbers = np.zeros(len(symbols), dtype=np.int64)
        numbers[positions[positions > 0] - 1] = layout.subject_positions[positions > 0]
    return StackRow(hit.rank - 1, hit.hsp, hit.log10_evalue, identity, symbols, insertions, start, step, numbers)


class Stack:
    """Subjects laid on one query; rows are added as their alignments arrive.

    Parameters
    ----------
    query : ndarray, shape=(m,), dtype=uint8
        Residues of the query.
    """

    def __init__(self, query: NDArray[np.uint8], evalue_head: str = "E") -> None:
        self.query, self.evalue_head = query, evalue_head
        self.rows: list[StackRow] = []
        self.symbols: NDArray[np.uint8] = np.full((64, len(query)), BLANK, dtype=np.uint8)
        self._counts = ColumnProfile.of(query[None, :]).counts
        self._insertion_widths: NDArray[np.int64] = np.zeros(len(query) + 1, dtype=np.int64)
        self._unfolded: set[int] = set()
        self._columns: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, rows: Sequence[StackRow]) -> None:
        if not rows:
            return
        needed = len(self.rows) + len(rows)
        if needed > len(self.symbols):
            grown = np.full((max(needed, 2 * len(self.symbols)), len(self.query)), BLANK, dtype=np.uint8)
            grown[: len(self.rows)] = self.symbols[: len(self.rows)]
            self.symbols = grown
        new = np.stack([row.symbols for row in rows])
        self.symbols[len(self.rows) : needed] = new
        self.rows.extend(rows)
        self._counts = self._counts + ColumnProfile.of(new).counts
        for row in rows:
            for column, symbols in row.insertions.items():
                self._insertion_widths[column] = max(self._insertion_widths[column], len(symbols))

    @property
    def profile(self) -> ColumnProfile:
        return ColumnProfile(self._counts)

    @property
    def coverage(self) -> NDArray[np.int64]:
        """Subjects with a residue in each column, shape (m,)."""
        return self.profile.depth.astype(np.int64) - 1

    def conservation(self) -> NDArray[np.float64]:
        """Return how uneven the symbols of each column are, 0 to 1.

        One minus the entropy of the symbols over the entropy of as many equally frequent symbols as the
        column could have (Shannon), times the share of subjects that have a residue there.

        Returns
        -------
        ndarray, shape=(m,), dtype=float64
        """
        counts = self._counts[ord("A") : ord("Z") + 1].astype(np.float64)
        depth = np.maximum(counts.sum(axis=0), 1)
        shares = counts / depth
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.nansum(np.where(shares > 0, shares * np.log(shares), 0.0), axis=0)
        highest = np.log(np.clip(depth, 2, 20))
        return np.asarray(np.clip(1 - entropy / highest, 0, 1) * depth / (len(self.rows) + 1), dtype=np.float64)

    # -- columns in display order ------------------------------------------------------------------

    def toggle(self, after: int) -> None:
        """Unfold or fold the insertions behind a query residue (numbered from 1, 0 for the front)."""
        self._unfolded ^= {after}
        self._columns = None

    def unfold_all(self) -> None:
        self._unfolded = set(np.flatnonzero(self._insertion_widths).tolist())
        self._columns = None

    def fold_all(self) -> None:
        self._unfolded.clear()
        self._columns = None

    @property
    def unfolded(self) -> frozenset[int]:
        return frozenset(self._unfolded)

    @property
    def columns(self) -> NDArray[np.int64]:
        """Residue of each shown column: a query residue from 0, or -1 - residue for an insertion behind it.

        An ndarray of shape (c,) and dtype int64, where c is m and the columns of unfolded insertions.
        """
        if self._columns is None:
            parts = []
            last = 0
            for after in sorted(self._unfolded):
                parts.append(np.arange(last, after, dtype=np.int64))
                parts.append(np.full(int(self._insertion_widths[after]), -1 - after, dtype=np.int64))
                last = after
            parts.append(np.arange(last, len(self.query), dtype=np.int64))
            self._columns = np.concatenate(parts)
        return self._columns

    def window(self, first: int, last: int, start: int, stop: int) -> NDArray[np.uint8]:
        """Return the symbols of some rows in some shown columns.

        Parameters
        ----------
        first, last : int
            Rows, half open.
        start, stop : int
            Shown columns, half open.

        Returns
        -------
        ndarray, shape=(last - first, stop - start), dtype=uint8
        """
        shown = self.columns[start:stop]
        symbols = self.symbols[first:last][:, np.maximum(shown, 0)]
        inserted = np.flatnonzero(shown < 0)
        if not len(inserted):
            return symbols
        symbols[:, inserted] = BLANK
        for after in np.unique(-1 - shown[inserted]).tolist():
            begin = int(np.argmax(self.columns == -1 - after))
            for row in range(first, last):
                insertion = self.rows[row].insertions.get(after, "")
                for offset, symbol in enumerate(insertion):
                    column = begin + offset - start
                    if 0 <= column < stop - start:
                        symbols[row - first, column] = ord(symbol)
        return symbols

    def query_window(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Return the query's symbols in some shown columns, ``-`` where insertions are unfolded.

        Returns
        -------
        ndarray, shape=(stop - start,), dtype=uint8
        """
        shown = self.columns[start:stop]
        return np.where(shown >= 0, self.query[np.maximum(shown, 0)], GAP).astype(np.uint8)


def build_rows(hits: Iterable[Hit], scheme: ScoringScheme) -> list[StackRow]:
    """Lay every alignment of some hits on their query; hits without one are left out."""
    return [stack_row(row, scheme) for hit in hits for row in hit.rows() if row.alignment is not None]


def stack_as_fasta(stack: Stack, names: Sequence[str], query_name: str) -> str:
    """Write the stack as aligned FASTA with a column for each residue of the query; insertions are left out."""
    lines = [f">{query_name}", stack.query.tobytes().decode("ascii")]
    for index, name in enumerate(names):
        lines += [f">{name}", stack.symbols[index].tobytes().decode("ascii").replace(" ", "-")]
    return "\n".join(lines) + "\n"
