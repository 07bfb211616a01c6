"""``swgui.msa``: deep alignments, and what can be done with them."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, overload

from swgui.commands.engine import check_method
from swgui.commands.msa import check_complex, msa_options, msa_request, row_limits
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import NotFound
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.msa import Complex, paired
from swgui.core.words import count
from swgui.io.outputs import check_outputs
from swgui.io.profiles.complexes import COMPLEXES, complex_format
from swgui.io.profiles.saving import file_names, format_for
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.msa import deep_alignments
from swgui.jobs.search.request import SearchRequest
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.multiple import MultipleAlignment
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences, read_given
from swgui.library.result import Remarked
from swgui.library.search import database_inputs, query_inputs, searched
from swgui.library.session import OnProgress, finish, warn
from swgui.library.values import path_of

MSA: Final = Parameters("msa", msa_options, files=("complex", "type"))


class MultipleAlignments(Sequence[MultipleAlignment], Remarked):
    """The alignments of several queries, in their order; ``alignments["P69905"]`` is that of one query.

    Parameters
    ----------
    partial : bool
        Whether the searches were stopped before all was done.
    remarks : sequence of str
        What was changed or left out in reading, and what the searches say of themselves.
    complex : str, optional
        For which program the queries are written as the chains of a complex.
    """

    def __init__(
        self,
        alignments: Sequence[MultipleAlignment],
        partial: bool,
        remarks: Sequence[str],
        complex: str | None = None,
    ) -> None:
        self._all, self.partial, self.remarks, self.complex = list(alignments), partial, tuple(remarks), complex

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
        from swgui.library.notebook import as_html  # here: for notebooks alone

        rows = [(alignment.query_id, f"{len(alignment):,}", f"{alignment.columns:,}") for alignment in self]
        return as_html(repr(self).strip("<>"), ("query", "rows", "columns"), rows, self.remarks)


@described(MSA)
def msa(
    queries: Sequences, databases: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> MultipleAlignments:
    """Make a deep alignment of every protein, RNA or DNA, for structure prediction.

    All other parameters are the options of ``swgui msa``, with the same names, defaults and checks.

    Parameters
    ----------
    queries : as of `swgui.search`
        Proteins, or RNA and DNA.
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
    given = read_given(queries, arguments.type, expected=PROTEIN)
    check_complex(arguments, given.alphabet)
    if arguments.complex is not None:
        complex_format(arguments.complex, len(given.records))
    several = databases if _are_databases(databases) else [databases]
    places = [to_search(database) for database in several]
    requests = [msa_request(arguments, given.records, given.alphabet, place, limits) for place in places]
    results, remarks = finish(partial(_searched, requests), progress)
    stopped = len(results) < len(places) or any(result.state != "complete" for result in results)
    if stopped:
        warn("The searches were stopped; the alignments have the rows that were found by then.")
    made = deep_alignments(results, arguments.evalue, limits, arguments.threads, threading.Event())
    inputs = [*query_inputs(given), *(pair for place in places for pair in database_inputs(place))]
    said = [remark for remark in (*given.remarks, *remarks, *(result.remarks for result in results)) if remark]
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
