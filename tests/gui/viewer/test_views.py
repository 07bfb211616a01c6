"""The views of the pane are a table; one more is its class and a line in that table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from swgui.gui.viewer import views
from swgui.gui.viewer.pane import AlignmentPane
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.view import View


class ScoreView(View):
    """A view of a package: the score of the alignment in large figures."""

    name, title, tip = "score", "Score", "The score in large figures"
    scheme = "wrapped"

    def __init__(self, tasks):
        super().__init__()
        self.label = QLabel(self)
        self.label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tools = (QLabel("a tool"),)
        self.schemes = []

    @property
    def possible(self):
        return self.label.text() != "0"

    def show_alignments(self, found, current):
        self.label.setText(str(found[current].hit.score))

    def clear(self):
        self.label.clear()

    def set_scheme(self, scheme):
        self.schemes.append(scheme)

    def figure(self):
        return SeenPicture(
            "score.svg", self, (self.label.text(),), lambda painter: painter.drawText(5, 20, self.label.text())
        )


@pytest.fixture
def pane(qtbot, tasks, made, monkeypatch):
    monkeypatch.setattr(views, "VIEWS", (*views.VIEWS, ScoreView))
    pane = AlignmentPane(tasks)
    qtbot.addWidget(pane)
    pane.use_result(made.result)
    pane.resize(900, 500)
    pane.show()
    return pane


def aligned(made):
    return next(iter(made.describe(made.result.hit_list(0), [0])))


def test_a_view_of_a_package_is_a_view_like_any_other(pane, made, qtbot, tmp_path):
    hit = aligned(made)
    pane.show_hit(hit)
    view = pane.view(ScoreView)
    button = pane.findChild(object, "mode-score")
    assert button.isVisible()
    button.click()
    assert pane.mode == "score"
    assert view.isVisible()
    assert view.label.text() == str(hit.score)
    assert view.tools[0].isVisible()
    assert view.schemes, "it follows the colours of its scheme"
    assert view.label in pane.tab_order()
    pane.pictures.save(tmp_path / "x.svg")
    qtbot.waitUntil((tmp_path / "x.svg").exists)
    assert f"{hit.score}" in (tmp_path / "x.svg").read_text()
    with qtbot.waitSignal(pane.left):
        view.left.emit()
    pane.set_mode("wrapped")
    assert not view.tools[0].isVisible()
    pane.clear()
    assert view.label.text() == ""


def test_every_view_is_told_apart_and_shown(pane, made):
    pane.show_hit(aligned(made))
    names = [view.name for view in views.VIEWS]
    assert len(set(names)) == len(names)
    for view in views.VIEWS:
        pane.set_mode(view.name)
        shown = pane.view(view)
        assert shown.isVisible() or not shown.possible
        assert (shown.focusProxy() or shown) in pane.tab_order() or view is ScoreView
        assert view.title
        assert view.tip[0].isupper()
        assert not view.tip.endswith(".")
