"""A part of a database as a database of its own: the subjects of some organisms, in memory."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from swgui.core import words
from swgui.core.database import EncodedDatabase, LetterTrack, track_checksum
from swgui.core.organisms.limit import EVERY_ORGANISM, DatabasePart, OrganismLimit, chosen_of_each, chosen_subjects
from swgui.core.several.joined import JoinedDatabase, joined
from swgui.core.texts import TextColumn, keep_slices


def restricted(database: EncodedDatabase, limit: OrganismLimit) -> EncodedDatabase:
    """Return the subjects of some organisms as a database that engines search like any other.

    Its residues are copied; where nothing is left out they are those of `database`.

    Raises
    ------
    InvalidParameter
        If an organism is unknown, or nothing is left.
    """
    if not limit:
        return database
    if not isinstance(database, JoinedDatabase):
        return _chosen_of(database, chosen_subjects(database.organisms, limit, database.name), limit)
    several = database.members
    masks = chosen_of_each([member.organisms for member in several], limit, database.name)
    parts = [
        _chosen_of(member, mask, limit).called(member.name)
        for member, mask in zip(several, masks, strict=True)
        if mask.any()
    ]
    about = DatabasePart(database.name, database.checksum, len(database), limit)
    return JoinedDatabase(parts, f"{database.name} ({limit.describe()})", about, database)


def subset(database: EncodedDatabase, chosen: NDArray[np.bool_]) -> EncodedDatabase:
    """Return some subjects, shape (N,), of a database as one of its own, in their order."""
    parts = np.split(chosen, np.cumsum([len(member) for member in database.members])[:-1])
    several = zip(database.members, parts, strict=True)
    return joined([_chosen_of(member, mask, EVERY_ORGANISM) for member, mask in several if mask.any()])


def _chosen_of(database: EncodedDatabase, chosen: NDArray[np.bool_], limit: OrganismLimit) -> EncodedDatabase:
    """Return some subjects of a database as one of its own."""
    rows = np.flatnonzero(chosen)
    kept = chosen[database.order]
    codes, offsets, track = database.codes, database.offsets, database.track
    if len(rows) < len(database):
        codes, offsets = keep_slices(database.codes, database.offsets, kept)
        if track is not None:
            letters = keep_slices(track.codes, database.offsets, kept)[0]
            track = LetterTrack(track.alphabet, letters, track_checksum(track.alphabet, letters))
    features, places = database.feature_texts, database.places
    return EncodedDatabase(
        name=f"{database.name} ({limit.describe()})",
        alphabet=database.alphabet,
        codes=codes,
        offsets=offsets,
        order=(np.cumsum(chosen) - 1)[database.order[kept]],
        ids=TextColumn(*keep_slices(database.ids.data, database.ids.offsets, chosen)),
        descriptions=TextColumn(*keep_slices(database.descriptions.data, database.descriptions.offsets, chosen)),
        checksum=_checksum(database.checksum, chosen),
        feature_texts=TextColumn(*keep_slices(features.data, features.offsets, chosen))
        if features is not None
        else None,
        stored_organisms=database.organisms.take(rows),
        part=DatabasePart(database.name, database.checksum, len(database), limit),
        whole=database,
        track=track,
        places=TextColumn(*keep_slices(places.data, places.offsets, chosen)) if places is not None else None,
    )


def _checksum(whole: str, chosen: NDArray[np.bool_]) -> str:
    """Return a checksum that says which part of which content this is; empty where that of the whole is not known."""
    if not whole:
        return ""
    return hashlib.blake2b(f"part of {whole} ".encode() + np.packbits(chosen).tobytes(), digest_size=16).hexdigest()


def describe_part(database: EncodedDatabase, effective_residues: int) -> str:
    """Say what was searched of a database, and what E refers to; empty if it is no part.

    Parameters
    ----------
    effective_residues : int
        Size of the database E refers to; 0 for its own.
    """
    part = database.part
    if part is None:
        return ""
    of = words.count(part.sequences, "subject")
    refers = f"a database of {effective_residues:,} residues" if effective_residues else "these alone"
    return f"{len(database):,} of {of} were searched (organism: {part.limit.describe()}). E refers to {refers}."
