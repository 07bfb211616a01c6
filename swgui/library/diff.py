"""``swgui.diff``: the hits of a search in a newer release of its database, gained, lost or moved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from swgui.core.compare.changes import Change
from swgui.core.database import EncodedDatabase
from swgui.core.table import Table
from swgui.io.database.any_file import open_any_database
from swgui.io.tables.changes import changes_table
from swgui.jobs.several.diff import SearchDiff, diff_steps
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.hits import Hits
from swgui.library.result import RowsResult
from swgui.library.search import database_inputs, load
from swgui.library.session import CACHE, OnProgress, finish
from swgui.library.values import path_of


class ChangeRows(Sequence[Change], RowsResult):
    """Changes of hits, query by query: the hits of the older search by their rank, then new ones.

    Parameters
    ----------
    changes : sequence of Change
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, changes: Sequence[Change], inputs: Sequence[tuple[str, Path]] = ()) -> None:
        super().__init__(inputs=inputs)
        self._changes = changes

    @property
    def gained(self) -> list[Change]:
        """Hits that are new."""
        return self._of("gained")

    @property
    def lost(self) -> list[Change]:
        """Hits that are gone."""
        return self._of("lost")

    @property
    def moved(self) -> list[Change]:
        """Hits whose rank or E-value is another one."""
        return self._of("moved")

    def _of(self, kind: str) -> list[Change]:
        return [change for change in self if change.change == kind]

    def __len__(self) -> int:
        return len(self._changes)

    def __getitem__(self, key: Any) -> Any:
        return self._changes[key]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self._of(kind)):,} {kind}" for kind in ("gained", "lost", "moved"))
        return f"<{type(self).__name__}: {counts}>"

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return changes_table(self._changes).choose(columns)


class HitChanges(ChangeRows):
    """Changes of the hits of a search in a newer release of its database.

    Parameters
    ----------
    found : SearchDiff
        The result of the job. Its form may change between versions.
    inputs : sequence of (str, path)
        As of `ChangeRows`.
    """

    def __init__(self, found: SearchDiff, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        super().__init__(found.changes, inputs)
        self.found = found

    @property
    def hits(self) -> Hits:
        """The hits in the newer database: those of a search of it."""
        return Hits(self.found.now, inputs=list(self._inputs))

    @property
    def searched(self) -> int:
        """Subjects of the newer database that had to be scored."""
        return self.found.searched


@public
def diff(
    run: Hits | str | os.PathLike[str], newer: DatabaseLike, *, progress: OnProgress | bool | None = None
) -> HitChanges:
    """Compare a search with the same search in a newer release of its database, scoring what is new alone.

    Parameters
    ----------
    run : Hits, or path of a saved search
        With its database at hand; without it all but the sequences of its hits are scored again.
    newer : as the database of `swgui.search`
    progress : callable or bool, optional
        As of `swgui.search`.

    Returns
    -------
    HitChanges
        Gained, lost and moved hits, each with its cause.

    Raises
    ------
    SwguiError
        If it cannot be carried out: the search had rounds, or the database is of another kind.
    KeyboardInterrupt
        If Ctrl+C came before the changes were known.
    """
    before = run if isinstance(run, Hits) else load(run)
    place = to_search(newer)
    kind = before.result.search.database_alphabet.residue_alphabet
    database = place if isinstance(place, EncodedDatabase) else open_any_database(place, alphabet=kind)
    steps = partial(diff_steps, before.result, database, use=CACHE.engine)
    found, _ = finish(lambda cancel: steps(cancel), progress)
    inputs = [("saved search", path_of(run))] if not isinstance(run, Hits) else []
    return HitChanges(found, [*inputs, *database_inputs(place)])
