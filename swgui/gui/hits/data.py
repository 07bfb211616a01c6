"""The hits of one query for the window: columns of the search at once, those of alignments as they come."""

from __future__ import annotations

import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import nan
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase, TextColumn
from swgui.core.headers import Header, parse_anew, parse_header
from swgui.core.hits.joined import join
from swgui.core.hits.marks import Kind, Marks
from swgui.core.hits.results import HitList
from swgui.core.hits.rounds import HitRounds
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.core.organisms.subjects import UNKNOWN, Organism, SubjectOrganisms
from swgui.core.plain import replace
from swgui.core.texts import take_slices
from swgui.core.verdict.hits import judge
from swgui.core.verdict.kinds import KINDS, SIGNIFICANT, kinds_of
from swgui.gui.hits.columns import BY_KEY, ColumnView
from swgui.gui.words import formatting
from swgui.io.cells import clean_text
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.getters import FromHeader, FromOrganism
from swgui.io.export.rows import span, spans
from swgui.jobs.search.describe import unaligned

BLOCK_ROWS = 10_000  # about a megabyte: what is compared stays in the cache
KEPT_WORDS = 16  # what they were found in is remembered: typing on narrows the search
FEW = 50_000  # rows that are looked at one by one
COMPARED = 3  # letters compared everywhere; the others only where these were found
THREADS = min(4, os.cpu_count() or 1)
P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Texts of some rows one behind the other, without anything between them."""

    first: int  # row of the first text
    letters: NDArray[np.uint8]  # lower case, UTF-8, shape (size,)
    edges: NDArray[np.int64]  # where each text begins, and the end of the last, shape (rows + 1,)

    def rows_with(self, word: bytes) -> NDArray[np.bool_]:
        rows = np.zeros(len(self.edges) - 1, dtype=bool)
        starts = len(self.letters) - len(word) + 1
        if starts <= 0:
            return rows
        word_starts = np.zeros(len(self.letters), dtype=bool)  # where the word begins
        begins, same = word_starts[:starts], np.empty(starts, dtype=bool)
        order = sorted(
            range(len(word)), key=lambda offset: _COMMON.find(word[offset : offset + 1]), reverse=True
        )  # rare ones first
        for number, offset in enumerate(order):
            if number == COMPARED:
                places = np.flatnonzero(begins)
                if len(places) < starts // 20:
                    for rest in order[number:]:
                        places = places[self.letters[places + rest] == word[rest]]
                    word_starts[:] = False
                    word_starts[places] = True
                    break
            letters = self.letters[offset : offset + starts]
            if number:
                np.equal(letters, word[offset], out=same)
                np.logical_and(begins, same, out=begins)
            else:
                np.equal(letters, word[offset], out=begins)
        for short in range(1, len(word)):  # the end of one text and the beginning of the next are no word
            word_starts[self.edges[1:] - short] = False
        filled = self.edges[1:] > self.edges[:-1]
        rows[filled] = np.logical_or.reduceat(word_starts, self.edges[:-1][filled])
        return rows

    def has(self, row: int, word: bytes) -> bool:
        index = row - self.first
        return word in self.letters[self.edges[index] : self.edges[index + 1]].tobytes()


# Letters from the most to the least common in headers; others are so rare that their order does not matter.
_COMMON = b"eiantrosl cpmudhgbyfvk=1x0wq2345z6789j|_"


class HeaderSearch:
    """Finds words in the headers of some subjects.

    Parameters
    ----------
    db_index : ndarray, shape=(k,), dtype=int64
        Subject of each row.
    """

    def __init__(self, database: EncodedDatabase, db_index: NDArray[np.int64]) -> None:
        self._database = database
        self._db_index = db_index
        self._blocks: list[tuple[_Block, _Block]] | None = None
        self._one_at_a_time = threading.Lock()
        self._found: OrderedDict[bytes, NDArray[np.bool_]] = OrderedDict()

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return which rows have every word of `text` in their header, upper or lower case.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        rows = np.ones(len(self._db_index), dtype=bool)
        with self._one_at_a_time:
            for word in dict.fromkeys(text.casefold().split()):
                rows &= self._contains(word.encode())
        return rows

    def prepare(self) -> None:
        """Read all headers, so that the first word is found as fast as the others."""
        with self._one_at_a_time:
            self._header_blocks()

    def _contains(self, word: bytes) -> NDArray[np.bool_]:
        if word in self._found:
            self._found.move_to_end(word)
            return self._found[word]
        blocks = self._header_blocks()
        # Where a part of the word was not found the word is not either.
        parts = [rows for shorter, rows in self._found.items() if shorter in word]
        possible = min(parts, key=np.count_nonzero, default=None)
        matches = np.zeros(len(self._db_index), dtype=bool)
        if possible is not None and np.count_nonzero(possible) <= FEW:
            for row in np.flatnonzero(possible).tolist():
                matches[row] = any(block.has(row, word) for block in blocks[row // BLOCK_ROWS])
        else:
            rows = _side_by_side(lambda pair: pair[0].rows_with(word) | pair[1].rows_with(word), blocks)
            matches = np.concatenate([*rows, matches[:0]])
        self._found[word] = matches
        while len(self._found) > KEPT_WORDS:
            self._found.popitem(last=False)
        return matches

    def _header_blocks(self) -> list[tuple[_Block, _Block]]:
        if self._blocks is None:
            database, index = self._database, self._db_index

            def read(first: int) -> tuple[_Block, _Block]:
                rows = index[first : first + BLOCK_ROWS]
                return _read(database.ids, rows, first), _read(database.descriptions, rows, first)

            # One after the other: this goes on behind the window, which needs the other cores.
            self._blocks = [read(first) for first in range(0, len(index), BLOCK_ROWS)]
        return self._blocks


def _side_by_side(work: Callable[[P], T], parts: Sequence[P]) -> list[T]:
    """Return what `work` makes of each part, in their order."""
    if THREADS == 1 or len(parts) < 2:
        return list(map(work, parts))
    with ThreadPoolExecutor(THREADS, thread_name_prefix="swgui-headers") as pool:
        return list(pool.map(work, parts))


def _read(column: TextColumn, rows: NDArray[np.int64], first: int) -> _Block:
    letters, edges = take_slices(np.asarray(column.data), column.offsets, rows)
    if len(letters) and letters.max() >= 0x80:  # case is more than a bit there
        texts = [
            letters[start:stop].tobytes().decode("utf-8", "replace").casefold().encode()
            for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ]
        edges = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
        return _Block(first, np.frombuffer(b"".join(texts), dtype=np.uint8), edges)
    letters |= ((letters >= ord("A")) & (letters <= ord("Z"))).view(np.uint8) << 5
    return _Block(first, letters, edges)


_Floats = NDArray[np.float64]


class AlignedHits:
    """Tables of hits with their alignments. A *row* is a position in the ranked list.

    The window's thread adds; others may read meanwhile.

    Parameters
    ----------
    rows : int
        Hits of the list.
    """

    def __init__(self, rows: int) -> None:
        self.aligned: NDArray[np.bool_] = np.zeros(rows, dtype=bool)
        self._tables: tuple[HitTable, ...] = ()
        self._place = np.full(rows, -1, dtype=np.int64)  # of each row in all tables, one behind the other
        self._numbers: dict[str, tuple[_Floats, int]] = {}
        self._lines: tuple[int, NDArray[np.int64], _Floats, _Floats] = 0, self._place[:0], np.zeros(0), np.zeros(0)

    def add(self, table: HitTable) -> None:
        """Take over hits, as far as they are not known."""
        rows = table.ranks - 1
        if not (new := self._place[rows] < 0).all():
            table, rows = table.take(np.flatnonzero(new)), rows[new]
        if not len(table):
            return
        place, tables = sum(map(len, self._tables)), [*self._tables, table]
        while len(tables) > 1 and 2 * len(tables[-1]) > len(tables[-2]):  # so that there are few
            tables[-2:] = [join(tables[-2:])]
        self._tables = tuple(tables)
        self._place[rows] = place + np.arange(len(rows))
        self.aligned[rows[table.there[table.first]]] = True

    def hit(self, row: int) -> Hit | None:
        """Return a hit; None while it is not known."""
        place, tables = int(self._place[row]), self._tables
        if place < 0:
            return None
        starts = [0, *accumulate(map(len, tables))]
        number = bisect_right(starts, place) - 1
        return Hit(tables[number], place - starts[number])

    def numbers(self, column: Column) -> _Floats:
        """Return the numbers of a column, NaN where not known, shape (rows,); they change as hits are added."""
        numbers, done = self._numbers.get(column.key) or (np.full(len(self.aligned), np.nan), 0)
        for table in self._after(done):
            best = np.where(table.there, column.numbers(table), np.nan)[table.first]
            numbers[table.ranks - 1] = best
            done += len(table)
        self._numbers[column.key] = numbers, done
        return numbers

    def _after(self, done: int) -> list[HitTable]:
        left, start = [], 0
        for table in self._tables:
            if start >= done:
                left.append(table)
            elif start + len(table) > done:
                left.append(table.take(np.arange(done - start, len(table))))
            start += len(table)
        return left

    def within(self, log10_evalue: float) -> int:
        """Return how many alignments have an E up to a limit."""
        return sum(int((table.log10_evalues[table.there] <= log10_evalue).sum()) for table in self._tables)

    def spans(self) -> tuple[NDArray[np.int64], _Floats, _Floats]:
        """Return row, first and last residue of the query, from 1, of every alignment, shape (n,) each."""
        done, *lines = self._lines
        parts = [lines]
        for table in self._after(done):
            start, end, *_ = spans(table)
            ends = np.minimum(start, end).astype(np.float64), np.maximum(start, end).astype(np.float64)
            parts.append([column[table.there] for column in ((table.ranks - 1)[table.hit], *ends)])
            done += len(table)
        rows, starts, ends_ = map(np.concatenate, zip(*parts, strict=True))
        self._lines = done, rows, starts, ends_
        return rows, starts, ends_


BLOCK: Final = 64  # rows whose texts are read together
CELLS: Final = 50_000  # texts that are remembered


class HitData:
    """The hits of one query as columns. A *row* is a position in the ranked list, whatever the view shows.

    Parameters
    ----------
    marks : Marks, optional
        What the user noted about the hits of the run.
    """

    def __init__(self, listed: HitList, marks: Marks | None = None) -> None:
        self.listed = listed
        self.result, self.query_index, self.hits = listed.result, listed.query_index, listed.columns
        self.query = listed.query.query
        self.marks = Marks() if marks is None else marks
        self._described = AlignedHits(len(self.hits))
        self.aligned = self._described.aligned
        self.faults: dict[int, str] = {}  # rows that could not be aligned, and why
        self.awaited: set[int] = set()  # rows that somebody aligns by himself
        self.unfolded: set[int] = set()  # rows whose alignments stand below them
        self._cells: dict[tuple[str, int], str] = {}
        self._of_parts: dict[tuple[str, int], Sequence[Any]] = {}
        self._text_ranks: dict[str, NDArray[np.int64]] = {}
        self._numbers: dict[str, NDArray[Any]] = {}
        self.headers = HeaderSearch(self.result.database, self.hits.db_index)

    def __len__(self) -> int:
        return len(self.hits)

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
        """All hits as they are before they are aligned."""
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
        value = column.value(Hit(self.table, row))  # of one row: to read all of them so takes long
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

    def verdict(self, row: int) -> str:
        """Return the verdict on a hit as a sentence; with coverage and shape once it has been aligned."""
        return judge(self.hit(row) or Hit(self.table, row), self.result)

    def rounds(self, row: int) -> HitRounds | None:
        """Return what the rounds of an iterated search say of a hit; None for any other search."""
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
        """Return how many alignments a hit has and on how many strands they lie, 0 and 0 while it is not known."""
        hit = self.hit(row)
        if hit is None or not self.aligned[row]:
            return 0, 0
        number = int(hit.table.sizes[hit.place])
        return number, len(set(hit.table.strands[hit.line : hit.line + number].tolist()))

    def said_alignments(self, row: int, *, noun: bool = True) -> str:
        """Say how many alignments a hit has, and how many of them are significant if some are and others not."""
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
        """Return which rows have every word of `text` in their header, upper or lower case; for a worker.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        return self.headers.matches(text)
