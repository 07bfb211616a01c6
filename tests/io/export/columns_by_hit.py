"""The values of columns, computed one hit after the other: a plain form of each, which judges those of tables."""

from __future__ import annotations

from math import isnan, log10, nan

import numpy as np

from swgui.core.alignment import PLAIN, spell_out
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.translation.frames import query_frame
from swgui.core.verdict.kinds import kind_of
from swgui.io.export.rows import SIGNS, span, spans_of


def of_alignment(read):
    return lambda hit: None if hit.alignment is None else read(hit)


def counted(name):
    return of_alignment(lambda hit: getattr(hit.counts, name))


def end(name):
    return of_alignment(lambda hit: getattr(span(hit), name))


def union_length(spans):
    """Return how many positions lie inside any of some spans (first and last position, both included)."""
    return len({at for ends in spans for at in range(min(ends), max(ends) + 1)})


def covered(side, record):
    def read(hit):
        ends = [(getattr(one, f"{side}_start"), getattr(one, f"{side}_end")) for one in spans_of(hit)]
        return 100.0 * union_length(ends) / len(getattr(hit, record).residues)

    return of_alignment(read)


def join(hit):
    length, start, end = len(hit.subject.residues), hit.alignment.subject_start, hit.alignment.subject_end
    return f"join({start + 1}..{length},1..{end - length})" if end > length else None


def picked(residues, positions):
    return np.frombuffer(residues + b"-", dtype=np.uint8)[positions]


def residues(hit, *, of_query):
    columns, found = spell_out(hit.alignment), hit.alignment
    if of_query:
        letters = hit.query_letters if hit.strand > 0 or query_frame(hit.strand) else hit.query_record.residues[::-1]
        row = picked(letters, columns.query)
    else:
        row = picked(hit.subject_letters, columns.subject)
    row = row.copy()
    if found.steps != PLAIN and found.steps[0 if of_query else 1] > 1:
        ops = np.repeat(found.ops, found.lengths)
        for op, sign in SIGNS.items():
            row[ops == op] = ord(sign)
    text = row.tobytes().decode()
    if hit.strand > 0:
        return text
    return text[::-1] if of_query else "".join(NUCLEOTIDE.complements.get(one, one) for one in reversed(text))


def bias(hit):
    return (hit.log10_evalue - hit.log10_uncorrected) / log10(2.0)


def verdict(hit):
    best = (hit.log10_uncorrected, hit.lambda_ratio, hit.shuffle_z) if not hit.hsp else (nan, nan, nan)
    return kind_of(hit.log10_evalue, *best)


def cigar(hit):
    runs = [f"{length}{'MIDFR'[op]}" for op, length in zip(hit.alignment.ops, hit.alignment.lengths, strict=True)]
    return "".join(runs if hit.strand > 0 else reversed(runs))


BY_HIT = {
    "rank": lambda hit: hit.rank,
    "qseqid": lambda hit: hit.query_record.id,
    "qtitle": lambda hit: hit.query_record.description,
    "sseqid": lambda hit: hit.subject.id,
    "database": lambda hit: hit.table.subjects.databases[hit.place],
    "stitle": lambda hit: hit.subject.description,
    "score": lambda hit: hit.score,
    "bitscore": lambda hit: hit.bit_score,
    "bitscore_uncorrected": lambda hit: nan if isnan(hit.log10_uncorrected) else hit.bit_score + bias(hit),
    "evalue": lambda hit: hit.log10_evalue,
    "log10_evalue": lambda hit: hit.log10_evalue,
    "evalue_uncorrected": lambda hit: hit.log10_uncorrected,
    "bias": bias,
    "lambda_ratio": lambda hit: hit.lambda_ratio,
    "shuffle_z": lambda hit: hit.shuffle_z,
    "verdict": verdict,
    "zscore": lambda hit: hit.z_score,
    "evalue_fit": lambda hit: hit.fitted_log10_evalue,
    "pident": counted("pident"),
    "ppos": counted("ppos"),
    **{name: counted(name) for name in ("nident", "positive", "mismatch", "gaps", "gapopen", "length", "frameshifts")},
    "qstart": end("query_start"),
    "qend": end("query_end"),
    "sstart": end("subject_start"),
    "send": end("subject_end"),
    "join": of_alignment(join),
    "qlen": lambda hit: len(hit.query_record.residues),
    "slen": lambda hit: len(hit.subject.residues),
    "qcovhsp": of_alignment(lambda hit: hit.query_coverage),
    "scovhsp": of_alignment(lambda hit: hit.subject_coverage),
    "hsp": of_alignment(lambda hit: hit.hsp + 1),
    "n_hsps": of_alignment(lambda hit: len(hit.hsps)),
    "total_score": of_alignment(lambda hit: sum(one.score for one in hit.hsps)),
    "sum_evalue": of_alignment(lambda hit: hit.sum_log10_evalue if len(hit.hsps) > 1 else hit.log10_evalue),
    "qcovs": covered("query", "query_record"),
    "scovs": covered("subject", "subject"),
    "sstrand": lambda hit: "plus" if hit.strand > 0 else "minus",
    "qframe": lambda hit: hit.frames[0] or None,
    "sframe": lambda hit: hit.frames[1] or None,
    "frames": lambda hit: "{}/{}".format(*hit.frames) if any(hit.frames) else None,
    "cigar": of_alignment(cigar),
    "qseq": of_alignment(lambda hit: residues(hit, of_query=True)),
    "sseq": of_alignment(lambda hit: residues(hit, of_query=False)),
    "star": lambda hit: "1" if hit.star else None,
    "note": lambda hit: " ".join(hit.note.split()) or None,
}
