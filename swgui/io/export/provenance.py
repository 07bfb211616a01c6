"""Where a result comes from: what every export says about the search."""

from __future__ import annotations

from typing import Any

from swgui.core.hits.results import SearchResult
from swgui.io.export.values import clean_text

_STATES = {
    "complete": "complete: every subject was scored",
    "stopped": "stopped by the user before every subject was scored",
    "failed": "failed before every subject was scored",
}


def provenance(result: SearchResult) -> dict[str, Any]:
    """Return program, parameters, database and run as plain values."""
    scheme, database = result.scheme, result.database
    return {
        "program": f"swgui {result.version}",
        "method": "Smith-Waterman, exact, affine gaps",
        "finished": result.finished_at,
        "state": _STATES[result.state],
        **({"message": clean_text(result.message)} if result.message else {}),
        "database": clean_text(database.name),
        "database_checksum": database.checksum,
        "database_sequences": len(database),
        "database_residues": database.residues,
        **({"effective_residues": result.effective_residues} if result.effective_residues else {}),
        "queries": len(result.queries),
        "alphabet": scheme.alphabet.name,
        "matrix": clean_text(scheme.matrix.name),
        "gap_open": scheme.gap_open,
        "gap_extend": scheme.gap_extend,
        "gap_rule": f"a gap of k residues costs {scheme.gap_open} + {scheme.gap_extend} x k",
        "strand": result.strand,
        "max_evalue": result.max_evalue,
        "max_hits_per_query": result.top,
        "statistics": clean_text(result.statistics) or "none for this matrix and these gap costs",
        "engine": result.engine,
        "devices": list(result.devices),
        "cells": result.cells_done,
        "seconds": round(result.seconds, 3),
    }


def provenance_lines(result: SearchResult) -> list[str]:
    """Return the same as lines ``key: value``."""
    lines = []
    for key, value in provenance(result).items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(f"{key}: {clean_text(text)}")
    return lines
