"""Lists of two columns: an identifier and its organism or taxid; and NCBI's of accessions and taxids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from swgui.io.organisms.dump import TaxonomyError
from swgui.io.sequences.report import shown
from swgui.io.sequences.unpacking import BOMB_HINT, Bomb, Damaged, packing_of

ACCESSIONS: Final = ("prot.accession2taxid.gz", "prot.accession2taxid", "nucl_gb.accession2taxid.gz",
                     "nucl_gb.accession2taxid")  # fmt: skip
HEAD: Final = 32  # bytes that tell how a file is packed
_SHAPE: Final = "Each line is an identifier, a tab, and an organism or taxid."


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with open(path, "rb") as file:
            packing = packing_of(file.peek(HEAD)[:HEAD])
            yield packing.opened(file) if packing else file
    except FileNotFoundError:
        raise TaxonomyError(path, f"There is no list of organisms '{path}'.", hint="Check the name.") from None
    except EOFError:
        raise TaxonomyError(path, f"'{path}' ends in the middle of what is packed in it.") from None
    except Bomb as fault:
        raise TaxonomyError(path, f"'{path}' {fault}.", hint=BOMB_HINT) from None
    except (OSError, Damaged) as fault:
        raise TaxonomyError(path, f"'{path}' cannot be read: {fault}.") from fault


def read_table(path: Path, watch: Callable[[], None] | None = None) -> dict[str, str]:
    """Return what a list of two columns says: organism or taxid by identifier.

    Lines that are empty or begin with ``#`` say nothing; columns beyond the second are passed over.

    Raises
    ------
    TaxonomyError
        If a line has one column, says something else of an identifier than one before, or it cannot be read.
    """
    found: dict[str, str] = {}
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if watch is not None and not number & 0xFFFF:
                watch()
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip("\r\n")
            if not text.strip() or text.startswith("#"):
                continue
            fields = [field.strip() for field in text.split("\t")]
            if len(fields) < 2:
                fields = text.split(None, 1)
            if len(fields) < 2 or not fields[0] or not fields[1]:
                raise TaxonomyError(
                    path, f"Line {number:,} of '{path.name}' has one column: '{shown(text.strip())}'.", hint=_SHAPE
                )
            if found.setdefault(fields[0], fields[1]) != fields[1]:
                raise TaxonomyError(
                    path,
                    f"Line {number:,} of '{path.name}' says '{shown(fields[1])}' of '{shown(fields[0])}', "
                    f"an earlier one '{shown(found[fields[0]])}'.",
                    hint="Leave one of the lines.",
                )
    if not found:
        raise TaxonomyError(path, f"'{path.name}' says nothing of any organism.", hint=_SHAPE)
    return found


def read_accessions(folder: Path, wanted: Mapping[str, int], watch: Callable[[], None] | None = None) -> dict[int, int]:
    """Return taxids by what stands for accessions in `wanted`, from NCBI's lists if the folder has any.

    Parameters
    ----------
    wanted : Mapping of str to int
        Accessions, with or without version.
    """
    asked = {accession.encode(): value for accession, value in wanted.items()}
    found: dict[int, int] = {}
    for path in (folder / name for name in ACCESSIONS if (folder / name).is_file()):
        with _opened(path) as file:
            if b"taxid" not in file.readline():
                raise TaxonomyError(
                    path,
                    f"'{path.name}' does not begin with the names of its columns.",
                    hint="Download it again from NCBI, or move it out of the folder.",
                )
            for number, line in enumerate(file):
                if watch is not None and not number & 0xFFFF:
                    watch()
                accession, version, taxid = line.split(b"\t", 3)[:3]
                value = asked.get(version, asked.get(accession))
                if value is not None and taxid.isdigit() and value not in found:
                    found[value] = int(taxid)
        if len(found) == len(set(asked.values())):
            break
    return found
