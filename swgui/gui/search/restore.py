"""What a result was made with, as the Search page has it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from swgui.commands.presets import presets_for
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.saved.search import database_file_of
from swgui.settings import SchemeSettings


@dataclass(frozen=True, slots=True)
class Described:
    """A search as the Search page has it.

    Parameters
    ----------
    records : tuple of SequenceRecord
        The queries.
    part : QueryRange or None
        Of every query that is searched with.
    kind : str
        Name of the alphabet.
    settings : SchemeSettings
    database : Path or None
        Its file; None where it is not known.
    organisms : OrganismLimit
    remarks : tuple of str
        What could not be taken over, in sentences.
    """

    records: tuple[SequenceRecord, ...]
    part: QueryRange | None
    kind: str
    settings: SchemeSettings
    database: Path | None
    organisms: OrganismLimit
    remarks: tuple[str, ...]


def described(result: SearchResult, usual: SchemeSettings) -> Described:
    """Return what a result was made with.

    Parameters
    ----------
    usual : SchemeSettings
        Settings of the same kind of sequence, for what the result does not tell.
    """
    scheme, remarks = result.scheme, []
    kind = scheme.alphabet.residue_alphabet.name
    matrix = scheme.matrix.of_residues.name
    if not _is_known(scheme):
        remarks.append(f"The matrix '{matrix}' is not known here: choose its file.")
        matrix = usual.matrix
    place = database_file_of(result.database)
    if place is None or not place.is_file():
        place = None
        remarks.append(f"The database '{result.database.name}' is not known here: choose its file.")
    blast = scheme.gap_open >= 0
    rounds = [query.rounds for query in result.queries if query.rounds is not None]
    settings = replace(
        usual,
        preset="",
        matrix=matrix,
        gap_open=scheme.gap_open if blast else scheme.gap_first,
        gap_extend=scheme.gap_extend,
        rule="blast" if blast else "first",
        max_evalue=result.max_evalue,
        top=result.top,
        strand=result.strand if scheme.alphabet.complements else usual.strand,
        mask=False,  # what was masked stands in the queries
        composition=result.composition,
        effective_residues=result.effective_residues,
        max_hsps=result.max_hsps,
        min_score=result.minimums.score,
        min_identity=result.minimums.identity,
        min_coverage=result.minimums.coverage,
        rounds=max((len(one) for one in rounds), default=1),
    )
    settings.preset = next((one.id for one in presets_for(kind) if one.matches(settings)), "")
    part = result.database.part
    return Described(
        records=tuple(query.query for query in result.queries),
        part=result.query_range,
        kind=kind,
        settings=settings,
        database=place,
        organisms=part.limit if part is not None else OrganismLimit(),
        remarks=tuple(remarks),
    )


def _is_known(scheme: ScoringScheme) -> bool:
    """Whether the matrix is found by its name."""
    matrix = scheme.matrix.of_residues
    try:
        found = load_matrix(matrix.name, scheme.alphabet.residue_alphabet)
    except (SwguiError, OSError):
        return False
    return bool(np.array_equal(found.scores, matrix.scores))
