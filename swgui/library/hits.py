"""The result of a search: hits one by one, by query, as a table, and in files."""

from __future__ import annotations

import io
import os
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from swgui.commands.files import ADDED_KEYS
from swgui.commands.output import export_options, format_name, hits_out
from swgui.core.compare.matching import match_names
from swgui.core.errors import InvalidParameter, NotFound
from swgui.core.hits import table
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.plain import replace
from swgui.core.table import Table
from swgui.core.words import count, format_evalue
from swgui.io.export import FORMATS, ExportFormat, find_format, save_hits
from swgui.io.export.columns import Column, columns_of
from swgui.jobs.search.describe import describe, describe_list, describe_subject, find_subject
from swgui.library.alignments import Hit
from swgui.library.calls import public
from swgui.library.databases import Database
from swgui.library.options import Parameters, described
from swgui.library.result import PlacedRows
from swgui.library.writing import Output, save_to, suffix_of

if TYPE_CHECKING:
    from swgui.core.database import EncodedDatabase
    from swgui.core.hits.table import HitTable
    from swgui.core.loci.annotation import Annotation
    from swgui.core.loci.columns import LocusReader
    from swgui.io.metadata import Metadata
    from swgui.library.network import SequenceNetwork
    from swgui.library.profiles import Profile

_SHOWN: Final = 20  # hits, by a notebook
_BLOCK: Final = 256  # hits described at a time once more than one is looked at
WRITE: Final = Parameters("Hits.write", lambda: (hits_out("table"),), without=("out", "format", *ADDED_KEYS))


class Hits(Sequence[Hit], PlacedRows):
    """Hits of one or several queries, best first within each query.

    ``hits[0]`` is a `Hit`, ``hits[:10]`` are the `Hits` of a part of the list, and ``hits["P69905"]`` those of one
    query. Hits are aligned on first use.

    Parameters
    ----------
    result : SearchResult
        The result of the job. Its form may change between versions.
    remarks : sequence of str
        Changes and omissions in reading queries and database, and remarks of the search.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    rows : sequence of sequence of int, optional
        Places of these hits in the list of each query; all if not given.
    """

    _own: tuple[Column, ...] = ()

    def __init__(
        self,
        result: SearchResult,
        *,
        remarks: Sequence[str] = (),
        inputs: Sequence[tuple[str, Path]] = (),
        rows: Sequence[Sequence[int]] | None = None,
    ) -> None:
        super().__init__(remarks, inputs)
        self.result = result
        whole: Sequence[Sequence[int]] = [range(len(query.hits)) for query in result.queries]
        self._rows = whole if rows is None else rows
        self._ends = list(accumulate(map(len, self._rows)))
        self._blocks: dict[tuple[int, int, bool], dict[int, table.Hit]] = {}

    # --- what there is --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, key: int) -> Hit: ...
    @overload
    def __getitem__(self, key: slice | str) -> Hits: ...

    def __getitem__(self, key: int | slice | str) -> Hit | Hits:
        if isinstance(key, str):
            return self.queries[key]
        if isinstance(key, slice):
            places = range(len(self))[key]
            if places.step < 0:
                raise InvalidParameter("key", key, "A part of a result keeps its order.", hint="Use list(hits)[::-1].")
            chosen = np.asarray(places, dtype=np.int64)
            edges = np.searchsorted(chosen, self._ends)
            parts = [chosen[first:last] for first, last in zip([0, *edges[:-1]], edges, strict=True)]
            begins = [0, *self._ends[:-1]]
            rows = [np.asarray(of)[part - lo].tolist() for of, part, lo in zip(self._rows, parts, begins, strict=True)]
            return Hits(self.result, remarks=self.remarks, inputs=self._inputs, rows=rows)
        place = range(len(self))[key]
        query = bisect_right(self._ends, place)
        row = self._rows[query][place - (self._ends[query - 1] if query else 0)]
        rows = [[row] if of == query else [] for of in range(len(self._rows))]
        alone = partial(Hits, self.result, remarks=self.remarks, inputs=self._inputs, rows=rows)
        return Hit(partial(self._described, query, row), self.result.scheme, alone)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same hits in the same order."""
        if not isinstance(other, Hits):
            return NotImplemented
        if self.result is other.result and list(map(list, self._rows)) == list(map(list, other._rows)):
            return True
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the pickled state: these hits and their sequences, without the scores of all subjects (see `save`)."""
        from swgui.io.saved.search import save_search  # here, as below: few results are pickled

        pairs = zip(self.result.queries, self._rows, strict=True)
        taken = [query.hits.db_index[np.asarray(rows, dtype=np.int64)] for query, rows in pairs]
        bare = tuple(replace(query, scores=None, strands=None) for query in self.result.queries)
        file = io.BytesIO()
        result = replace(self.result, queries=bare)
        save_to(file, lambda place: save_search(result, place, with_subjects=True, only=np.concatenate(taken)))
        return _pickled, (file.getvalue(), self.remarks, self._inputs, [list(rows) for rows in self._rows])

    @cached_property
    def queries(self) -> Mapping[str, Hits]:
        """The hits of each query, by its identifier; a second query of one name is called ``NAME#2``, and so on."""
        by_name: dict[str, Hits] = {}
        for index, (query, rows) in enumerate(zip(self.result.queries, self._rows, strict=True)):
            name = query.query.id
            number = 1
            while name in by_name:
                number += 1
                name = f"{query.query.id}#{number}"
            alone = _one_query(self.result, index)
            by_name[name] = Hits(alone, remarks=self.remarks, inputs=self._inputs, rows=[rows])
        return _Queries(by_name)

    @property
    def state(self) -> str:
        """``complete``, ``stopped`` or ``failed``."""
        return self.result.state

    @property
    def partial(self) -> bool:
        """Whether the search ended early: these are the hits among the subjects scored by then."""
        return self.result.state != "complete"

    @property
    def database(self) -> Database:
        """The database that was searched."""
        return Database(self.result.database)

    @property
    def statistics(self) -> str:
        """Where bit scores and E-values come from, in words; empty if there are none."""
        return self.result.statistics

    @public
    def scores(self, query: str | None = None) -> NDArray[np.int32]:
        """Return the exact score of every subject, listed or not.

        Parameters
        ----------
        query : str, optional
            Identifier of the query, where there are several.

        Returns
        -------
        ndarray, shape=(N,), dtype=int32
            In the order of `Database.ids`; -1 where a stopped search has no score. Read-only.

        Raises
        ------
        NotFound
            If there is no such query.
        InvalidParameter
            If the queries and subjects were too many to keep all scores.
        """
        of_query = self._only(query).result.queries[0]
        if of_query.scores is None:
            raise InvalidParameter(
                "scores", of_query.query.id, "The scores of this search are too many, and were not kept.",
                hint="Search with fewer queries at a time.",
            )  # fmt: skip
        view = of_query.scores.view()
        view.setflags(write=False)
        return view

    @public
    def find(self, subject: str, query: str | None = None) -> Hit:
        """Return any subject of the database as a hit, listed or not: every one was scored.

        Parameters
        ----------
        subject : str
            Its identifier, or the part of it that names it: ``P69905`` of ``sp|P69905|HBA_HUMAN``.
        query : str, optional
            Identifier of the query, where there are several.

        Raises
        ------
        NotFound
            If the name is that of no subject, or of several, or it was not scored before the search was stopped.
        """
        of = self._only(query)
        database, scheme = of.result.database, of.result.scheme
        names = match_names([subject], database.ids)
        if subject not in names.found:
            several = names.ambiguous.get(subject)
            number = "no sequence" if several is None else f"{len(several)} sequences"
            raise NotFound(subject, f"The database '{database.name}' has {number} called '{subject}'.")
        of.scores()  # says so if they were not kept
        place = find_subject(of.result, 0, names.found[subject])
        if place.score < 0:
            raise NotFound(subject, place.reason)
        return Hit(lambda align: describe_subject(of.result, 0, place), scheme)

    @public
    def profile(self, query: str | None = None, round: int | None = None) -> Profile:
        """Return the profile that a search in rounds made of the sequences that it found.

        Parameters
        ----------
        query : str, optional
            Identifier of the query, where there are several.
        round : int, optional
            The round that found the sequences, from 1; the last one if not given.

        Raises
        ------
        InvalidParameter
            If the search had no rounds, or not so many.
        NotFound
            If there is no such query.
        """
        from swgui.library.profiles import profile_of_round  # here: few searches have rounds

        of = self._only(query).result
        (found,) = of.queries
        if found.rounds is None or of.asked.iteration is None:
            hint = "Search with swgui.iterate, or with iterations=2 or more."
            raise InvalidParameter("profile", None, "A search without rounds makes no profile.", hint=hint)
        rounds = len(found.rounds)
        number = rounds if round is None else round
        if not 1 <= number <= rounds:
            raise InvalidParameter("round", round, f"The search had {count(rounds, 'round')}, not {number}.")
        return profile_of_round(found, number - 1, of, self._inputs)

    # --- tables ---------------------------------------------------------------------------------------------------

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        chosen = columns_of(self.result, columns if columns is None else list(columns))
        align = any(column.needs_alignment for column in (*chosen, *self._own))
        fit = any(column.source == "fit" for column in chosen)
        return Table(chosen, lambda: describe(self._parts(), align=align, fit=fit).several, chosen)

    def _placed_in(self) -> EncodedDatabase:
        return self.result.database

    def _located(self, annotation: Annotation | None) -> tuple[LocusReader[HitTable], Sequence[Column]]:
        from swgui.io.export.loci import locus_columns  # here: few hits are located

        return locus_columns(annotation)

    def _subjects(self) -> set[int]:
        return {int(of.columns.db_index[row]) for of, rows in self._parts() for row in rows}

    def _own_columns(self, own: Metadata, by: str | None) -> Sequence[Column]:
        from swgui.io.export.own import own_columns  # here: few hits have columns of the user's own

        return own_columns(own, by, [column.key for column in self._own])

    # --- files ----------------------------------------------------------------------------------------------------

    @described(WRITE)
    def write(self, path: Output, format: str | None = None, **options: Any) -> None:
        """Write the hits to a file, whole or not at all, as ``swgui search --out`` does.

        Parameters
        ----------
        path : path, or open file
            A file that is open for text or for bytes; it needs a `format`.
        format : str, optional
            As on the command line, ``blast6`` for example; by the ending of the file if not given.

        Raises
        ------
        InvalidParameter
            If there is no such format or column, or the file was read for the search.
        FileNotWritten
            If it cannot be written there.
        """
        chosen = replace(export_options(WRITE.arguments(options)), joined=self._own)
        form = format_by(path, format)
        form.check(chosen, len(self.result.queries))

        def save(place: Path) -> None:
            hits = describe(self._parts(), align=form.aligned(chosen), fit=form.fitted(chosen))
            save_hits(place, form.name, self.result, hits, chosen)

        self._save(path, save)

    def network(self, **options: Any) -> SequenceNetwork:
        """Compare queries and hits all against all, each sequence once; of a translated search the hits alone.

        Parameters
        ----------
        **options
            As of `swgui.network`.
        """
        from swgui.jobs.network.hits import query_and_hits  # here: rarely needed
        from swgui.library.network import network

        subjects = (int(of.columns.db_index[row]) for of, rows in self._parts() for row in rows)
        queries = [of.query for of in self.result.queries if of.query is not None]
        return network(query_and_hits(self.result, queries, subjects, "Hits"), **options)

    @public
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the search with all its scores in a ``.swgui`` file, for `swgui.load`, the window and ``swgui show``.

        Raises
        ------
        InvalidParameter
            If the file was read for the search.
        FileNotWritten
            If it cannot be written there.
        """
        from swgui.io.saved.search import save_search  # here: few results are saved

        place = self._output(path)
        taken = [query.hits.take(np.asarray(rows)) for query, rows in zip(self.result.queries, self._rows, strict=True)]
        queries = [replace(query, hits=hits) for query, hits in zip(self.result.queries, taken, strict=True)]
        database = next((file for role, file in self._inputs if role == "database"), None)
        save_search(replace(self.result, queries=tuple(queries)), place, database_path=database)

    # --- looks ----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        queries = count(len(self.result.queries), "query", "queries")
        hits = f"{count(len(self), 'hit')} of {queries} in {self.result.database.name}"
        return f"<Hits: {hits}, {self.state}>"

    def _repr_html_(self) -> str:
        from swgui.library.notebook import as_html  # here: for notebooks alone

        shown = self[:_SHOWN]
        rows = [
            (
                hit.query_id,
                str(hit.rank),
                hit.id,
                hit.description,
                f"{hit.score:,}",
                "" if hit.bit_score != hit.bit_score else f"{hit.bit_score:.1f}",
                format_evalue(hit.log10_evalue) or "",
            )
            for hit in shown
        ]
        heads = ("query", "rank", "subject", "description", "score", "bits", "E")
        first = 0 if len(self.result.queries) > 1 else 1
        left = len(self) - len(shown)
        more = [f"{left:,} more {'hit is' if left == 1 else 'hits are'} not shown."] if left else []
        return as_html(repr(self).strip("<>"), heads[first:], [row[first:] for row in rows], [*more, *self.remarks])

    # --- inside ---------------------------------------------------------------------------------------------------

    def _only(self, query: str | None) -> Hits:
        if query is not None:
            return self.queries[query]
        if len(self.result.queries) > 1:
            raise InvalidParameter(
                "query", None, f"The result has {len(self.result.queries)} queries.", hint="Name one of them."
            )
        return self

    def _parts(self) -> list[tuple[HitList, Sequence[int]]]:
        return [(self.result.hit_list(query), rows) for query, rows in enumerate(self._rows)]

    def _described(self, query: int, row: int, align: bool) -> table.Hit:
        """Return one hit; the second request from a block describes all hits of the block at once."""
        number = row // _BLOCK
        block = self._blocks.setdefault((query, number, align), {})
        if row not in block:
            own, edges = self._rows[query], (number * _BLOCK, (number + 1) * _BLOCK)
            first, last = (bisect_left(own, edge) for edge in edges)
            rows = [index for index in own[first:last] if index not in block] if block else [row]
            hits = describe_list(self.result.hit_list(query), rows, align=align, fit=align)
            block.update(zip(rows, hits, strict=True))
        return block[row]


def _pickled(
    saved: bytes, remarks: Sequence[str], inputs: Sequence[tuple[str, Path]], rows: Sequence[Sequence[int]]
) -> Hits:
    """Return the hits that were pickled."""
    from swgui.io.saved.search import load_search

    with tempfile.TemporaryDirectory(prefix="swgui-") as folder:
        place = Path(folder, "pickled.swgui")
        place.write_bytes(saved)
        return Hits(load_search(place).result, remarks=remarks, inputs=inputs, rows=rows)


class _Queries(dict[str, Hits]):
    def __missing__(self, name: str) -> Hits:
        names = ", ".join(list(self)[:5]) + (", ..." if len(self) > 5 else "")
        raise NotFound(name, f"The result has no query called '{name}'.", hint=f"It has {names}.")


def _one_query(result: SearchResult, index: int) -> SearchResult:
    return result if len(result.queries) == 1 else replace(result, queries=(result.queries[index],))


def format_by(out: Output, name: str | None) -> ExportFormat:
    """Return a format by its name, or the first one whose files end as this one does."""
    if name is not None:
        return find_format(format_name(name))
    ending = suffix_of(out, FORMATS)
    for form in FORMATS.values():
        if form.suffix == ending:
            return form
    raise InvalidParameter(
        "format", str(out), f"The ending of '{out}' is that of no format.", hint=f"Name one: {', '.join(FORMATS)}."
    )
