"""HTTP by the standard library: a thread for each request, TLS on demand, and who may ask; doors make the answers.

Logs never contain sequences, headers or tokens.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import io
import logging
import os
import re
import shutil
import socket
import ssl
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast
from urllib.parse import quote, unquote

from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.serve.doors import Doors, Route, folding
from swgui.serve.house import House
from swgui.serve.requests import TEXT, Refused, Reply, Request, User
from swgui.serve.users import Admitted

TRANSFER_SECONDS: Final = 30.0  # time limit of a whole request, and of the next bytes that a client takes of an answer
IDLE_SECONDS: Final = 10.0  # without a byte of a request, after which the connection ends
DRAIN_SECONDS: Final = 1.0  # in which the rest of a refused request is read and thrown away
MAX_OF_ADDRESS: Final = 8  # connections of another computer
MAX_CONNECTIONS: Final = 256
LOCAL: Final = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
NO_REQUEST: Final = "The server does not know this request."
PREFLIGHT: Final = {"Access-Control-Allow-Methods": "GET, POST", "Access-Control-Allow-Headers": "Content-Type"}
_SITE: Final = re.compile(r"\Ahttps?://[^/]*")  # that a proxy may put in front
_TOKEN_PATH: Final = re.compile(r"/t/([^/]+)")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server.

    Parameters
    ----------
    users : tuple of Admitted
        Users and their tokens; empty if every client that reaches the address may use the server.
    hosts : frozenset of str
        Host names of a server on loopback; other names come from web pages that try to.
    origins : frozenset of str
        Sites whose pages may use the server, as browsers write them: ``https://HOST``.
    """

    users: tuple[Admitted, ...] = field(default=(), repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()


class Server(ThreadingHTTPServer):
    """Listens at an address.

    Raises
    ------
    OSError
        If the address cannot be listened at, or the certificate cannot be read.
    """

    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def __init__(
        self, address: tuple[str, int], house: House, doors: Doors, access: Access,
        certificate: tuple[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.house, self.doors, self.access = house, doors, access
        self._connections: Counter[str] = Counter()
        self._counting = threading.Lock()
        self.context: ssl.SSLContext | None = None
        if certificate is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.minimum_version = ssl.TLSVersion.TLSv1_2
            self.context.load_cert_chain(*certificate)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether to accept a connection: not if its address or all together have too many."""
        address = client_address[0]
        with self._counting:
            most = MAX_CONNECTIONS if address in LOCAL else MAX_OF_ADDRESS
            if self._connections[address] >= most or self._connections.total() >= MAX_CONNECTIONS:
                return False
            self._connections[address] += 1
        return True

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin to answer; stop counting a connection for which the system has no thread."""
        try:
            super().process_request(request, client_address)
        except RuntimeError:
            self._count_no_more(client_address[0])
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and stop counting the connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._count_no_more(client_address[0])

    def _count_no_more(self, address: str) -> None:
        with self._counting:
            self._connections[address] -= 1
            self._connections += Counter()  # forgets those without any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; log other errors without the request."""
        fault = sys.exc_info()[1]
        if isinstance(fault, OSError):
            return
        place = "".join(traceback.format_tb(fault.__traceback__)) if fault is not None else ""
        log.error("A request failed: %s\n%s", type(fault).__name__, place)


class _Timed(io.RawIOBase):
    """Bytes of a connection, all of which must come before a time."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._end = connection, time.monotonic() + TRANSFER_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(min(left, IDLE_SECONDS))
        return self._connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server_version = "swgui"
    sys_version = ""
    timeout = IDLE_SECONDS

    def finish(self) -> None:
        """End the connection."""
        with suppress(OSError):
            super().finish()
        # Wrapping has detached the socket that the server itself would close.
        if self._server.context is not None:
            self.connection.close()

    @property
    def _server(self) -> Server:
        return cast("Server", self.server)

    def setup(self) -> None:
        """Begin to encrypt, and start the time limit."""
        self._began = time.monotonic()
        if self._server.context is not None:
            self.request.settimeout(IDLE_SECONDS)
            self.request = self._server.context.wrap_socket(self.request, server_side=True)
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Timed(self.connection))

    def do_GET(self) -> None:
        """Answer a request."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Answer a request that has a body."""
        self._answer("POST")

    def do_PUT(self) -> None:
        """Answer a request of clients that write so."""
        self._answer("PUT")

    def do_OPTIONS(self) -> None:
        """Tell a browser whether a page of another site may ask."""
        allowed = self._origin in self._server.access.origins
        self._send(Reply(b"", TEXT, 204 if allowed else 403, headers=PREFLIGHT if allowed else {}))

    def _answer(self, method: str) -> None:
        """Answer any request; every refusal gives its reason, in the form that clients of its door read."""
        target = _SITE.sub("", self.path).partition("#")[0]
        path, _, query = target.partition("?")
        token, path = _without_token(re.sub(r"/+", "/", unquote(path)))
        base = f"/t/{quote(token, safe='')}" if token else ""
        request = Request(method, path, query, User(""), base, self._header, self._body, self._began)
        refuse: Callable[[Request, Refused], Reply] = folding.refused
        try:
            self._check_host()
            if (door := self._server.doors.of_path(path)) is not None:
                refuse = door.refused
            request = replace(request, user=self._admitted(token))
            found = self._server.doors.find(method, path)
            self._check_site(found.route)
            self._send(found.route.answer(self._server.house, request, found.match))
        except Refused as refused:
            self._refuse(refuse(request, refused))
        except SwguiError as fault:
            self._refuse(refuse(request, Refused(str(fault))))

    def _refuse(self, reply: Reply) -> None:
        """Answer with the reason, and read further for a moment: else a client that still sends would not get it."""
        self._send(reply)
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            end = time.monotonic() + DRAIN_SECONDS
            self.connection.settimeout(DRAIN_SECONDS)
            while time.monotonic() < end and self.connection.recv(1 << 16):
                pass

    def _check_host(self) -> None:
        host = self._header("Host").rsplit("@")[-1]
        name = re.sub(r":\d+$", "", host).strip("[]").lower()
        if self._server.access.hosts and name not in self._server.access.hosts:
            raise Refused("The request names another host than this server.", 403)

    def _check_site(self, route: Route) -> None:
        """Refuse what a page of another site asks a browser for: browsers send credentials along."""
        origin = self._origin
        own = origin.partition("://")[2] == self._header("Host")  # a proxy may encrypt where this server does not
        if origin in self._server.access.origins:
            return
        foreign = self._header("Sec-Fetch-Site").lower() in ("cross-site", "same-site")
        if (not origin or own) and not (foreign and not route.linked):
            return
        if route.linked and self._header("Sec-Fetch-Mode").lower() == "navigate":
            return
        raise Refused("The request comes from a page of another site.", 403)

    @property
    def _origin(self) -> str:
        return self._header("Origin").strip()

    def _admitted(self, in_path: str) -> User:
        """Return whose request this is."""
        users = self._server.access.users
        if not users:
            return User("local" if self.client_address[0] in LOCAL else self.client_address[0])
        given = [self._header("X-API-Key"), in_path, *self._basic()]
        bearer = self._header("Authorization")
        given.append(bearer[7:].strip() if bearer.lower().startswith("bearer ") else "")
        known = [one.user for one in users for text in given if _same(text, one.token)]  # all are compared
        if not known:
            raise Refused("The token is missing or wrong.", 401)
        return known[0]

    def _basic(self) -> tuple[str, str]:
        """Return name and password of basic authentication; either may be the token."""
        kind, _, text = self._header("Authorization").partition(" ")
        if kind.lower() != "basic":
            return "", ""
        with suppress(binascii.Error, ValueError):
            name, _, password = base64.b64decode(text.strip(), validate=True).decode().partition(":")
            return name, password
        return "", ""

    def _header(self, name: str) -> str:
        return self.headers.get(name) or ""

    def _body(self, most: int) -> bytes:
        try:
            length = int(self._header("Content-Length"))
        except ValueError:
            raise Refused("The request has no Content-Length.", 411) from None
        if not 0 <= length <= most:
            raise Refused(f"The request is longer than the {most:,} bytes that are allowed.", 413)
        body = self.rfile.read(length)
        if len(body) < length:
            raise Refused("The request ended too early.", 400)
        return body

    def _send(self, reply: Reply) -> None:
        """Send an answer; a client that takes nothing for too long is left."""
        if isinstance(reply.body, bytes):
            self._head(reply, len(reply.body))
            self.wfile.write(reply.body)
            return
        with reply.body.open("rb") as file:
            self._head(reply, os.fstat(file.fileno()).st_size)
            shutil.copyfileobj(file, self.wfile, 1 << 18)

    def _head(self, reply: Reply, size: int) -> None:
        self.connection.settimeout(TRANSFER_SECONDS)
        self.send_response(reply.code, reply.phrase)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(size))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        if reply.code == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="swgui"')
        if self._server.access.origins:
            self.send_header("Vary", "Origin")
            if self._origin in self._server.access.origins:
                self.send_header("Access-Control-Allow-Origin", self._origin)
        for name, text in reply.headers.items():
            self.send_header(name, text)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a malformed HTTP request in the form of all other answers."""
        self.close_connection = True
        with suppress(OSError):
            self._send(folding.answer({"id": "", "status": "ERROR", "reason": NO_REQUEST}, code))

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: paths hold tokens and tickets; each action logs itself."""


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _without_token(path: str) -> tuple[str, str]:
    """Return the token in front of a path, empty if there is none, and the rest of it."""
    match = _TOKEN_PATH.match(path)
    return (match[1], path[match.end() :] or "/") if match else ("", path)
