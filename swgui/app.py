"""Starts the window."""

from __future__ import annotations

import argparse
import faulthandler
import functools
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from swgui import paths, settings
from swgui.core.signals import handling

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from swgui.gui.window.main_window import MainWindow
    from swgui.gui.window.messages.notifications import Notifications

INTERRUPT_MS = 200
STOP_MS = 2_500  # that work may take to stop once the window is closed
log = logging.getLogger("swgui.app")


def run(argv: Sequence[str] = (), *, exec_app: bool = True) -> int:
    """Open the window and stay until it is closed.

    Parameters
    ----------
    argv : sequence of str
        Files: the first is read as the query. ``--sample`` runs the sample search at once; ``--snapshot FILE``
        saves a picture of the window with its result there and ends (status 1 if that fails).
    exec_app : bool
        False returns as soon as the window is up and everything it began has been put to an end; for tests.

    Returns
    -------
    int
        Exit status.

    Notes
    -----
    ``SWGUI_QUIT_AFTER`` in the environment closes the window after so many seconds.
    """
    from PySide6.QtCore import QTimer

    from swgui.gui.kit import garbage
    from swgui.gui.window.sample_run import SampleRun

    options = _arguments(argv)
    app = application()
    with crash_log() as last_crash, garbage.collected_here():
        window = make_window(app)
        sample = SampleRun(window, options.snapshot) if options.sample or options.snapshot else None
        with hooks(window.notifications), _interruptible(window):
            window.show()
            if last_crash:
                window.notifications.post(
                    "warning",
                    "The program ended without warning last time.",
                    "Please report it: Details has what is known.",
                    last_crash,
                )
            # Everything that takes time begins once the window is on the screen.
            begin = (
                sample.begin if sample else functools.partial(window.begin, options.files[0] if options.files else None)
            )
            QTimer.singleShot(0, begin)
            QTimer.singleShot(0, garbage.keep_what_is)
            if seconds := quit_after():
                QTimer.singleShot(round(seconds * 1000), window.close)
            status = app.exec() if exec_app else 0
            status = sample.status if sample and sample.status else int(status)
            if not dispose(app, window):
                _end_at_once(status)
    return status


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="swgui", description="Open the window.")
    parser.add_argument("files", nargs="*", type=Path, help="the first is read as the query")
    parser.add_argument("--sample", action="store_true", help="run the sample search at once")
    parser.add_argument("--snapshot", type=Path, metavar="FILE", help="save a picture of its result and end")
    return parser.parse_args(list(argv))


def make_window(app: QApplication) -> MainWindow:
    """Make the window with the user's settings; it is not shown yet."""
    from swgui.gui.kit import motion
    from swgui.gui.kit.theme import Theme
    from swgui.gui.window.main_window import MainWindow

    stored = settings.load()
    if (path := paths.site_defaults()) is not None and not settings.default_path().exists():
        from swgui.commands.site_presets import take_site_defaults  # here: few sites have defaults

        take_site_defaults(stored, path)
    motion.reduce(stored.display.reduced_motion)
    theme = Theme(app)
    theme.prepare(stored.display.theme, stored.display.text_scale)
    window = MainWindow(stored, theme)
    theme.use()
    return window


def application() -> QApplication:
    """Return the application of Qt, made with the names and the look of the program."""
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    from swgui.gui.kit.theme import app_icon

    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    existing = QApplication.instance()
    with _explained():
        app = existing if isinstance(existing, QApplication) else QApplication(["swgui"])
    QCoreApplication.setApplicationName("swgui")
    QCoreApplication.setOrganizationName("swgui")
    QGuiApplication.setDesktopFileName("swgui")
    app.setWindowIcon(app_icon())
    return app


@contextmanager
def _explained() -> Iterator[None]:
    """End with a sentence where Qt finds no screen, or lacks a library for it: it would abort the process."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    said: list[str] = []

    def listen(kind: QtMsgType, _context: object, text: str) -> None:
        if kind != QtMsgType.QtFatalMsg:
            said.append(" ".join(text.split()).rstrip("."))
            return
        print(f"swgui: {no_window('; '.join(said) or ' '.join(text.split()).rstrip('.'))}", file=sys.stderr, flush=True)
        os._exit(1)  # on return Qt aborts

    before = qInstallMessageHandler(listen)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
        for text in said:
            print(text, file=sys.stderr)


def no_window(reason: str) -> str:
    """Return why no window opens, in a sentence: the libraries that are missing, with the command that installs them.

    Parameters
    ----------
    reason : str
        Words of Qt, for the case that all libraries are there.
    """
    from swgui.jobs.doctor import missing_libraries

    on_screen = os.environ.get("QT_QPA_PLATFORM", "xcb").startswith("xcb")
    for finding in missing_libraries(display=on_screen) if sys.platform == "linux" else ():
        return f"No window can be opened here. {finding.message} {finding.hint}"
    return (
        f"No window can be opened here ({reason}). "
        "Start it where there is a screen, or search in the terminal: swgui search --help"
    )


def dispose(app: QApplication, window: MainWindow) -> bool:
    """Close the window, wait for work that is stopping, and destroy it while Qt and Python are both still whole.

    Returns
    -------
    bool
        False if some work does not stop; then nothing can be destroyed.
    """
    from PySide6.QtCore import QCoreApplication, QEvent

    from swgui.gui.kit.tasks import task

    app.processEvents()
    window.close()
    if not task.join(STOP_MS):
        return False
    window.theme.detach()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    app.processEvents()
    return True


def _end_at_once(status: int) -> None:
    """End the process while work does not stop: files are written completely or not at all, runs are kept."""
    log.warning("Some work did not stop in time; the program ends without it.")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def quit_after() -> float:
    """Seconds until the program ends by itself (``SWGUI_QUIT_AFTER``); 0 for never."""
    text = os.environ.get("SWGUI_QUIT_AFTER", "")
    try:
        return max(0.0, float(text)) if text else 0.0
    except ValueError:
        log.warning("SWGUI_QUIT_AFTER is %r, which is no number of seconds; it has no effect.", text)
        return 0.0


@contextmanager
def crash_log() -> Iterator[str]:
    """Let a crash of the process leave its stacks in a file, if one can be written; gives those of the last crash."""
    file: TextIO | None = None
    path = paths.cache_dir() / "crash.log"
    last = ""
    enabled = faulthandler.is_enabled()
    try:
        paths.make_folder(path.parent)
        last = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as the window
        faulthandler.enable(file)
    except OSError as error:
        log.warning("No crash log: %s", error)
    try:
        yield last
    finally:
        if file is not None:
            faulthandler.disable()
            file.close()
        if enabled:
            faulthandler.enable()


@contextmanager
def _interruptible(window: MainWindow) -> Iterator[None]:
    """Let Ctrl+C in the terminal, and other requests to end, close the window, with everything that closing does."""
    from PySide6.QtCore import QTimer

    awake = QTimer()  # Python sees a signal only when it runs, which Qt's loop does not make it do
    awake.timeout.connect(lambda: None)
    awake.start(INTERRUPT_MS)
    try:
        with handling(lambda *_: window.close()):
            yield
    finally:
        awake.stop()


@contextmanager
def hooks(notifications: Notifications) -> Iterator[None]:
    """Bring uncaught errors, of any thread and of Qt, to the messages and the log."""
    from PySide6.QtCore import QObject, Qt, QtMsgType, Signal, qInstallMessageHandler

    class Bridge(QObject):
        caught = Signal(object)

    bridge = Bridge()
    bridge.caught.connect(notifications.error, Qt.ConnectionType.QueuedConnection)
    levels = {QtMsgType.QtWarningMsg: logging.WARNING, QtMsgType.QtCriticalMsg: logging.ERROR}
    qt_log = logging.getLogger("swgui.qt")

    def in_python(kind: type[BaseException], error: BaseException, trace: object) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, error.__traceback__)
            return
        log.error("Nobody caught this", exc_info=error)
        bridge.caught.emit(error)

    def in_thread(arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            in_python(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def in_qt(kind: QtMsgType, _context: object, text: str) -> None:
        qt_log.log(levels.get(kind, logging.INFO), "%s", text)

    before = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = in_python, in_thread
    qt_before = qInstallMessageHandler(in_qt)
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = before
        qInstallMessageHandler(qt_before)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
