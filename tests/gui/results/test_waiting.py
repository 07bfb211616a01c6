"""The display while alignments are being made for a filter or an order: the filter and the order in force."""

import threading

import pytest

from swgui.gui.hits.arrange import HitFilter, Range, Sorting
from swgui.gui.results.page import ResultsPage


@pytest.fixture
def gate():
    """Alignments are made only while it is set."""
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
def page(qtbot, tasks, made, gate):
    """A page whose hits are not aligned before the gate is open."""

    def describe(listed, rows, **options):
        check = options.get("check", lambda: None)
        while not gate.wait(0.005):
            check()
        yield from made.describe(listed, rows)

    page = ResultsPage(tasks, describe=describe)
    qtbot.addWidget(page)
    page.resize(1100, 760)
    page.show_result(made.result)
    page.show()
    return page


STRONG = Range("score", low=250)
ALIKE = Range("pident", low=90)


def strong_rows(page):
    return [row for row, score in enumerate(page.hits.data.hits.scores) if score >= 250]


def test_filters_that_need_no_alignment_apply_at_once(page, gate, qtbot):
    page.hits.set_filter(HitFilter(ranges=(STRONG, ALIKE)))
    assert page.hits.model.rows.tolist() == strong_rows(page)
    assert 0 < len(strong_rows(page)) < 5
    chips = {chip.objectName(): chip.text() for chip in page.hits.chips.buttons}
    assert "(waits)" in chips["chip-pident"]
    assert "(waits)" not in chips["chip-score"]
    qtbot.waitUntil(page.hits.busy_text.isVisible)
    assert page.hits.busy_text.text() == f"aligning 0 of {len(strong_rows(page))} for Identity"
    gate.set()
    qtbot.waitUntil(lambda: not page.hits.busy_text.isVisible())
    identities = page.hits.data.values("pident")
    assert page.hits.model.rows.tolist() == [row for row in strong_rows(page) if identities[row] >= 90]
    assert not any("(waits)" in chip.text() for chip in page.hits.chips.buttons)


def test_only_hits_that_pass_the_other_filters_are_aligned_for_an_order(page, gate, qtbot):
    page.resize(1100, 300)
    page.hits.set_filter(HitFilter(ranges=(STRONG,)))
    page.hits.sort_by(Sorting("pident", descending=True))
    assert page.hits.model.sorting == Sorting()  # the heads do not promise an order that is not there
    gate.set()
    qtbot.waitUntil(lambda: page.hits.model.sorting == Sorting("pident", descending=True))
    identities = page.hits.data.values("pident")[page.hits.model.rows]
    assert identities.tolist() == sorted(identities, reverse=True)


def test_the_next_search_aligns_nothing_unasked(page, gate, made):
    gate.set()
    page.hits.sort_by(Sorting("pident", descending=True))
    page.hits.set_filter(HitFilter(text="a", ranges=(ALIKE,)))
    page.show_result(made.result)
    assert page.hits.sorting == Sorting()
    assert page.hits.filter == HitFilter(text="a")
    assert not page.filler.filling_all


def test_stop_takes_back_what_waits_and_keeps_the_rest(page, gate, qtbot):
    page.hits.set_filter(HitFilter(ranges=(STRONG, ALIKE)))
    qtbot.waitUntil(page.hits.busy_stop.isVisible)
    page.hits.busy_stop.click()
    assert page.hits.filter == HitFilter(ranges=(STRONG,))
    assert page.hits.model.rows.tolist() == strong_rows(page)
    assert not page.hits.busy_text.isVisible()
