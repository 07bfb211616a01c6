"""Public sets of sequences that can be downloaded: a list among the resources, or one of the user's own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from swgui.core.errors import DatabaseError, InvalidParameter, reason_of
from swgui.core.plain import from_plain
from swgui.paths import resources_dir

LIST_VARIABLE: Final = "SWGUI_PUBLIC_SETS"  # names another list: that of a mirror, or of a test


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A set of sequences that can be downloaded."""

    key: str  # as ``swgui get`` names it
    title: str
    about: str
    url: str
    listing_url: str  # a metalink file with size and MD5 of the file; empty if the provider has none
    terms: str  # licence
    # Form of the list at `listing_url`, "uniprot" or "alphafold", where this is a family of sets, one for each organism
    # (`swgui.io.database.organism_sets`); `url` is their folder then. Empty for a single file.
    organisms: Literal["", "uniprot", "alphafold"] = ""


def public_sets() -> dict[str, PublicSet]:
    """Return the sets by their keys.

    Raises
    ------
    DatabaseError
        If the list that `LIST_VARIABLE` names cannot be read.
    """
    path = Path(os.environ.get(LIST_VARIABLE) or resources_dir() / "public_sets.json")
    try:
        entries = json.loads(path.read_text("utf-8"))
        sets = [from_plain(PublicSet, entry) for entry in entries]
    except (OSError, ValueError, TypeError, RecursionError) as fault:
        raise DatabaseError(
            str(path),
            f"The list of public sets '{path}' cannot be read: {reason_of(fault)}.",
            hint=f"Correct {LIST_VARIABLE}.",
        ) from fault
    return {public.key: public for public in sets}


def find_set(name: str) -> PublicSet:
    """Return a set by its key, whatever its case.

    Raises
    ------
    InvalidParameter
        If there is none.
    """
    sets = public_sets()
    if name.lower() not in sets:
        raise InvalidParameter("name", name, f"There is no public set '{name}'.", hint=f"There are {', '.join(sets)}.")
    return sets[name.lower()]
