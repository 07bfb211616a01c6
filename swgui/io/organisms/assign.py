"""Saying of every subject of a database which organism it is of, and putting the tree above them together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import parse_header
from swgui.core.organisms.scan import scan_organisms
from swgui.core.organisms.subjects import DIGITS, UNKNOWN, SubjectOrganisms, grouped
from swgui.core.texts import TextColumn
from swgui.io.organisms.dump import TaxonomyDump, TaxonomyError
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


@dataclass(frozen=True, slots=True)
class OrganismFiles:
    """What says of organisms, beside the headers.

    Parameters
    ----------
    table : str
        A list of two columns: identifier, organism or taxid; empty for none.
    taxonomy : str
        A folder with NCBI's taxonomy dump; empty for none.
    """

    table: str = ""
    taxonomy: str = ""

    def __bool__(self) -> bool:
        return bool(self.table or self.taxonomy)


NO_FILES: Final = OrganismFiles()


class OrganismSource:
    """Files about organisms that were read and found right, before a database is built.

    Parameters
    ----------
    watch : callable, optional
        Called now and then; may raise to stop.

    Raises
    ------
    TaxonomyError
        If one of the files cannot be used.
    """

    def __init__(self, files: OrganismFiles, watch: Callable[[], None] | None = None) -> None:
        self.files = OrganismFiles(*(os.path.abspath(name) if name else "" for name in (files.table, files.taxonomy)))
        self._watch = watch
        self._table = read_table(Path(files.table), watch) if files.table else {}
        self._dump = TaxonomyDump(Path(files.taxonomy)) if files.taxonomy else None

    def assign(self, ids: TextColumn, descriptions: TextColumn) -> SubjectOrganisms:
        """Return the organism of every subject: by the list, else by its header, else by its accession.

        Raises
        ------
        TaxonomyError
            If the list says nothing of any of these subjects.
        """
        found = scan_organisms(ids, descriptions, self._watch)
        names, of = list(found.names), found.of.astype(np.int64)
        taxids = np.append(found.taxids, 0)[of].astype(np.int32)
        if self._table:
            self._apply_table(ids, names, of, taxids)
        if self._dump is None:
            return grouped(of, names, taxids)
        self._find_taxids(ids, names, of, taxids)
        organisms = grouped(of, names, self._dump.current(taxids))
        return _named_by_tree(replace(organisms, tree=self._dump.above(organisms.taxids)))

    def _apply_table(self, ids: TextColumn, names: list[str], of: NDArray[np.int64], taxids: NDArray[np.int32]) -> None:
        """Overwrite what headers say by what the list says."""
        places = {name: at for at, name in enumerate(names)}
        matched = False
        for at in range(len(ids)):
            said = self._table.get(ids[at]) or self._table.get(parse_header(ids[at], "").accession)
            if said is None:
                continue
            matched = True
            if said.isdecimal() and len(said) <= DIGITS:
                if taxids[at] != int(said):
                    of[at], taxids[at] = UNKNOWN, int(said)
                continue
            if said not in places:
                places[said] = len(names)
                names.append(said)
            if of[at] != places[said]:
                of[at], taxids[at] = places[said], 0
        if not matched:
            path = Path(self.files.table)
            example = next(iter(self._table))
            raise TaxonomyError(
                path,
                f"'{path.name}' names no sequence of the database: the first of its identifiers is '{shown(example)}'.",
                hint=f"The first sequence is '{shown(ids[0])}'." if len(ids) else "",
            )

    def _find_taxids(self, ids: TextColumn, names: list[str], of: NDArray[np.int64], taxids: NDArray[np.int32]) -> None:
        """Fill in taxids by accession, then by name; of a name with a strain in brackets also without it."""
        assert self._dump is not None
        unknown = np.flatnonzero((taxids == 0) & (of == UNKNOWN))
        accessions = {parse_header(ids[at], "").accession: at for at in unknown.tolist()}
        for at, taxid in read_accessions(self._dump.folder, accessions, self._watch).items():
            taxids[at] = taxid
        left = np.unique(of[(taxids == 0) & (of != UNKNOWN)])
        shorter = {at: names[at].partition(" (")[0] for at in left.tolist()}
        known = self._dump.find({*shorter.values(), *(names[at] for at in left.tolist())}, self._watch)
        by_name = np.zeros(len(names) + 1, dtype=np.int32)
        for at, short in shorter.items():
            by_name[at] = known.get(names[at], known.get(short, 0))
        empty = taxids == 0
        taxids[empty] = by_name[of[empty]]


def _named_by_tree(organisms: SubjectOrganisms) -> SubjectOrganisms:
    """Return organisms that were known by taxid alone with the names that the tree gives them."""
    tree, nodes = organisms.tree, organisms.nodes.tolist()
    if tree is None:
        return organisms
    names = tuple(
        tree.names[node] if node >= 0 and name == f"taxid {taxid}" else name
        for name, taxid, node in zip(organisms.names, organisms.taxids.tolist(), nodes, strict=True)
    )
    return replace(organisms, names=names)
