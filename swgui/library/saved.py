"""``swgui.load``."""

from __future__ import annotations

import os

from swgui.io.saved.search import load_search
from swgui.library.databases import Database
from swgui.library.hits import Hits
from swgui.library.search import database_inputs
from swgui.library.values import path_of


def load(path: str | os.PathLike[str], database: Database | None = None) -> Hits:
    """Open a search that was saved: by `Hits.save`, ``swgui search --save`` or the window.

    Parameters
    ----------
    database : Database, optional
        That was searched; looked for where it was, and beside the file, if not given. Without it the sequences in the
        file stand for it, and `Hits.notes` says so.

    Returns
    -------
    Hits
        As they were found.

    Raises
    ------
    SwguiError
        If the file cannot be read.
    """
    file = path_of(path)
    loaded = load_search(file, database=None if database is None else database.encoded)
    inputs = [("saved search", file), *database_inputs(loaded.database_path)]
    return Hits(loaded.result, notes=loaded.notes, inputs=inputs)
