"""Large text on small screens: nothing is cut, nothing lies outside, and the window stays as large as it is."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QDialog,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
)

from swgui.gui.databases.download import DownloadDialog
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.scheme import MatchDialog, MatrixDialog, PresetDialog
from swgui.gui.kit.layouts import Upright
from swgui.gui.kit.pages import NARROW
from swgui.gui.kit.theme import grid
from swgui.gui.results.scores import ScorePlot
from swgui.gui.results.table.columns import ColumnDialog
from swgui.gui.window.help import DocumentDialog
from tests.gui.made_results import make_result

pytestmark = pytest.mark.styled

SIZES = ((1280, 720), (1440, 900), (1920, 1080))
PAGES = ("search", "rules", "results", "runs", "pair", "network", "databases", "device", "folding")
REPOSITORY = Path(__file__).resolve().parents[3]
SLACK = 2  # pixels
SMALL = 1264, 688  # of the smallest screen, with its frame
COMMANDS = (
    *("export", "figure", "methods", "explain-hit", "shuffle-hits", "find-distant", "look-deeper"),
    *("input-report", "messages", "palette", "help", "about"),
)
DIALOGS = {
    "columns": lambda window: ColumnDialog(window.results_page.hits.table.shown_keys(), window),
    "build": lambda window: BuildDialog("", window),
    "download": lambda window: DownloadDialog(window.tasks, window),
    "matrix": lambda window: MatrixDialog(window.results_page.result.scheme.matrix, window),
    "match": lambda window: MatchDialog(window),
    "documentation": lambda window: DocumentDialog(REPOSITORY / "docs" / "index.md", window),
    "preset": lambda window: PresetDialog("mine", lambda name: name, window),
}


def text_room(widget):
    """Return the pixels that the text of a label or button needs, and those it has."""
    text = widget.text()
    if isinstance(widget, QLabel):
        if widget.wordWrap() or widget.textFormat() == Qt.TextFormat.RichText or "<" in text:
            return widget.heightForWidth(widget.width()) if widget.wordWrap() else 0, widget.height()
        return widget.fontMetrics().horizontalAdvance(text.replace("&", "")), widget.width()
    return widget.sizeHint().width(), widget.width()


def cut(window):
    """Yield the parts of the window that are cut or lie outside of their parents, for people to find."""
    for widget in window.findChildren(QLabel) + window.findChildren(QAbstractButton):
        if not widget.isVisible() or not widget.text() or type(widget).__name__ == "ElidedLabel":
            continue
        if not isinstance(widget, QLabel | QPushButton | QToolButton | QCheckBox):
            continue
        name = f"{type(widget).__name__} {widget.objectName()} '{widget.text()[:40]}'"
        if any(isinstance(p, QAbstractScrollArea) and not isinstance(p, QScrollArea) for p in parents(widget)):
            continue  # a cell, a legend of a plot
        needs, has = text_room(widget)
        if needs > has + SLACK and widget.sizePolicy().horizontalPolicy() != widget.sizePolicy().Policy.Ignored:
            yield f"{name} has {has} of {needs} pixels"
        parent = widget.parentWidget()
        if parent is not None and not parent.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(widget.geometry()):
            yield f"{name} lies outside {parent.objectName()} {parent.size().toTuple()}"


def parents(widget):
    while (widget := widget.parentWidget()) is not None:
        yield widget


def sideways(window, page):
    """Yield the frames of a page that must be scrolled sideways to see all of it."""
    place = window.pages.place(page)
    for area in (place, *place.findChildren(QScrollArea)):
        if area.isVisible() and area.horizontalScrollBar().maximum() > 0:
            yield f"{area.objectName() or type(area.widget()).__name__} scrolls sideways"


@pytest.mark.parametrize(("mode", "scale"), [("light", 100), ("light", 150), ("dark", 200)])
@pytest.mark.sampled(1)
def test_nothing_is_cut_at_any_size(make_window, qtbot, mode, scale):
    window = make_window()
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.show_result(make_result()[0])
    found = {}
    window.theme.use(mode, scale)
    for size in SIZES:
        window.resize(*size)
        for page in PAGES:
            window.show_page(page)
            assert (window.width(), window.height()) == size, f"{page} makes the window larger"
            if bad := seen_after_a_while(qtbot, lambda page=page: {*cut(window), *sideways(window, page)}):
                found[page, size] = sorted(bad)
    assert found == {}


@pytest.mark.parametrize("scale", [100, 150, 200])
@pytest.mark.sampled(1)
def test_the_sheet_of_settings_is_not_wider_than_the_screen(make_window, qtbot, scale):
    window = make_window()
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.theme.use(scale=scale)
    sheet = window.search_page.sheet
    dna = ">dna\n" + "ACGTTAGCATCGATCAGCATCAGCATACGACTCGACTACGCAGCATCAGCA" * 3
    for text, job in ((">p\n" + "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQ", "distant"), (dna, "genes")):
        window.search_page.query.set_text(text)
        qtbot.waitUntil(lambda: window.search_page.ready)
        window.search_page.choose_job(job)
        sheet.open()
        area = sheet.findChild(QScrollArea)
        assert sheet.width() <= sheet.screen().availableSize().width()
        bar = area.horizontalScrollBar()
        assert not seen_after_a_while(qtbot, lambda bar=bar: [*cut(sheet), *(bar.maximum() * ["sideways"])])
        sheet.close()


def opened(window, qtbot, name):
    """Open a dialog and return it."""
    if name in DIALOGS:
        DIALOGS[name](window).open()
    else:
        window.show_page("search" if name == "input-report" else "results")
        assert window.actions_table[name].isEnabled(), name
        window.actions_table[name].trigger()
    shown = []

    def seen():
        shown[:] = [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()]
        return shown

    qtbot.waitUntil(lambda: bool(seen()))
    assert len(shown) == 1, f"{name}: {shown}"
    return shown[0]


@pytest.mark.parametrize(("mode", "scale"), [("light", 100), ("light", 150), ("light", 200), ("dark", 200)])
@pytest.mark.sampled(1)
def test_no_dialog_is_larger_than_its_screen_and_nothing_in_it_is_cut(make_window, qtbot, mode, scale):
    window = make_window()
    window.resize(*SIZES[0])
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.show_result(make_result()[0])
    qtbot.waitUntil(lambda: window.tasks.idle and window.results_page.alignment.hit is not None)
    window.theme.use(mode, scale)
    found = {}
    for name in (*COMMANDS, *DIALOGS):
        dialog = opened(window, qtbot, name)
        room = dialog.screen().availableSize()
        least = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
        if least.width() > SMALL[0] or least.height() > SMALL[1]:
            found[name] = f"needs {least.toTuple()}"
        elif least.width() <= room.width() < dialog.width():
            found[name] = f"is {dialog.width()} pixels wide on a screen of {room.width()}"
        for size in (SIZES[0], SMALL):
            dialog.resize(*size)
            if bad := seen_after_a_while(qtbot, lambda dialog=dialog: sorted(cut(dialog))):
                found[name, size] = bad
        dialog.close()
        dialog.deleteLater()
    assert found == {}


def test_the_foot_has_the_room_beside_its_buttons_and_empty_boxes_follow_the_text_size(make_window, qtbot):
    window = make_window()
    window.begin()
    window.resize(1920, 1080)
    page = window.search_page
    qtbot.waitUntil(lambda: page.ready)
    for scale in (200, 100):
        window.theme.use(scale=scale)
        box = page.query.box
        qtbot.waitUntil(lambda box=box: box.viewport().font().pointSizeF() == box.font().pointSizeF())
    plan = page.findChild(QLabel, "plan")
    for query in (">p\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQ", ">short\nACDEFGHIK"):
        page.query.set_text(query)
        qtbot.waitUntil(lambda: page.ready)
        qtbot.waitUntil(lambda: plan.width() > window.width() / 2 > 4 * page.search_button.width())


def test_the_foot_leaves_a_small_screen_to_the_query(make_window, qtbot):
    window = make_window()
    window.begin()
    page = window.search_page
    qtbot.waitUntil(lambda: page.ready)
    window.resize(*SIZES[0])
    window.theme.use(scale=200)
    for query in (">dna\n" + "ACGTTAGCATCGATCAGCATCAGC" * 2, ">a rather long name of it\nACDEFGHIK"):
        page.query.set_text(query)
        qtbot.waitUntil(lambda: page.ready)
        advice = page.findChild(QLabel, "advice")
        qtbot.waitUntil(lambda advice=advice: "A query of only" in advice.text())
        qtbot.waitUntil(lambda: page.strip_height <= window.height() / 4)
        qtbot.waitUntil(lambda: page.findChild(QLabel, "plan").text().startswith("Exact, "))
    page.query.set_text("this is prose and not a sequence {}")
    answer = page.query.findChild(QPushButton, "queryMeant")
    qtbot.waitUntil(lambda: answer.visibleRegion().boundingRect() == answer.rect())  # it is brought into sight
    page.query.set_text(">p\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQ")
    window.theme.use(scale=100)
    qtbot.waitUntil(lambda: page.findChild(QLabel, "plan").text().startswith("Search 1 protein"))


def test_side_panels_scroll_up_and_down_only(make_window, qtbot):
    window = make_window()
    window.show_result(make_result()[0])
    window.resize(*SIZES[0])
    window.theme.use(scale=200)
    for dock in (window.details_dock, window.scores_dock):
        window.details_dock.hide()
        dock.show()
        dock.raise_()
        area = dock.findChild(Upright)
        qtbot.waitUntil(lambda area=area: area.widget().minimumSizeHint().width() <= area.viewport().width())
        outer = [one for one in parents(area) if isinstance(one, QScrollArea)]
        assert not outer
        assert window.results_page.header.minimumSizeHint().width() < 600  # its buttons continue in the next line
        assert (window.width(), window.height()) == SIZES[0]
        assert not seen_after_a_while(qtbot, lambda dock=dock: sorted(cut(dock)))
    plot = window.scores_dock.findChild(ScorePlot)
    qtbot.waitUntil(lambda: bool(plot.legend.text()))
    for scale in (100, 200):
        window.theme.use(scale=scale)
        qtbot.waitUntil(lambda: plot.legend.y() >= plot.plot.geometry().bottom())
        qtbot.waitUntil(lambda: plot.height() >= plot.plot.minimumHeight() + plot.legend.heightForWidth(plot.width()))


def test_several_queries_and_a_panel_fit_side_by_side_or_the_panel_takes_the_place_of_the_page(make_window, qtbot):
    window = make_window()
    window.show_result(make_result()[0])
    page, found = window.results_page, {}
    opening = {
        "details": window.tools.toggle_details,
        "scores": window.tools.toggle_scores,
        "filters": lambda: page.hits.filters_button.setChecked(True),
    }
    for scale, sizes in ((150, SIZES[:1]), (200, SIZES)):
        window.theme.use(scale=scale)
        for size in sizes:
            window.resize(*size)
            for name, show in opening.items():
                window.show_page("results")
                show()
                if bad := seen_after_a_while(qtbot, lambda: {*cut(window), *sideways(window, "results")}):
                    found[name, scale, size] = sorted(bad)
                docks = [dock for dock in (window.details_dock, window.scores_dock) if dock.isVisible()]
                alone = bool(docks) and (scale, size) == (200, SIZES[0])
                assert window.pages.put_aside == alone
                assert page.queries.box.isVisible() == (not alone and page.width() < grid(NARROW))
                assert (window.width(), window.height()) == size
                for dock in docks:
                    dock.close()
                page.hits.filters_button.setChecked(False)
                assert page.isVisible()
    assert found == {}


def test_the_box_of_queries_goes_where_the_list_goes(make_window, qtbot):
    window = make_window()
    window.resize(*SIZES[0])
    window.theme.use(scale=200)
    window.show_result(make_result()[0])
    page = window.results_page
    box = page.queries.box
    assert box.isVisible()
    assert not page.queries.isVisible()
    assert box.count() == 3
    page.queries.step(1)
    assert (box.currentIndex(), page.query_index) == (1, 1)
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert page.query_index == 2
    window.tools.toggle_details()
    assert not page.isVisible()
    window.details_panel.note.setFocus()
    qtbot.keyClick(window.details_panel.note, Qt.Key.Key_Escape)
    assert page.isVisible()


def test_titles_of_panels_are_as_large_as_the_text(make_window, qtbot):
    window = make_window()
    dock = window.details_dock
    dock.show()
    label = dock.titleBarWidget().findChild(QLabel)
    heights = []
    for scale in (100, 200):
        window.theme.use(scale=scale)
        assert label.font().pointSizeF() == QApplication.font().pointSizeF()
        heights.append(label.sizeHint().height())
    assert heights[1] > 1.6 * heights[0]
    close = dock.titleBarWidget().findChild(QToolButton, f"{dock.objectName()}Close")
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not dock.isVisible()


def seen_after_a_while(qtbot, look):
    """Return the findings once layouts have settled; nothing as soon as there are none."""
    for _ in range(40):
        qtbot.wait(25)
        if not (bad := look()):
            break
    return bad


@pytest.mark.nightly
def test_the_window_is_as_large_as_before_once_the_text_is(make_window, qtbot):
    window = make_window()
    window.resize(1280, 720)
    for _ in range(6):
        window.look.step_text(1)
    assert window.theme.scale == 200
    for page in PAGES:
        window.show_page(page)
        assert (window.width(), window.height()) == (1280, 720)
    window.look.reset_text()
    assert (window.width(), window.height()) == (1280, 720)


def test_the_rail_has_names_beside_pictures_where_text_is_large(make_window, qtbot):
    window = make_window()
    window.resize(1280, 720)
    rail, style = window.pages.rail, Qt.ToolButtonStyle
    assert "device" not in rail.buttons

    def whole():
        sight = rail.viewport().rect()
        return all(sight.contains(button.geometry()) for button in rail.buttons.values())

    for scale, wanted in ((200, style.ToolButtonTextBesideIcon), (100, style.ToolButtonTextUnderIcon)):
        window.theme.use(scale=scale)
        qtbot.waitUntil(lambda wanted=wanted: {b.toolButtonStyle() for b in rail.buttons.values()} == {wanted})
        qtbot.waitUntil(whole)
