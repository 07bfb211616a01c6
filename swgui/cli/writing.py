"""Hits of ``swgui search``, described and written in a format; some while other queries are still scored."""

from __future__ import annotations

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from swgui.commands.output import export_options
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream, HitTable
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.trace import part, parted
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.core.words import count
from swgui.io.export import find_format, save_hits, write_hits
from swgui.io.export.columns import SHOWN, columns_of, names_query
from swgui.io.whole_file import write_text
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.describe import Describing
from swgui.jobs.search.events import Listed

if TYPE_CHECKING:
    from swgui.core.hits.marks import Kind, Marks
    from swgui.io.export.base import ExportOptions, Lines
    from swgui.jobs.search.early import Early

QUERIES_NAMED: Final = 20  # of those along which the reading of DNA probably shifts
HITS_EXAMINED: Final = 20  # of each query, the best
LINES_ALONE: Final = ("tsv", "csv", "blast6", "xlsx")  # formats that have a column alone to name the query of a line
NO_QUERY: Final = "No column names the query of a line, and there are several: add qseqid to --columns."
LINE_BREAK: Final = ord("\n")


class Remarks(msgspec.Struct, eq=False):
    """Facts of hits that the user reads when all are written."""

    significant: int = 0  # alignments
    unaligned: set[int] = msgspec.field(default_factory=set)  # queries with hits whose alignments Stop has cut off
    shifts: dict[str, tuple[int, str]] = msgspec.field(default_factory=dict)  # query and first sentence, by its name

    def add(self, others: Remarks) -> None:
        """Take in the remarks of other hits."""
        self.significant += others.significant
        self.unaligned |= others.unaligned
        for name, given in others.shifts.items():
            if name not in self.shifts or given[0] < self.shifts[name][0]:
                self.shifts[name] = given

    @property
    def sentences(self) -> list[str]:
        """Sentences on shifts, in the order of the queries."""
        return [sentence for _, sentence in sorted(self.shifts.values(), key=lambda one: one[0])]


class Written(msgspec.Struct, frozen=True, eq=False):
    """Some hits, ready to be written: their lines, or the table of a format that has no lines."""

    counts: Sequence[tuple[int, int]]  # number of each query, and of its hits
    lines_each: Sequence[int]  # number of lines of each query
    lines: bytes | None
    table: HitTable | None
    remarks: Remarks

    @property
    def nbytes(self) -> int:
        """Size in memory, about."""
        return (0 if self.lines is None else len(self.lines)) + (0 if self.table is None else self.table.nbytes)

    @property
    def parts(self) -> Sequence[Written]:
        """The same query by query; the remarks are those of the first."""
        if len(self.counts) == 1:
            return (self,)
        sizes, remarks = self.lines_each, [self.remarks] + [Remarks()] * (len(self.counts) - 1)
        tables = [None] * len(sizes) if self.table is None else self.table.parts
        lines = [None] * len(sizes) if self.lines is None else _cut(self.lines, sizes)
        each = zip(self.counts, sizes, lines, tables, remarks, strict=True)
        return [Written([of_query], [size], some, table, own) for of_query, size, some, table, own in each]


def _cut(lines: bytes, sizes: Sequence[int]) -> list[bytes]:
    """Return the lines of each query."""
    ends = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == LINE_BREAK) + 1
    edges = np.concatenate([[0], ends])[np.cumsum([0, *sizes])].tolist()
    return [lines[start:end] for start, end in pairwise(edges)]


class HitWriter:
    """Describes the hits of a search and writes them to a file (whole or not at all) or to the standard output.

    Lines of tables are made where hits are described, by several threads.

    Parameters
    ----------
    marks : Marks, optional
        Notes about the hits in the window.
    only : {"ticked", "starred", "hidden"}, optional
        Only hits with this mark.
    cancel : threading.Event, optional
        As of `describe`.
    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        line: ProgressLine,
        cancel: threading.Event | None = None,
        marks: Marks | None = None,
        only: Kind | None = None,
    ) -> None:
        self._arguments, self._line, self._cancel = arguments, line, cancel
        self._marks, self._only = marks, only
        self._form = find_format(arguments.format)
        self._screen = for_people(arguments)
        self._early: Early[Written] | None = None
        self._lines_early: Lines | None = None  # as they are made early

    def __enter__(self) -> HitWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._early is not None:
            self._early.close()

    @cached_property
    def _options(self) -> ExportOptions:
        options = export_options(self._arguments, self._cancel)
        return replace(options, columns=SHOWN) if self._screen else options

    @cached_property
    def _align(self) -> bool:
        return self._form.aligned(self._options)

    def hear(self, event: Listed) -> None:
        """Describe the hits of lists that are made while others are not."""
        if self._early is None:
            from swgui.jobs.search.early import Early  # here: without a device all lists are made at the end

            self._lines_early = self._lines_of(event.result)
            lines = self._lines_early
            self._early = Early(self._describing(event.result, lines), ready=lines is not None)
        self._early.add(event)

    def write(self, result: SearchResult) -> int:
        """Write the hits.

        Returns
        -------
        int
            How many significant alignments there are; 0 where that is not known.
        """
        columns = self._options.columns
        one_of_several = len(result.queries) > 1 and self._form.name in LINES_ALONE
        if not self._screen and one_of_several and not names_query(columns_of(result, columns)):
            print(f"swgui: {NO_QUERY}", file=sys.stderr)
        rows, remarks, listed = self._rows(result), Remarks(), Counter[int]()
        lines = self._lines_of(result)
        written = self._counted(self._in_order(result, rows, lines), sum(map(len, rows)), remarks, listed)
        with part("format"):
            self._put(result, written, lines)
        with part("write"):
            sys.stdout.flush()
        self._line.clear()
        if self._stopped:
            wanted = [len(some) for some in rows]
            print(f"swgui: {_cut_short(wanted, listed, len(remarks.unaligned))}.", file=sys.stderr)
        sentences = remarks.sentences
        for sentence in sentences[:QUERIES_NAMED]:
            print(f"swgui: {sentence}", file=sys.stderr)
        if (more := len(sentences) - QUERIES_NAMED) > 0:
            print(f"swgui: likewise {count(more, 'more query', 'more queries')}.", file=sys.stderr)
        return remarks.significant

    @property
    def _stopped(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _rows(self, result: SearchResult) -> list[Sequence[int]]:
        """Return which hits of each query are to be written."""
        marks, queries = self._marks, result.queries
        if self._only is None:
            return [range(len(query.hits)) for query in queries]
        return [
            [] if marks is None else marks.rows(self._only, i, query.hits.db_index) for i, query in enumerate(queries)
        ]

    def _lines_of(self, result: SearchResult) -> Lines | None:
        """Return how lines are written by any thread; None where the format has none, or its columns need one."""
        if self._screen or self._form.lines is None:
            return None
        lines = self._form.lines(result, self._options)
        return lines if lines.anywhere else None

    def _describing(self, result: SearchResult, lines: Lines | None) -> Describing[Written]:
        def form(tables: Iterable[HitTable]) -> Iterator[Written]:
            marks = self._marks
            marked = tables if marks is None else (replace(table, marks=marks) for table in tables)
            for table in marked if lines is None else lines.tables(HitStream(marked)):
                yield from self._formed(table, lines, result)

        return Describing(form, align=self._align, fit=self._form.fitted(self._options), cancel=self._cancel)

    def _formed(self, table: HitTable, lines: Lines | None, result: SearchResult) -> Iterator[Written]:
        """Yield hits as they are written."""
        if lines is None:
            yield Written(table.counts, table.lines_each, None, table, self._remarks_on(table, result))
            return
        made = lines.of(table)
        if made.count(LINE_BREAK) != table.lines and len(table.counts) > 1:  # a text of them has a line break
            for of_query in table.parts:
                yield from self._formed(of_query, lines, result)
            return
        yield Written(table.counts, table.lines_each, made, None, self._remarks_on(table, result))

    def _remarks_on(self, table: HitTable, result: SearchResult) -> Remarks:
        remarks = Remarks()
        if not self._align:
            return remarks
        if self._only is None:
            remarks.significant = int((table.log10_evalues <= SIGNIFICANT.value).sum())
        if self._stopped:
            cut = (one for one in table.parts if (~one.there & (one.scores > 0)).any())
            remarks.unaligned.update(one.query_index for one in cut)
        elif result.translation is not None:
            _look_for_shifts(table, result.scheme, remarks)
        return remarks

    def _in_order(self, result: SearchResult, rows: Sequence[Sequence[int]], lines: Lines | None) -> Iterator[Written]:
        """Yield all hits, those that were described early and the others."""
        parts = [(result.hit_list(index), chosen) for index, chosen in enumerate(rows)]
        if self._early is not None and _alike(lines, self._lines_early):
            return self._early.in_order(result, parts)
        return self._describing(result, lines).in_order(parts)

    def _counted(
        self, written: Iterator[Written], total: int, remarks: Remarks, listed: Counter[int]
    ) -> Iterator[Written]:
        """Yield hits, and count them; shows how far it is."""
        done = 0
        for some in parted("align", written):
            for index, size in some.counts:
                listed[index] += size
                done += size
            self._line.show(f"Aligning {done:,} of {total:,}")
            remarks.add(some.remarks)
            yield some

    def _put(self, result: SearchResult, written: Iterator[Written], lines: Lines | None) -> None:
        """Write hits in the format."""
        arguments, options = self._arguments, self._options
        if lines is not None:
            self._form.check(options)
            texts = (some.lines for some in written if some.lines is not None)
            write_text(arguments.out, lambda file: lines.write(texts, file))
            return
        stream = HitStream(some.table for some in written if some.table is not None)
        if self._screen:
            from swgui.cli.screen import print_hits  # here: not in a pipe

            print_hits(stream.tables, self._line, several=len(result.queries) > 1)
        elif arguments.out:
            save_hits(arguments.out, self._form.name, result, stream, options)
        else:
            write_hits(self._form.name, result, stream, sys.stdout, options)


def write_result(
    result: SearchResult,
    arguments: argparse.Namespace,
    line: ProgressLine,
    marks: Marks | None = None,
    only: Kind | None = None,
    cancel: threading.Event | None = None,
) -> int:
    """Write the hits of a search that has ended; parameters as of `HitWriter`, the rest as of its `write`."""
    with HitWriter(arguments, line, cancel, marks, only) as writer:
        return writer.write(result)


def for_people(arguments: argparse.Namespace) -> bool:
    """Return True if hits go to a terminal, and neither format nor columns were named."""
    words = getattr(arguments, "words", None)  # none where no command line was read
    if words is None or arguments.out or arguments.columns or getattr(arguments, "metadata", None):
        return False
    if any(getattr(arguments, key, None) is not None for key in ("features", "infernal")):
        return False
    if arguments.parser.gives(words, "format"):
        return False
    return arguments.format == "tsv" and sys.stdout.isatty()


def _alike(lines: Lines | None, others: Lines | None) -> bool:
    """Return True if hits are written in the same way."""
    if lines is None or others is None:
        return lines is others
    return (lines.columns, lines.layout) == (others.columns, others.layout)


def _cut_short(wanted: Sequence[int], listed: Mapping[int, int], unaligned: int) -> str:
    """Report the gaps of a stopped list: hits of each query wanted and listed, and queries without alignments."""
    said = "stopped: hits that were not listed by then have their best alignment alone"
    said += f", those of {count(unaligned, 'query', 'queries')} have none" if unaligned else ""
    if short := [index for index, hits in enumerate(wanted) if listed[index] < hits]:
        hits = sum(wanted) - sum(listed.values())
        said += f"; {count(hits, 'hit')} of {count(len(short), 'query', 'queries')} are left out"
    return said


def _look_for_shifts(table: HitTable, scheme: ScoringScheme, remarks: Remarks) -> None:
    """Add the remarks on the first hit of each query along which the reading of DNA probably shifts."""
    from swgui.core.verdict.shifts import may_shift, probable_shifts  # here: for searches that translate

    for hit in map(table.at, may_shift(table, HITS_EXAMINED)):
        query = hit.query_record.id
        if query not in remarks.shifts and (said := probable_shifts(hit, scheme)):
            sentence = f"'{query}' and '{hit.table.subjects.ids[hit.place]}': {said}"
            remarks.shifts[query] = hit.table.query_index, sentence
