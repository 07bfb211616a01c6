"""Opening any file as a database, and listing the files that a database consists of.

A sequence file given as a database is converted once (`swgui.io.database.conversions`); the modules for that are loaded
only then.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from swgui.core.alphabet import Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import DatabaseError, SwguiError
from swgui.core.scoring import check_same_alphabet
from swgui.io.database.file import database_facts, open_database, stored_report
from swgui.io.database.format import MAGIC, SUFFIX
from swgui.io.read_report import ReadReport


def open_any_database(
    path: str | os.PathLike[str],
    *,
    alphabet: Alphabet | None = None,
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
    in_blocks: bool = False,
    listed: bool = True,
) -> EncodedDatabase:
    """Open a database file, or a sequence file as a database.

    Parameters
    ----------
    path : path
        A ``.swdb`` file or any sequence file; told by content.
    alphabet : Alphabet, optional
        The kind that is needed.
    report : ReadReport, optional
        Filled with what the reader found when the sequences were converted, by this call or an earlier one.
    progress : callable, optional
        Called with (done, total) while a file is converted.
    in_blocks : bool
        Whether it is enough to have a packed file block by block (`open_database`).
    listed : bool
        Whether a sequence file joins the list of databases.

    Raises
    ------
    DatabaseError, SequenceError
        If the file cannot be opened or read.
    AlphabetMismatch
        If it is of another kind than `alphabet`.
    Stopped
        If `cancel` was set while a file was converted.
    """
    place = Path(path)
    if _is_stream(place):  # it can be read only once
        from swgui.io.database.conversions import convert_for_now

        return convert_for_now(place, alphabet, report, progress, cancel)
    if _is_database(place):
        database = open_database(place, in_blocks=in_blocks)
        if alphabet is not None:
            check_same_alphabet(alphabet, database.alphabet, "database")
        _fill(report, place)
        return database
    return _converted(place, alphabet, report, progress, cancel, listed=listed)


def _converted(
    place: Path,
    alphabet: Alphabet | None,
    report: ReadReport | None,
    progress: Callable[[int, int], None] | None,
    cancel: threading.Event | None,
    *,
    listed: bool,
) -> EncodedDatabase:
    """Return a sequence file as a database, converted now or before."""
    from swgui.io.database.conversions import Source, convert, open_converted
    from swgui.io.imported.finding import find_imported_database

    if (imported := find_imported_database(place)) is not None:
        raise DatabaseError(
            str(place),
            f"'{place.name}' is {imported.what}, which swgui cannot search directly.",
            hint=f"Build one of it first, on the Databases page or with 'swgui makedb {imported.name} -o NAME.swdb'.",
        )
    source = Source(place, alphabet, cancel, listed=listed)
    for target in source.places:
        if (converted := open_converted(target)) is not None:
            _fill(report, target)
            source.note()
            return converted.renamed(source.name)
    return convert(source, report, progress, cancel)


def kind_of_database(path: str | os.PathLike[str], expected: Alphabet | None = None) -> Alphabet | None:
    """Return the kind of sequence a file holds; None if only reading it would tell, or it cannot be read.

    Of a sequence file the first records are looked at; `expected` counts where their letters allow more than one kind.
    """
    place = Path(path)
    with suppress(SwguiError, OSError, ValueError):
        if _is_stream(place) or not place.exists():
            return None
        if _is_database(place):
            return database_facts(place).alphabet
        from swgui.io.database.conversions import kind_of_sequences

        return kind_of_sequences(place, expected)
    return None


def database_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that make up a database: the one named, those of a BLAST database, those it was built from.

    Of what is not there or cannot be read, and of a pipe, which can be read only once, the one named is all.
    """
    place = Path(path)
    with suppress(SwguiError, OSError, ValueError):
        if _is_stream(place):
            return [place]
        if _is_database(place):
            return [place, *(Path(source.path) for source in database_facts(place).sources)]
        from swgui.io.imported.finding import find_imported_database

        if (imported := find_imported_database(place)) is not None:
            return [place, *imported.files()]
    return [place]


def _is_stream(place: Path) -> bool:
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _is_database(place: Path) -> bool:
    try:
        with open(place, "rb") as file:
            start = file.read(len(MAGIC))
    except (OSError, ValueError):
        return place.suffix == SUFFIX  # the opener says what is wrong
    return start == MAGIC or place.suffix == SUFFIX


def _fill(report: ReadReport | None, database: Path) -> None:
    if report is not None:
        report.become(stored_report(database))
