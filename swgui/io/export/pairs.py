"""Exports of one long pair: the same bytes from the window and from the command line.

The subject is the reference of every format. Coordinates count from 1 unless a format says otherwise. Nothing is held
in memory as text: alignments are spelled out block by block.
"""

from __future__ import annotations

import csv
import heapq
import io
import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import (
    DELETION,
    INSERTION,
    KINDS,
    AlignmentMap,
    Differences,
    TextWindow,
    differences,
    text_window,
)
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.words import count, format_evalue
from swgui.io.cells import clean_text, json_text
from swgui.io.export.base import FileFormat, TextOut, format_of
from swgui.io.export.fasta import write_lines
from swgui.io.export.provenance import as_lines, scoring_facts
from swgui.io.export.sam import (
    NO_MAPPING_QUALITY,
    NO_MATE,
    REVERSED,
    as_read,
    clipped,
    paf_line,
    reference_name,
    sam_head,
    tags,
)
from swgui.io.export.text import LINE, share, text_row
from swgui.io.saved.pair import FORMAT, VERSION
from swgui.io.whole_file import save_text

BLOCK_COLUMNS: Final = 60 * 4096  # spelled out at a time: a multiple of every line length used here


_STATES: Final = {
    "finished": "finished",
    "stopped": "stopped by the user; alignments are those found by then",
    "failed": "failed; alignments are those found by then",
}
_SUPPLEMENTARY: Final = 0x800
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


def provenance(result: PairResult) -> dict[str, object]:
    """Return program, parameters, sequences and run as plain values."""
    scheme = result.scheme
    return {
        "program": f"swgui {result.version}",
        "method": f"exact {result.mode} alignment, affine gaps",
        "finished": result.finished_at,
        "state": _STATES[result.state],
        **({"reason": clean_text(result.reason)} if result.reason else {}),
        "query": clean_text(result.query.id),
        "query_length": result.query_length,
        "query_sha256": result.query_checksum,
        "subject": clean_text(result.subject.id),
        "subject_length": result.subject_length,
        "subject_sha256": result.subject_checksum,
        **scoring_facts(scheme),
        "mode": str(result.mode),
        "strand": result.strand,
        "limit": result.limit,
        "min_score": result.min_score,
        "statistics": clean_text(result.statistics) or "none",
        "engine": result.method,
        "devices": list(result.devices),
        "settings": dict(result.settings),
        "memory_bytes": result.memory_bytes,
        "cells": result.cells,
        "cells_left_out": result.pruned,
        "seconds": {stage: round(seconds, 3) for stage, seconds in result.seconds.items()},
        **({"remarks": [clean_text(remark) for remark in result.remarks]} if result.remarks else {}),
    }


def provenance_lines(result: PairResult) -> list[str]:
    """Return the same as lines ``key: value``."""
    return as_lines(provenance(result))


def names(result: PairResult) -> tuple[str, str]:
    """Return names of query and subject that every format allows."""
    return reference_name(result.query.id, "sequence"), reference_name(result.subject.id, "sequence")


def windows(result: PairResult, hsp: PairAlignment) -> Iterator[TextWindow]:
    """Yield the rows of an alignment as text, block by block."""
    mapping = AlignmentMap(hsp.alignment)
    query = result.encoded_query(hsp.strand)
    for start in range(0, mapping.columns, BLOCK_COLUMNS):
        yield text_window(mapping, query, result.subject_codes, result.scheme, start, start + BLOCK_COLUMNS)


def write_text(result: PairResult, file: TextOut) -> None:
    """Write where the result comes from, then every alignment in lines of 60 columns.

    The subject is shown as it is. If the query's other strand is aligned, the query's positions fall.
    """
    file.write(f"swgui {result.version}: exact {result.mode} alignment of one pair\n\n")
    for line in provenance_lines(result)[2:]:
        file.write(f"  {line}\n")
    sides = ("Query", result.query, result.query_length), ("Sbjct", result.subject, result.subject_length)
    for title, record, length in sides:
        file.write(f"\n{title}= {clean_text(record.header)}\nLength={length}\n")
    if result.best is not None:
        end = result.best
        query_end = end.query_end if result.best_strand == "plus" else result.query_length - end.query_end + 1
        where = f"query {query_end} and subject {end.subject_end}" if end.query_end or end.subject_end else "nowhere"
        file.write(f"\nBest score: {end.score}, reached at {where} ({result.best_strand} strand)\n")
    for hsp in result.alignments:
        _write_one(result, hsp, file)


def alignment_of_pair(result: PairResult, hsp: PairAlignment) -> str:
    """Return one alignment as the text has it: its counts, and its residues in lines of 60 columns."""
    text = io.StringIO()
    _write_one(result, hsp, text)
    return text.getvalue().strip("\n") + "\n"


def _write_one(result: PairResult, hsp: PairAlignment, file: TextOut) -> None:
    counts, alignment = hsp.counts, hsp.alignment
    file.write(f"\n\nAlignment {hsp.index} of {len(result.alignments)}\n")
    score = f" Score = {alignment.score}"
    if not math.isnan(hsp.bit_score):
        expect = format_evalue(hsp.log10_evalue)
        score = f" Score = {hsp.bit_score:.1f} bits ({alignment.score})" + (f",  Expect = {expect}" if expect else "")
    parts = [f" Identities = {share(counts.nident, counts.length)}"]
    if not result.scheme.alphabet.complements:
        parts.append(f"Positives = {share(counts.positive, counts.length)}")
    parts.append(f"Gaps = {share(counts.gaps, counts.length)} in {counts.gapopen}")
    file.write(f"{score}\n{', '.join(parts)}\n")
    if result.scheme.alphabet.complements:
        file.write(f" Strand={hsp.strand.capitalize()}/Plus\n")
    file.write("\n")
    plus, length = hsp.strand == "plus", result.query_length
    step = 1 if plus else -1
    at_query = alignment.query_start + 1 if plus else length - alignment.query_start
    at_subject = alignment.subject_start + 1
    width = len(str(max(length, result.subject_length)))
    margin = " " * (7 + width + 2)
    for window in windows(result, hsp):
        for start in range(0, len(window.query), LINE):
            query, middle, subject = (
                row[start : start + LINE] for row in (window.query, window.middle, window.subject)
            )
            if result.scheme.alphabet is NUCLEOTIDE:
                middle = middle.replace("+", " ")  # as BLAST: only what is equal
            residues, others = len(query) - query.count("-"), len(subject) - subject.count("-")
            file.write(text_row("Query", at_query, query, residues, step, width) + "\n")
            file.write(f"{margin}{middle}".rstrip() + "\n")
            file.write(text_row("Sbjct", at_subject, subject, others, 1, width) + "\n\n")
            at_query += step * residues
            at_subject += others


def write_fasta(result: PairResult, file: TextOut) -> None:
    """Write two records of equal length for every alignment, with gap signs.

    The header has the positions, from 1; those of the query fall on the minus strand.
    """
    length = result.query_length
    for hsp in result.alignments:
        start, end = hsp.query_range(length)
        query = f"{start + 1}-{end}" if hsp.strand == "plus" else f"{end}-{start + 1}"
        subject = f"{hsp.alignment.subject_start + 1}-{hsp.alignment.subject_end}"
        for side, record, place in (("query", result.query, query), ("subject", result.subject, subject)):
            file.write(f">{clean_text(record.id)}/{place} alignment {hsp.index}, score {hsp.score}, {hsp.strand}\n")
            for window in windows(result, hsp):
                write_lines(file, window.query if side == "query" else window.subject)


def write_maf(result: PairResult, file: TextOut) -> None:
    """Write MAF, the subject as the reference; starts count from 0 on the strand that is aligned."""
    query_name, subject_name = names(result)
    file.write(f"##maf version=1 program=swgui-{result.version}\n")
    for line in provenance_lines(result):
        file.write(f"# {line}\n")
    for hsp in result.alignments:
        alignment = hsp.alignment
        file.write(f"\na score={alignment.score}\n")
        rows = (
            ("subject", subject_name, alignment.subject_start, alignment.subject_end, "+", result.subject_length),
            (
                "query",
                query_name,
                alignment.query_start,
                alignment.query_end,
                "+" if hsp.strand == "plus" else "-",
                result.query_length,
            ),
        )
        for side, name, start, end, strand, length in rows:
            file.write(f"s {name} {start} {end - start} {strand} {length} ")
            for window in windows(result, hsp):
                file.write(window.query if side == "query" else window.subject)
            file.write("\n")
    file.write("\n")


def write_sam(result: PairResult, file: TextOut) -> None:
    """Write SAM 1.6: the best alignment as the primary line, the others as supplementary lines without residues.

    Residues outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM`` differences, ``ZB`` bits, ``ZL``
    log10(E).
    """
    query, subject = names(result)
    file.write(sam_head([(subject, result.subject_length)], result.version, provenance_lines(result)))
    decode = result.scheme.alphabet.decode
    for hsp in result.alignments:
        alignment = hsp.alignment
        primary = hsp.index == 1
        flag = (0 if hsp.strand == "plus" else REVERSED) | (0 if primary else _SUPPLEMENTARY)
        residues = as_read(decode(result.encoded_query(hsp.strand).codes)) if primary else "*"
        fields = [
            query,
            str(flag),
            subject,
            str(alignment.subject_start + 1),
            str(NO_MAPPING_QUALITY),
            clipped(alignment.cigar, alignment.query_start, result.query_length - alignment.query_end),
            *NO_MATE,
            residues,
            "*",
            *_tags(hsp),
        ]
        file.write("\t".join(fields) + "\n")


def write_paf(result: PairResult, file: TextOut) -> None:
    """Write PAF, one line per alignment; starts count from 0 on the query as it was given.

    Tags: ``AS`` score, ``NM`` differences, ``cg`` CIGAR in the direction of the subject, ``ZB`` and ``ZL`` as in SAM.
    """
    query, subject = names(result)
    for hsp in result.alignments:
        alignment, counts = hsp.alignment, hsp.counts
        place = query, result.query_length, *hsp.query_range(result.query_length)
        target = subject, result.subject_length, alignment.subject_start, alignment.subject_end
        plus, primary = hsp.strand == "plus", hsp.index == 1
        counted = counts.nident, counts.length
        file.write(paf_line(place, target, *counted, _tags(hsp), alignment.cigar, plus=plus, primary=primary))


def _tags(hsp: PairAlignment) -> Iterator[str]:
    return tags(hsp.score, hsp.counts.mismatch + hsp.counts.gaps, hsp.bit_score, hsp.log10_evalue)


def write_csv(result: PairResult, file: TextOut) -> None:
    """Write a line for every substituted residue and every gap.

    Positions count from 1. A gap stands at the position after which it lies, in the sequence that has it; letters are
    those of the strands as they are aligned, positions of the query those of the query as it was given.
    """
    table = csv.writer(file, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    length = result.query_length
    for hsp in result.alignments:
        diff = _differences(result, hsp)
        for row in range(len(diff)):
            kind = int(diff.kind[row])
            subject, query = diff.letters(row)
            # From 1: a residue at s is s + 1; a gap before s lies after s. The other strand is counted from its end.
            at_subject = int(diff.subject[row]) + (kind != INSERTION)
            at_query = int(diff.query[row]) + (kind != DELETION)
            if hsp.strand == "minus":
                at_query = length - int(diff.query[row])
            table.writerow(
                (hsp.index, hsp.strand, KINDS[kind], at_subject, subject, at_query, query, int(diff.length[row]))
            )


def _differences(result: PairResult, hsp: PairAlignment) -> Differences:
    return differences(hsp.alignment, result.encoded_query(hsp.strand), result.subject_codes, result.scheme)


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
        file.write(
            f"##swgui=left out: {count(number, 'place')} where an ambiguity letter can stand for the other's base\n"
        )
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
    every = (map(_reduced, _changes(result, hsp)) for hsp in result.alignments)
    for change in heapq.merge(*every, key=lambda change: (change.position, change.index)):
        if change.reference != change.other:
            yield change


def _left_out(result: PairResult) -> int:
    """Return how many lines would say nothing once ambiguity letters are reduced to what VCF knows."""
    codes = result.encoded_query("plus").codes, result.subject_codes
    letters = result.scheme.alphabet.decode(np.unique(np.concatenate([np.unique(side) for side in codes])))
    if not letters.strip(b"ACGT"):
        return 0
    changes = (_reduced(change) for hsp in result.alignments for change in _changes(result, hsp))
    return sum(change.reference == change.other for change in changes)


def _reduced(change: _Change) -> _Change:
    """Return a change in the letters that VCF knows."""
    other = change.other if change.other == _DELETED else change.other.translate(_BASES)
    return replace(change, reference=change.reference.translate(_BASES), other=other)


def _changes(result: PairResult, hsp: PairAlignment) -> Iterator[_Change]:
    """Yield the lines of one alignment, in its order."""
    diff = _differences(result, hsp)
    if not len(diff):
        return
    query = result.encoded_query(hsp.strand).codes
    decode = result.scheme.alphabet.decode
    query_end = diff.query + np.where(diff.kind == DELETION, 0, diff.length)
    subject_end = diff.subject + np.where(diff.kind == INSERTION, 0, diff.length)
    # Entries that touch are one group, unless both are substitutions.
    gap = diff.kind != 0
    touches = (query_end[:-1] == diff.query[1:]) & (subject_end[:-1] == diff.subject[1:])
    # A run of substitutions next to a gap belongs to it as a whole.
    group = np.concatenate([[0], np.cumsum(~touches)])
    with_gap = np.zeros(int(group[-1]) + 1, dtype=bool)
    np.logical_or.at(with_gap, group, gap)
    starts = np.flatnonzero(np.concatenate([[True], (group[1:] != group[:-1]) | ~with_gap[group[1:]]]))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(diff)], strict=True):
        s0, s1 = int(diff.subject[start]), int(subject_end[stop - 1])
        q0, q1 = int(diff.query[start]), int(query_end[stop - 1])
        reference, other = decode(result.subject_codes[s0:s1]), decode(query[q0:q1])
        if not reference or not other:
            if s0 > 0 and q0 > hsp.alignment.query_start:  # the column before is the same in both
                base = decode(result.subject_codes[s0 - 1 : s0])
                s0, q0, reference, other = s0 - 1, q0 - 1, base + reference, base + other
            elif s1 < len(result.subject_codes):
                base = decode(result.subject_codes[s1 : s1 + 1])
                reference, other = reference + base, other + base
            elif s0 > 0:  # no base of the subject follows: the base before is kept
                base = decode(result.subject_codes[s0 - 1 : s0])
                s0, reference, other = s0 - 1, base + reference, base + other
            else:
                other = _DELETED  # no base of the subject remains next to it
        yield _Change(s0, reference, q0, other, hsp.index, hsp.strand)


def write_json(result: PairResult, file: TextOut, *, residues: bool = True) -> None:
    """Write one object: the run, both sequences, the matrix, and a line per alignment.

    Coordinates count from 1 on the sequences as given, ends included; ``cigar`` is in the direction of the subject.
    Unknown values are null. The residues of the sequences are there to show alignments; if only the score was
    requested, the length and, in ``run``, the checksum identify the sequences.

    Parameters
    ----------
    residues : bool
        Whether to write them; a file without them is opened by who knows them.
    """
    scheme = result.scheme
    head: dict[str, object] = {
        "format": FORMAT,
        "format_version": VERSION,
        "score": result.score,
        "strand": result.best_strand if result.best is not None else None,
        "end": None if result.best is None else [result.best.query_end, result.best.subject_end],
        "state": result.state,
        "reason": result.reason,
        "score_only": result.score_only,
        "run": provenance(result),
        "matrix": {
            "name": scheme.matrix.name,
            "letters": scheme.alphabet.letters,
            "scores": [" ".join(map(str, row)) for row in scheme.matrix.scores.tolist()],
        },
    }
    file.write(json_text(head, indent=1)[:-2])
    for name, record, length in (
        ("query", result.query, result.query_length),
        ("subject", result.subject, result.subject_length),
    ):
        file.write(f',\n "{name}": ')
        _write_record(record, length, file, residues=residues and not result.score_only)
    file.write(',\n "alignments": [')
    for number, hsp in enumerate(result.alignments):
        file.write((",\n  " if number else "\n  ") + json.dumps(_alignment(result, hsp)))
    file.write("\n ]\n}\n")


def _write_record(record: SequenceRecord, length: int, file: TextOut, *, residues: bool) -> None:
    """Write a sequence; its residues block by block, because one text of genomes keeps all other threads waiting."""
    entry = {"id": record.id, "description": record.description, "length": length}
    file.write(json_text(entry, indent=1)[:-2].replace("\n", "\n "))
    if residues:
        file.write(',\n  "residues": "')
        for start in range(0, len(record.residues), BLOCK_COLUMNS):
            file.write(record.residues[start : start + BLOCK_COLUMNS].decode("ascii"))
        file.write('"')
    file.write("\n }")


def _alignment(result: PairResult, hsp: PairAlignment) -> dict[str, object]:
    start, end = hsp.query_range(result.query_length)
    counts = hsp.counts
    return {
        "index": hsp.index,
        "strand": hsp.strand,
        "score": hsp.score,
        "bit_score": None if math.isnan(hsp.bit_score) else round(hsp.bit_score, 3),
        "log10_evalue": round(hsp.log10_evalue, 4) if math.isfinite(hsp.log10_evalue) else None,
        "query_start": start + 1,
        "query_end": end,
        "subject_start": hsp.alignment.subject_start + 1,
        "subject_end": hsp.alignment.subject_end,
        "columns": counts.length,
        "identities": counts.nident,
        "positives": counts.positive,
        "mismatches": counts.mismatch,
        "gaps": counts.gaps,
        "gap_openings": counts.gapopen,
        "cigar": hsp.alignment.cigar,
    }


class PairFormat(FileFormat, frozen=True):
    """One way to write the alignments of a pair.

    Parameters
    ----------
    name, title, suffix, description : str
        As in `FileFormat`.
    needs_alignment : bool
        Whether there is nothing to write if only the score is known.
    write : callable
        Takes the result and an open text file.
    follows : bool
        Whether several results can stand in one file, one after another.
    """

    needs_alignment: bool
    write: Callable[[PairResult, TextOut], None]
    nucleotides_only: bool = False
    follows: bool = False


PAIR_FORMATS: Final[dict[str, PairFormat]] = {
    form.name: form
    for form in (
        PairFormat(
            "text", "Text", ".txt", "pairwise alignments in the layout of BLAST", False, write_text, follows=True
        ),
        PairFormat("json", "JSON", ".json", "everything; can be opened again", False, write_json),
        PairFormat("sam", "SAM", ".sam", "SAM, the subject as the reference", True, write_sam),
        PairFormat("paf", "PAF", ".paf", "coordinates and CIGAR, a line per alignment", True, write_paf, follows=True),
        PairFormat("csv", "Differences (CSV)", ".csv", "every substitution and gap, a line each", True, write_csv),
        PairFormat("vcf", "Differences (VCF)", ".vcf", "differences as variants of the subject", True, write_vcf, True),
        PairFormat(
            "fasta", "Aligned FASTA", ".fasta", "both sequences with gap signs", True, write_fasta, follows=True
        ),
        PairFormat("maf", "MAF", ".maf", "multiple alignment format, a block per alignment", True, write_maf),
    )
}


def check_pair_format(name: str, *, aligned: bool, nucleotides: bool) -> PairFormat:
    """Return a format if it can be written.

    Parameters
    ----------
    aligned : bool
        Whether alignments, and not only the score, are or will be known.
    nucleotides : bool
        Whether the sequences are nucleotides.

    Raises
    ------
    InvalidParameter
        If there is no such format, or nothing it could hold.
    """
    form = format_of(PAIR_FORMATS, name)
    if form.needs_alignment and not aligned:
        raise InvalidParameter(
            "format", name, f"The format '{name}' holds alignments, but only the score is known.", hint="Choose json."
        )
    if form.nucleotides_only and not nucleotides:
        raise InvalidParameter("format", name, f"The format '{name}' is for nucleotides.", hint="Choose csv.")
    return form


def write_pair(name: str, result: PairResult, file: TextOut) -> None:
    """Write a result in one of `PAIR_FORMATS`.

    Raises
    ------
    InvalidParameter
        As `check_pair_format`.
    """
    nucleotides = bool(result.scheme.alphabet.complements)
    check_pair_format(name, aligned=not result.score_only, nucleotides=nucleotides).write(result, file)


def save_pair(path: str | os.PathLike[str], name: str, result: PairResult) -> None:
    """Write a result to a file, whole or not at all.

    Raises
    ------
    InvalidParameter
        As `check_pair_format`.
    FileNotWritten
        If the file cannot be written.
    """
    save_text(path, lambda file: write_pair(name, result, file))
