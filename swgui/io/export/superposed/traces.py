"""Hits with coordinates as one PDB file: the query, and every subject laid on it, a model each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

import numpy as np

from swgui.core.hits.results import Hit, SearchResult
from swgui.core.structures.superposition import Motion, superposition_of
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.structures.superposed import QUERY, SUBJECT, atoms


def write_traces(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the CA atoms of the query as model 1, and those of every hit with coordinates as another."""
    model = 0
    for hit in hits:
        fit = superposition_of(hit)
        if fit is None:
            continue
        if not model:
            model = 1
            _model(file, model, hit.query_record.id, atoms(hit.query_record, QUERY, Motion(np.eye(3), np.zeros(3))))
        model += 1
        about = f"{hit.subject.id} RMSD {fit.rmsd:.2f} OVER {fit.pairs} TM-SCORE {fit.tm_query:.4f}"
        _model(file, model, about, atoms(hit.subject, SUBJECT, fit.motion))
    if not model:
        file.write("REMARK   3 NO HIT HAS COORDINATES ON BOTH SIDES\n")
    file.write("END\n")


def _model(file: TextIO, number: int, about: str, lines: Iterable[str]) -> None:
    file.write(f"REMARK   3 MODEL {number}: {about}\nMODEL     {number:4d}\n")
    file.writelines(f"{line}\n" for line in lines)
    file.write("ENDMDL\n")


FORMATS: Final = (
    ExportFormat(
        "pdb", "PDB, superposed", ".pdb", "subjects with coordinates laid on the query, CA atoms, a model each",
        write_traces, needs_fit=False, one_query=True,
    ),
)  # fmt: skip
