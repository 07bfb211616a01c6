"""Files on the web: connections, what servers say of a file, and their refusals as errors."""

from __future__ import annotations

import base64
import functools
import http.client
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPMessage
from typing import IO, Any, Final
from urllib.parse import urlsplit

from swgui import __version__
from swgui.core.errors import MissingPackage, SwguiError

_TIMEOUT_S: Final = 30.0
_MD5_BYTES: Final = 16


class DownloadError(SwguiError, OSError):
    """A download that failed; ``url`` names it, ``status`` is the server's answer, 0 for none.

    The part that was loaded is kept unless it was wrong.
    """

    def __init__(self, url: str, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.url = url
        self.status = status


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A server's facts about a file."""

    url: str
    size: int = 0  # bytes, 0 if unknown
    # etag, modified: what tells one version of the file from another; may be empty
    etag: str = ""
    modified: str = ""
    md5: str = ""  # hex digest, empty if unknown

    @property
    def validator(self) -> str:
        """Return the value of ``If-Range``; empty if the version is unknown."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified

    def is_the_same_as(self, other: RemoteFile) -> bool:
        """Whether both are surely the same version of the same file."""
        return (self.url, self.size, self.validator) == (other.url, other.size, other.validator) and bool(
            self.validator
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
            raise DownloadError(req.full_url, f"{host_of(req.full_url)} leads to an address that is not allowed.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@functools.cache
def opener() -> urllib.request.OpenerDirector:
    """Return the opener of connections; it trusts the certificates of the system, whatever OpenSSL was built for."""
    try:
        import truststore
    except ImportError as missing:
        raise MissingPackage("truststore") from missing

    trusted = urllib.request.HTTPSHandler(context=truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    return urllib.request.build_opener(_SafeRedirects, trusted)


def request_for(url: str, method: str = "GET") -> urllib.request.Request:
    """Return a request; `DownloadError` if the address is not one of the web."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadError(url, f"'{url}' is no web address.", hint="It must begin with https:// or http://.")
    headers = {"User-Agent": f"swgui/{__version__}", "Accept-Encoding": "identity"}
    return urllib.request.Request(url, headers=headers, method=method)


def _why(reason: object) -> str:
    """Return why a server cannot be reached, without numbers of the system."""
    if isinstance(reason, socket.gaierror):
        return "its name is not known here"
    said = reason.strerror if isinstance(reason, OSError) else None
    return (said or str(reason)).rstrip(".")


@contextmanager
def connected(request: urllib.request.Request) -> Iterator[Any]:
    """Open a connection; refusals of the server become errors, broken connections pass through."""
    url = request.full_url
    try:
        reply = opener().open(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as refusal:
        if refusal.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            with refusal:
                yield refusal
            return
        refusal.close()
        if refusal.code >= http.client.INTERNAL_SERVER_ERROR:
            raise http.client.HTTPException(f"status {refusal.code}") from refusal
        raise DownloadError(
            url,
            f"{host_of(url)} answers {refusal.code} ({refusal.reason}).",
            hint="The file may have moved.",
            status=refusal.code,
        ) from refusal
    except urllib.error.URLError as fault:
        if isinstance(fault.reason, (ConnectionError, TimeoutError)):
            raise ConnectionError(str(fault.reason)) from fault
        raise DownloadError(
            url,
            f"{host_of(url)} cannot be reached: {_why(fault.reason)}.",
            hint="Check the connection to the internet, or name the proxy of your site in HTTPS_PROXY and HTTP_PROXY.",
        ) from fault
    with reply:
        yield reply


@contextmanager
def unbroken(url: str) -> Iterator[None]:
    """Return a sentence on a connection that broke off."""
    try:
        yield
    except (http.client.HTTPException, ConnectionError) as fault:
        message = f"The connection to {host_of(url)} broke off."
        raise DownloadError(url, message, hint="Try again later.") from fault


def host_of(url: str) -> str:
    """Return the host of an address, to be shown."""
    return urlsplit(url).hostname or url


def file_name(url: str) -> str:
    """Return the name of the file that an address leads to."""
    return urlsplit(url).path.rsplit("/", 1)[-1]


def described(url: str, headers: HTTPMessage, size: int) -> RemoteFile:
    """Return the facts in the headers of a reply about a file of this size."""
    return RemoteFile(url, size, headers.get("ETag", ""), headers.get("Last-Modified", ""), _stated_md5(headers))


def _stated_md5(headers: HTTPMessage) -> str:
    """Return the hex digest that a server states itself, as Google's storage and those with Content-MD5 do."""
    stated = [
        headers.get("Content-MD5", ""),
        *re.findall(r"md5=([\w+/=]+)", ",".join(headers.get_all("x-goog-hash", []))),
    ]
    for text in stated:
        with suppress(ValueError):
            digest = base64.b64decode(text, validate=True)
            if len(digest) == _MD5_BYTES:
                return digest.hex()
    return ""


def whole_size(headers: HTTPMessage, have: int) -> int:
    """Size of the whole file, from Content-Range or Content-Length; 0 if the server does not tell."""
    match = re.fullmatch(r"bytes (?:\d+-\d+|\*)/(\d+)", headers.get("Content-Range", ""))
    if match:
        return int(match[1])
    length = headers.get("Content-Length", "")
    return have + int(length) if length.isdigit() else 0


def range_start(headers: HTTPMessage) -> int:
    """Return where the part begins that a server sends; -1 if it does not say."""
    match = re.match(r"bytes (\d+)-", headers.get("Content-Range", ""))
    return int(match[1]) if match else -1


def read_some(reply: Any, size: int) -> bytes:
    """Read from a connection; whatever breaks it becomes a `ConnectionError`, unlike a failure to write."""
    try:
        data: bytes = reply.read(size)
    except OSError as fault:
        raise ConnectionError(str(fault)) from fault
    return data
