"""Public sets of sequences: what is known of each here and at its server, in words. No Qt."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from swgui import paths
from swgui.core.words import duration
from swgui.gui.words.formatting import file_size
from swgui.io.database.download import PublicSet, RemoteFile, download, look_up
from swgui.io.database.web import file_name

Tell = Callable[[int, int, str], None]
SETTLED = 2.0  # seconds until a speed means something


@dataclass(frozen=True, slots=True)
class Offer:
    """A set, what its server said, and what is here already.

    Parameters
    ----------
    wanted : PublicSet
    remote : RemoteFile
    loaded : int
        Bytes of an earlier, unfinished download.
    free : int
        Bytes free in the folder.
    """

    wanted: PublicSet
    remote: RemoteFile
    loaded: int
    free: int

    @property
    def day(self) -> str:
        """Day of the file at its server; empty if it does not tell."""
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
        """Whether there is room for the rest of it."""
        return self.remote.size - self.loaded < self.free

    def describe(self) -> str:
        """Say how large it is, of what day, and how it will be verified."""
        size = file_size(self.remote.size) if self.remote.size else "The server does not say how large it is"
        day = f", of {self.day}" if self.day else ""
        proof = "with a checksum to verify it" if self.remote.md5 else "without a checksum: only its size is verified"
        text = f"{size}{day}, {proof}. {file_size(self.free)} are free in the folder."
        if self.loaded:
            text += f" {file_size(self.loaded)} of it are here already: the download resumes there."
        return text if self.fits else f"{text} That is not enough."


def default_folder() -> Path:
    """Return where downloads are kept."""
    return paths.data_dir() / "downloads"


def host(wanted: PublicSet) -> str:
    """Return the name of the server of a set."""
    return urlsplit(wanted.url).hostname or wanted.url


def file_of(wanted: PublicSet, folder: Path) -> Path:
    """Return where the file of a set belongs."""
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
