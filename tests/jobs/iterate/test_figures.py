"""The figures of a round on its rows, its profile and its E-values, compared with counts by hand."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.rounds import CALIBRATION_LIMITS
from swgui.core.profiles.alignment import DELETION
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.statistics.background import background
from swgui.jobs.iterate.request import in_rounds
from tests.asking import answer
from tests.jobs.iterate.family import family_records, family_request


@pytest.fixture(scope="module")
def result():
    return answer(in_rounds(family_request(family_records(), max_evalue=1e5), IterationSettings(rounds=2)))


def test_coverage_and_information_are_those_of_the_rows(result):
    first, second = result.queries[0].rounds.rounds
    shares = sorted(float((row.codes < DELETION).mean()) for row in first.alignment.rows[1:])
    assert min(shares) <= first.coverage <= max(shares)
    assert first.coverage == pytest.approx(np.median(shares))
    assert 0 < first.information < np.log2(20 / 0.2)
    scores = second.profile.scores[:, :20].astype(float) / second.profile.units_per_bit
    by_scores = (background(PROTEIN)[:20] * np.exp2(scores) * scores).sum(axis=1).mean()
    assert first.information == pytest.approx(by_scores, rel=0.1)


def test_others_are_counted_by_their_evalue(result):
    """With a limit that lists everybody, the hits of the last round are all that there is to count."""
    rounds = result.queries[0].rounds
    last = rounds.last
    others = ~np.isin(last.db_index, last.included)
    others &= np.array([result.database.ids[at] != "kin0" for at in last.db_index.tolist()])
    evalues = 10 ** last.log10_evalues[others]
    by_hand = [int((evalues <= limit).sum()) for limit in CALIBRATION_LIMITS]
    assert len(last.db_index) > 500
    assert list(last.beyond)[:4] == by_hand[:4]
    assert last.beyond[-1] > 100
    assert all(one <= more for one, more in zip(last.beyond, last.beyond[1:], strict=False))


def test_a_round_that_includes_nobody_has_no_coverage(result):
    alone = answer(in_rounds(family_request(family_records(), "other0"), IterationSettings()))
    (only,) = alone.queries[0].rounds.rounds
    assert only.coverage is None
    assert only.information > 0
    assert len(only.beyond) == len(CALIBRATION_LIMITS)
