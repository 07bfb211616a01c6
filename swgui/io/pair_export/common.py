"""What all formats of a long pair share: where a result comes from, names, and residues block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import AlignmentMap, TextWindow, text_window
from swgui.io.export.provenance import as_lines, scoring_facts
from swgui.io.export.sam import reference_name
from swgui.io.export.values import clean_text

BLOCK_COLUMNS: Final = 60 * 4096  # spelled out at a time: a multiple of every line length used here


_STATES: Final = {
    "finished": "finished",
    "stopped": "stopped by the user; alignments are those found by then",
    "failed": "failed; alignments are those found by then",
}


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


def windows(result: PairResult, one: PairAlignment) -> Iterator[TextWindow]:
    """Yield the rows of an alignment as text, block by block."""
    at = AlignmentMap(one.alignment)
    query = result.encoded_query(one.strand)
    for start in range(0, at.columns, BLOCK_COLUMNS):
        yield text_window(at, query, result.subject_codes, result.scheme, start, start + BLOCK_COLUMNS)
