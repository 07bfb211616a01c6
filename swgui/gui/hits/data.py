"""Values of one query's hits in NumPy columns: those of the search at once, those of alignments as they come."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import Header, parse_header
from swgui.core.hits.marks import Kind, Marks
from swgui.core.hits.results import Hit, HitList
from swgui.gui.hits.columns import BY_KEY, Column
from swgui.gui.hits.header_search import HeaderSearch
from swgui.io.export.rows import cigar, span

KEPT_HITS = 1024  # whole hits (with alignment and residues) kept for the viewers

_FROM_ALIGNMENT: dict[str, Callable[[Hit], float]] = {
    "pident": lambda hit: hit.counts.pident,
    "ppos": lambda hit: hit.counts.ppos,
    "qcovhsp": lambda hit: hit.query_coverage,
    "scovhsp": lambda hit: hit.subject_coverage,
    "length": lambda hit: hit.counts.length,
    "gaps": lambda hit: hit.counts.gaps,
    "gapopen": lambda hit: hit.counts.gapopen,
    "nident": lambda hit: hit.counts.nident,
    "positive": lambda hit: hit.counts.positive,
    "mismatch": lambda hit: hit.counts.mismatch,
    "zscore": lambda hit: hit.z_score,
    "evalue_fit": lambda hit: hit.fitted_log10_evalue,
    "qstart": lambda hit: span(hit).query_start,
    "qend": lambda hit: span(hit).query_end,
    "sstart": lambda hit: span(hit).subject_start,
    "send": lambda hit: span(hit).subject_end,
}
_PLACE = {key: at for at, key in enumerate(_FROM_ALIGNMENT)}


class HitData:
    """The hits of one query as columns. A *row* is a position in the ranked list, whatever the view shows.

    Parameters
    ----------
    listed : HitList
    marks : Marks, optional
        What the user noted about the hits of the run.
    """

    def __init__(self, listed: HitList, marks: Marks | None = None) -> None:
        self.listed = listed
        self.result, self.query_index, self.hits = listed.result, listed.query_index, listed.columns
        self.query = listed.query.query
        self.marks = Marks() if marks is None else marks
        self.aligned: NDArray[np.bool_] = np.zeros(len(self.hits), dtype=bool)
        self.faults: dict[int, str] = {}  # rows that could not be aligned, and why
        self._measured: NDArray[np.float64] | None = None
        self._kept: OrderedDict[int, Hit] = OrderedDict()
        self._cigars: dict[int, str] = {}
        self._text_ranks: dict[str, NDArray[np.int64]] = {}
        self.headers = HeaderSearch(self.result.database, self.hits.db_index)
        self.header = lru_cache(maxsize=4096)(self._header)

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def query_length(self) -> int:
        """Residues of the query."""
        return len(self.query.residues)

    @property
    def has_statistics(self) -> bool:
        """Whether bit scores and E-values are known."""
        return bool(len(self)) and not bool(np.isnan(self.hits.log10_evalues[0]))

    def values(self, key: str) -> NDArray[np.generic]:
        """Return the numbers of a column, NaN where not known yet.

        Returns
        -------
        ndarray, shape=(k,)
            Not to be changed by the caller.
        """
        hits = self.hits
        if key in _PLACE:
            if self._measured is None:
                return np.full(len(self), np.nan)
            return np.where(self.aligned, self._measured[_PLACE[key]], np.nan)
        direct: dict[str, Callable[[], NDArray[np.generic]]] = {
            "rank": lambda: np.arange(1, len(self) + 1, dtype=np.int64),
            "score": lambda: hits.scores,
            "bitscore": lambda: hits.bit_scores,
            "evalue": lambda: hits.log10_evalues,
            "log10_evalue": lambda: hits.log10_evalues,
            "sstrand": lambda: hits.strands,
            "slen": lambda: self.result.database.lengths[hits.db_index],
            "star": lambda: self.marked("starred").astype(np.int8),
        }
        return direct[key]()

    def value(self, row: int, key: str) -> float:
        """Return one number; NaN where not known yet."""
        if key in _PLACE:
            known = self._measured is not None and self.aligned[row]
            return float(self._measured[_PLACE[key], row]) if known else float("nan")
        hits = self.hits
        if key in ("evalue", "log10_evalue"):
            return float(hits.log10_evalues[row])
        if key == "rank":
            return row + 1.0
        if key == "slen":
            return float(self.result.database.lengths[hits.db_index[row]])
        if key == "star":
            return 1.0 if self.marks.has("starred", self.query_index, self.subject(row)) else float("nan")
        return float({"score": hits.scores, "bitscore": hits.bit_scores, "sstrand": hits.strands}[key][row])

    def text(self, row: int, column: Column) -> str:
        """Return one cell as the screen shows it."""
        if column.kind in ("number", "bar"):
            return column.show(self.value(row, column.key))
        if column.key == "cigar":
            return self._cigars.get(row, "")
        if column.key == "note":
            return " ".join(self.marks.note(self.query_index, self.subject(row)).split())
        if column.source == "header":
            header = self.header(row)
            return {
                "sseqid": header.name,
                "stitle": header.title,
                "organism": header.organism,
                "accession": header.accession,
                "gene": header.gene,
            }[column.key]
        return ""

    def subject(self, row: int) -> int:
        """Return the source index of a hit's subject."""
        return int(self.hits.db_index[row])

    def subjects(self, rows: Sequence[int]) -> list[int]:
        """Return the source indices of some hits' subjects."""
        return self.hits.db_index[np.asarray(rows, dtype=np.int64)].tolist()

    def marked(self, kind: Kind) -> NDArray[np.bool_]:
        """Return which hits have a mark, shape (k,)."""
        return self.marks.mask(kind, self.query_index, self.hits.db_index)

    def _header(self, row: int) -> Header:
        database, at = self.result.database, int(self.hits.db_index[row])
        return parse_header(database.ids[at], database.descriptions[at])

    def hit(self, row: int) -> Hit | None:
        """Return the whole hit if it was added lately, otherwise None."""
        hit = self._kept.get(row)
        if hit is not None:
            self._kept.move_to_end(row)
        return hit

    def add(self, hits: Iterable[Hit]) -> list[int]:
        """Take over aligned hits and return their rows."""
        if self._measured is None:
            # Zeros take memory only where something is written; `aligned` says which are meant.
            self._measured = np.zeros((len(_PLACE), len(self)))
        rows = []
        for hit in hits:
            row = hit.rank - 1
            rows.append(row)
            self._kept[row] = hit
            self._kept.move_to_end(row)
            if hit.alignment is None or hit.counts is None:
                continue
            for key, at in _PLACE.items():
                self._measured[at, row] = _FROM_ALIGNMENT[key](hit)
            self._cigars[row] = cigar(hit)
            self.aligned[row] = True
        while len(self._kept) > KEPT_HITS:
            self._kept.popitem(last=False)
        return rows

    def unaligned(self, rows: Iterable[int]) -> list[int]:
        """Return those of `rows` that still need an alignment and can have one."""
        return [int(row) for row in rows if not self.aligned[row] and row not in self.faults]

    def text_ranks(self, key: str) -> NDArray[np.int64]:
        """Return the alphabetical place of every row by a text column; slow the first time, for a worker."""
        if key not in self._text_ranks:
            column = BY_KEY[key]
            texts = [self.text(row, column).casefold() for row in range(len(self))]
            place = {text: at for at, text in enumerate(sorted(set(texts)))}
            ranks = np.fromiter((place[text] if text else len(place) for text in texts), np.int64, len(texts))
            if column.source in ("alignment", "marks"):  # may still change
                return ranks
            self._text_ranks[key] = ranks
        return self._text_ranks[key]

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return which rows have every word of `text` in their header, upper or lower case; for a worker.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        return self.headers.matches(text)
