"""Lists that say of which organism sequences are: the user's own, and those of accessions that NCBI publishes."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from swgui.core.errors import SwguiError, reason_of
from swgui.core.organisms.subjects import DIGITS
from swgui.core.words import count
from swgui.io.read_report import shown
from swgui.io.unpacking import BOMB_HINT, Bomb, Damaged, packing_of

_LISTS: Final = "accession2taxid"  # common beginning of the names of NCBI's lists of accessions
_FIRST: Final = ("prot.", "nucl_gb.")  # lists that are read before all others
_LAST: Final = "dead_"  # of entries that were given up
_NO_LISTS: Final = (".dmp", ".md5")
_TITLES: Final = (b"accession.version", b"accession")
_TAXID: Final = b"taxid"
_LONGEST_LINE: Final = 1 << 12  # of a list of accessions
HEAD: Final = 32  # bytes that tell how a file is packed
_OTHER_LIST: Final = "Download it again from NCBI, or move it out of the folder."
_SHAPE: Final = "Each line is an identifier, a tab, and an organism or taxid."


class TaxonomyError(SwguiError, ValueError):
    """A taxonomy dump, or a list of organisms, that is missing or of another format; ``path`` names the file."""

    def __init__(self, path: Path, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with open(path, "rb") as file:
            packing = packing_of(file.peek(HEAD)[:HEAD])
            yield packing.opened(file) if packing else file
    except FileNotFoundError:
        raise TaxonomyError(path, f"There is no list of organisms '{path}'.", hint="Check the name.") from None
    except EOFError:
        raise TaxonomyError(path, f"'{path}' ends in the middle of its compressed data.") from None
    except Bomb as fault:
        raise TaxonomyError(path, f"'{path}' {fault}.", hint=BOMB_HINT) from None
    except (OSError, Damaged) as fault:
        raise TaxonomyError(path, f"'{path}' cannot be read: {reason_of(fault)}.") from fault


def read_table(path: Path, watch: Callable[[], None] | None = None) -> dict[str, str]:
    """Read a list of two columns: organism or taxid by identifier.

    Lines that are empty or begin with ``#`` are skipped, as are columns beyond the second. Of a list of
    accessions in NCBI's form (`read_accessions`) the columns accession.version and taxid are read.

    Raises
    ------
    TaxonomyError
        If a line has one column, says something else of an identifier than one before, or it cannot be read.
    """
    by_identifier: dict[str, str] = {}
    named, said = 0, 1
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if watch is not None and not number & 0xFFFF:
                watch()
            if number == 1 and (columns := _columns(line)) is not None:
                named, said = columns.accession, columns.taxid
                if columns.titled:
                    continue
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip("\r\n")
            if not text.strip() or text.startswith("#"):
                continue
            fields = [field.strip() for field in text.split("\t")]
            if len(fields) < 2:
                fields = text.split(None, 1)
            if len(fields) <= max(named, said) or not fields[named] or not fields[said]:
                raise TaxonomyError(
                    path, f"Line {number:,} of '{path.name}' lacks a column: '{shown(text.strip())}'.", hint=_SHAPE
                )
            identifier, organism = fields[named], fields[said]
            if by_identifier.setdefault(identifier, organism) != organism:
                raise TaxonomyError(
                    path,
                    f"Line {number:,} of '{path.name}' says '{shown(organism)}' of '{shown(identifier)}', "
                    f"an earlier one '{shown(by_identifier[identifier])}'.",
                    hint="Leave one of the lines.",
                )
    if not by_identifier:
        raise TaxonomyError(path, f"'{path.name}' names no organism.", hint=_SHAPE)
    return by_identifier


def read_accessions(folder: Path, wanted: Collection[str], watch: Callable[[], None] | None = None) -> dict[str, int]:
    """Return the taxids of accessions, from the lists of accessions in the folder of a taxonomy.

    A list is a file of any name, packed or not, whose columns are those of NCBI's: accession, accession.version, taxid
    and gi, or accession.version and taxid alone (``prot.accession2taxid.FULL``); with or without the line of titles.

    Parameters
    ----------
    wanted : Collection of str
        Accessions, with or without version.

    Raises
    ------
    TaxonomyError
        If a list cannot be read, or a line of it lacks a column.
    """
    asked = {accession.encode(): accession for accession in wanted}
    taxids: dict[str, int] = {}
    for path in _lists(folder):
        if len(taxids) == len(asked):
            break
        _read_list(path, asked, taxids, watch)
    return taxids


def _lists(folder: Path) -> list[Path]:
    """Return the lists of accessions in a folder: those named like NCBI's, and files that begin like them."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.endswith(_NO_LISTS))
    lists = [path for path in files if _LISTS in path.name or _begins_like_one(path)]
    return sorted(lists, key=lambda path: (path.name.startswith(_LAST), not path.name.startswith(_FIRST)))


def _begins_like_one(path: Path) -> bool:
    """Whether a file that may be anything begins as a list of accessions does."""
    try:
        return _columns(_first_line(path)) is not None
    except TaxonomyError:
        return False


def _first_line(path: Path) -> bytes:
    with _opened(path) as file:
        return file.readline(_LONGEST_LINE)


class _Columns(NamedTuple):
    """Which columns of a list are read, and whether its first line is one of titles."""

    accession: int
    taxid: int
    titled: bool


def _columns(line: bytes) -> _Columns | None:
    """Return the columns of a list of accessions by its first line; None if it is none."""
    fields = [field.strip().lower() for field in line.removeprefix(codecs.BOM_UTF8).split(b"\t")]
    titles = [title for title in _TITLES if title in fields]
    if titles and _TAXID in fields:
        return _Columns(fields.index(titles[0]), fields.index(_TAXID), titled=True)
    if len(fields) == 2 and _is_accession(fields[0]) and fields[1].isdigit():
        return _Columns(0, 1, titled=False)
    if len(fields) == 4 and fields[1].startswith(fields[0]) and fields[2].isdigit() and fields[3].isdigit():
        return _Columns(1, 2, titled=False)
    return None


def _is_accession(field: bytes) -> bool:
    """Whether a field begins with a letter or digit and has a digit and no blank, as accessions do."""
    return field[:1].isalnum() and any(sign in b"0123456789" for sign in field) and not field.count(b" ")


def _read_list(
    path: Path, asked: Mapping[bytes, str], taxids: dict[str, int], watch: Callable[[], None] | None
) -> None:
    """Add what a list says of accessions that no list before it has."""
    if (columns := _columns(_first_line(path))) is None:
        raise TaxonomyError(path, f"'{path.name}' does not begin as a list of accessions does.", hint=_OTHER_LIST)
    needed = max(columns.accession, columns.taxid) + 1
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if watch is not None and not number & 0xFFFF:
                watch()
            fields = line.split(b"\t", needed)
            if len(fields) < needed and line.strip():
                text = shown(line.decode("utf-8", "replace").strip())
                fault = f"Line {number:,} of '{path.name}' has {count(len(fields), 'column')}, not {needed}: '{text}'."
                raise TaxonomyError(path, fault, hint=_OTHER_LIST)
            version = fields[columns.accession]
            accession = asked.get(version) or asked.get(version.partition(b".")[0])
            if accession is None or accession in taxids:
                continue
            taxid = fields[columns.taxid].strip()
            if 0 < len(taxid) <= DIGITS and taxid.isdigit():
                taxids[accession] = int(taxid)
