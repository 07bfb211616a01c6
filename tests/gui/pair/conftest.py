"""Pages and results that the tests of the Pair page share."""

from __future__ import annotations

import functools
import threading

import pytest
from PySide6.QtWidgets import QLabel

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairEnd, PairPlan, PairProgress
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.pair.page import PairPage
from swgui.io.matrices import load_matrix
from swgui.jobs.events import Finished
from swgui.jobs.pair.events import PairFound, PairProgressed, PairStarted
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from swgui.runs import Runs
from swgui.settings import Settings
from tests.jobs.pair.pair_by_hand import dna


def related():
    """Two sequences: substitutions, a gap, and a stretch of the other strand."""
    target = dna(700, 1)
    turned = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(target[420:640])))
    query = target[20:100] + b"T" + target[101:200] + target[206:300] + dna(60, 3) + turned
    return SequenceRecord("the_query", "made up <b>bold</b>", query), SequenceRecord("the_target", "", target)


def fasta(*records):
    return "".join(f">{record.header}\n{record.residues.decode()}\n" for record in records)


def plan(request, method="cpu", seconds=0.5):
    cells = len(request.query.residues) * len(request.subject.residues)
    memory = {"rows": 4096, "tiles": 1 << 20}
    return PairPlan(method, ("Test device",), cells, 2 * cells, memory, {}, seconds, ("So.",))


def started(request, method="cpu"):
    return PairStarted(plan(request, method), request.strands)


def scoring(strand, index, cells, total, pruned=0, best=None, *, seconds, left=None):
    step = PairProgress("Scoring", cells, total, pruned, best)
    return PairProgressed(
        done=step.cells_passed, total=total, seconds=seconds, strand=strand, index=index, step=step, left=left
    )


@pytest.fixture
def make_page(shown, theme, user_folders):
    return lambda settings=None, **options: shown(PairPage(settings or Settings(), Runs(), **options), 1200, 820)


def fill(page, qtbot, query, target):
    page.setup.query.set_text(fasta(query))
    page.setup.subject.set_text(fasta(target))
    qtbot.waitUntil(lambda: page.ready)


@functools.cache
def known():
    """A result with two alignments, one on either strand."""
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    request = PairRequest(*related(), scheme, strand="both", method="cpu", limit=3, min_score=60)
    return next(e for e in align_pair(request, threading.Event()) if isinstance(e, Finished)).outcome


def show(page, qtbot, limit=3):
    """Show a result on a page and wait until everything about it is there."""
    page.show_result(replace(known(), alignments=known().alignments[:limit]))
    qtbot.waitUntil(lambda: page.tasks.idle)
    return page.result_view


def text_of(page, name):
    return page.findChild(QLabel, name).text().replace("\N{NO-BREAK SPACE}", " ")


def choose(box, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


class Slow:
    """Runs until it is stopped, with an alignment found on the way."""

    def __init__(self):
        self.going = threading.Event()

    def __call__(self, request, cancel, planned=None):
        short = replace(request, limit=1)
        whole = next(event for event in align_pair(short, threading.Event()) if isinstance(event, Finished)).outcome
        yield started(request)
        yield PairFound(whole.alignments[0])
        for step in range(1, 10**6):
            if cancel.wait(0.01):
                break
            done = min(step * 1000, 600_000)
            best = PairEnd(77, 5, 6)
            yield scoring("plus", 2, done, 10**6, done // 4, best, seconds=step * 0.01, left=12.0)
            self.going.set()
        yield Finished(replace(whole, state="stopped", reason="Stopped by you."))
