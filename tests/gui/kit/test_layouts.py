"""Frames and parts that take the room their content needs."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from swgui.gui.kit.layouts import Wrapping, in_column, in_splitter
from swgui.gui.kit.widgets import text_label


def test_a_part_of_a_splitter_is_as_high_as_its_wrapped_text(qtbot, theme):
    above, below = QWidget(), Wrapping()
    said = text_label("many words that do not fit in one line " * 4, wrap=True, plain=True)
    in_column(said, parent=below)
    split = in_splitter(Qt.Orientation.Vertical, above, (below, 1), name="split")
    qtbot.addWidget(split)
    split.resize(200, 300)
    split.show()
    split.setSizes([300, 0])
    assert below.height() >= said.heightForWidth(said.width()) > 2 * said.fontMetrics().height()
