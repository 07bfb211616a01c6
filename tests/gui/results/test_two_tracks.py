"""A result of a search in two tracks in every view of the window."""

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import Letters, SequenceRecord
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.table.columns import KEY, ColumnDialog
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.jobs.iterate.again import why_not
from tests.asking import BLOSUM62, answer, search_request


@pytest.fixture
def result():
    rng = np.random.default_rng(5)

    def record(name, length):
        residues, letters = ("".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), length)).encode() for _ in range(2))
        return SequenceRecord(name, "", residues, letters=Letters("3Di", letters))

    records = [record(f"s{n}", 40 + n) for n in range(8)]
    database = encode_database(records, PROTEIN, "few")
    request = search_request(
        queries=tuple(records[:1]), database=database, scheme=BLOSUM62, engine="reference", max_evalue=1e6
    )
    return answer(request)


def test_every_view_shows_it(qtbot, tasks, result, caplog):
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.alignment.hit is not None)
    assert page.alignment.hit.subject.letters == result.queries[0].query.letters
    assert page.header.information.text().partition(" were ")[0].endswith("symbols (3Di)")
    assert page.header.information.isVisible()
    assert not page.header.note.isVisible()  # nothing is wrong
    for mode in ("stacked", "dots", "path", "text", "wrapped"):
        page.alignment.set_mode(mode)
        qtbot.waitUntil(lambda: tasks.idle)
        QApplication.processEvents()
    assert not [one for one in caplog.records if one.levelname in ("ERROR", "CRITICAL")]


def test_the_dot_plot_is_of_both_tracks_or_of_one(qtbot, tasks, result):
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show_result(result)
    page.show()
    page.alignment.set_mode("dots")
    dots = page.alignment.view(DotView)
    qtbot.waitUntil(lambda: tasks.idle and dots.dots is not None)
    assert dots.track_box.isVisible()
    assert [dots.track_box.itemText(at) for at in range(3)] == ["Both tracks", "Residues", "Shape (3Di)"]
    seen = {}
    for at in range(3):
        dots.track_box.setCurrentIndex(at)
        dots.track_box.activated.emit(at)
        qtbot.waitUntil(lambda: tasks.idle and dots.compared.track == dots.track)
        seen[dots.track] = dots.dots.scores, dots.caption()
    assert (seen["both"][0] == seen["residues"][0] + seen["letters"][0]).all()
    assert [seen[track][1].rpartition(" ")[2] for track in seen] == ["BLOSUM62+3Di.", "BLOSUM62.", "3Di."]
    letters = result.queries[0].query.letters.text.decode().lower()
    assert dots.describe(2, 2).startswith(f"Q 2 {chr(result.queries[0].query.residues[1])}/{letters[1]} : S 2 ")


def test_columns_are_found_by_what_they_mean(qtbot):
    dialog = ColumnDialog(["score"])
    qtbot.addWidget(dialog)
    before = dialog.keys()
    dialog.search.setText("TM-score query")
    listed = [dialog.list.item(row) for row in range(dialog.list.count()) if not dialog.list.item(row).isHidden()]
    assert "qtmscore" in [item.data(KEY) for item in listed]
    assert len(listed) < 6
    assert dialog.list.currentItem() in listed
    assert dialog.keys() == before
    dialog.search.clear()
    assert not any(dialog.list.item(row).isHidden() for row in range(dialog.list.count()))


def test_it_says_why_rounds_do_not_begin_with_it(result):
    assert "found by residues and shape" in why_not(result)
