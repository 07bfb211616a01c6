"""Offscreen Qt, folders of its own for every test, and a check that nothing is left behind."""

from __future__ import annotations

import gc
import os
import threading

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first import of Qt: without a display it aborts

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from swgui.gui.kit import garbage, motion, saving
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks import task
from swgui.io.export.columns import HIT_COLUMNS


def pytest_collection_modifyitems(items):
    """Mark everything in this folder as a test with widgets."""
    for item in items:
        if "tests/gui/" in item.path.as_posix():
            item.add_marker(pytest.mark.gui)


@pytest.fixture(scope="module", autouse=True)
def collector(qapp):
    """Destroy no widget in another thread, as in the program: Qt may crash much later."""
    gc.disable()
    collector = garbage.Collector()
    yield collector
    collector.stop()
    gc.collect()  # or the next thread that allocates takes apart what is left
    gc.freeze()  # what tests of the program have thawed (tests/conftest.py)
    gc.enable()


def _settle():
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()


def _left_over(before):
    return [w for w in QApplication.topLevelWidgets() if id(w) not in before and _is_window(w)]


@pytest.fixture(autouse=True)
def own_columns():
    """Forget the column of loci, which a window with features brings for the life of the program."""
    yield
    HIT_COLUMNS.pop("locus", None)


@pytest.fixture(autouse=True)
def no_leaks(qapp, collector, user_folders):
    """Fail a test that leaves a top-level widget, a running thread or a setting of the application behind."""
    before = set(map(id, QApplication.topLevelWidgets()))
    others = set(threading.enumerate())
    yield
    motion.reduce(False)
    ended = task.join(60_000)
    _settle()
    for _ in range(3):
        if not _left_over(before):
            break
        gc.collect()  # objects held only by a cycle of Python objects are no leak
        _settle()
    widgets = _left_over(before)
    described = [f"{type(w).__name__} {w.objectName()!r}" for w in widgets]
    for widget in widgets:
        widget.close()
        widget.deleteLater()
    assert not described, f"top-level widgets left behind: {described}"
    assert ended, "work in the background did not stop"
    ours = [t for t in threading.enumerate() if t not in others and t.name.startswith("swgui") and not t.daemon]
    ours = [t for t in ours if not t.name.startswith("swgui-native")]  # the pool is kept for the next alignments
    collector.check()  # few tests run an event loop for long enough
    assert not ours, f"Python threads left running: {[thread.name for thread in ours]}"


def _is_window(widget: QWidget) -> bool:
    # Qt makes containers for pop-ups by itself and keeps them; pyqtgraph leaves the menu of a plot to Python.
    if isinstance(widget, QMenu) and widget.title() == "Plot Options":
        return False
    return widget.parent() is None and type(widget).__name__ not in {"QComboBoxPrivateContainer", "QTipLabel"}


@pytest.fixture(autouse=True)
def style_sheet(request, monkeypatch):
    """Leave the style sheet out, which takes half of the time of a window, unless a test is `styled`."""
    if not request.config.getoption("--styled") and not request.node.get_closest_marker("styled"):
        monkeypatch.setattr("swgui.gui.kit.theme.stylesheet", lambda *_: "")


@pytest.fixture
def theme(qapp, style_sheet):
    """The look of the program, taken away again afterwards."""
    from swgui.gui.kit.theme import Theme

    font, colours = qapp.font(), qapp.palette()
    theme = Theme(qapp)
    theme.use("light", 100)
    yield theme
    theme.detach()
    qapp.setStyleSheet("")
    qapp.setFont(font)
    qapp.setPalette(colours)


@pytest.fixture
def tasks(qapp):
    """Short tasks of a page, which end with the test."""
    from swgui.gui.kit.tasks.pool import Tasks

    tasks = Tasks()
    yield tasks
    tasks.shutdown()


@pytest.fixture
def shown(qtbot):
    """Return a function that shows a page at a given size and returns it; each is shut down afterwards."""
    made = []

    def show(page, *size):
        made.append(page)
        qtbot.addWidget(page)
        if size:
            page.resize(*size)
        page.show()
        qtbot.waitExposed(page)
        return page

    yield show
    for page in made:
        page.shutdown()


@pytest.fixture(autouse=True)
def empty_clipboard(qapp):
    """Let no test find what another has copied."""
    qapp.clipboard().clear()


@pytest.fixture(autouse=True)
def no_last_folder():
    """Let save dialogs begin where the program was started."""
    saving.forget_folder()


CPU = ("cpu", "Test CPU")


@pytest.fixture
def engines(monkeypatch):
    """Let the window find a CPU and no GPU, without looking at this computer."""
    from swgui.engines.base import DeviceInfo, EngineStatus

    found = (
        EngineStatus("cuda", False, reason="No CUDA GPU was found.", hint="Install a driver."),
        EngineStatus("cpu", True, (DeviceInfo(*CPU),)),
        EngineStatus("reference", True, (DeviceInfo("cpu", "NumPy"),)),
    )
    monkeypatch.setattr("swgui.gui.inputs.engine.probe_engines", lambda refresh=False: found)
    return found


@pytest.fixture
def make_window(qtbot, theme, engines):
    """Return a function that makes and shows the window, `whole` with all its pages; each is closed afterwards."""
    from swgui.gui.window.main_window import MainWindow
    from swgui.settings import Settings

    made = []

    def make(settings=None, *, whole=False, **options):
        settings = settings or Settings()
        if "search" not in options:
            settings.search.engine = "reference"
        theme.prepare()
        window = MainWindow(settings, theme, **options)
        made.append(window)
        if whole:
            for name in window.pages.names:
                window.pages.ensure(name)
            assert window.run_panel
        theme.use()
        window.show()
        qtbot.waitExposed(window)
        return window

    yield make
    for window in made:
        window.close()
    task.join(60_000)
    for window in made:
        window.deleteLater()
    made.clear()
    _settle()
    # PySide takes new objects for layout items of a dead window that lay at their address, until those are collected.
    gc.collect()


@pytest.fixture
def database_file(tmp_path):
    """A small protein database as FASTA, with a name that needs care."""
    folder = tmp_path / "my data"
    folder.mkdir()
    path = folder / "Größe 1.fasta"
    path.write_text(
        ">one first of three\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n"
        ">two\nGGGGGGGGGG\n"
        ">three near the first\nMKVLWAALLVTFLAGCQAKVEQWWWEPEPELRQQTEW\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Return a function that makes an opened query the answer of every save dialog; it must stay as it is."""
    made = []

    def make(name):
        path = tmp_path / name
        path.write_text("kept")
        note_input(path, "query")
        monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
        made.append(path)
        return f"'{path}' is the file of the query; the result would replace it. Choose another name or folder."

    yield make
    assert [path.read_text() for path in made] == ["kept"] * len(made)
