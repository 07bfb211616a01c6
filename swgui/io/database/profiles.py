"""Profiles of the sequences of a database as sections of its file: all or none, in the order of the residues."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import ProfileError
from swgui.core.subject_kind import SubjectProfiles
from swgui.io.database.facts import (
    CERTAIN_CODES,
    CERTAIN_SCALES,
    PROFILE_CODES,
    PROFILE_DIVERSITY,
    PROFILE_SCALES,
    PROFILE_VERSION,
    RESIDUES_OF_PROFILES,
    ProfileFacts,
)

if TYPE_CHECKING:
    from swgui.core.profiles.stored import StoredProfiles


def columns_checksum(profiles: SubjectProfiles) -> str:
    """Return the checksum of columns: of the background, codes and scales."""
    digest = hashlib.blake2b(digest_size=16)
    certain = () if profiles.certain is None else (profiles.certain.codes, profiles.certain.scales)
    for array in (profiles.background, profiles.pairs.codes, profiles.pairs.scales, *certain):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def facts_of(profiles: SubjectProfiles) -> ProfileFacts:
    """Return the facts of profiles for the header of a file."""
    background = tuple(float(share) for share in profiles.background)
    certain = profiles.certain is not None
    version = PROFILE_VERSION if certain else 1  # which earlier versions of the program read
    return ProfileFacts(version, background, columns_checksum(profiles), profiles.made, certain)


def sections_of(profiles: SubjectProfiles) -> dict[str, NDArray[Any]]:
    """Return the content to write, by section."""
    sections: dict[str, NDArray[Any]] = {
        PROFILE_CODES: profiles.pairs.codes.reshape(-1),
        PROFILE_SCALES: profiles.pairs.scales,
        PROFILE_DIVERSITY: profiles.diversity,
    }
    if (certain := profiles.certain) is not None:
        sections |= {CERTAIN_CODES: certain.codes.reshape(-1), CERTAIN_SCALES: certain.scales}
    return sections


def profiles_of(
    arrays: Mapping[str, NDArray[Any]], offsets: NDArray[np.int64], facts: ProfileFacts | None
) -> StoredProfiles | None:
    """Return the profiles of a file; None if it has none.

    Raises
    ------
    ValueError
        If they are damaged; its text names the section.
    """
    if facts is None:
        return None
    from swgui.core.profiles.pairs import MIN_BACKGROUND, ProfileSet  # here: few databases are of profiles
    from swgui.core.profiles.stored import StoredProfiles

    certain: ProfileSet | None = None
    try:
        pairs = ProfileSet(arrays[PROFILE_CODES].reshape(-1, RESIDUES_OF_PROFILES), arrays[PROFILE_SCALES], offsets)
        if facts.certain:
            codes = arrays[CERTAIN_CODES].reshape(-1, RESIDUES_OF_PROFILES)
            certain = ProfileSet(codes, arrays[CERTAIN_SCALES], offsets)
    except ProfileError:
        raise ValueError(PROFILE_SCALES) from None
    background = np.array(facts.background, dtype=np.float64)
    if background.min() < MIN_BACKGROUND:
        raise ValueError(PROFILE_CODES)
    return StoredProfiles(pairs, arrays[PROFILE_DIVERSITY], background, facts.made, facts.checksum, certain)
