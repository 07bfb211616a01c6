"""Downloading public sequence sets: resumed where it stopped, verified, and only at the user's request.

While a file is loaded it is called ``NAME.part``; a note next to it names the complete file. Stop,
a broken connection or a crash leave both; the next call resumes there if the server still has the
same file.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from swgui.core.errors import Stopped, SwguiError
from swgui.core.plain import from_plain, plain
from swgui.io.database.public_sets import PublicSet
from swgui.io.database.web import (
    DownloadError,
    RemoteFile,
    connected,
    described,
    file_name,
    host_of,
    range_start,
    read_some,
    request_for,
    unbroken,
    whole_size,
)
from swgui.io.locking import lock
from swgui.io.replacing import replace_file
from swgui.io.whole_file import not_written

__all__ = ["DownloadError", "PublicSet", "RemoteFile", "download", "look_up"]

_BLOCK: Final = 1 << 18
_ATTEMPTS: Final = 4
_PAUSE_S: Final = 1.0  # before the second attempt; doubled for each further one
_SPARE_BYTES: Final = 50 << 20
_LARGEST_LISTING: Final = 1 << 20


def look_up(wanted: PublicSet) -> RemoteFile:
    """Ask the server for size, version and checksum of a public set, to show them before the download.

    Raises
    ------
    DownloadError
        If the server cannot be reached or does not have the file.
    """
    listing = ""
    with unbroken(wanted.url):
        with connected(request_for(wanted.url, method="HEAD")) as reply:
            remote = described(wanted.url, reply.headers, whole_size(reply.headers, 0))
        if wanted.listing_url:
            with connected(request_for(wanted.listing_url)) as reply:
                listing = read_some(reply, _LARGEST_LISTING).decode("utf-8", "replace")
    name = re.escape(file_name(wanted.url))
    entry = re.search(rf'<file name="{name}">(.*?)</file>', listing, re.DOTALL)
    md5 = re.search(r'<hash type="md5">\s*([0-9a-f]{32})\s*</hash>', entry[1]) if entry else None
    return RemoteFile(remote.url, remote.size, remote.etag, remote.modified, md5[1] if md5 else remote.md5)


def download(
    url: str,
    out: str | os.PathLike[str],
    *,
    md5: str = "",
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    """Load a file, or the rest of it, and put it at `out` once it is complete and right.

    Parameters
    ----------
    url : str
        Of type http or https.
    out : path
        Replaced only by the complete, verified file.
    md5 : str
        Hex digest the file must have; not checked if empty.
    progress : callable, optional
        Called with (bytes loaded, bytes in all or 0).
    cancel : threading.Event, optional
        Looked at for every quarter of a megabyte.

    Returns
    -------
    Path
        `out`.

    Raises
    ------
    DownloadError
        If it fails for good; broken connections are tried again first.
    Stopped
        If `cancel` was set.
    """
    target = Path(out)
    part = target.with_name(f"{target.name}.part")
    note = target.with_name(f"{target.name}.part.json")
    loader = _Loader(url, part, note, progress, cancel)
    try:
        with open(part, "ab+") as file, _locked(file, url):
            loader.load(file)
            file.flush()
            os.fsync(file.fileno())
            wrong = bool(md5) and _md5_of(file) != md5.lower()
            if wrong:
                file.truncate(0)  # or the next attempt would resume it
        if wrong:
            raise _mismatch(url, part, note)
        replace_file(part, target)
    except SwguiError:
        raise
    except OSError as fault:
        raise not_written(target, fault, lambda path, message, hint: DownloadError(url, message, hint=hint)) from fault
    with suppress(OSError):
        note.unlink()
    return target


class _Loader:
    """The attempts to load one file."""

    def __init__(
        self,
        url: str,
        part: Path,
        note: Path,
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._url = url
        self._part = part
        self._note = note
        self._progress = progress
        self._cancel = cancel

    def load(self, file: IO[bytes]) -> None:
        """Append what is missing; tries again after a broken connection as long as it gets further."""
        failures = 0
        while True:
            before = file.seek(0, os.SEEK_END)
            try:
                self._attempt(file)
                return
            except (http.client.HTTPException, ConnectionError, TimeoutError) as fault:
                failures = 1 if file.seek(0, os.SEEK_END) > before else failures + 1
                if failures >= _ATTEMPTS:
                    raise DownloadError(
                        self._url,
                        f"The connection to {host_of(self._url)} breaks off again and again.",
                        hint="Try again later; the loaded part is kept.",
                    ) from fault
                self._wait(_PAUSE_S * 2 ** (failures - 1))

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, 0.1))

    def _check(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise Stopped("The download was stopped.", hint="The loaded part is kept; start it again to resume it.")

    def _attempt(self, file: IO[bytes]) -> None:
        self._check()
        noted, have = self._noted(), file.seek(0, os.SEEK_END)
        request = request_for(self._url)
        if have and noted is not None and noted.validator:
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", noted.validator)
        with connected(request) as reply:
            partial = reply.status == http.client.PARTIAL_CONTENT
            remote = described(self._url, reply.headers, whole_size(reply.headers, have if partial else 0))
            if reply.status == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                if noted is not None and have == noted.size:
                    return  # all of it was there
                file.truncate(0)  # what is there is no part of the file; begin again
                raise http.client.HTTPException("range refused")
            if partial and (noted is None or not remote.is_the_same_as(noted) or range_start(reply.headers) != have):
                file.truncate(0)
                raise http.client.HTTPException("another file")
            if not partial:
                file.truncate(0)
                have = 0
                self._note.write_text(json.dumps(plain(remote)), "utf-8")
            self._require_space(remote.size - have)
            self._copy(reply, file, have, remote.size)

    def _copy(self, reply: Any, file: IO[bytes], have: int, size: int) -> None:
        self._tell(have, size)
        while block := read_some(reply, _BLOCK):
            file.write(block)
            have += len(block)
            self._tell(have, size)
            self._check()
        if size and have != size:
            raise http.client.IncompleteRead(b"", size - have)

    def _tell(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total)

    def _noted(self) -> RemoteFile | None:
        try:
            noted = from_plain(RemoteFile, json.loads(self._note.read_text("utf-8")))
        except (OSError, ValueError, RecursionError):
            return None
        return noted if noted.url == self._url else None

    def _require_space(self, needed: int) -> None:
        free = shutil.disk_usage(self._part.parent).free
        if needed > 0 and needed + _SPARE_BYTES > free:
            raise DownloadError(
                self._url,
                f"The download needs {needed / 1e9:.1f} GB more; '{self._part.parent}' has {free / 1e9:.1f} GB free.",
                hint="Free some space or choose another folder.",
            )


def _md5_of(file: IO[bytes]) -> str:
    digest = hashlib.md5(usedforsecurity=False)  # what providers publish; it guards against damage
    file.seek(0)
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _mismatch(url: str, part: Path, note: Path) -> DownloadError:
    for path in (part, note):
        with suppress(OSError):
            path.unlink()
    return DownloadError(
        url,
        f"The file from {host_of(url)} does not match its checksum; it was deleted.",
        hint="Try again; the provider may be replacing the file just now.",
    )


@contextmanager
def _locked(file: IO[bytes], url: str) -> Iterator[None]:
    """Keep other programs from loading into the same file; the system forgets the lock with the process."""
    if not lock(file):
        raise DownloadError(url, "This file is being loaded by another window already.", hint="Wait until it is done.")
    yield
