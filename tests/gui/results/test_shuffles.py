"""The dialog of Z-values."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.gui.kit.tasks import task
from swgui.gui.results.shuffles import ShuffleDialog
from tests.asking import BLOSUM62, answer, search_request


@pytest.fixture(scope="module")
def result():
    codes = np.random.default_rng(3).integers(0, 20, size=(30, 60)).astype(np.uint8)
    subjects = [SequenceRecord(f"s{i}", f"Thing {i}", PROTEIN.decode(row)) for i, row in enumerate(codes)]
    request = search_request(
        queries=(subjects[5],),
        database=encode_database(subjects, PROTEIN),
        scheme=BLOSUM62,
        max_evalue=1e6,
        engine="cpu",
    )
    return answer(request)


@pytest.fixture
def make_dialog(qtbot, theme, result):
    def make(rows, engine="cpu"):
        dialog = ShuffleDialog(result.hit_list(0), rows, engine, EngineOptions())
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def test_z_values_fill_the_table_and_can_be_copied(make_dialog, qtbot, qapp):
    dialog = make_dialog([0, 4])
    dialog.count.setValue(200)
    dialog.start.click()
    assert dialog.start.text() == "Stop"
    qtbot.waitUntil(lambda: dialog.start.text() == "Shuffle again")
    assert [value.row for value in dialog.model.rows] == [0, 4]
    assert dialog.model.rows[0].z > 20 > abs(dialog.model.rows[1].z)
    assert "200 shuffles over the whole sequence, seed 1" in dialog.status.text()
    dialog.copy.click()
    lines = qapp.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["#", "Subject", "Score", "Mean", "SD", "Z", "p", "Reached"]
    assert lines[1].startswith("1\ts5\t")
    dialog.table.sortByColumn(5, dialog.table.horizontalHeader().sortIndicatorOrder())
    dialog.close()


def test_the_same_seed_gives_the_same_values(make_dialog, qtbot):
    means = []
    for seed in (3, 3, 4):
        dialog = make_dialog([1])
        dialog.count.setValue(100)
        dialog.seed.setValue(seed)
        dialog.start.click()
        qtbot.waitUntil(lambda dialog=dialog: bool(dialog.model.rows))
        means.append(dialog.model.rows[0].mean)
        dialog.close()
    assert means[0] == means[1] != means[2]


def test_an_engine_that_is_missing_is_said(make_dialog, qtbot):
    dialog = make_dialog([0], engine="warp")
    dialog.start.click()
    qtbot.waitUntil(lambda: "no engine 'warp'" in dialog.status.text())
    assert dialog.start.text() == "Shuffle again"


@pytest.mark.parametrize("way", ["escape", "close", "button"])
def test_every_way_of_closing_ends_it_also_while_it_works(make_dialog, qtbot, way):
    dialog = make_dialog(range(10))
    dialog.count.setValue(10_000)
    dialog.start.click()
    if way == "escape":
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    elif way == "close":
        dialog.close()
    else:
        dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Close).click()
    assert task.join(60_000)
