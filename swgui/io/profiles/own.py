"""Profiles as this program keeps them: JSON with every score and gap cost, and how they were made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from swgui.core.alphabet import ALPHABETS
from swgui.core.errors import ProfileError
from swgui.core.plain import from_plain, plain
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PROFILE_LIMIT, PositionGaps, ScoreProfile
from swgui.io.profiles.base import ProfileText

KIND: Final = "swgui profile"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class _Document:
    """The content of the file; scores by position, each row in the order of `symbols`."""

    format: str
    version: int
    id: str
    residues: str
    alphabet: str
    symbols: str
    scores: list[list[int]]
    insertion_first: list[int]
    insertion_extend: list[int]
    deletion_first: list[int]
    deletion_extend: list[int]
    description: str = ""
    name: str = ""
    units_per_bit: float = 0.0
    certain: list[list[int]] | None = None


def is_own(text: str) -> bool:
    """Whether a text begins as such a file does."""
    return text.startswith("{") and f'"{KIND}"' in text[:200]


def read_own(source: ProfileText) -> list[SequenceRecord]:
    """Return the profile of a file, as it was written.

    Raises
    ------
    ProfileError
        If it is damaged, or of a newer version.
    """
    try:
        return [record_of(json.loads(source.text))]
    except ProfileError:
        raise
    except (ValueError, RecursionError) as fault:
        raise source.error("the profile is damaged", hint="Save it again.") from fault


def record_of(value: object) -> SequenceRecord:
    """Return a query from what `document_of` made of it.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    document = from_plain(_Document, value)
    if document.version != VERSION:
        raise ValueError(f"version {document.version}")
    alphabet = ALPHABETS.get(document.alphabet)
    costs = [getattr(document, name) for name in PositionGaps.__struct_fields__]
    rows = (*document.scores, *(document.certain or ()))
    residues = document.residues.upper().encode()
    if (
        alphabet is None
        or document.symbols != alphabet.letters
        or len(residues) != len(document.scores)
        or not residues
        or any(len(row) != len(alphabet) for row in rows)
        or (document.certain is not None and len(document.certain) != len(residues))
        or alphabet.invalid(residues)
        or max(abs(number) for row in (*rows, *costs) for number in row) > PROFILE_LIMIT
    ):
        raise ValueError("parts that do not fit together")
    gaps = PositionGaps(*(np.array(cost, dtype=np.int16) for cost in costs))
    scores = np.array(document.scores, dtype=np.int16)
    certain = None if document.certain is None else np.array(document.certain, dtype=np.int16)
    profile = ScoreProfile(document.name, alphabet, scores, gaps, document.units_per_bit, certain)
    return SequenceRecord(document.id, document.description, residues, profile=profile)


def document_of(record: SequenceRecord) -> dict[str, object]:
    """Return a query with a profile as values for JSON."""
    profile = record.profile
    assert profile is not None
    costs = dict(zip(PositionGaps.__struct_fields__, (costs.tolist() for costs in profile.gaps.columns), strict=True))
    return {
        "format": KIND,
        "version": VERSION,
        "id": record.id,
        "description": record.description,
        "name": profile.name,
        "residues": record.residues.decode(),
        "alphabet": profile.alphabet.name,
        "symbols": profile.alphabet.letters,
        "units_per_bit": profile.units_per_bit,
        "scores": profile.scores.tolist(),
        **costs,
        **({} if profile.certain is None else {"certain": profile.certain.tolist()}),
    }


def write_own(record: SequenceRecord, facts: Mapping[str, object] | None = None) -> str:
    """Return a query with a profile as JSON.

    Parameters
    ----------
    facts : mapping, optional
        How it was made: recipe, rounds, database; kept under ``made``, for readers.
    """
    return json.dumps({**document_of(record), **({"made": plain(facts)} if facts else {})}) + "\n"
