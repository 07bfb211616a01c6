"""A family that a query alone does not see whole, among unrelated sequences."""

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.statistics.background import background
from swgui.jobs.search.request import SearchRequest
from tests.asking import BLOSUM62, search_request

LETTERS = "ARNDCQEGHILKMFPSTWYV"
FAMILY = 16
STRANGERS = 600


def sequence(rng: np.random.Generator, length: int) -> str:
    """Return residues as frequent as they are by chance."""
    return "".join(rng.choice(list(LETTERS), length, p=background(PROTEIN)[:20]))


def evolved(rng: np.random.Generator, ancestor: str, share: float) -> str:
    """Return a descendant that keeps this share of the residues."""
    other = sequence(rng, len(ancestor))
    kept = rng.random(len(ancestor)) < share
    return "".join(a if keep else b for a, b, keep in zip(ancestor, other, kept, strict=True))


def family_records() -> list[SequenceRecord]:
    """Return the strangers, then the family."""
    rng = np.random.default_rng(11)
    ancestor = sequence(rng, 90)
    family = [SequenceRecord(f"kin{n}", "", evolved(rng, ancestor, 0.55).encode()) for n in range(FAMILY)]
    strangers = [SequenceRecord(f"other{n}", "", sequence(rng, 60 + n % 90).encode()) for n in range(STRANGERS)]
    return [*strangers, *family]


def family_request(records: list[SequenceRecord], *queries: str, **changes: object) -> SearchRequest:
    """Return a search of some of the records, by name, among all; without a name of one of the family."""
    named = {one.id: one for one in records}
    database = encode_database(records, PROTEIN, "family")
    given = {"queries": tuple(named[name] for name in queries or ("kin0",)), "scheme": BLOSUM62, "engine": "cpu"}
    return search_request(database=database, **given | changes)
