"""Rounds in the window: the table of figures, warnings, and the painted cells of the hit table."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from swgui.core.hits.rounds import HitRounds
from swgui.core.plain import replace
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.iteration import IterationSettings
from swgui.gui.hits.places import Places
from swgui.gui.results.rounds.strip import included_words, warnings_of
from swgui.gui.results.table.columns import height_of
from swgui.gui.results.table.model import ROUNDS_ROLE
from swgui.gui.results.table.view import SignificanceLine
from swgui.jobs.iterate.request import in_rounds
from tests.asking import answer
from tests.jobs.iterate.family import family_records, family_request


@pytest.fixture(scope="module")
def searched():
    """Return the rounds of one of a family, and of a stranger without relatives."""
    return answer(in_rounds(family_request(family_records(), "kin0", "other0"), IterationSettings()))


def test_the_figures_of_every_round_are_shown_and_copied(page, searched):
    page.show_result(searched)
    rounds = searched.queries[0].rounds
    dialog = page.rounds.show_figures()
    assert dialog.model.rowCount() == len(rounds)
    dialog.copy_button.click()
    head, *lines = QGuiApplication.clipboard().text().splitlines()
    shown = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]
    for number, row in enumerate(shown, start=1):
        one = rounds.rounds[number - 1]
        assert row["Included"] == str(len(one.included))
        assert row["New"] == str(len(rounds.new(number)))
        assert row["E ≤ 10"] == str(one.beyond[3])
        assert row["Coverage %"] == f"{100 * one.coverage:.0f}"
    assert dialog.plot.isVisible()
    dialog.close()


def test_segments_of_bases_are_counted_where_they_are_known(searched):
    rounds = searched.queries[0].rounds
    bases = replace(rounds, bases=SearchedBases((0.25, 0.25, 0.25, 0.25), 100.0))
    last, rows = len(rounds), len(rounds.last.alignment) - 1
    one = replace(bases, rounds=(*bases.rounds[:-1], replace(bases.last, included=bases.last.included[:1])))
    assert included_words(one, last) == f"1 included in {rows:,} segments"
    assert included_words(replace(one, bases=None), last) == "1 included"


def test_rounds_of_older_files_have_no_figures_to_plot(page, searched):
    of_query = searched.queries[0]
    bare = tuple(replace(one, beyond=(), coverage=None, information=None) for one in of_query.rounds.rounds)
    rounds = type(of_query.rounds)(bare, "same")
    page.show_result(replace(searched, queries=(replace(of_query, rounds=rounds),)))
    dialog = page.rounds.show_figures()
    assert dialog.plot.isHidden()
    assert dialog.model.as_text().splitlines()[1].count("–") == 7
    dialog.close()


def test_the_significance_line_is_that_of_the_rows_shown(qapp):
    """Other rows may come to lie at the address of those before."""
    model = SimpleNamespace(places=None, significance=-3.0, sorting=SimpleNamespace(key="rank"))
    line = SignificanceLine(None, model)
    for strong in (1, 4, 2, 5, 3):
        evalues = np.where(np.arange(6) < strong, -9.0, 1.0)
        model.data_source = SimpleNamespace(hits=SimpleNamespace(log10_evalues=evalues))
        model.places = None
        model.places = Places.of(np.arange(6), {})
        assert line.place() == strong


def test_a_query_that_finds_nobody_is_told_in_the_strip(page, searched):
    page.show_result(searched, 1)
    assert page.rounds.warning.isVisible()
    assert "be included" in page.rounds.warning.text()
    assert warnings_of(replace(searched, queries=(replace(searched.queries[0], rounds=None),)), 0) == []


def painted(page, key, row):
    """Return the cell of a hit as a picture, and what its painter was given."""
    table = page.hits.table
    at = table.hits.column_index(key)
    index = table.hits.index(row, at)
    option = QStyleOptionViewItem()
    option.initFrom(table)
    option.state &= ~QStyle.StateFlag.State_Selected
    option.rect.setRect(0, 0, 120, 22)
    option.widget = table
    image = QImage(120, 22, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    table.itemDelegateForColumn(at).paint(painter, option, index)
    painter.end()
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(22, 120).copy()
    return pixels, index.data(ROUNDS_ROLE)


def ink_of(pixels):
    return pixels != pixels[0, 0]


def test_evalues_are_drawn_over_the_rounds(page, searched):
    page.show_result(searched, 0)
    rounds = searched.queries[0].rounds
    late = int(rounds.new(2)[0])
    row = searched.queries[0].hits.db_index.tolist().index(late)
    pixels, facts = painted(page, "round_evalues", row)
    assert isinstance(facts, HitRounds)
    assert facts.first_included == 2
    ink = ink_of(pixels)
    left, right = ink[:, 4:14], ink[:, -14:-4]
    assert right.any()
    highest = [np.flatnonzero(side.any(axis=1)).min() for side in (left, right) if side.any()]
    assert highest[-1] == min(highest)  # the last round is the strongest
    assert height_of(-30) > height_of(-3) > height_of(1) > height_of(5) == 0


def test_status_is_a_sign_and_a_word(page, searched):
    page.show_result(searched, 0)
    hits = searched.queries[0].hits.db_index.tolist()
    kept = hits.index(int(searched.queries[0].rounds.last.included[0]))
    never = hits.index(int(next(at for at in hits if searched.queries[0].rounds.of(at).status == "")))
    assert ink_of(painted(page, "round_status", kept)[0]).any()
    assert not ink_of(painted(page, "round_status", never)[0]).any()
