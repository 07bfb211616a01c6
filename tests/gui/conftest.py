"""Offscreen Qt, folders of its own for every test, and a check that nothing is left behind."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first import of Qt: without a display it aborts

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QThread
from PySide6.QtWidgets import QApplication, QWidget


def pytest_collection_modifyitems(items):
    """Mark everything in this folder as a test with widgets."""
    for item in items:
        if "tests/gui/" in item.path.as_posix():
            item.add_marker(pytest.mark.gui)


@pytest.fixture(autouse=True)
def user_folders(tmp_path, monkeypatch):
    """Give the test its own settings, cache and data folders."""
    folders = {}
    for name in ("config", "cache", "data"):
        folders[name] = tmp_path / "user" / name
        monkeypatch.setenv(f"SWGUI_{name.upper()}_DIR", str(folders[name]))
    return folders


def _settle():
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    gc.collect()


def _running_threads():
    return [thing for thing in gc.get_objects() if type(thing) is QThread and thing.isRunning()]


@pytest.fixture(autouse=True)
def no_leaks(qapp, user_folders):
    """Fail a test that leaves a top-level widget or a running thread behind."""
    _settle()
    before = set(map(id, QApplication.topLevelWidgets()))
    yield
    _settle()
    widgets = [w for w in QApplication.topLevelWidgets() if id(w) not in before and _is_window(w)]
    threads = _running_threads()
    for thread in threads:  # so that the next test starts clean
        thread.quit()
        thread.wait(2000)
    described = [f"{type(w).__name__} {w.objectName()!r}" for w in widgets]
    for widget in widgets:
        widget.close()
        widget.deleteLater()
    assert not described, f"top-level widgets left behind: {described}"
    assert not threads, f"threads left running: {[thread.objectName() for thread in threads]}"


def _is_window(widget: QWidget) -> bool:
    # Qt makes containers for pop-ups by itself and keeps them.
    return widget.parent() is None and type(widget).__name__ not in {"QComboBoxPrivateContainer", "QTipLabel"}
