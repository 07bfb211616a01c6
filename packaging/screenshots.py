"""Drives the real window through a real search and writes a picture of every page.

    python packaging/screenshots.py OUT_FOLDER [--query FILE] [--database FILE] [--themes light,dark]
        [--scales 100,200] [--text 100] [--size 1280x860]
    python packaging/screenshots.py --documentation        # writes those of docs/images

Without files the sample is searched. Each theme and scale runs in a process of its own, because Qt reads
``QT_SCALE_FACTOR`` once. Set ``QT_QPA_PLATFORM=xcb`` under Xvfb for pictures as a desktop draws them; the
default is Qt's offscreen platform.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PATIENCE = 300  # seconds until something must have happened
DIALOGS = (
    "input-report",
    "messages",
    "palette",
    "help",
    "build-database",
    "about",
)  # ids of their commands
# Pictures of the documentation: name of the step, name of the file.
DOCUMENTED = {
    "search": "first-search",
    "running": "first-running",
    "results": "results",
    "family": "family",
    "rounds": "rounds",
    "device": "device",
    "pair-result": "pair",
}


def main() -> int:
    """Take the pictures; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder for the pictures")
    parser.add_argument("--documentation", action="store_true", help="write the pictures of docs/images")
    parser.add_argument("--query", type=Path, help="query file (default: the sample)")
    parser.add_argument("--database", type=Path, help="database or sequence file (default: the sample)")
    parser.add_argument("--themes", default="light,dark")
    parser.add_argument("--scales", default="100,200", help="percent, QT_SCALE_FACTOR")
    parser.add_argument("--text", type=int, default=100, help="text size in percent")
    parser.add_argument("--size", default="1280x860", help="logical size of the window")
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.documentation:
        return document()
    if options.out is None:
        parser.error("a folder for the pictures is needed")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.one:
        return take(options)
    for scale in options.scales.split(","):
        for theme in options.themes.split(","):
            environment = dict(os.environ, QT_SCALE_FACTOR=str(int(scale) / 100))
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
            with tempfile.TemporaryDirectory() as folder:
                for name in ("CONFIG", "CACHE", "DATA"):
                    environment[f"SWGUI_{name}_DIR"] = str(Path(folder) / name.lower())
                command = [sys.executable, __file__, *sys.argv[1:], "--themes", theme, "--one", f"{theme}-{scale}"]
                ended = subprocess.run(command, env=environment, check=False)
            if ended.returncode:
                return ended.returncode
    return 0


def document() -> int:
    """Take the pictures of the documentation, of the sample in a light window."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, folder, "--themes", "light", "--scales", "100"]
        if status := subprocess.run(command, check=False).returncode:
            return status
        for step, name in DOCUMENTED.items():
            (picture,) = Path(folder).glob(f"light-100-*-{step}.png")
            shutil.copy(picture, REPOSITORY / "docs" / "images" / f"{name}.png")
    return 0


def take(options: argparse.Namespace) -> int:
    """Take the pictures of one theme and scale in this process."""
    sys.path.insert(0, str(REPOSITORY))
    from PySide6.QtWidgets import QApplication, QWidget

    from swgui import app as program
    from swgui import settings
    from swgui.gui.viewer.family import FamilyView

    stored = settings.load()
    stored.display.theme, stored.display.text_scale = options.themes, options.text
    settings.save(stored)
    app = program._application()
    window = program.make_window(app)
    window.resize(*(int(number) for number in options.size.split("x")))
    window.show()
    step = 0

    def shoot(name: str, widget: QWidget | None = None) -> None:
        nonlocal step
        step += 1
        pause(0.15)
        (widget or window).grab().save(str(options.out / f"{options.one}-{step:02d}-{name}.png"))

    def pause(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            app.processEvents()
            time.sleep(0.005)

    def wait(until: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not until():
            if time.monotonic() > end:
                raise SystemExit(f"gave up waiting for {what}: {window.search_page.problem}")
            pause(0.02)

    shoot("empty")
    window.begin(options.query)
    if options.database:
        window.opening.use_database_file(options.database)
        pause(0.3)
        shoot("opening-database")
    wait(lambda: window.search_page.ready, "the query and the database")
    shoot("search")
    window.run_search()
    window.toggle_activity()
    wait(lambda: window.controller.phase == "idle" or len(window.controller.state.wall) > 25, "the run")
    shoot("running")
    wait(lambda: window.controller.phase == "idle", "the result")
    window.toggle_activity()
    pause(0.5)
    shoot("results")
    results = window.results_page
    for rounds in (2, 3):
        dialog = results.again.ask()
        shoot("distant-relatives", dialog)
        dialog.start.click()
        wait(lambda: len((results.result and results.result.queries[0].rounds) or ()) >= rounds, f"round {rounds}")  # noqa: B023
    results.alignment.set_mode("family")
    wait(lambda: results.alignment.view(FamilyView).logo.logo is not None, "the logo")
    results.alignment.whole_button.setChecked(True)
    shoot("family")
    results.alignment.whole_button.setChecked(False)
    pause(0.3)
    results.columns.setSizes([100, 200, 340])
    shoot("rounds")
    window.show_page("search")
    window.toggle_activity()
    shoot("search-after-run")
    window.toggle_activity()
    window.search_page.query.set_text(">peptide of nine\nMKV5LWAU LL\n>peptide of nine\nACDEFGHIK\n>empty\n")
    wait(lambda: not window.search_page.query.busy, "the short query")
    shoot("short-query")
    window.search_page.query.set_text(">dna\nACGTACGTTAGCATCGATCAGCATCAGCATACGACTCGACTACGCAGCATCAGCATCAGCAT\n")
    wait(lambda: not window.search_page.query.busy, "the DNA query")
    shoot("kinds-differ")
    window.search_page.query.set_text("not 1 sequence {}")
    wait(lambda: not window.search_page.query.busy, "the bad query")
    shoot("bad-query")
    window.show_page("device")
    shoot("device")
    window.run_self_check()
    wait(lambda: not window.device_page.checking, "the self-check")
    shoot("self-check")
    window.show_page("search")
    window.notifications.post("warning", "The database used last is not where it was.", "/data/old.swdb")
    window.notifications.error(ValueError("an example of a fault"))
    shoot("messages")
    for name in DIALOGS:
        window.actions_table[name].trigger()
        pause(0.3)
        dialog = app.activeModalWidget() or app.activePopupWidget() or QApplication.activeWindow()
        if dialog is not None and dialog is not window:
            shoot(name, dialog)
            dialog.close()
    for page in ("rules", "pair", "databases"):
        window.show_page(page)
        pause(0.5)
        shoot(page)
    pair = window.pair_page
    window.show_page("pair")
    pair.setup.load_sample()
    wait(lambda: pair.ready, "the pair")
    shoot("pair-ready")
    pair.align()
    wait(lambda: pair.result is not None and pair.control.phase == "idle", "the alignment of the pair")
    pair.result_view.map.show_whole()
    pause(1.0)
    shoot("pair-result")
    pair.next_difference()
    pair.result_view.map_panel.show_residues()
    shoot("pair-letters")
    window.show_page("runs")
    wait(lambda: len(window.runs_page.model.rows) > 1, "the list of runs")
    shoot("runs")
    window.close()
    pause(0.1)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
