"""Saying of every subject of a database which organism it is of, and putting the tree above them together."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import parse_header
from swgui.core.organisms.scan import scan_organisms
from swgui.core.organisms.subjects import DIGITS, UNKNOWN, SubjectOrganisms, grouped
from swgui.core.organisms.tree import RANKS, RENAMED, Taxonomy, node_in_a_circle, nodes_above
from swgui.core.plain import replace
from swgui.core.texts import TextColumn
from swgui.io.organism_files import OrganismFiles
from swgui.io.organisms.lists import TaxonomyError, read_accessions, read_table
from swgui.io.read_report import shown

_LONGEST_RANK: Final = 24
_LONGEST_CHAIN: Final = 32  # of nodes merged into each other
_SCIENTIFIC: Final = "scientific name"
_OTHERS: Final = frozenset(
    ("synonym", "common name", "genbank common name", "equivalent name", "blast name", "acronym", "genbank synonym")
)
_TAB, _END, _RETURN, _SEPARATOR = ord("\t"), ord("\n"), ord("\r"), b"\t|\t"
_UNPACK: Final = "Unpack NCBI's 'taxdump.tar.gz' and name the folder."


class _Lines:
    """The lines of a dump, and where in each the next field begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.data = np.fromfile(path, dtype=np.uint8)
        except FileNotFoundError:
            raise TaxonomyError(path, f"There is no '{path.name}' in '{path.parent}'.", hint=_UNPACK) from None
        except OSError as fault:
            raise TaxonomyError(path, f"'{path}' cannot be read: {fault.strerror or fault}.") from fault
        ends = np.flatnonzero(self.data == _END)
        if len(self.data) and self.data[-1] != _END:
            ends = np.append(ends, len(self.data))
        starts = np.append(0, ends[:-1] + 1) if len(ends) else ends
        ends[(ends > starts) & (self.data[ends - 1] == _RETURN)] -= 1  # unpacked by a program of Windows
        filled = ends > starts
        self.starts, self.ends = starts[filled], ends[filled]
        self._numbers_of_lines = np.flatnonzero(filled) + 1
        self.at = self.starts.copy()

    def __len__(self) -> int:
        return len(self.starts)

    def numbers(self) -> NDArray[np.int32]:
        """Return the next field of every line as a number; `TaxonomyError` if it is none."""
        values = np.zeros(len(self), dtype=np.int64)
        begun, within = self.at.copy(), np.ones(len(self), dtype=bool)
        last = max(len(self.data) - 1, 0)
        for _ in range(DIGITS + 1):
            signs = self.data[self.at.clip(max=last)].astype(np.int64) - ord("0")
            within &= (self.at < self.ends) & (signs >= 0) & (signs <= 9)
            values[within] = values[within] * 10 + signs[within]
            self.at += within
        self._refuse((self.at == begun) | (self.at - begun > DIGITS) | ~self._separated())
        self.at += len(_SEPARATOR)
        return values.astype(np.int32)

    def _separated(self) -> NDArray[np.bool_]:
        last = max(len(self.data) - 1, 0)
        matches = self.at + 2 <= self.ends
        for offset, sign in enumerate(_SEPARATOR[:2]):  # the last field of a line ends with "\t|" alone
            matches &= self.data[(self.at + offset).clip(max=last)] == sign
        return matches

    def _refuse(self, wrong: NDArray[np.bool_]) -> None:
        if not wrong.any():
            return
        line = int(np.argmax(wrong))
        text = self.data[self.starts[line] : self.ends[line]].tobytes().decode("utf-8", "replace")
        raise TaxonomyError(
            self.path,
            f"Line {self._numbers_of_lines[line]:,} of '{self.path.name}' is not as in NCBI's taxonomy: "
            f"'{shown(text.strip())}'.",
            hint=_UNPACK,
        )

    def ranks(self) -> NDArray[np.uint8]:
        """Return the next field of every line as a place in `RANKS`."""
        codes = np.zeros(len(self), dtype=np.uint64)
        within, last = np.ones(len(self), dtype=bool), max(len(self.data) - 1, 0)
        for offset in range(_LONGEST_RANK):
            places = self.at + offset
            signs = self.data[places.clip(max=last)]
            within &= (places < self.ends) & (signs != _TAB)
            if not within.any():
                break
            codes[within] = codes[within] * np.uint64(257) + signs[within]
        rank_of = {_code(rank): number for number, rank in enumerate(RANKS)}
        rank_of |= {_code(word): RANKS.index(rank) for word, rank in RENAMED.items()}
        different, inverse = np.unique(codes, return_inverse=True)
        return np.array([rank_of.get(int(code), 0) for code in different], dtype=np.uint8)[inverse]

    def texts(self, lines: NDArray[np.int64]) -> Iterator[tuple[int, list[str]]]:
        """Yield some lines, each with the fields that were not read yet."""
        for line in lines.tolist():
            text = self.data[self.at[line] : self.ends[line]].tobytes().decode("utf-8", "replace")
            yield line, text.removesuffix("\t|").split("\t|\t")


def _code(rank: str) -> int:
    code = 0
    for sign in rank.encode():
        code = (code * 257 + sign) & 0xFFFFFFFFFFFFFFFF
    return code


class TaxonomyDump:
    """The nodes of a dump; names are read when it is known whose are wanted.

    Parameters
    ----------
    folder : Path
        With ``nodes.dmp``, ``names.dmp`` and perhaps ``merged.dmp``.

    Attributes
    ----------
    taxids, parents, ranks : ndarrays
        As those of `Taxonomy`, of all nodes.

    Raises
    ------
    TaxonomyError
        If that is no dump of NCBI's taxonomy, or nodes lie below themselves.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise TaxonomyError(folder, f"'{folder}' is no folder with a taxonomy.", hint=_UNPACK)
        self.folder = folder
        names = folder / "names.dmp"
        if not names.is_file():
            raise TaxonomyError(names, f"'{folder}' holds no '{names.name}'.", hint=_UNPACK)
        lines = _Lines(folder / "nodes.dmp")
        taxids, above, ranks = lines.numbers(), lines.numbers(), lines.ranks()
        path = lines.path
        if not len(taxids):
            raise TaxonomyError(path, f"'{path.name}' is empty.", hint=_UNPACK)
        order = np.argsort(taxids, kind="stable")
        self.taxids, above, self.ranks = taxids[order], above[order], ranks[order]
        if (twice := self.taxids[1:][self.taxids[1:] == self.taxids[:-1]]).size:
            raise TaxonomyError(path, f"Node {twice[0]} occurs twice in '{path.name}'.", hint=_UNPACK)
        places = np.searchsorted(self.taxids, above).clip(max=len(self.taxids) - 1)
        if (lost := self.taxids[places] != above).any():
            index = int(np.argmax(lost))
            raise TaxonomyError(
                path, f"Node {above[index]}, above node {self.taxids[index]}, is not in '{path.name}'.", hint=_UNPACK
            )
        self.parents = places.astype(np.int32)
        if (node := node_in_a_circle(self.parents)) is not None:
            raise TaxonomyError(path, f"Node {self.taxids[node]} in '{path.name}' is below itself.", hint=_UNPACK)
        self.merged = self._read_merged()

    def _read_merged(self) -> NDArray[np.int32]:
        if not (self.folder / "merged.dmp").is_file():
            return np.zeros((0, 2), dtype=np.int32)
        lines = _Lines(self.folder / "merged.dmp")
        pairs = np.stack([lines.numbers(), lines.numbers()], axis=1)
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
        for _ in range(_LONGEST_CHAIN):  # what stands for one may have been merged itself
            rows = np.searchsorted(pairs[:, 0], pairs[:, 1]).clip(max=max(len(pairs) - 1, 0))
            again = pairs[rows, 0] == pairs[:, 1]
            if not again.any():
                return pairs
            pairs[again, 1] = pairs[rows[again], 1]
        raise TaxonomyError(
            lines.path,
            f"Node {pairs[np.argmax(again), 0]} in '{lines.path.name}' was merged into itself.",
            hint=_UNPACK,
        )

    def current(self, taxids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the current taxids; those that were not merged into others stay."""
        if not len(self.merged):
            return taxids
        rows = np.searchsorted(self.merged[:, 0], taxids).clip(max=len(self.merged) - 1)
        return np.where(self.merged[rows, 0] == taxids, self.merged[rows, 1], taxids).astype(np.int32)

    def find(self, names: Collection[str], watch: Callable[[], None] | None = None) -> dict[str, int]:
        """Return the taxid of names, upper or lower case, as far as they are known; scientific names come first."""
        wanted = {name.casefold().encode(): name for name in names}
        taxids: dict[str, tuple[bool, int]] = {}
        if not wanted:
            return {}
        with open(self.folder / "names.dmp", "rb") as file:
            for number, line in enumerate(file):
                if watch is not None and not number & 0xFFFF:
                    watch()
                fields = line.split(b"\t|\t", 3)
                if len(fields) == 4 and (name := wanted.get(fields[1].lower())) is not None and fields[0].isdigit():
                    better = (fields[3].startswith(_SCIENTIFIC.encode()), int(fields[0]))
                    if name not in taxids or better[0] > taxids[name][0]:
                        taxids[name] = better
        return {name: taxid for name, (_, taxid) in taxids.items()}

    def above(self, taxids: NDArray[np.int32]) -> Taxonomy:
        """Return the part of the tree that holds some taxids and all above them; unknown ones are left out."""
        places = np.searchsorted(self.taxids, taxids).clip(max=len(self.taxids) - 1)
        kept = nodes_above(self.parents, places[self.taxids[places] == taxids])
        numbers = self.taxids[kept]
        parents = (np.cumsum(kept) - 1)[self.parents[kept]].astype(np.int32)
        merged = self.merged[np.isin(self.merged[:, 1], numbers)]
        return Taxonomy(numbers, parents, self.ranks[kept], *self._names(numbers), merged=merged)

    def _names(self, taxids: NDArray[np.int32]) -> tuple[TextColumn, TextColumn, NDArray[np.int32]]:
        """Return scientific names, other names, and the nodes of these."""
        lines = _Lines(self.folder / "names.dmp")
        numbers = lines.numbers()
        places = np.searchsorted(taxids, numbers).clip(max=max(len(taxids) - 1, 0))
        rows = np.flatnonzero(taxids[places] == numbers) if len(taxids) else places[:0]
        names = [f"taxid {taxid}" for taxid in taxids.tolist()]
        others: list[str] = []
        named: list[int] = []
        for line, fields in lines.texts(rows):
            kind = fields[2] if len(fields) > 2 else ""
            if kind == _SCIENTIFIC:
                names[places[line]] = fields[0]
            elif kind in _OTHERS:
                others.append(fields[0])
                named.append(int(places[line]))
        return TextColumn.from_texts(names), TextColumn.from_texts(others), np.array(named, dtype=np.int32)


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

    def assign(
        self, ids: TextColumn, descriptions: TextColumn, stated: NDArray[np.int32] | None = None
    ) -> SubjectOrganisms:
        """Return the organism of every subject: by the list, its source, its header, or its accession.

        Parameters
        ----------
        stated : ndarray, shape=(N,), dtype=int32, optional
            Taxids that a database of another program has in addition to the headers; 0 where it has none.

        Raises
        ------
        TaxonomyError
            If the list has none of these subjects.
        """
        scanned = scan_organisms(ids, descriptions, self._watch)
        names, of = list(scanned.names), scanned.of.astype(np.int64)
        taxids = np.append(scanned.taxids, 0)[of].astype(np.int32)
        if stated is not None:
            other = (stated > 0) & (taxids > 0) & (stated != taxids)
            of[other] = UNKNOWN  # the name of the header is of another organism
            taxids = np.where(stated > 0, stated, taxids).astype(np.int32)
        if self._table:
            self._apply_table(ids, names, of, taxids)
        if self._dump is None:
            return grouped(of, names, taxids)
        self._find_taxids(ids, names, of, taxids)
        organisms = grouped(of, names, self._dump.current(taxids))
        return _named_by_tree(replace(organisms, tree=self._dump.above(organisms.taxids)))

    def _apply_table(self, ids: TextColumn, names: list[str], of: NDArray[np.int64], taxids: NDArray[np.int32]) -> None:
        """Overwrite what headers say by what the list says."""
        places = {name: index for index, name in enumerate(names)}
        matched = False
        for index in range(len(ids)):
            said = self._table.get(ids[index]) or self._table.get(parse_header(ids[index], "").accession)
            if said is None:
                continue
            matched = True
            if said.isdecimal() and len(said) <= DIGITS:
                if taxids[index] != int(said):
                    of[index], taxids[index] = UNKNOWN, int(said)
                continue
            if said not in places:
                places[said] = len(names)
                names.append(said)
            if of[index] != places[said]:
                of[index], taxids[index] = places[said], 0
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
        accessions = {index: parse_header(ids[index], "").accession for index in unknown.tolist()}
        found = read_accessions(self._dump.folder, frozenset(accessions.values()), self._watch)
        for index, accession in accessions.items():
            taxids[index] = found.get(accession, 0)
        left = np.unique(of[(taxids == 0) & (of != UNKNOWN)])
        shorter = {index: names[index].partition(" (")[0] for index in left.tolist()}
        taxid_of = self._dump.find({*shorter.values(), *(names[index] for index in left.tolist())}, self._watch)
        by_name = np.zeros(len(names) + 1, dtype=np.int32)
        for index, short in shorter.items():
            by_name[index] = taxid_of.get(names[index], taxid_of.get(short, 0))
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
