"""Other alignments of the pair that is looked at."""

import threading

import numpy as np
import pytest

from swgui.core.alignment import rescore, spell_out
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.records import SequenceRecord
from swgui.gui.results.page import ResultsPage
from swgui.jobs.search.alternatives import equally_good, next_hit
from tests.asking import altered
from tests.described import describe_hits

DOMAIN = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRF"


@pytest.fixture
def repeats(made):
    """A query of one domain against a subject that has it twice, the second time changed."""
    changed = DOMAIN.replace(b"F", b"G")
    subject = SequenceRecord("twice", "", b"G" * 30 + DOMAIN + b"P" * 40 + changed + b"G" * 30)
    others = [SequenceRecord(f"other{at}", "", b"GPGPGPGPGP" * 3) for at in range(5)]
    database = encode_database([subject, *others], PROTEIN, "repeats")
    scheme = made.result.scheme
    score = np.array([len(DOMAIN) * 5], dtype=np.int32)
    hits = HitColumns(np.zeros(1, np.int64), score, np.ones(1, np.int8), score * 0.4, -score * 0.1)
    query = QueryResult(SequenceRecord("domain", "", DOMAIN), hits, 6)
    return altered(made.result, queries=(query,), database=database, scheme=scheme)


def pairs(hit):
    columns = spell_out(hit.alignment)
    both = (columns.query >= 0) & (columns.subject >= 0)
    return set(zip(columns.query[both].tolist(), columns.subject[both].tolist(), strict=True))


def test_next_alignments_share_no_pair_and_get_weaker(repeats):
    hit = next(describe_hits(repeats, 0, [0]))
    found = [hit]
    for _ in range(3):
        other = next_hit(repeats, 0, hit, [one.alignment for one in found], threading.Event())
        assert other is not None
        assert other.score <= found[-1].score
        assert rescore(other.alignment, other.query, repeats.database.subject(0), repeats.scheme) == other.score
        assert all(not pairs(other) & pairs(one) for one in found)
        assert other.counts.length == other.alignment.columns
        found.append(other)
    assert found[1].alignment.subject_start >= 30 + len(DOMAIN) + 40
    assert equally_good(repeats, hit) == 1


def test_giving_up(repeats):
    hit = next(describe_hits(repeats, 0, [0]))
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        next_hit(repeats, 0, hit, [hit.alignment], cancel)


def test_pane_lists_the_alignments_of_a_pair(qtbot, tasks, repeats):
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.resize(1100, 760)
    page.show_result(repeats)
    page.show()
    pane = page.alignment
    qtbot.waitUntil(lambda: pane.hit is not None)
    best = pane.hit
    assert not pane.alignments.choice.isVisible()
    pane.alignments.weaker_action.trigger()
    qtbot.waitUntil(lambda: pane.hit is not best)
    assert pane.alignments.choice.isVisible()
    assert pane.alignments.choice.count() == 2
    assert pane.facts.whole_text().startswith(f"Score {pane.hit.score}")
    pane.alignments.choice.setCurrentIndex(0)
    pane.alignments.choice.activated.emit(0)
    assert pane.hit is best
    pane.alignments.count_action.trigger()
    qtbot.waitUntil(lambda: pane.status.text() == "This is the only alignment with this score.")
    page.clear()
    assert not pane.alignments.choice.isVisible()
