"""Pairwise text in the layout of BLAST's report, and FASTA and MAF with gap signs; never whole in memory."""

from __future__ import annotations

import io
import math

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.words import format_evalue
from swgui.io.export.base import TextOut
from swgui.io.export.fasta import write_lines
from swgui.io.export.text import LINE, share, text_row
from swgui.io.export.values import clean_text
from swgui.io.pair_export.common import names, provenance_lines, windows


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
    for one in result.alignments:
        _write_one(result, one, file)


def alignment_of_pair(result: PairResult, one: PairAlignment) -> str:
    """Return one alignment as the text has it: its counts, and its residues in lines of 60 columns."""
    text = io.StringIO()
    _write_one(result, one, text)
    return text.getvalue().strip("\n") + "\n"


def _write_one(result: PairResult, one: PairAlignment, file: TextOut) -> None:
    counts, found = one.counts, one.alignment
    file.write(f"\n\nAlignment {one.index} of {len(result.alignments)}\n")
    score = f" Score = {found.score}"
    if not math.isnan(one.bit_score):
        expect = format_evalue(one.log10_evalue)
        score = f" Score = {one.bit_score:.1f} bits ({found.score})" + (f",  Expect = {expect}" if expect else "")
    parts = [f" Identities = {share(counts.nident, counts.length)}"]
    if not result.scheme.alphabet.complements:
        parts.append(f"Positives = {share(counts.positive, counts.length)}")
    parts.append(f"Gaps = {share(counts.gaps, counts.length)} in {counts.gapopen}")
    file.write(f"{score}\n{', '.join(parts)}\n")
    if result.scheme.alphabet.complements:
        file.write(f" Strand={one.strand.capitalize()}/Plus\n")
    file.write("\n")
    plus, length = one.strand == "plus", result.query_length
    step = 1 if plus else -1
    at_query = found.query_start + 1 if plus else length - found.query_start
    at_subject = found.subject_start + 1
    width = len(str(max(length, result.subject_length)))
    margin = " " * (7 + width + 2)
    for window in windows(result, one):
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
    for one in result.alignments:
        start, end = one.query_range(length)
        query = f"{start + 1}-{end}" if one.strand == "plus" else f"{end}-{start + 1}"
        subject = f"{one.alignment.subject_start + 1}-{one.alignment.subject_end}"
        for side, record, place in (("query", result.query, query), ("subject", result.subject, subject)):
            file.write(f">{clean_text(record.id)}/{place} alignment {one.index}, score {one.score}, {one.strand}\n")
            for window in windows(result, one):
                write_lines(file, window.query if side == "query" else window.subject)


def write_maf(result: PairResult, file: TextOut) -> None:
    """Write MAF, the subject as the reference; starts count from 0 on the strand that is aligned."""
    query_name, subject_name = names(result)
    file.write(f"##maf version=1 program=swgui-{result.version}\n")
    for line in provenance_lines(result):
        file.write(f"# {line}\n")
    for one in result.alignments:
        found = one.alignment
        file.write(f"\na score={found.score}\n")
        rows = (
            ("subject", subject_name, found.subject_start, found.subject_end, "+", result.subject_length),
            (
                "query",
                query_name,
                found.query_start,
                found.query_end,
                "+" if one.strand == "plus" else "-",
                result.query_length,
            ),
        )
        for side, name, start, end, strand, length in rows:
            file.write(f"s {name} {start} {end - start} {strand} {length} ")
            for window in windows(result, one):
                file.write(window.query if side == "query" else window.subject)
            file.write("\n")
    file.write("\n")
