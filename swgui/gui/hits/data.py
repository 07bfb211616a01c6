"""The hits of one query for the window: columns of the search at once, columns of alignments as they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.header_search import HeaderSearch
from swgui.core.headers import Header, parse_anew, parse_header
from swgui.core.hits.marks import Kind, Marks
from swgui.core.hits.results import HitList
from swgui.core.hits.rounds import HitRounds
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.core.organisms.subjects import UNKNOWN, Organism, SubjectOrganisms
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.verdict.hits import judge
from swgui.core.verdict.kinds import KINDS, SIGNIFICANT, kinds_of
from swgui.gui.hits.aligned import AlignedHits
from swgui.gui.hits.columns import BY_KEY, ColumnView
from swgui.gui.words import formatting
from swgui.io.cells import clean_text
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.getters import FromHeader, FromOrganism
from swgui.io.export.rows import span
from swgui.jobs.search.describe import unaligned

_Floats = NDArray[np.float64]


BLOCK: Final = 64  # rows whose texts are read together
CELLS: Final = 50_000  # texts that are remembered


class HitData:
    """The hits of one query as columns. A *row* is a position in the ranked list, whatever the view shows.

    Parameters
    ----------
    marks : Marks, optional
        The user's stars and notes on the hits of the run.
    """

    def __init__(self, listed: HitList, marks: Marks | None = None) -> None:
        self.listed = listed
        self.result, self.query_index, self.hits = listed.result, listed.query_index, listed.columns
        self.query = listed.query.query
        self.marks = Marks() if marks is None else marks
        self._described = AlignedHits(len(self.hits))
        self.aligned = self._described.aligned
        self.faults: dict[int, str] = {}  # rows that could not be aligned, and why
        self.awaited: set[int] = set()  # rows that another caller aligns
        self.unfolded: set[int] = set()  # rows with their alignments unfolded
        self._cells: dict[tuple[str, int], str] = {}
        self._of_parts: dict[tuple[str, int], Sequence[Any]] = {}
        self._text_ranks: dict[str, NDArray[np.int64]] = {}
        self._numbers: dict[str, NDArray[Any]] = {}
        self._own: dict[str, list[str]] = {}  # texts of the user's own columns
        self.headers = HeaderSearch(self.result.database, self.hits.db_index)

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def scheme(self) -> ScoringScheme:
        """Scoring of the search."""
        return self.result.scheme

    @property
    def query_length(self) -> int:
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

    @cached_property
    def table(self) -> HitTable:
        """All hits without alignments."""
        return replace(unaligned(self.listed), marks=self.marks)

    def values(self, key: str) -> NDArray[Any]:
        """Return the numbers of a column, NaN where not known yet.

        Returns
        -------
        ndarray, shape=(k,)
            Not to be changed by the caller.
        """
        if key == "star":
            return self.marked("starred").astype(np.int8)
        column = HIT_COLUMNS[key]
        if column.late:
            return self._described.numbers(column).copy()
        if key not in self._numbers or column.source == "marks":  # which change
            self._numbers[key] = column.numbers(self.table)
        return self._numbers[key]

    def value(self, row: int, key: str) -> float:
        """Return one number; NaN where not known yet."""
        if key == "star":
            return 1.0 if self.marks.has("starred", self.query_index, self.subject(row)) else nan
        column = HIT_COLUMNS[key]
        if column.late:
            return float(self._described.numbers(column)[row])
        if column.value is None or key in self._numbers:
            return float(self.values(key)[row])
        value = column.value(Hit(self.table, row))  # of one row: reading all of them this way is slow
        return nan if value is None else float(value)

    def text(self, row: int, view: ColumnView) -> str:
        """Return one cell as the screen shows it."""
        if view.key == "n_hsps":
            return self.said_alignments(row, noun=False)
        if view.kind in ("number", "bar"):
            return view.show(self.value(row, view.key))
        if view.kind != "text":
            return ""
        if view.readable is not None:
            return view.readable(self.header(row))
        text = self._cell(row, view.column)
        return text.replace(";", "  ") if view.key in ("round_evalues", "path_evalues") else text

    def _cell(self, row: int, column: Column) -> str:
        if column.late:
            hit = self.hit(row)
            if hit is None or not self.aligned[row]:
                return ""
            rows, texts = range(row, row + 1), [column.text(hit)]
        elif column.source == "marks":
            return column.text(Hit(self.table, row))
        elif (column.key, row) not in self._cells:
            first = row // BLOCK * BLOCK
            rows = range(first, min(first + BLOCK, len(self)))
            texts = column.texts(self.table.take(np.arange(rows.start, rows.stop)))
        else:
            return self._cells[column.key, row]
        if len(self._cells) > CELLS:
            self._cells.clear()
        self._cells.update(zip(((column.key, row) for row in rows), texts, strict=True))
        return self._cells[column.key, row]

    def forget(self, key: str) -> None:
        """Read the texts of a column anew."""
        self._text_ranks.pop(key, None)
        for kept in (self._cells, self._of_parts):
            for entry in [entry for entry in kept if entry[0] == key]:
                del kept[entry]

    def verdict(self, row: int) -> str:
        """Return the verdict on a hit as a sentence; with coverage and shape once it has been aligned."""
        return judge(self.hit(row) or Hit(self.table, row), self.result)

    def rounds(self, row: int) -> HitRounds | None:
        """Return the facts of a hit from the rounds of an iterated search; None for any other search."""
        return self.table.rounds_of(row)

    def subject(self, row: int) -> int:
        return int(self.hits.db_index[row])

    def subjects(self, rows: Sequence[int]) -> list[int]:
        indices: list[int] = self.hits.db_index[np.asarray(rows, dtype=np.int64)].tolist()
        return indices

    def marked(self, kind: Kind) -> NDArray[np.bool_]:
        """Return which hits have a mark, shape (k,)."""
        return self.marks.mask(kind, self.query_index, self.hits.db_index)

    def header(self, row: int) -> Header:
        database, db_index = self.result.database, int(self.hits.db_index[row])
        return parse_header(database.ids[db_index], database.descriptions[db_index])

    def organism(self, row: int) -> Organism:
        return self.result.database.organism(self.subject(row))

    def organism_name(self, row: int) -> str:
        """Return the organism of a hit's subject as `organisms` names it, once that is known."""
        if "organisms" not in vars(self):
            return self.organism(row).name
        organism = int(self.organisms.of[row])
        return self.organisms.names[organism] if organism != UNKNOWN else ""

    def organisms_of(self, rows: NDArray[np.int64]) -> SubjectOrganisms:
        """Return the organisms of some hits; of the others nothing is read."""
        known = "organisms" in vars(self)
        return self.organisms.take(rows) if known else self.result.database.organisms_at(self.hits.db_index[rows])

    @cached_property
    def organisms(self) -> SubjectOrganisms:
        """The organisms of all hits; a second or two for a million, for a worker."""
        return self.result.database.organisms_at(self.hits.db_index)

    def hit(self, row: int) -> Hit | None:
        """Return a hit with its alignments; None while they have not been looked for."""
        return self._described.hit(row)

    def add(self, hits: Iterable[Hit]) -> list[int]:
        """Take over aligned hits and return their rows."""
        rows = []
        for table in tables_of(hits):
            self._described.add(replace(table, marks=self.marks))
            rows += (table.ranks - 1).tolist()
        return rows

    def alignments(self, row: int) -> tuple[Hit, ...]:
        """Return a hit once for each of its alignments, best first; empty while they are not known."""
        hit = self.hit(row)
        return tuple(hit.rows()) if hit is not None else ()

    def part_values(self, row: int, column: Column) -> Sequence[Any]:
        """Return the value of each alignment of a hit; of a text column its text."""
        if (column.key, row) not in self._of_parts:
            if (hit := self.hit(row)) is None:
                return ()
            text = column.kind == "text"
            self._of_parts[column.key, row] = column.texts(hit.alone) if text else column.numbers(hit.alone).tolist()
        return self._of_parts[column.key, row]

    def along_query(self, row: int) -> list[tuple[Hit, tuple[int, int]]]:
        """Return the alignments of a hit with the first and last residue of the query in each, from 1, best first."""
        hit = ((aligned, span(aligned)) for aligned in self.alignments(row))
        ends = ((hit, (aligned.query_start, aligned.query_end)) for hit, aligned in hit if aligned is not None)
        return [(hit, (min(ends), max(ends))) for hit, ends in ends]

    @property
    def in_frames(self) -> bool:
        how = self.result.translation
        return how is not None and not how.shift

    def how_many(self, row: int) -> tuple[int, int]:
        """Return the number of alignments of a hit and of their strands, 0 and 0 while it is not known."""
        hit = self.hit(row)
        if hit is None or not self.aligned[row]:
            return 0, 0
        number = int(hit.table.sizes[hit.place])
        return number, len(set(hit.table.strands[hit.line : hit.line + number].tolist()))

    def said_alignments(self, row: int, *, noun: bool = True) -> str:
        """Return a text with the number of alignments of a hit, and of the significant ones if only some are."""
        number, strands = self.how_many(row)
        hit, strong = self.hit(row), 0
        if number and hit is not None:
            strong = int((hit.table.log10_evalues[hit.line : hit.line + number] <= SIGNIFICANT.value).sum())
        return formatting.alignments(number, strands, strong, noun=noun, frames=self.in_frames)

    def alignments_within(self, log10_evalue: float) -> int:
        """Return how many alignments have an E up to a limit; 0 until all hits with such an E are aligned."""
        strong = self.hits.log10_evalues <= log10_evalue
        if not self.aligned[strong].all():
            return 0
        return self._described.within(log10_evalue)

    def spans(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return first and last residue of the query, from 1, of every alignment of some rows; NaN where not known."""
        shown = np.zeros(len(self), dtype=bool)
        shown[rows] = True
        of, starts, ends = self._described.spans()
        unknown = np.full(int((~self.aligned[rows]).sum()), np.nan)
        return np.append(starts[shown[of]], unknown), np.append(ends[shown[of]], unknown)

    def covering(self, first: int, last: int) -> NDArray[np.bool_]:
        """Return which hits have an alignment that reaches over a stretch of the query (from 1), shape (k,)."""
        covering = np.zeros(len(self), dtype=bool)
        rows, starts, ends = self._described.spans()
        covering[rows[(starts <= first) & (ends >= last)]] = True
        return covering

    def unaligned(self, rows: Iterable[int]) -> list[int]:
        """Return the `rows` that still need an alignment, can have one, and are not being aligned."""
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
            place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
            ranks = np.fromiter((place[text] if text else len(place) for text in texts), np.int64, len(texts))
            if column.late or column.column.source == "marks":  # may still change
                return ranks
            self._text_ranks[key] = ranks
        return self._text_ranks[key]

    def _texts(self, view: ColumnView) -> Iterable[str]:
        """Return the cells of all rows as `text` does one, headers without remembering them."""
        read = view.column.read
        if isinstance(read, FromOrganism):
            organisms = self.organisms
            of_each = [clean_text(read.read(organisms.described(index))) for index in range(len(organisms.names))]
            return (of_each[index] if index != UNKNOWN else "" for index in organisms.of.tolist())
        shown = view.readable or (read.read if isinstance(read, FromHeader) else None)
        if view.kind == "text" and shown is not None:
            database, db_index = self.result.database, self.hits.db_index
            headers = map(parse_anew, database.ids.decoded(db_index), database.descriptions.decoded(db_index))
            return (clean_text(shown(header)) for header in headers)
        if view.late:
            return (self.text(row, view) for row in range(len(self)))
        return view.column.texts(self.table)

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return which rows have every word of `text` in their header or in a table of the user's own; for a worker.

        Upper and lower case are the same.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        own = [self._own_texts(column) for column in list(HIT_COLUMNS.values()) if column.source == "own"]
        if not own:
            return self.headers.matches(text)
        kept = np.ones(len(self), dtype=bool)
        for word in text.casefold().split():
            found = self.headers.matches(word)
            for texts in own:
                found = found | np.fromiter((word in one for one in texts), bool, len(texts))
            kept &= found
        return kept

    def _own_texts(self, column: Column) -> list[str]:
        if column.key not in self._own:
            self._own[column.key] = [one.casefold() for one in column.texts(self.table)]
        return self._own[column.key]
