"""Values of one query's hits in NumPy columns: those of the search at once, those of alignments as they come."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, count_columns
from swgui.core.headers import Header, parse_anew, parse_header
from swgui.core.hits.marks import Kind, Marks
from swgui.core.hits.results import Hit, HitList
from swgui.core.organisms.subjects import UNKNOWN, Organism, SubjectOrganisms
from swgui.core.profiles.rounds import HitRounds
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.texts import decoded
from swgui.core.translation.frames import (
    SHIFTING,
    directions,
    query_frame,
    query_frames,
    residues_at,
    steps_of,
    subject_frame,
    subject_frames,
)
from swgui.core.verdict.hits import judge
from swgui.core.verdict.kinds import KINDS, kinds_of
from swgui.gui.hits.alignments import Stretch, Stretches
from swgui.gui.hits.columns import BY_KEY, ColumnView
from swgui.gui.hits.header_search import HeaderSearch
from swgui.gui.words import formatting
from swgui.io.export.columns import HIT_COLUMNS
from swgui.io.export.getters import FromHeader, FromOrganism
from swgui.io.export.values import clean_text

KEPT_HITS = 1024  # whole hits (with alignment and residues) kept for the viewers

# Numbers that come with alignments, and the row each has among those kept.
_PLACE = {key: at for at, key in enumerate(k for k, c in HIT_COLUMNS.items() if c.late and c.kind != "text")}
# Numbers that the search has in arrays already; those of other columns are asked of one hit after the other.
_STORED: dict[str, Callable[[HitList], NDArray[np.generic]]] = {
    "rank": lambda listed: np.arange(1, len(listed.columns) + 1, dtype=np.int64),
    "score": lambda listed: listed.columns.scores,
    "bitscore": lambda listed: listed.columns.bit_scores,
    "evalue": lambda listed: listed.columns.log10_evalues,
    "log10_evalue": lambda listed: listed.columns.log10_evalues,
    "sstrand": lambda listed: directions(listed.columns.strands),
    "qframe": lambda listed: _frames(query_frames(listed.columns.strands)),
    "sframe": lambda listed: _frames(subject_frames(listed.columns.strands)),
    "slen": lambda listed: listed.result.database.lengths[listed.columns.db_index],
}


def _frames(frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return frames of hits that are not aligned yet; NaN of strands whose reading may shift."""
    return np.where(np.abs(frames) == SHIFTING, nan, frames)


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
        self.query, self._rounds = listed.query.query, listed.query.rounds
        self.marks = Marks() if marks is None else marks
        self.aligned: NDArray[np.bool_] = np.zeros(len(self.hits), dtype=bool)
        self.faults: dict[int, str] = {}  # rows that could not be aligned, and why
        self.awaited: set[int] = set()  # rows that somebody aligns by himself
        self._measured: NDArray[np.float64] | None = None
        self.unfolded: set[int] = set()  # rows whose alignments stand below them; their hits stay kept
        self.stretches = Stretches()
        self._kept: OrderedDict[int, Hit] = OrderedDict()
        self._parts: dict[int, tuple[Hit, ...]] = {}
        self._cigars: dict[int, str] = {}
        self._text_ranks: dict[str, NDArray[np.int64]] = {}
        self._numbers: dict[str, NDArray[np.generic]] = {}
        self._encoded: dict[int, EncodedQuery] = {}
        self.headers = HeaderSearch(self.result.database, self.hits.db_index)

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

    @property
    def has_significant(self) -> bool:
        """Whether any hit is significant, or none can be because there are no E-values."""
        return not self.has_statistics or bool((self.kinds == KINDS.index("significant")).any())

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """The kind of every hit, as its place in `swgui.core.verdict.kinds.KINDS`, shape (k,)."""
        return kinds_of(self.hits)

    def values(self, key: str) -> NDArray[np.generic]:
        """Return the numbers of a column, NaN where not known yet.

        Returns
        -------
        ndarray, shape=(k,)
            Not to be changed by the caller.
        """
        if key in _PLACE:
            if self._measured is None:
                return np.full(len(self), np.nan)
            return np.where(self.aligned, self._measured[_PLACE[key]], np.nan)
        if key == "star":
            return self.marked("starred").astype(np.int8)
        if key in self._numbers:
            return self._numbers[key]
        stored = _STORED.get(key)
        if stored is not None:
            numbers = stored(self.listed)
        else:
            numbers = np.fromiter((self._number(row, key) for row in range(len(self))), np.float64, len(self))
        if stored is not None or HIT_COLUMNS[key].source != "marks":  # which change
            self._numbers[key] = numbers
        return numbers

    def value(self, row: int, key: str) -> float:
        """Return one number; NaN where not known yet."""
        if key in _PLACE:
            return float(self._measured[_PLACE[key], row]) if self._measured is not None and self.aligned[row] else nan
        if key == "star":
            return 1.0 if self.marks.has("starred", self.query_index, self.subject(row)) else nan
        return float(self.values(key)[row]) if key in _STORED else self._number(row, key)

    def _number(self, row: int, key: str) -> float:
        column = HIT_COLUMNS[key]
        return column.number(self._bare(row, residues=column.source == "search"))

    def text(self, row: int, view: ColumnView) -> str:
        """Return one cell as the screen shows it."""
        if view.key == "n_hsps":
            return formatting.alignments(*self.how_many(row), noun=False, frames=self.in_frames)
        if view.kind in ("number", "bar"):
            return view.show(self.value(row, view.key))
        if view.kind != "text":
            return ""
        if view.readable is not None:
            return view.readable(self.header(row))
        if view.key == "cigar":
            return self._cigars.get(row, "")
        if view.key == "verdict":
            return KINDS[int(self.kinds[row])]
        if isinstance(view.column.value, FromHeader):
            return clean_text(view.column.value.read(self.header(row)))
        if isinstance(view.column.value, FromOrganism):
            return clean_text(view.column.value.read(self.organism(row)))
        if view.key in ("round_evalues", "path_evalues"):
            return view.column.text(self._bare(row, residues=False)).replace(";", "  ")
        if not view.late:
            return view.column.text(self._bare(row, residues=view.column.source == "search"))
        return view.column.text(self._kept.get(row) or self._aligned_again(row)) if self.aligned[row] else ""

    def verdict(self, row: int) -> str:
        """Return the verdict on a hit as a sentence; with coverage and shape once it has been aligned."""
        return judge(self._kept.get(row) or self._bare(row, residues=False), self.result)

    def _bare(self, row: int, *, residues: bool) -> Hit:
        """Return a hit without its alignment; reading the residues of the subject is left out where nobody looks."""
        database, at, strand = self.result.database, self.subject(row), int(self.hits.strands[row])
        by = self.hits.composition
        uncorrected, ratio, shuffle_z = by.of(row) if by is not None else (nan, nan, nan)
        if strand not in self._encoded:
            self._encoded[strand] = self.result.encoded_query(self.query_index, strand)
        return Hit(
            rank=row + 1,
            query=self._encoded[strand],
            query_record=self.query,
            db_index=at,
            subject=database.record(at)
            if residues
            else SequenceRecord(database.ids[at], database.descriptions[at], b""),
            score=int(self.hits.scores[row]),
            bit_score=float(self.hits.bit_scores[row]),
            log10_evalue=float(self.hits.log10_evalues[row]),
            strand=strand,
            star=self.marks.has("starred", self.query_index, at),
            note=self.marks.note(self.query_index, at),
            log10_uncorrected=uncorrected,
            lambda_ratio=ratio,
            shuffle_z=shuffle_z,
            rounds=self.rounds(row),
            translation=self.result.translation,
        )

    def _aligned_again(self, row: int) -> Hit:
        """Return a whole hit that is no longer kept, made of its CIGAR string and where it starts."""
        hit = self._bare(row, residues=True)
        steps = steps_of(hit.strand)
        runs = Alignment.from_cigar(0, 0, self._cigars[row], hit.score, steps)
        step = 1 if hit.strand > 0 else -1  # from the direction of the query as given to that of the search
        if hit.strand > 0:
            sides = (
                (query_frame(hit.strand), hit.query_record, "qstart"),
                (subject_frame(hit.strand), hit.subject, "sstart"),
            )
            starts = [int(residues_at(frame, self.value(row, key), len(of.residues))) for frame, of, key in sides]
        else:
            starts = [len(hit.query) - int(self.value(row, "qend")), int(self.value(row, "send")) - 1]
        span, other = runs.query_end, runs.subject_end
        ends = starts[0], starts[0] + span, starts[1], starts[1] + other
        alignment = Alignment(*ends, runs.ops[::step], runs.lengths[::step], hit.score, steps)
        codes = self.result.searched.subject(hit.db_index, hit.strand)
        counts = count_columns(alignment, hit.query, codes, self.result.scheme)
        z_score, fitted = self.value(row, "zscore"), self.value(row, "evalue_fit")
        return replace(hit, alignment=alignment, counts=counts, z_score=z_score, fitted_log10_evalue=fitted)

    def rounds(self, row: int) -> HitRounds | None:
        """Return what the rounds of an iterated search say of a hit; None for any other search."""
        return self._rounds.of(int(self.hits.db_index[row])) if self._rounds is not None else None

    def subject(self, row: int) -> int:
        """Return the source index of a hit's subject."""
        return int(self.hits.db_index[row])

    def subjects(self, rows: Sequence[int]) -> list[int]:
        """Return the source indices of some hits' subjects."""
        indices: list[int] = self.hits.db_index[np.asarray(rows, dtype=np.int64)].tolist()
        return indices

    def marked(self, kind: Kind) -> NDArray[np.bool_]:
        """Return which hits have a mark, shape (k,)."""
        return self.marks.mask(kind, self.query_index, self.hits.db_index)

    def header(self, row: int) -> Header:
        """Return what the header of a hit's subject says."""
        database, at = self.result.database, int(self.hits.db_index[row])
        return parse_header(database.ids[at], database.descriptions[at])

    def organism(self, row: int) -> Organism:
        """Return the organism of a hit's subject."""
        return self.result.database.organism(self.subject(row))

    def organism_name(self, row: int) -> str:
        """Return the organism of a hit's subject as `organisms` names it, once that is known."""
        if "organisms" not in vars(self):
            return self.organism(row).name
        at = int(self.organisms.of[row])
        return self.organisms.names[at] if at != UNKNOWN else ""

    def organisms_of(self, rows: NDArray[np.int64]) -> SubjectOrganisms:
        """Return the organisms of some hits; of the others nothing is read."""
        known = "organisms" in vars(self)
        return self.organisms.take(rows) if known else self.result.database.organisms_at(self.hits.db_index[rows])

    @cached_property
    def organisms(self) -> SubjectOrganisms:
        """The organisms of all hits; a second or two for a million, for a worker."""
        return self.result.database.organisms_at(self.hits.db_index)

    def hit(self, row: int) -> Hit | None:
        """Return the whole hit if it was added lately, otherwise None."""
        hit = self._kept.get(row)
        if hit is not None:
            self._kept.move_to_end(row)
        return hit

    def kept(self) -> dict[int, Hit]:
        """Return the whole hits added lately, by row."""
        return dict(self._kept)

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
            self._parts.pop(row, None)
            if hit.alignment is None or hit.counts is None:
                continue
            for key, at in _PLACE.items():
                self._measured[at, row] = HIT_COLUMNS[key].number(hit)
            self._cigars[row] = HIT_COLUMNS["cigar"].text(hit)
            self.aligned[row] = True
            self.stretches.add(row, hit)
        for row in [row for row in self._kept if row not in self.unfolded][: len(self._kept) - KEPT_HITS]:
            self._forget(row)
        return rows

    def _forget(self, row: int) -> None:
        del self._kept[row]
        self._parts.pop(row, None)

    def alignments(self, row: int) -> tuple[Hit, ...]:
        """Return a hit once for each of its alignments, best first; empty while it is not kept."""
        if row not in self._parts and row in self._kept:
            self._parts[row] = tuple(self._kept[row].rows())
        return self._parts.get(row, ())

    def along_query(self, row: int) -> list[Stretch]:
        """Return where the alignments of a hit lie on the query, best first; empty while they are not known."""
        if not self.aligned[row] or self.stretches.count(row):
            return self.stretches.of(row)
        start, end = sorted((int(self.value(row, "qstart")), int(self.value(row, "qend"))))
        strand, score = int(self.hits.strands[row]), int(self.hits.scores[row])
        return [Stretch(start, end, strand, score, float(self.hits.bit_scores[row]))]

    @property
    def in_frames(self) -> bool:
        """Whether alignments lie in frames, and not on strands."""
        how = self.result.translation
        return how is not None and not how.shift

    def how_many(self, row: int) -> tuple[int, int]:
        """Return how many alignments a hit has and on how many strands they lie, 0 and 0 while it is not known."""
        known = int(self.aligned[row])
        return (self.stretches.count(row), self.stretches.strands(row)) if self.stretches.count(row) else (known, known)

    def alignments_within(self, log10_evalue: float) -> int:
        """Return how many alignments have an E up to a limit; 0 until all hits with such an E are aligned."""
        strong = self.hits.log10_evalues <= log10_evalue
        if not self.aligned[strong].all():
            return 0
        rows, within = self.stretches.rows, self.stretches.log10_evalues <= log10_evalue
        several = np.zeros(len(self), dtype=np.bool_)
        several[rows] = True
        return int((strong & ~several).sum() + within.sum())

    def spans(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return first and last residue of the query, from 1, of every alignment of some rows; NaN where not known."""
        shown = np.zeros(len(self), dtype=bool)
        shown[rows] = True
        more = self.stretches.later
        more &= shown[self.stretches.rows]
        both = [np.asarray(self.values(key), dtype=np.float64)[rows] for key in ("qstart", "qend")]
        starts, ends = np.fmin(*both), np.fmax(*both)
        return (
            np.concatenate([starts, self.stretches.starts[more]]),
            np.concatenate([ends, self.stretches.ends[more]]),
        )

    def covering(self, first: int, last: int) -> NDArray[np.bool_]:
        """Return which hits have an alignment that reaches over a stretch of the query (from 1), shape (k,)."""
        both = [np.asarray(self.values(key), dtype=np.float64) for key in ("qstart", "qend")]
        starts, ends = np.fmin(*both), np.fmax(*both)
        covering = (starts <= first) & (ends >= last)
        found = self.stretches
        covering[found.rows[(found.starts <= first) & (found.ends >= last)]] = True
        return covering

    def unaligned(self, rows: Iterable[int]) -> list[int]:
        """Return those of `rows` that still need an alignment and can have one, and that nobody is aligning."""
        done = self.faults.keys() | self.awaited
        return [int(row) for row in rows if not self.aligned[row] and row not in done]

    def text_ranks(self, key: str) -> NDArray[np.int64]:
        """Return the alphabetical place of every row by a text column; slow the first time, for a worker.

        Verdicts come in the order of their kinds.
        """
        if key == "verdict":
            return self.kinds.astype(np.int64)
        if key not in self._text_ranks:
            column = BY_KEY[key]
            texts = [text.casefold() for text in self._texts(column)]
            place = {text: at for at, text in enumerate(sorted(set(texts)))}
            ranks = np.fromiter((place[text] if text else len(place) for text in texts), np.int64, len(texts))
            if column.late or column.column.source == "marks":  # may still change
                return ranks
            self._text_ranks[key] = ranks
        return self._text_ranks[key]

    def _texts(self, view: ColumnView) -> Iterable[str]:
        """Return the cells of all rows as `text` does one, headers without remembering them."""
        if isinstance(view.column.value, FromOrganism):
            organisms, read = self.organisms, view.column.value.read
            of_each = [clean_text(read(organisms.described(at))) for at in range(len(organisms.names))]
            return (of_each[at] if at != UNKNOWN else "" for at in organisms.of.tolist())
        from_header = view.column.value if isinstance(view.column.value, FromHeader) else None
        if view.kind != "text" or (view.readable is None and from_header is None):
            return (self.text(row, view) for row in range(len(self)))
        database, at = self.result.database, self.hits.db_index
        headers = map(parse_anew, decoded(database.ids, at), decoded(database.descriptions, at))
        if view.readable is not None:
            return map(view.readable, headers)
        assert from_header is not None
        return (clean_text(from_header.read(header)) for header in headers)

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return which rows have every word of `text` in their header, upper or lower case; for a worker.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        return self.headers.matches(text)
