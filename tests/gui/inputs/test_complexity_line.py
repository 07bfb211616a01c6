"""How much of the queries is of low complexity, shown beside them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.gui.inputs.query import ComplexityLine
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import colours

PLAIN = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPFEDHVKLVNEVTEFAKTCVADESAENCDKS"
HALF = SequenceRecord("half", "", PLAIN + b"Q" * len(PLAIN))
NONE = SequenceRecord("none", "", PLAIN)


@pytest.fixture
def line(qtbot, theme):
    tasks = Tasks()
    made = ComplexityLine(tasks)
    qtbot.addWidget(made)
    yield made
    tasks.shutdown()


def test_the_line_says_and_draws_it_and_hides_where_there_is_nothing(line, qtbot):
    line.resize(400, 30)
    line.look((HALF,), PROTEIN)
    qtbot.waitUntil(lambda: not line.isHidden())
    line.show()
    assert line.text.whole_text() == "50 % of the query is low-complexity"
    picture, shades = line.bar.grab().toImage(), colours(line.bar)
    row = picture.height() // 2
    drawn = [picture.pixelColor(x, row).name() for x in range(picture.width())]
    warm = QColor(shades.warning).name()
    assert warm not in drawn[: len(drawn) // 2 - 5]
    assert set(drawn[len(drawn) // 2 + 5 :]) == {warm}
    line.look((NONE,), PROTEIN)
    qtbot.waitUntil(lambda: line.text.whole_text() == "")
    assert line.isHidden()
    line.look((), None)
    assert line.isHidden()
