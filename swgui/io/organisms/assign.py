"""Saying of every subject of a database which organism it is of, and putting the tree above them together."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import parse_header
from swgui.core.organisms.scan import scan_organisms
from swgui.core.organisms.subjects import DIGITS, UNKNOWN, SubjectOrganisms, grouped
from swgui.core.texts import TextColumn
from swgui.io.organisms.dump import TaxonomyDump, TaxonomyError
from swgui.io.organisms.table import read_accessions, read_table
from swgui.io.sequences.report import shown


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
    files : OrganismFiles
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
