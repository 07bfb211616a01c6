"""``swgui.msa``: deep alignments of proteins, and what can be done with them."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from swgui.commands.engine import check_method
from swgui.commands.msa import msa_options, msa_request, row_limits
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import NotFound
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.msa import Complex, paired
from swgui.core.words import count
from swgui.io.outputs import check_outputs
from swgui.io.profiles.alignments import a3m_row
from swgui.io.profiles.complexes import COMPLEXES, complex_format
from swgui.io.profiles.saving import file_names, format_for
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.msa import deep_alignments
from swgui.jobs.search.request import SearchRequest
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences, read_given
from swgui.library.search import database_inputs, query_inputs, searched
from swgui.library.session import OnProgress, finish, warn
from swgui.library.values import as_html, path_of
from swgui.library.writing import Output, Writable, is_open_file, save_to

MSA: Final = Parameters("msa", msa_options, files=("complex",))
_SHOWN_ROWS, _SHOWN_COLUMNS = 10, 80


class MultipleAlignment(Sequence[str], Writable):
    """Many sequences in the columns of a query: ``alignment[0]`` is the row of the query, then the others, best first.

    Rows have ``-`` in gaps; residues of a sequence between the columns of the query are left out of them, but not of
    the files that `write` makes.
    """

    _usual_format = "a3m"

    def __init__(self, alignment: MasterAlignment, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        self.found, self._inputs = alignment, tuple(inputs)

    @property
    def query_id(self) -> str:
        """Identifier of the query."""
        return self.found.query.id

    @property
    def ids(self) -> list[str]:
        """Identifiers of the rows, the query first."""
        return [row.id for row in self.found.rows]

    @property
    def columns(self) -> int:
        """Number of columns: the residues of the query."""
        return self.found.columns

    @property
    def log10_evalues(self) -> NDArray[np.float64]:
        """Decadic logarithm of the E-value of each row, shape (rows,); NaN for the query."""
        return np.array([row.log10_evalue for row in self.found.rows])

    def __len__(self) -> int:
        """Return the number of rows, the query included."""
        return len(self.found)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...

    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self[index] for index in range(len(self))[key]]
        codes = self.found.rows[key].codes
        symbols = np.frombuffer(self.found.alphabet.letters.encode().ljust(256, b"-"), dtype=np.uint8)
        return symbols[codes].tobytes().decode("ascii")

    def to_array(self) -> NDArray[np.str_]:
        """Return the alignment as an array of single characters, shape (rows, columns)."""
        return np.array([list(row) for row in self])

    @property
    def depth(self) -> NDArray[np.int64]:
        """How many rows have a residue in each column, shape (columns,)."""
        depth: NDArray[np.int64] = (self.found.codes < DELETION).sum(axis=0)
        return depth

    def a3m(self) -> Iterator[tuple[str, str]]:
        """Yield identifier and residues of each row as A3M has them, insertions in lower case."""
        return ((row.id, a3m_row(self.found, row)) for row in self.found.rows)

    @public
    def write(self, path: Output, format: str | None = None) -> None:
        """Write the alignment to a file, whole or not at all.

        Parameters
        ----------
        path : path, or open file
            A file that is open for text or for bytes; it needs a `format`.
        format : {"a3m", "sto", "afa"}, optional
            By the ending of the file if not given.

        Raises
        ------
        InvalidParameter
            If the ending is that of no format, or the file was read for the search.
        FileNotWritten
            If it cannot be written there.
        """
        form = "" if format is None else f".{format}"
        name = form if is_open_file(path) else form or str(path_of(path))
        write = format_for(name, "alignment", "path").write_alignment
        assert write is not None
        text = write(self.found)
        if not is_open_file(path):
            check_outputs({"path": path_of(path)}, self._inputs)
        save_to(path, lambda place: save_text(place, lambda out: out.write(text)))

    def __repr__(self) -> str:
        return f"<MultipleAlignment of {self.query_id}: {count(len(self), 'row')}, {self.columns:,} columns>"

    def _repr_html_(self) -> str:
        rows = [(name, row[:_SHOWN_COLUMNS]) for name, row in zip(self.ids, self[:_SHOWN_ROWS], strict=False)]
        more = [f"{len(self) - len(rows):,} more rows are not shown."] if len(self) > len(rows) else []
        return as_html(repr(self).strip("<>"), ("row", "residues"), rows, more)


class MultipleAlignments(Sequence[MultipleAlignment]):
    """The alignments of several queries, in their order; ``alignments["P69905"]`` is that of one query.

    Parameters
    ----------
    partial : bool
        Whether the searches were stopped before all was done.
    notes : sequence of str
        What was changed or left out in reading, and what the searches say of themselves.
    complex : str, optional
        For which program the queries are written as the chains of a complex.
    """

    def __init__(
        self,
        alignments: Sequence[MultipleAlignment],
        partial: bool,
        notes: Sequence[str],
        complex: str | None = None,
    ) -> None:
        self._all, self.partial, self.notes, self.complex = list(alignments), partial, tuple(notes), complex

    @property
    def queries(self) -> list[str]:
        """Identifiers of the queries."""
        return [alignment.query_id for alignment in self._all]

    @cached_property
    def paired(self) -> Complex:
        """The alignments with rows of one organism side by side: ``paired.organisms`` names those that have such rows.

        Raises
        ------
        InvalidParameter
            If there is one query.
        """
        complex_format(self.complex or next(iter(COMPLEXES)), len(self))
        return paired([alignment.found for alignment in self])

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, key: int | str) -> MultipleAlignment: ...
    @overload
    def __getitem__(self, key: slice) -> list[MultipleAlignment]: ...

    def __getitem__(self, key: int | str | slice) -> MultipleAlignment | list[MultipleAlignment]:
        if not isinstance(key, str):
            return self._all[key]
        if key not in self.queries:
            raise NotFound(key, f"There is no alignment of '{key}'.", hint=f"There are {', '.join(self.queries[:5])}.")
        return self._all[self.queries.index(key)]

    @public
    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write a file for each query, with its identifier in the name if there are several; return their names.

        Of a complex what its program reads, rows of one organism side by side.

        Raises
        ------
        InvalidParameter, FileNotWritten
            As `MultipleAlignment.write`.
        """
        out, inputs = str(path_of(path)), self._all[0]._inputs
        if self.complex is None:
            files = [names[0] for names in file_names(out, self.queries)]
            _write(self._all, files, inputs)
            return files
        form = COMPLEXES[self.complex]
        files = form.files(out, self.queries, "path")
        _save(form.write(self.paired), files, inputs)
        return files

    def __repr__(self) -> str:
        return f"<MultipleAlignments of {count(len(self), 'query', 'queries')}>"

    def _repr_html_(self) -> str:
        rows = [(alignment.query_id, f"{len(alignment):,}", f"{alignment.columns:,}") for alignment in self]
        return as_html(repr(self).strip("<>"), ("query", "rows", "columns"), rows, self.notes)


@described(MSA)
def msa(
    queries: Sequences, databases: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> MultipleAlignments:
    """Make a deep alignment of every protein, for structure prediction.

    All other parameters are the options of ``swgui msa``, with the same names, defaults and checks.

    Parameters
    ----------
    queries : as of `swgui.search`
        Proteins.
    databases : as of `swgui.search`, or a list of paths and `Database` objects
        The rows of all of them come together.
    progress : callable or bool, optional
        As of `swgui.search`.

    Returns
    -------
    MultipleAlignments
        One for each query. After Ctrl+C with the rows of the last whole rounds, and ``partial`` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        As `swgui.search`.
    """
    arguments = MSA.arguments(options)
    check_method(arguments)
    limits = row_limits(arguments)
    given = read_given(queries, PROTEIN.name)
    if arguments.complex is not None:
        complex_format(arguments.complex, len(given.records))
    several = databases if _are_databases(databases) else [databases]
    places = [to_search(database) for database in several]
    requests = [msa_request(arguments, given.records, place, limits) for place in places]
    results, notes = finish(partial(_searched, requests), progress)
    stopped = len(results) < len(places) or any(result.state != "complete" for result in results)
    if stopped:
        warn("The searches were stopped; the alignments have the rows that were found by then.")
    made = deep_alignments(results, arguments.evalue, limits, arguments.threads, threading.Event())
    inputs = [*query_inputs(given), *(pair for place in places for pair in database_inputs(place))]
    said = [note for note in (*given.notes, *notes, *(result.remarks for result in results)) if note]
    return MultipleAlignments([MultipleAlignment(msa, inputs) for msa in made], stopped, said, arguments.complex)


def _are_databases(given: object) -> bool:
    """Whether a list holds several databases, not the sequences of one."""
    from swgui.library.databases import Database

    return isinstance(given, list | tuple) and all(isinstance(item, str | os.PathLike | Database) for item in given)


def _searched(
    requests: Sequence[SearchRequest], cancel: threading.Event
) -> Generator[object, None, list[SearchResult] | None]:
    """Search database after database; None if nothing was scored."""
    results: list[SearchResult] = []
    for request in requests:
        result = yield from searched(request, cancel)
        if result is not None:
            results.append(result)
        if cancel.is_set():
            break
    return results or None


def _write(alignments: Sequence[MultipleAlignment], files: Sequence[Path], inputs: Sequence[tuple[str, Path]]) -> None:
    write = format_for(str(files[0]), "alignment", "path").write_alignment
    assert write is not None
    _save([write(alignment.found) for alignment in alignments], files, inputs)


def _save(texts: Sequence[str], files: Sequence[Path], inputs: Sequence[tuple[str, Path]]) -> None:
    check_outputs({f"path {file.name}": file for file in files}, inputs)
    for text, file in zip(texts, files, strict=True):
        save_text(file, lambda out, text=text: out.write(text))  # type: ignore[misc]
