"""Clusters as files: those of CD-HIT (``.clstr``), two-column tables of MMseqs2, and tables with named columns."""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

import numpy as np
from numpy.typing import NDArray

from swgui.core.compare.matching import CLUSTERED, match_names
from swgui.core.errors import SwguiError
from swgui.core.texts import TextColumn
from swgui.core.words import agree, count
from swgui.io.cells import from_spreadsheet, sequence_names, spreadsheet_text
from swgui.io.network.sequence_tables import NamedClusters, cluster_table
from swgui.io.opening import open_to_read
from swgui.io.table_files import TABLE_FORMATS, write_table
from swgui.io.whole_file import write_text

CLSTR: Final = ".clstr"
_MEMBER: Final = re.compile(r"\d+\s+\d+(?:aa|nt),\s+>(.+?)\.\.\.\s+(\*|at .*)$")
_QUOTED: Final = re.compile(r'"[^"\t]*"(\t"[^"\t]*")*')  # a line of cells by tabs as R writes them
_NAME_HEADS: Final = ("sequence", "id", "name", "member", "accession")
_CLUSTER_HEADS: Final = ("cluster", "representative", "part", "split", "group")


class ClusterFileError(SwguiError, ValueError):
    """A file of clusters that cannot be read, or belongs to other sequences."""


@dataclass(frozen=True, slots=True)
class ListedClusters:
    """Clusters as a file lists them.

    Parameters
    ----------
    program : str
        The program that writes such files.
    cluster : dict of str to str
        The cluster of each sequence, by names.
    representative : dict of str to str
        The representative of each cluster, as far as the file says so.
    cut_names : bool
        Whether names may be cut off, as CD-HIT does by default.
    """

    program: str
    cluster: dict[str, str] = field(repr=False)
    representative: dict[str, str] = field(default_factory=dict, repr=False)
    cut_names: bool = False


def read_clusters(path: str) -> ListedClusters:
    """Read a file of clusters, of any kind; the content tells which.

    Raises
    ------
    ClusterFileError
        If it cannot be read, lists no clusters, or a sequence twice.
    """
    with open_to_read(Path(path), "a file of clusters", _unreadable) as file:
        text = file.read().decode("utf-8-sig", "replace")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ClusterFileError(f"'{path}' is empty.", hint="Choose a file that lists clusters.")
    if lines[0][1].startswith(">Cluster"):
        return _read_clstr(path, lines)
    return _read_table(path, lines)


def _unreadable(path: str, message: str, *, hint: str = "") -> ClusterFileError:
    return ClusterFileError(message, hint=hint)


def _read_clstr(path: str, lines: Iterable[tuple[int, str]]) -> ListedClusters:
    listed = ListedClusters("CD-HIT", {}, {}, cut_names=True)
    cluster = ""
    for number, line in lines:
        if line.startswith(">Cluster"):
            cluster = line[1:].strip()
            continue
        member = _MEMBER.match(line.strip())
        if member is None:
            raise ClusterFileError(
                f"Line {number} of '{path}' is no line of a .clstr file: {line.strip()[:60]}",
                hint="It should read like '0  123aa, >name... *'.",
            )
        _put(listed, member[1], cluster, path, number)
        if member[2] == "*":
            listed.representative[cluster] = member[1]
    return listed


def _read_table(path: str, lines: Sequence[tuple[int, str]]) -> ListedClusters:
    """Read representative and member by tabs, or a table whose head names a column of clusters."""
    delimiter = "\t" if "\t" in lines[0][1] else ","
    texts = (line for _, line in lines)
    unquoted = delimiter == "\t" and not _QUOTED.fullmatch(lines[0][1])  # a name may begin with a quotation mark
    rows = [text.split("\t") for text in texts] if unquoted else list(csv.reader(texts, delimiter=delimiter))
    head = [cell.strip().lower() for cell in rows[0]]
    name = next((head.index(word) for word in _NAME_HEADS if word in head), None)
    group = next((head.index(word) for word in _CLUSTER_HEADS if word in head), None)
    if name is not None and group is not None and name != group:
        represented, rows, lines = head[group] == "representative", rows[1:], lines[1:]
    elif delimiter == "\t" and len(rows[0]) == 2:
        group, name, represented = 0, 1, True
    else:
        raise ClusterFileError(
            f"'{path}' is no file of clusters that is known.",
            hint="It may be CD-HIT's .clstr, two columns by tabs (representative, member) as MMseqs2 writes, or a "
            "table whose first line names a column 'sequence' and one 'cluster'.",
        )
    listed = ListedClusters("MMseqs2" if represented else "", {}, {})
    for (number, _), row in zip(lines, rows, strict=True):
        if len(row) <= max(name, group):
            raise ClusterFileError(f"Line {number} of '{path}' has {count(len(row), 'column')}; more are needed.")
        member, cluster = (from_spreadsheet(row[column].strip()) for column in (name, group))
        _put(listed, member, cluster, path, number)
        if represented:
            listed.representative[cluster] = cluster
    return listed


def _put(listed: ListedClusters, name: str, cluster: str, path: str, line: int) -> None:
    if name in listed.cluster:
        raise ClusterFileError(
            f"'{name}' occurs twice in '{path}' (line {line}).",
            hint="Each sequence is in one cluster. Of equal names all but the first need their number in the file of "
            "sequences, as in name_3.",
        )
    listed.cluster[name] = cluster


def labels_of(listed: ListedClusters, names: Sequence[str], path: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cluster of each sequence by number, and the source index of its representative, -1 if unknown.

    Raises
    ------
    ClusterFileError
        If the names are not those of the sequences, one for one; equal names have numbers, as of `sequence_names`.
    """
    names = sequence_names(names)
    column, cut = TextColumn.from_texts(names), dict[str, int | None]()
    if listed.cut_names:  # to their beginnings, and in no other way
        meant = _cut_off(sorted(names), {name: number for number, name in enumerate(names)})
        cut = {name: meant(name) for name in listed.cluster}
    matches = match_names((name for name in listed.cluster if cut.get(name) is None), column, CLUSTERED)
    if matches.ambiguous:
        name, several = next(iter(matches.ambiguous.items()))
        raise ClusterFileError(
            f"'{name}' of '{path}' may be any of {len(several):,} sequences, the first is '{names[several[0]]}'.",
            hint="Cluster sequences whose names stay different when they are shortened.",
        )
    found: dict[str, int | None] = {**cut, **matches.found, **dict.fromkeys(matches.unknown)}
    unknown = [name for name, number in found.items() if number is None]
    if unknown:
        raise ClusterFileError(
            f"'{path}' lists {count(len(unknown), 'sequence')} that {agree(len(unknown), 'is', 'are')} not among "
            f"the {len(names):,}, the first is '{unknown[0]}'.",
            hint="Give the FASTA file that was clustered.",
        )
    numbers = {name: number for name, number in found.items() if number is not None}
    labels = np.full(len(names), -1, dtype=np.int64)
    order = {cluster: number for number, cluster in enumerate(dict.fromkeys(listed.cluster.values()))}
    for name, cluster in listed.cluster.items():
        labels[numbers[name]] = order[cluster]
    if (labels < 0).any():
        missing = np.flatnonzero(labels < 0)
        raise ClusterFileError(
            f"{count(len(missing), 'sequence')} of {len(names):,} {agree(len(missing), 'is', 'are')} in no cluster "
            f"of '{path}', the first is '{names[missing[0]]}'.",
            hint="Give the FASTA file that was clustered.",
        )
    represented = {order[cluster]: numbers.get(name, -1) for cluster, name in listed.representative.items()}
    return labels, np.array([represented.get(label, -1) for label in labels.tolist()], dtype=np.int64)


def _cut_off(ordered: Sequence[str], index: Mapping[str, int]) -> Callable[[str], int | None]:
    """Return a function from a truncated name to its sequence: the only one that begins with it."""

    def meant(name: str) -> int | None:
        first = bisect_left(ordered, name)
        if name in index:
            return index[name]
        beginning = [whole for whole in ordered[first : first + 2] if whole.startswith(name)]
        return index[beginning[0]] if len(beginning) == 1 else None

    return meant


def write_clstr(made: NamedClusters, file: TextIO) -> None:
    """Write clusters as CD-HIT does, with the identity of each member with its representative."""
    assert made.identities is not None  # what `has_identities` asks for
    unit, last, place = "aa" if made.strands is None else "nt", -1, 0
    for number, representative, member in made.rows():
        if number != last:
            file.write(f">Cluster {number}\n")
            last, place = number, 0
        strand = "" if made.strands is None else f"{'+' if made.strands[member] > 0 else '-'}/"
        end = "*" if member == representative else f"at {strand}{100 * made.identities[member]:.2f}%"
        file.write(f"{place}\t{int(made.lengths[member])}{unit}, >{made.names[member]}... {end}\n")
        place += 1


def write_pairs(made: NamedClusters, file: TextIO) -> None:
    """Write representative and member of every sequence by tabs, as MMseqs2 does; the largest cluster first."""
    for _, representative, member in made.rows():
        names = spreadsheet_text(made.names[representative]), spreadsheet_text(made.names[member])
        file.write("\t".join(names) + "\n")


@dataclass(frozen=True, slots=True)
class ClusterFormat:
    """A file format of clusters."""

    description: str
    write: Callable[[NamedClusters, TextIO], None] | None  # None where it is one of all tables
    has_identities: bool = False  # of members with their representatives
    has_strands: bool = False  # of members of nucleotides


CLUSTER_FORMATS: Final = {
    "tsv": ClusterFormat("representative and member, as MMseqs2 writes", write_pairs),
    "clstr": ClusterFormat("as CD-HIT", write_clstr, has_identities=True, has_strands=True),
    **{
        name: ClusterFormat(form.description, None, has_strands=True)
        for name, form in TABLE_FORMATS.items()
        if name != "tsv"
    },
}


def write_clusters(path: str | None, made: NamedClusters, form: str) -> None:
    """Write clusters in one of `CLUSTER_FORMATS`; as `write_table` otherwise."""
    if (write := CLUSTER_FORMATS[form].write) is not None:
        write_text(path, lambda file: write(made, file))
    else:
        write_table(path, cluster_table(made), form)
