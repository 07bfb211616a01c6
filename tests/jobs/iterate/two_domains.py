"""A family, and what is reached through one of its members alone."""

from __future__ import annotations

import numpy as np

from swgui.core.records import SequenceRecord
from tests.jobs.iterate.family import evolved, family_records, sequence


def with_two_domains() -> list[SequenceRecord]:
    """Return the family, ``both``, of kin4 and another domain, and ``beyond``, a relative of that one."""
    rng = np.random.default_rng(6)
    records = family_records()
    kin = next(one for one in records if one.id == "kin4").residues.decode()
    domain = sequence(rng, 80)
    both = SequenceRecord("both", "", (kin + domain).encode())
    return [*records, both, SequenceRecord("beyond", "", evolved(rng, domain, 0.8).encode())]
