"""E of pairs of profiles whose alignments have members in doubt.

Rounds take in an unrelated sequence now and then, and with it come the columns of its family: the two profiles then
share that family, and their score is high. What the certain members of both say (`swgui.jobs.iterate.certain`) does not
depend on such a sequence. So with E by all members and E' by the certain ones alone, a pair has::

    E = max(E, min(E', 0.5))

Pairs that are supported by members in doubt alone have E = 0.5: of such hits with E up to 0.001, 0.19 a query were
false among 440 SCOP domains, and 2.5 were true. They are listed behind all that the certain members support.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from swgui.core.engines import EngineOptions
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import among
from swgui.core.judging.ranking import measure
from swgui.core.plain import replace
from swgui.core.profiles.stored import GAPS
from swgui.core.statistics.composition import bits_after
from swgui.engines.facts import CPU as CPU_ENGINE
from swgui.engines.profile_pairs import make_pair_engine
from swgui.jobs.profiles.aligning import columns_of_query, profiles_at

if TYPE_CHECKING:
    from swgui.jobs.search.subjects import JudgeRequest

IN_DOUBT: Final = float(np.log10(0.5))  # of E of a pair that members in doubt alone support


def judged(asked: JudgeRequest) -> HitColumns:
    """Return the same hits of a query in the same order, with the E that counts.

    Hits whose profiles are not at hand are left out; they were not within the limits before.
    """
    database, hits, of = asked.database, asked.hits, asked.query.profile
    profiles = database.profiles
    assert profiles is not None
    assert of is not None
    if of.certain is None and profiles.certain is None:
        return hits
    if database.at_hand is not None:
        hits = hits.take(among(hits.db_index, database.at_hand))
    places = np.flatnonzero(hits.log10_evalues < IN_DOUBT)
    if not len(places):
        return hits
    some = hits.take(places)
    certain = replace(of, scores=of.scores if of.certain is None else of.certain, certain=None)
    encoded = encode_part(replace(asked.query, profile=certain), asked.scheme, 1, asked.query_range)
    columns = columns_of_query(encoded, profiles.background)
    subjects = profiles_at(database, some.db_index, certain=True)
    # Below 0 threads are those of many queries at a time (`swgui.jobs.threads`).
    options = EngineOptions(threads=1 if asked.threads < 0 else asked.threads)
    engine, _, _ = make_pair_engine(CPU_ENGINE.name, options=options)
    (scores,) = engine.scores(columns, subjects, GAPS, lambda: None)
    _, log10_evalues = measure(len(encoded), some.db_index, scores, database, asked.statistics, asked.limits)
    counted = hits.log10_evalues.copy()
    counted[places] = np.maximum(some.log10_evalues, np.minimum(log10_evalues, IN_DOUBT))
    bits = bits_after(hits.bit_scores, counted - hits.log10_evalues)
    return replace(hits, bit_scores=bits, log10_evalues=counted)
