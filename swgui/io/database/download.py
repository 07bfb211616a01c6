"""Downloading public sequence sets: resumed where it stopped, verified, and never without being asked.

While a file is loaded it is called ``NAME.part``, with a note of what it is a part of beside it. Stop,
a broken connection or a crash leave both; the next call resumes there if the server still has the
same file.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from swgui import __version__
from swgui.core.errors import SwguiError
from swgui.core.plain import made, plain
from swgui.io.whole_file import not_written

_BLOCK: Final = 1 << 18
_TIMEOUT_S: Final = 30.0
_ATTEMPTS: Final = 4
_PAUSE_S: Final = 1.0  # before the second attempt; doubled for each further one
_SPARE_BYTES: Final = 50 << 20
_LARGEST_LISTING: Final = 1 << 20


class DownloadError(SwguiError, OSError):
    """A download that failed; ``url`` names it. What was loaded so far is kept unless it was wrong."""

    def __init__(self, url: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.url = url


class DownloadStopped(SwguiError):
    """The user stopped a download; what was loaded is kept, and the next call resumes there."""


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A set of sequences that can be downloaded.

    Parameters
    ----------
    key : str
    title, about : str
        For people.
    url : str
    listing_url : str
        A metalink file with size and MD5 of the file; empty if the provider has none.
    terms : str
        Licence.
    """

    key: str
    title: str
    about: str
    url: str
    listing_url: str
    terms: str


_UNIPROT: Final = "https://ftp.uniprot.org/pub/databases/uniprot"

PUBLIC_SETS: Final[dict[str, PublicSet]] = {
    chosen.key: chosen
    for chosen in (
        PublicSet(
            "swissprot",
            "Swiss-Prot",
            "Reviewed proteins of all species, the usual first choice.",
            f"{_UNIPROT}/current_release/knowledgebase/complete/uniprot_sprot.fasta.gz",
            f"{_UNIPROT}/current_release/knowledgebase/complete/RELEASE.metalink",
            "CC BY 4.0, UniProt Consortium",
        ),
        PublicSet(
            "uniref50",
            "UniRef50",
            "All UniProt proteins, one for each group with 50 % identity; many gigabytes.",
            f"{_UNIPROT}/uniref/uniref50/uniref50.fasta.gz",
            f"{_UNIPROT}/uniref/uniref50/RELEASE.metalink",
            "CC BY 4.0, UniProt Consortium",
        ),
        PublicSet(
            "pdb",
            "PDB sequences",
            "Sequences of all chains in the Protein Data Bank, proteins and nucleic acids mixed.",
            "https://files.wwpdb.org/pub/pdb/derived_data/pdb_seqres.txt.gz",
            "",
            "CC0 1.0, wwPDB",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """What a server says about a file.

    Parameters
    ----------
    url : str
    size : int
        Bytes, 0 if unknown.
    etag, modified : str
        What tells one version of the file from another; may be empty.
    md5 : str
        Hex digest, empty if unknown.
    """

    url: str
    size: int = 0
    etag: str = ""
    modified: str = ""
    md5: str = ""

    @property
    def validator(self) -> str:
        """What to send with ``If-Range``; empty if the version cannot be told."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified

    def is_the_same_as(self, other: RemoteFile) -> bool:
        """Whether both are surely the same version of the same file."""
        return (self.url, self.size, self.validator) == (other.url, other.size, other.validator) and bool(
            self.validator
        )


def look_up(wanted: PublicSet) -> RemoteFile:
    """Ask for the size, version and checksum of a public set, so that the user can be told before it is loaded.

    Raises
    ------
    DownloadError
        If the server cannot be reached or does not have the file.
    """
    listing = ""
    try:
        with _opened(_request(wanted.url, method="HEAD")) as reply:
            found = _described(wanted.url, reply.headers, _whole_size(reply.headers, 0))
        if wanted.listing_url:
            with _opened(_request(wanted.listing_url)) as reply:
                listing = _read(reply, _LARGEST_LISTING).decode("utf-8", "replace")
    except (http.client.HTTPException, ConnectionError) as fault:
        host = _host(wanted.url)
        raise DownloadError(wanted.url, f"The connection to {host} broke off.", hint="Try again later.") from fault
    name = re.escape(urlsplit(wanted.url).path.rsplit("/", 1)[-1])
    entry = re.search(rf'<file name="{name}">(.*?)</file>', listing, re.DOTALL)
    md5 = re.search(r'<hash type="md5">\s*([0-9a-f]{32})\s*</hash>', entry[1]) if entry else None
    return RemoteFile(found.url, found.size, found.etag, found.modified, md5[1] if md5 else "")


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
    DownloadStopped
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
            _verify(file, url, md5, part, note)
        os.replace(part, target)
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
                        f"The connection to {_host(self._url)} breaks off again and again.",
                        hint="Try again later; what was loaded is kept.",
                    ) from fault
                self._wait(_PAUSE_S * 2 ** (failures - 1))

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, 0.1))

    def _check(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise DownloadStopped(
                "The download was stopped.", hint="What was loaded is kept; start it again to resume it."
            )

    def _attempt(self, file: IO[bytes]) -> None:
        self._check()
        known, have = self._noted(), file.seek(0, os.SEEK_END)
        request = _request(self._url)
        if have and known is not None and known.validator:
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", known.validator)
        with _opened(request) as reply:
            partial = reply.status == http.client.PARTIAL_CONTENT
            found = _described(self._url, reply.headers, _whole_size(reply.headers, have if partial else 0))
            if reply.status == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                if known is not None and have == known.size:
                    return  # all of it was there
                file.truncate(0)  # what is there is no part of the file; begin again
                raise http.client.HTTPException("range refused")
            if partial and (known is None or not found.is_the_same_as(known) or _range_start(reply.headers) != have):
                file.truncate(0)
                raise http.client.HTTPException("another file")
            if not partial:
                file.truncate(0)
                have = 0
                self._note.write_text(json.dumps(plain(found)), "utf-8")
            self._require_space(found.size - have)
            self._copy(reply, file, have, found.size)

    def _copy(self, reply: Any, file: IO[bytes], have: int, size: int) -> None:
        self._tell(have, size)
        while block := _read(reply, _BLOCK):
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
            noted = made(RemoteFile, json.loads(self._note.read_text("utf-8")))
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


def _read(reply: Any, size: int) -> bytes:
    """Read from a connection; whatever breaks it becomes a `ConnectionError`, unlike a failure to write."""
    try:
        data: bytes = reply.read(size)
    except OSError as fault:
        raise ConnectionError(str(fault)) from fault
    return data


def _verify(file: IO[bytes], url: str, md5: str, part: Path, note: Path) -> None:
    """Compare the checksum; a wrong file is deleted, or the next attempt would resume it."""
    if not md5:
        return
    digest = hashlib.md5(usedforsecurity=False)  # what providers publish; it guards against damage
    file.seek(0)
    while block := file.read(1 << 20):
        digest.update(block)
    if digest.hexdigest() == md5.lower():
        return
    for path in (part, note):
        with suppress(OSError):
            path.unlink()
    raise DownloadError(
        url,
        f"What {_host(url)} sent does not match its checksum; it was deleted.",
        hint="Try again; the provider may be replacing the file just now.",
    )


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to http and https only, and never from https down to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        allowed = ("https",) if req.type == "https" else ("http", "https")
        if urlsplit(newurl).scheme not in allowed:
            raise DownloadError(req.full_url, f"{_host(req.full_url)} leads to an address that is not allowed.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_opener = urllib.request.build_opener(_SafeRedirects)


def _request(url: str, method: str = "GET") -> urllib.request.Request:
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadError(url, f"'{url}' is no web address.", hint="It must begin with https:// or http://.")
    headers = {"User-Agent": f"swgui/{__version__}", "Accept-Encoding": "identity"}
    return urllib.request.Request(url, headers=headers, method=method)


@contextmanager
def _opened(request: urllib.request.Request) -> Iterator[Any]:
    """Open a connection; refusals of the server become errors, broken connections pass through."""
    url = request.full_url
    try:
        reply = _opener.open(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as refusal:
        if refusal.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            with refusal:
                yield refusal
            return
        refusal.close()
        if refusal.code >= http.client.INTERNAL_SERVER_ERROR:
            raise http.client.HTTPException(f"status {refusal.code}") from refusal
        raise DownloadError(
            url, f"{_host(url)} answers {refusal.code} ({refusal.reason}).", hint="The file may have moved."
        ) from refusal
    except urllib.error.URLError as fault:
        if isinstance(fault.reason, (ConnectionError, TimeoutError)):
            raise ConnectionError(str(fault.reason)) from fault
        raise DownloadError(
            url, f"{_host(url)} cannot be reached: {fault.reason}.", hint="Check the connection to the internet."
        ) from fault
    with reply:
        yield reply


def _host(url: str) -> str:
    return urlsplit(url).hostname or url


def _described(url: str, headers: HTTPMessage, size: int) -> RemoteFile:
    return RemoteFile(url, size, headers.get("ETag", ""), headers.get("Last-Modified", ""))


def _whole_size(headers: HTTPMessage, have: int) -> int:
    """Size of the whole file, from Content-Range or Content-Length; 0 if the server does not tell."""
    found = re.fullmatch(r"bytes (?:\d+-\d+|\*)/(\d+)", headers.get("Content-Range", ""))
    if found:
        return int(found[1])
    length = headers.get("Content-Length", "")
    return have + int(length) if length.isdigit() else 0


def _range_start(headers: HTTPMessage) -> int:
    found = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
    return int(found[1]) if found else -1


@contextmanager
def _locked(file: IO[bytes], url: str) -> Iterator[None]:
    """Keep other programs from loading into the same file; the system forgets the lock with the process."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        if fault.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        raise DownloadError(
            url, "This file is being loaded by another window already.", hint="Wait until it is done."
        ) from fault
    yield
