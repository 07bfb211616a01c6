"""The methods text of a search of a database of profiles, as far as it differs from that of sequences."""

from __future__ import annotations

from typing import Final

from swgui.core.hits.results import SearchResult
from swgui.core.profiles.pairs import UNITS_PER_BIT
from swgui.core.profiles.stored import GAPS
from swgui.core.words import count
from swgui.io.methods.forms import KindMethods
from swgui.io.methods.references import CONTEXTS, GOTOH, SMITH_WATERMAN, SODING
from swgui.io.methods.searches import named, queries_in_words

_OF_CERTAIN: Final = (
    "Each profile of the database was also made of its certain members alone, those that the query of its rounds or "
    "other certain members find with E up to 0.001; a hit whose certain members have a larger E has that E, and 0.5 at "
    "most where its score alone has a smaller one.",
)


def _profiles_compared(result: SearchResult) -> tuple[str, ...]:
    """Return sentences on the comparison of profiles with profiles, and on its scores."""
    database, first, further = result.database, GAPS.first / UNITS_PER_BIT, GAPS.extend / UNITS_PER_BIT
    return (
        f"Profiles were compared with swgui {result.version}, which computes the exact score of the best local "
        f"alignment ({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of the profile of every query with "
        "every profile of the database; no heuristic filter is applied.",
        f"{queries_in_words(result)} compared with the database of profiles {named(database.name)} "
        f"({count(len(database), 'profile')}, {database.residues:,} columns; content checksum "
        f"{database.checksum or 'not known'}).",
        f"Two columns q and t scored log2 Σ q(a) t(a) / b(a) bits over the residues a ({SODING.short}), b the mean "
        f"frequencies of the columns of the database, and a gap cost {first:g} bits for its first column and "
        f"{further:.1f} for each further one. Columns made of sequences have pseudocounts by their contexts "
        f"({CONTEXTS.short}).",
        *(_OF_CERTAIN if database.profiles is not None and database.profiles.certain is not None else ()),
    )


PROFILES: Final = KindMethods(_profiles_compared, lambda result: [CONTEXTS, SODING])
