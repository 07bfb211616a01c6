"""How much of the queries is of low complexity, shown next to them."""

from __future__ import annotations

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.gui.inputs.query import ComplexityLine

PLAIN = b"MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPFEDHVKLVNEVTEFAKTCVADESAENCDKS"
HALF = SequenceRecord("half", "", PLAIN + b"Q" * len(PLAIN))
NONE = SequenceRecord("none", "", PLAIN)


@pytest.fixture
def line(qtbot, theme, tasks):
    made = ComplexityLine(tasks)
    qtbot.addWidget(made)
    return made


def test_the_line_says_it_and_hides_where_there_is_nothing(line, qtbot):
    line.look((HALF,), PROTEIN)
    qtbot.waitUntil(lambda: not line.isHidden())
    assert line.whole_text().startswith("50 % of")
    line.look((NONE,), PROTEIN)
    qtbot.waitUntil(lambda: line.whole_text() == "")
    assert line.isHidden()
    line.look((), None)
    assert line.isHidden()
