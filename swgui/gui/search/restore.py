"""What a result was made with, as the Search page has it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from swgui.commands.presets import presets_for
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.profiles.recipe import PRESETS, ROUNDS, IterationSettings, Preset
from swgui.core.profiles.rounds import QueryRounds
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix, original_matrix
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
    database : Path or None
        Its file; None where it is not known.
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
    rounds = [query.rounds for query in result.queries if query.rounds is not None]
    if any(query.query.profile is not None for query in result.queries) and not rounds:
        remarks.append("It searched with a profile; here are its residues alone. --start-from takes the profile.")
    if rounds:
        scheme = replace(scheme, matrix=original_matrix(scheme.matrix))
        remarks += _lost_of_rounds(rounds[0], len(result.database))
    matrix = scheme.matrix.of_residues.name
    if not _is_known(scheme):
        remarks.append(f"The matrix '{matrix}' is not known here: choose its file.")
        matrix = usual.matrix
    place = database_file_of(result.database)
    if place is None or not place.is_file():
        place = None
        remarks.append(f"The database '{result.database.name}' is not known here: choose its file.")
    settings = replace(
        usual,
        preset="",
        matrix=matrix,
        **({} if rounds else _gaps(scheme)),
        max_evalue=result.search.limits.max_evalue,
        top=result.search.limits.top,
        strand=result.search.strand if scheme.alphabet.complements else usual.strand,
        mask=False,  # what was masked stands in the queries
        composition=usual.composition if rounds else result.search.composition,
        effective_residues=result.search.limits.effective_residues,
        max_hsps=result.search.max_hsps,
        min_score=result.search.limits.minimums.score,
        min_identity=result.search.limits.minimums.identity,
        min_coverage=result.search.limits.minimums.coverage,
        rounds=max((max(len(one), ROUNDS[0]) for one in rounds), default=1),
        inclusion=(_preset_of(rounds[0], len(result.database)) if rounds else None) or usual.inclusion,
    )
    settings.preset = next((one.id for one in presets_for(kind) if one.matches(settings)), "")
    part = result.database.part
    return Described(
        records=tuple(query.query for query in result.queries),
        part=result.search.query_range,
        kind=kind,
        settings=settings,
        database=place,
        organisms=part.limit if part is not None else OrganismLimit(),
        remarks=tuple(remarks),
    )


def _gaps(scheme: ScoringScheme) -> dict[str, Any]:
    """Return the settings of gap costs; rounds have their own."""
    if scheme.gap_open >= 0:
        return {"gap_open": scheme.gap_open, "gap_extend": scheme.gap_extend, "rule": "blast"}
    return {"gap_open": scheme.gap_first, "gap_extend": scheme.gap_extend, "rule": "first"}


def _preset_of(rounds: QueryRounds, sequences: int) -> Preset | None:
    """Return the preset by which rounds in so many sequences included subjects; None if it was none of them."""
    for name, facts in PRESETS.items():
        if (IterationSettings(preset=name).inclusion(sequences), facts.recipe) == (rounds.inclusion, rounds.recipe):
            return name
    return None


def _lost_of_rounds(rounds: QueryRounds, sequences: int) -> list[str]:
    """Return what of rounds the Search page cannot ask for, in sentences."""
    lost = []
    if rounds.from_profile:
        lost.append("Its first round searched with a profile; here are its residues alone. --start-from takes it.")
    if rounds.include_ids or rounds.exclude_ids:
        lost.append("Sequences were included or left out by hand; here E alone decides.")
    if rounds.database:
        lost.append(f"Its profiles were made of '{rounds.database}': --build-database takes another database.")
    elif not isnan(rounds.inclusion) and _preset_of(rounds, sequences) is None:
        lost.append(f"Sequences were included up to E {rounds.inclusion:g}, which is that of no preset.")
    return lost


def _is_known(scheme: ScoringScheme) -> bool:
    """Whether the matrix is found by its name."""
    matrix = scheme.matrix.of_residues
    try:
        found = load_matrix(matrix.name, scheme.alphabet.residue_alphabet)
    except (SwguiError, OSError):
        return False
    return bool(np.array_equal(found.scores, matrix.scores))
