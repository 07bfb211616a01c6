"""JSON of a long pair: everything, so that the file can be opened again without computing anything."""

from __future__ import annotations

import json
import math
from typing import Final

from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.records import SequenceRecord
from swgui.io.export.base import TextOut
from swgui.io.pair_export.common import BLOCK_COLUMNS, provenance

FORMAT: Final = "swgui pair"
VERSION: Final = 1


def write_json(result: PairResult, file: TextOut, *, residues: bool = True) -> None:
    """Write one object: the run, both sequences, the matrix, and a line per alignment.

    Coordinates count from 1 on the sequences as given, ends included; ``cigar`` is in the direction of the subject.
    What is not known is null. The residues of the sequences are there to show alignments; where only the score was
    asked for, the length and, in ``run``, the checksum say which sequences they were.

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
    file.write(json.dumps(head, ensure_ascii=False, indent=1)[:-2])
    for name, record, length in (
        ("query", result.query, result.query_length),
        ("subject", result.subject, result.subject_length),
    ):
        file.write(f',\n "{name}": ')
        _write_record(record, length, file, residues=residues and not result.score_only)
    file.write(',\n "alignments": [')
    for number, one in enumerate(result.alignments):
        file.write((",\n  " if number else "\n  ") + json.dumps(_alignment(result, one)))
    file.write("\n ]\n}\n")


def _write_record(record: SequenceRecord, length: int, file: TextOut, *, residues: bool) -> None:
    """Write a sequence; its residues block by block, because one text of genomes keeps all other threads waiting."""
    entry = {"id": record.id, "description": record.description, "length": length}
    file.write(json.dumps(entry, ensure_ascii=False, indent=1)[:-2].replace("\n", "\n "))
    if residues:
        file.write(',\n  "residues": "')
        for at in range(0, len(record.residues), BLOCK_COLUMNS):
            file.write(record.residues[at : at + BLOCK_COLUMNS].decode("ascii"))
        file.write('"')
    file.write("\n }")


def _alignment(result: PairResult, one: PairAlignment) -> dict[str, object]:
    start, end = one.query_range(result.query_length)
    counts = one.counts
    return {
        "index": one.index,
        "strand": one.strand,
        "score": one.score,
        "bit_score": None if math.isnan(one.bit_score) else round(one.bit_score, 3),
        "log10_evalue": round(one.log10_evalue, 4) if math.isfinite(one.log10_evalue) else None,
        "query_start": start + 1,
        "query_end": end,
        "subject_start": one.alignment.subject_start + 1,
        "subject_end": one.alignment.subject_end,
        "columns": counts.length,
        "identities": counts.nident,
        "positives": counts.positive,
        "mismatches": counts.mismatch,
        "gaps": counts.gaps,
        "gap_openings": counts.gapopen,
        "cigar": one.alignment.cigar,
    }
