"""A part of a database as a database of its own: the subjects of some organisms, in memory."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase, EncodedDatabase, LetterTrack, track_checksum
from swgui.core.organisms.chosen import chosen_of_each, chosen_subjects
from swgui.core.organisms.limit import EVERY_ORGANISM, DatabasePart, OrganismLimit
from swgui.core.several.joined import JoinedDatabase
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
        _chosen_of(member, mask, limit).renamed(member.name)
        for member, mask in zip(several, masks, strict=True)
        if mask.any()
    ]
    about = DatabasePart(database.name, database.checksum, len(database), limit)
    return JoinedDatabase(parts, f"{database.name} ({limit.describe()})", part=about, whole=database)


def subset(database: EncodedDatabase, chosen: NDArray[np.bool_]) -> EncodedDatabase:
    """Return some subjects, shape (N,), of a database as one of its own, in their order."""
    parts = np.split(chosen, np.cumsum([len(member) for member in database.members])[:-1])
    several = zip(database.members, parts, strict=True)
    made = [_chosen_of(member, mask, EVERY_ORGANISM) for member, mask in several if mask.any()]
    return made[0] if len(made) == 1 else JoinedDatabase(made)


def _chosen_of(database: EncodedDatabase, chosen: NDArray[np.bool_], limit: OrganismLimit) -> EncodedDatabase:
    """Return some subjects of a database as one of its own; of one in pieces these are opened one after the other."""
    rows = np.flatnonzero(chosen)
    about = DatabasePart(database.name, database.checksum, len(database), limit)
    name, checksum = f"{database.name} ({limit.describe()})", _checksum(database.checksum, chosen)
    if len(database.pieces) > 1:
        pieces = ((piece, chosen[piece.first : piece.stop]) for piece in database.pieces)
        parts = [_chosen_of(piece.open(), mask, limit).renamed(database.name) for piece, mask in pieces if mask.any()]
        return JoinedDatabase(parts, name, checksum, part=about, whole=database)
    whole = database.arrays()
    kept = chosen[whole.order]
    codes, offsets, track = whole.codes, whole.offsets, whole.track
    if len(rows) < len(database):
        codes, offsets = keep_slices(whole.codes, whole.offsets, kept)
        if track is not None:
            letters = keep_slices(track.codes, whole.offsets, kept)[0]
            track = LetterTrack(track.alphabet, letters, track_checksum(track.alphabet, letters))
    features, places = database.feature_texts, database.places
    return ArrayDatabase(
        name=name,
        alphabet=database.alphabet,
        codes=codes,
        offsets=offsets,
        order=(np.cumsum(chosen) - 1)[whole.order[kept]],
        ids=_kept(database.ids, chosen, rows),
        descriptions=_kept(database.descriptions, chosen, rows),
        checksum=checksum,
        feature_texts=_kept(features, chosen, rows) if features is not None else None,
        stored_organisms=database.organisms.take(rows),
        part=about,
        whole=database,
        track=track,
        places=_kept(places, chosen, rows) if places is not None else None,
    )


def _kept(column: TextColumn, chosen: NDArray[np.bool_], rows: NDArray[np.int64]) -> TextColumn:
    """Return some texts of a column; those of a file are read for themselves."""
    if type(column) is TextColumn:
        return TextColumn(*keep_slices(column.data, column.offsets, chosen))
    return column.take(rows)


def _checksum(whole: str, chosen: NDArray[np.bool_]) -> str:
    """Return a checksum that says which part of which content this is; empty where that of the whole is not known."""
    if not whole:
        return ""
    return hashlib.blake2b(f"part of {whole} ".encode() + np.packbits(chosen).tobytes(), digest_size=16).hexdigest()
