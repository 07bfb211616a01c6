"""``swgui.covariation``: pairs of columns of an alignment of RNA that vary together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple

from swgui.commands.covariation import covariation_options, covariation_settings
from swgui.core.control import checking
from swgui.core.covariation.alignment import bases_of
from swgui.core.covariation.pairs import STATES, Covariation
from swgui.core.table import Table
from swgui.io.covariation_picture import write_arcs
from swgui.io.profiles.base_alignments import read_bases
from swgui.io.tables.covariation import covariation_table
from swgui.io.whole_file import ending_of
from swgui.jobs.covariation import covariation as job
from swgui.library.frames import evalue_of
from swgui.library.multiple import MultipleAlignment
from swgui.library.options import Parameters, described
from swgui.library.result import RowsResult
from swgui.library.values import path_of
from swgui.library.writing import Output, is_open_file

COVARIATION: Final = Parameters("covariation", covariation_options)


class ColumnPair(NamedTuple):
    """One pair of columns."""

    left: int  # columns of the alignment, from 1
    right: int
    score: float
    evalue: float
    state: str  # as in the table of the command


class ColumnPairs(Sequence[ColumnPair], RowsResult):
    """Pairs of columns that vary together, and all pairs of a structure, the least E first.

    `write` takes ``svg``, too: the pairs as arcs over the columns.

    Parameters
    ----------
    found : Covariation
        The result of the job. Its form may change between versions.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    remarks : sequence of str
        Remarks on the reading.
    """

    def __init__(
        self, found: Covariation, inputs: Sequence[tuple[str, Path]] = (), remarks: Sequence[str] = ()
    ) -> None:
        super().__init__((*remarks, *found.sentences()), inputs)
        self.found = found

    @property
    def effective_rows(self) -> float:
        """Rows that were compared, close ones counted once together; below 20 they are too few to tell."""
        return self.found.effective_rows

    @property
    def states(self) -> dict[str, int]:
        """Number of pairs by their state."""
        return {state: self.found.number(state) for state in STATES}

    def __len__(self) -> int:
        return len(self.found.pairs)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [self[index] for index in range(len(self))[key]]
        pairs, at = self.found.pairs, range(len(self))[key]
        log10 = float(pairs.log10_evalues[at])
        evalue = log10 if log10 != log10 else evalue_of(log10)
        return ColumnPair(
            int(pairs.left[at]) + 1, int(pairs.right[at]) + 1, float(pairs.scores[at]), evalue, pairs.states[at]
        )

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        if format == "svg" or (format is None and not is_open_file(path) and ending_of(str(path_of(path))) == ".svg"):
            return lambda place: write_arcs(place, self.found)
        return super()._saver(path, format)

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return covariation_table(self.found).choose(columns)

    def __repr__(self) -> str:
        said = ", ".join(f"{number:,} {state}" for state, number in self.states.items() if number)
        return f"<ColumnPairs of {self.found.alignment.name}: {said or 'none'}>"


@described(COVARIATION)
def covariation(alignment: str | PathLike[str] | MultipleAlignment, **options: Any) -> ColumnPairs:
    """Find the pairs of columns of an alignment of RNA or DNA that vary together.

    All other parameters are the options of ``swgui covariation``, with the same names, defaults and checks.

    Parameters
    ----------
    alignment : path, or MultipleAlignment
        Stockholm (with SS_cons, the pairs of a structure), A3M, aligned FASTA or Clustal; or rows of `swgui.msa`.

    Returns
    -------
    ColumnPairs
        Pairs, and in ``remarks`` what they are of and what they cannot tell.

    Raises
    ------
    ProfileError, SequenceError
        If the file cannot be read, or has too few rows or columns.
    AlphabetMismatch
        If the alignment is of proteins.
    InvalidParameter
        If a setting makes no sense.
    """
    settings = covariation_settings(COVARIATION.arguments(options))
    if isinstance(alignment, MultipleAlignment):
        return ColumnPairs(job(bases_of(alignment.found), settings, checking(None)))
    place = path_of(alignment)
    bases, remarks = read_bases(place)
    return ColumnPairs(job(bases, settings, checking(None)), [("alignment", place)], remarks)
