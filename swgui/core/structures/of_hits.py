"""Hits whose query and subject both have coordinates."""

from __future__ import annotations

from swgui.core.hits.results import Hit
from swgui.core.structures.superposition import Superposition, superposed


def superposition_of(hit: Hit) -> Superposition | None:
    """Return how the subject of a hit lies on its query; None without coordinates on both sides, or an alignment."""
    query, subject = hit.query_record, hit.subject
    if not (query.places and subject.places and hit.alignment) or hit.strand < 0:
        return None
    path = hit.alignment.path
    return superposed(query.places, len(query.residues), subject.places, len(subject.residues), path)
