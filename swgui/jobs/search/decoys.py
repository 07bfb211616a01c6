"""Decoys: unrelated sequences that E of profiles is fitted to, and what pairs of a database say of both directions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.control import Check
from swgui.core.database import ArrayDatabase, EncodedDatabase, encode_database
from swgui.core.judging.directions import Chance, chance_of
from swgui.core.packing import plan_chunks
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.fit import FittedStatistics, fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.core.statistics.shuffling import ShufflePlan, shuffled_batches
from swgui.engines.base import Engine
from swgui.jobs.search.shuffles import FIT_SEED, to_shuffle

DECOYS: Final = 500  # sequences that E of each direction is fitted to
MEMBERS: Final = 128  # sequences of the database whose pairs say how both directions go together
BATCH: Final = 256  # profiles that are scored together


def decoys_of(database: EncodedDatabase, number: int) -> ArrayDatabase:
    """Return the sequences that E of each direction is fitted to.

    They are sequences read from the end, spread evenly over the database; of a small one shuffles of all.
    """
    if len(database) < DECOYS:
        subjects, times = to_shuffle(database, number)
        plan = ShufflePlan(times, 0, FIT_SEED)
        return next(shuffled_batches(subjects, range(len(subjects)), plan, database.alphabet))[0]
    places = np.linspace(0, len(database) - 1, number).astype(np.int64).tolist()
    records = [SequenceRecord(str(at), "", PROTEIN.decode(database.subject(at)[::-1])) for at in places]
    return encode_database(records, PROTEIN, "decoys")


def members_of(database: EncodedDatabase) -> list[int]:
    """Return the sequences whose pairs say how both directions go together, by source index."""
    chosen: list[int] = np.unique(np.linspace(0, len(database) - 1, MEMBERS).astype(np.int64)).tolist()
    return chosen


class DecoyFits:
    """Scores profiles with decoys, and fits E to these scores.

    Parameters
    ----------
    scheme : ScoringScheme
        Gap costs of the profiles.
    cancel : Event
        Stops the engine.
    check : callable
        May raise to give up.
    """

    def __init__(self, engine: Engine, scheme: ScoringScheme, cancel: threading.Event, check: Check) -> None:
        self.engine, self.scheme, self.cancel, self.check = engine, scheme, cancel, check

    def scores(self, queries: Sequence[EncodedQuery], subjects: ArrayDatabase) -> NDArray[np.int32]:
        """Return the scores of profiles, shape (profiles, subjects)."""
        scores = np.full((len(queries), len(subjects)), -1, dtype=np.int32)
        for start in range(0, len(queries), BATCH):
            some = queries[start : start + BATCH]
            plans = plan_chunks(subjects.offsets, self.engine.chunk_limits(some, subjects))
            for chunk in self.engine.score(some, subjects, plans, self.scheme, self.cancel):
                scores[start + chunk.query_index, chunk.db_index] = chunk.scores
            self.check()
        return scores

    def fits(self, queries: Sequence[EncodedQuery], decoys: ArrayDatabase) -> list[FittedStatistics | FitError]:
        """Return the fit of each profile; the error where its scores allow none."""
        scores = self.scores(queries, decoys)
        return [self._fit(query, of_query, decoys) for query, of_query in zip(queries, scores, strict=True)]

    def _fit(
        self, query: EncodedQuery, scores: NDArray[np.int32], decoys: ArrayDatabase
    ) -> FittedStatistics | FitError:
        try:
            return fit_statistics(scores, decoys.lengths, len(query), self.scheme, origin="decoys")
        except FitError as error:
            return error

    def chance(self, queries: Sequence[EncodedQuery], fits: Sequence[FittedStatistics | FitError]) -> Chance:
        """Return the distribution of both directions of pairs that are not related, from profiles of a database."""
        known = [at for at, fit in enumerate(fits) if not isinstance(fit, FitError)]
        records = [SequenceRecord(str(at), "", PROTEIN.decode(queries[at].codes)) for at in known]
        members = encode_database(records, PROTEIN)
        scores = self.scores([queries[at] for at in known], members)
        of_known = [fit for fit in fits if not isinstance(fit, FitError)]
        z = [(fit.z_scores(row, members.lengths) - 50.0) / 10.0 for fit, row in zip(of_known, scores, strict=True)]
        return chance_of(np.array(z).reshape(len(known), len(known)))
