"""Lists of differences: CSV for spreadsheets and VCF, both with the subject as the reference."""

from __future__ import annotations

import csv
import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import DELETION, INSERTION, KINDS, Differences, differences
from swgui.io.export.base import TextOut
from swgui.io.pair_export.common import names, provenance_lines

CSV_COLUMNS: Final = (
    "alignment",
    "strand",
    "kind",
    "subject_position",
    "subject_letters",
    "query_position",
    "query_letters",
    "length",
)
# VCF knows A, C, G, T and N; other letters become the first base they stand for, as its definition asks for.
_BASES: Final = bytes.maketrans(
    NUCLEOTIDE.letters.encode(),
    "".join("N" if c == "N" else min(NUCLEOTIDE.expansions.get(c, c)) for c in NUCLEOTIDE.letters).encode(),
)

_DELETED: Final = b"<DEL>"


def write_csv(result: PairResult, file: TextOut) -> None:
    """Write a line for every substituted residue and every gap.

    Positions count from 1. A gap stands at the position after which it lies, in the sequence that has it; letters are
    those of the strands as they are aligned, positions of the query those of the query as it was given.
    """
    table = csv.writer(file, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    length = result.query_length
    for one in result.alignments:
        found = _differences(result, one)
        for row in range(len(found)):
            kind = int(found.kind[row])
            subject, query = found.letters(row)
            # From 1: a residue at s is s + 1; a gap before s lies after s. The other strand is counted from its end.
            at_subject = int(found.subject[row]) + (kind != INSERTION)
            at_query = int(found.query[row]) + (kind != DELETION)
            if one.strand == "minus":
                at_query = length - int(found.query[row])
            table.writerow(
                (one.index, one.strand, KINDS[kind], at_subject, subject, at_query, query, int(found.length[row]))
            )


def _differences(result: PairResult, one: PairAlignment) -> Differences:
    return differences(one.alignment, result.encoded_query(one.strand), result.subject_codes, result.scheme)


@dataclass(frozen=True, slots=True)
class _Change:
    """Letters of the subject from `position` (from 0) that are others in the query, from `query_position`."""

    position: int
    reference: bytes
    query_position: int
    other: bytes
    index: int
    strand: str


def write_vcf(result: PairResult, file: TextOut) -> None:
    """Write VCF 4.3 without samples, ordered by position on the subject.

    Neighbouring substitutions are lines of their own; where a gap touches other differences they are one line, so that
    every line begins with a base that is the same in both or replaces exactly what it names.
    """
    if result.scheme.alphabet is not NUCLEOTIDE:
        raise InvalidParameter("format", "vcf", "VCF is for nucleotides.", hint="Choose csv for proteins.")
    _, subject = names(result)
    length = result.query_length
    file.write("##fileformat=VCFv4.3\n")
    file.write(f"##source=swgui {result.version}\n")
    for line in provenance_lines(result):
        file.write(f"##swgui={line}\n")
    if number := _left_out(result):
        file.write(f"##swgui=left out: {number} places where an ambiguity letter can stand for the other's base\n")
    file.write(f"##contig=<ID={subject},length={result.subject_length}>\n")
    for key, kind, text in (
        ("ALN", "Integer", "Number of the alignment, the best is 1"),
        ("QPOS", "Integer", "First position concerned on the query as given, from 1"),
        ("STRAND", "String", "Strand of the query that is aligned"),
    ):
        file.write(f'##INFO=<ID={key},Number=1,Type={kind},Description="{text}">\n')
    file.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    for change in _ordered(result):
        at_query = change.query_position + 1 if change.strand == "plus" else length - change.query_position
        file.write(
            f"{subject}\t{change.position + 1}\t.\t{change.reference.decode()}\t{change.other.decode()}\t.\t.\t"
            f"ALN={change.index};QPOS={at_query};STRAND={change.strand}\n"
        )


def _ordered(result: PairResult) -> Iterator[_Change]:
    """Yield the lines by position; those of one alignment are in order, and none is kept."""
    every = (map(_reduced, _changes(result, one)) for one in result.alignments)
    for change in heapq.merge(*every, key=lambda change: (change.position, change.index)):
        if change.reference != change.other:
            yield change


def _left_out(result: PairResult) -> int:
    """Return how many lines would say nothing once ambiguity letters are reduced to what VCF knows."""
    codes = result.encoded_query("plus").codes, result.subject_codes
    letters = result.scheme.alphabet.decode(np.unique(np.concatenate([np.unique(side) for side in codes])))
    if not letters.strip(b"ACGT"):
        return 0
    changes = (_reduced(change) for one in result.alignments for change in _changes(result, one))
    return sum(change.reference == change.other for change in changes)


def _reduced(change: _Change) -> _Change:
    """Return a change in the letters that VCF knows."""
    other = change.other if change.other == _DELETED else change.other.translate(_BASES)
    return replace(change, reference=change.reference.translate(_BASES), other=other)


def _changes(result: PairResult, one: PairAlignment) -> Iterator[_Change]:
    """Yield the lines of one alignment, in its order."""
    found = _differences(result, one)
    if not len(found):
        return
    query = result.encoded_query(one.strand).codes
    decode = result.scheme.alphabet.decode
    query_end = found.query + np.where(found.kind == DELETION, 0, found.length)
    subject_end = found.subject + np.where(found.kind == INSERTION, 0, found.length)
    # Entries that touch are one group, unless both are substitutions.
    gap = found.kind != 0
    touches = (query_end[:-1] == found.query[1:]) & (subject_end[:-1] == found.subject[1:])
    # A run of substitutions beside a gap belongs to it as a whole.
    group = np.concatenate([[0], np.cumsum(~touches)])
    with_gap = np.zeros(int(group[-1]) + 1, dtype=bool)
    np.logical_or.at(with_gap, group, gap)
    starts = np.flatnonzero(np.concatenate([[True], (group[1:] != group[:-1]) | ~with_gap[group[1:]]]))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(found)], strict=True):
        s0, s1 = int(found.subject[start]), int(subject_end[stop - 1])
        q0, q1 = int(found.query[start]), int(query_end[stop - 1])
        reference, other = decode(result.subject_codes[s0:s1]), decode(query[q0:q1])
        if not reference or not other:
            if s0 > 0 and q0 > one.alignment.query_start:  # the column before is the same in both
                base = decode(result.subject_codes[s0 - 1 : s0])
                s0, q0, reference, other = s0 - 1, q0 - 1, base + reference, base + other
            elif s1 < len(result.subject_codes):
                base = decode(result.subject_codes[s1 : s1 + 1])
                reference, other = reference + base, other + base
            elif s0 > 0:  # nothing of the subject follows: the base before stays as it is
                base = decode(result.subject_codes[s0 - 1 : s0])
                s0, reference, other = s0 - 1, base + reference, base + other
            else:
                other = _DELETED  # no base of the subject remains beside it
        yield _Change(s0, reference, q0, other, one.index, one.strand)
