"""Downloading public sets of sequences: shows the size first, resumes after a stop, verifies the checksum."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QPushButton, QWidget

from swgui import paths
from swgui.core.errors import Stopped
from swgui.core.words import duration
from swgui.gui.inputs.opened import SEQUENCE_FILES
from swgui.gui.kit import motion
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import Does, described, line_edit, progress_bar, push_button, text_label
from swgui.gui.words import wording
from swgui.gui.words.formatting import file_size
from swgui.io.database.download import DownloadError, PublicSet, RemoteFile, download, look_up
from swgui.io.database.organism_sets import LISTED, OrganismSet, organism_sets
from swgui.io.database.public_sets import public_sets
from swgui.io.database.web import file_name

Tell = Callable[[int, int, str], None]
USUAL_SPEED = 50e6  # bits a second, for an estimate before the speed is known
SETTLED = 2.0  # seconds before a speed can be estimated
INTRO = "The program contacts no server before you press a button, and never sends your data."
LOOK_UP = "download-look-up"
ELSEWHERE = "Or load {url} with a browser or on another computer, and press “Take a file…”."
ORGANISM_TIP = (
    "Words of its name, as Bacillus subtilis; its number at NCBI, as 224308; or its code at UniProt, as BACSU"
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A public set, the server's answer about it, and the files already on this computer."""

    wanted: PublicSet
    remote: RemoteFile
    loaded: int  # bytes of an earlier, unfinished download
    free: int  # bytes free in the folder

    @property
    def day(self) -> str:
        """Day of the file at its server; empty if the server does not send it."""
        try:
            return parsedate_to_datetime(self.remote.modified).strftime("%Y-%m-%d")
        except ValueError:
            return ""

    @property
    def name(self) -> str:
        """Name for a database made from it."""
        return f"{self.wanted.title} {self.day}".rstrip()

    @property
    def fits(self) -> bool:
        return self.remote.size - self.loaded < self.free

    def describe(self) -> str:
        size = file_size(self.remote.size) if self.remote.size else "The server does not report its size"
        day = f", of {self.day}" if self.day else ""
        proof = "with a checksum to verify it" if self.remote.md5 else "without a checksum: only its size is verified"
        text = f"{size}{day}, {proof}. {file_size(self.free)} are free in the folder."
        rest = max(0, self.remote.size - self.loaded)
        if self.loaded:
            text += f" {file_size(self.loaded)} of it are here already: the download resumes there."
        if not self.fits:
            return f"{text} That is not enough."
        return f"{text} Estimate: {duration(rest * 8 / USUAL_SPEED)} at 50 Mbit/s." if rest else text


def default_folder() -> Path:
    return paths.data_dir() / "downloads"


def host(wanted: PublicSet) -> str:
    return urlsplit(wanted.url).hostname or wanted.url


def file_of(wanted: PublicSet, folder: Path) -> Path:
    return folder / file_name(wanted.url)


def unfinished(wanted: PublicSet, folder: Path) -> int:
    """Return the bytes of an unfinished download, 0 if there is none."""
    target = file_of(wanted, folder)
    try:
        return target.with_name(f"{target.name}.part").stat().st_size
    except OSError:
        return 0


def ask(wanted: PublicSet, folder: Path) -> Offer:
    """Ask the server about a set.

    Raises
    ------
    DownloadError
        If it cannot be reached or does not have the file.
    """
    remote = look_up(wanted)
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    return Offer(wanted, remote, unfinished(wanted, folder), shutil.disk_usage(existing).free)


def load(offer: Offer, folder: Path, tell: Tell, cancel: threading.Event) -> Path:
    """Load a set into a folder.

    Raises
    ------
    DownloadError, Stopped
    """
    paths.make_folder(folder)
    begun, start = time.monotonic(), -1

    def progress(done: int, total: int) -> None:
        nonlocal start
        start = done if start < 0 else start
        passed = time.monotonic() - begun
        speed = (done - start) / passed if passed > SETTLED else 0.0
        text = f"{file_size(done)} of {file_size(total)}" if total else file_size(done)
        if total and done >= total:
            text = f"{text}, verifying" if offer.remote.md5 else text
        elif speed:
            text += f" · {file_size(speed)}/s"
            text += f" · about {duration((total - done) / speed)} left" if total else ""
        tell(done, total, text)

    target = file_of(offer.wanted, folder)
    return download(offer.remote.url, target, md5=offer.remote.md5, progress=progress, cancel=cancel)


def _item(wanted: PublicSet) -> QListWidgetItem:
    item = QListWidgetItem(wanted.title)
    item.setToolTip(wanted.title)
    return item


class DownloadDialog(Dialog):
    """Offers public sets; stays open next to the window while it loads.

    Closing it stops the download; the loaded part is kept for the next time.
    """

    build_wanted = Signal(object, str)  # a database should be built of a loaded file; its path and a name

    def __init__(
        self,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        sets: Mapping[str, PublicSet] | None = None,
        folder: Path | None = None,
    ) -> None:
        super().__init__("downloadDialog", "Download a public set", parent, size=(84, 46))
        self._tasks = tasks
        self._sets = list((public_sets() if sets is None else sets).values())
        self._folder = folder or default_folder()
        self._offers: dict[str, Offer] = {}
        self._loaded: dict[str, Path] = {}
        self._closing = False
        self.work = Task(self)
        self.work.changed.connect(self._show)
        self.work.progressed.connect(self._show_progress)
        self._build()
        self.list.setCurrentRow(0)

    def choose(self, key: str) -> None:
        """Choose a set by its key, unless another is being loaded."""
        row = next((row for row, public in enumerate(self._sets) if public.key == key), -1)
        if row >= 0 and not self.work.busy:
            self.list.setCurrentRow(row)
            (self.organism if self.chosen.organisms else self.ask_button).setFocus()

    @property
    def chosen(self) -> PublicSet:
        return self._sets[max(0, self.list.currentRow())]

    def look_up(self) -> None:
        """Ask for the size of the chosen set, or for the sets of the organism that is typed."""
        wanted, organism = self.chosen, self.organism.text()
        if wanted.organisms and not organism.strip():
            self._say("Name the organism first.", "warning")
            self.organism.setFocus()
            return
        self._say(f"Asking {host(wanted)}…")
        if wanted.organisms:
            find = partial(organism_sets, wanted, organism)
            self._tasks.start(LOOK_UP, find, partial(self._found, wanted, organism), self._refused)
        else:
            self._tasks.submit(LOOK_UP, partial(ask, wanted, self._folder), self._offered, self._refused)
        self._show_buttons()

    def load(self) -> None:
        offer = self._offers.get(self.chosen.key)
        if offer is not None:
            self.work.start(
                lambda control: load(offer, self._folder, control.tell, control),
                lambda path: self._done(offer, path),
                self._refused,
                title=f"Loading {offer.wanted.title}",
            )

    def shutdown(self) -> None:
        self._tasks.drop(LOOK_UP)
        self.work.shutdown()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._tasks.drop(LOOK_UP)
        if self.work.busy:
            self._closing = True
            self.work.stop()
            self.hide()
            event.ignore()
        else:
            event.accept()  # the base class would call `reject`, which calls this

    def reject(self) -> None:
        self.close()

    def _build(self) -> None:
        self.list = described(QListWidget(), "publicSets", accessible="Public sets of sequences")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # tips show long titles whole
        self.list.ensurePolished()  # or rows have the height they have without the style sheet
        for wanted in self._sets:
            self.list.addItem(_item(wanted))
        self.list.currentRowChanged.connect(self._show_set)
        self._title = text_label(level="heading", wrap=True, plain=True)
        self._about = text_label(wrap=True, plain=True)
        self._terms = text_label(level="small", wrap=True, plain=True)
        self.organism = line_edit(
            "downloadOrganism", ORGANISM_TIP, hint="Organism: name, number or code", entered=self.look_up,
            accessible="Organism",
        )  # fmt: skip
        self._status = text_label(name="downloadStatus", wrap=True, plain=True)
        self._bar = progress_bar("", "Progress of the download")
        about = in_column(self._title, self._about, self._terms, self.organism, self._status, self._bar, 1)
        self._where = ElidedLabel()
        self._where.set_text(f"Kept in {self._folder}")
        set_role(self._where, level="small")
        self.change = push_button(
            "downloadFolder", "Change…", "Keep downloads in another folder", self._change_folder, role="quiet",
            default=False,
        )  # fmt: skip
        in_column(
            text_label(INTRO, level="muted", wrap=True),
            (in_row((self.list, 1), (about, 2), spacing=2), 1),
            in_row((self._where, 1), self.change),
            in_row(1, *self._build_buttons()),
            margins=2,
            spacing=1.5,
            parent=self,
        )

    def _build_buttons(self) -> tuple[QPushButton, ...]:
        def button(name: str, text: str, does: Does, tip: str = "", icon: str = "") -> QPushButton:
            return push_button(name, text, tip, does, icon=icon, default=False)

        self.ask_button = button("downloadAsk", "Look up the size", self.look_up)
        self.load_button = button("downloadLoad", "Download", self.load)
        self.stop_button = button("downloadStop", "Stop", self.work.stop, "The loaded part is kept", "stop")
        self.build_button = button("downloadBuild", "Build a database…", self._ask_build, "Of the loaded file")
        take = "Build a database of a file that was loaded by hand"
        self.take_button = button("downloadTake", "Take a file…", self._take_file, take)
        stays = "Stops a running download; the loaded part stays"
        close = button("downloadClose", "Close", self.close, stays)
        return self.take_button, self.ask_button, self.load_button, self.stop_button, self.build_button, close

    def _show_set(self) -> None:
        wanted = self.chosen
        self._tasks.drop(LOOK_UP)
        self._title.setText(wanted.title)
        self._about.setText(wanted.about)
        self._terms.setText(f"From {host(wanted)}. {wanted.terms}.")
        self._show()

    def _show(self) -> None:
        if self._closing and not self.work.busy:
            self._closing = False
            self.close()
            return
        wanted = self.chosen
        offer, file = self._offers.get(wanted.key), self._here
        part = 0 if wanted.organisms else unfinished(wanted, self._folder)
        if self.work.busy:
            self._say("Stopping…" if self.work.stopping else f"{self.work.title}…")
        elif file is not None and wanted.key in self._loaded:
            self._say(f"{file.name} is here, whole{' and verified' if offer and offer.remote.md5 else ''}.", "success")
        elif offer is not None:
            self._say(offer.describe(), "" if offer.fits else "danger")
        elif file is not None:
            self._say(f"{file.name} was loaded before ({file_size(file.stat().st_size)}).")
        elif wanted.organisms:
            self._say("")
        elif part:
            self._say(f"{file_size(part)} of it are here from an earlier download, which can be resumed.")
        else:
            self._say("Its exact size has not been looked up yet.")
        motion.show_share(self._bar, -1)
        self._show_buttons()

    def _show_buttons(self) -> None:
        busy, asking = self.work.busy, self._tasks.pending(LOOK_UP)
        offer, file = self._offers.get(self.chosen.key), self._here
        done = self.chosen.key in self._loaded
        for widget, shown in (
            (self._bar, busy),
            (self.stop_button, busy),
            (self.ask_button, not busy and offer is None),
            (self.load_button, not busy and offer is not None and not done),
            (self.build_button, not busy and file is not None),
            (self.take_button, not busy),
            (self.organism, bool(self.chosen.organisms)),
        ):
            widget.setVisible(shown)
        self.ask_button.setText("Find the organism" if self.chosen.organisms else "Look up the size")
        self.ask_button.setEnabled(not asking)
        self.stop_button.setEnabled(not self.work.stopping)
        self.list.setEnabled(not busy)
        self.change.setEnabled(not busy and not asking)
        if offer is not None:
            rest = max(0, offer.remote.size - offer.loaded)
            self.load_button.setText(f"Download {file_size(rest)}" if rest else "Download")
        first = self.build_button if done else self.load_button if offer is not None else self.ask_button
        for button in (self.ask_button, self.load_button, self.build_button):
            set_role(button, role="primary" if button is first else "")

    @property
    def _here(self) -> Path | None:
        path = file_of(self.chosen, self._folder)
        return path if not self.chosen.organisms and path.is_file() else None

    def _show_progress(self, share: int, text: str) -> None:
        motion.show_share(self._bar, share)
        if not self.work.stopping:
            self._say(f"{self.work.title}: {text}.")

    def _offered(self, offer: Offer) -> None:
        self._offers[offer.wanted.key] = offer
        self._loaded.pop(offer.wanted.key, None)
        self._show()

    def _found(self, family: PublicSet, organism: str, found: Sequence[OrganismSet]) -> None:
        """Put the sets of an organism below their family in the list, in place of those found before."""
        place = self._sets.index(family) + 1
        while place < len(self._sets) and self._sets[place].key.startswith(f"{family.key}:"):
            del self._sets[place]
            self.list.takeItem(place)
        for row, one in enumerate(found[:LISTED], place):
            self._sets.insert(row, one.public)
            self.list.insertItem(row, _item(one.public))
        self._show()
        if len(found) == 1:
            self.list.setCurrentRow(place)
            self.look_up()
        elif len(found) > LISTED:
            first = f"The first {LISTED} of {len(found):,} organisms with “{organism}” in their names"
            self._say(f"{first} are in the list: choose one, or write more of the name.")
        else:
            self._say(f"{len(found)} organisms have “{organism}” in their names: choose one in the list.")

    def _done(self, offer: Offer, path: Path) -> None:
        self._loaded[offer.wanted.key] = path
        self._show()

    def _refused(self, error: Exception) -> None:
        wanted = self.chosen
        if (offer := self._offers.pop(wanted.key, None)) is not None:
            part = unfinished(wanted, self._folder)
            self._offers[wanted.key] = Offer(offer.wanted, offer.remote, part, offer.free + offer.loaded - part)
        self._show()
        text = wording.explain(error)
        if isinstance(error, DownloadError) and not error.status:
            text = f"{text} {ELSEWHERE.format(url=wanted.url)}"
        self._say(text, "warning" if isinstance(error, Stopped) else "danger")

    def _ask_build(self) -> None:
        file, offer = self._here, self._offers.get(self.chosen.key)
        if file is not None:
            self.build_wanted.emit(file, offer.name if offer is not None else self.chosen.title)
            self.close()

    def _take_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "A file that was loaded by hand", str(Path.home()), SEQUENCE_FILES)
        if name:
            self.build_wanted.emit(Path(name), "" if self.chosen.organisms else self.chosen.title)
            self.close()

    def _change_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of downloads", str(self._folder))
        if name:
            self._folder = Path(name)
            self._offers.clear()
            self._loaded.clear()
            self._where.set_text(f"Kept in {self._folder}")
            self._show()

    def _say(self, text: str, tone: str = "") -> None:
        self._status.setText(text)
        set_role(self._status, tone=tone)
