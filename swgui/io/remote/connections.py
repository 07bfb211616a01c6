"""Connections to other computers: by the system's ssh, or to a server of swgui over https. One call at a time."""

from __future__ import annotations

import http.client
import os
import queue
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import IO, Any, Final, Protocol, TypeVar

import msgspec

import swgui
from swgui.core.errors import MissingPackage, reason_of
from swgui.io.remote.addresses import Address
from swgui.io.remote.wire import (
    LARGEST,
    MAGIC,
    NOISE,
    PROTOCOL,
    Call,
    Greeting,
    Refusal,
    Reply,
    Unreachable,
    decoded,
    frame,
    read_frame,
)

T = TypeVar("T")
ANSWER_SECONDS: Final = 30.0  # without an answer, after which a connection counts as lost
CONNECT_SECONDS: Final = 20  # of ssh, which also checks keys
REACH_SECONDS: Final = 10.0  # for a server to take a connection
AGENT: Final = "remote --stdio"  # the command of swgui there
SERVED: Final = "/remote"  # path of a server
SSH_OPTIONS: Final = (
    "-T",
    *("-o", "BatchMode=yes"),  # this program handles no passwords
    *("-o", f"ConnectTimeout={CONNECT_SECONDS}"),
    *("-o", "ServerAliveInterval=15"),
    *("-o", "ServerAliveCountMax=4"),
)


class Connection(Protocol):
    """An open connection."""

    def exchange(self, content: bytes) -> bytes:
        """Send a frame and return the content of the answer; `Unreachable` if none comes."""

    def close(self) -> None:
        """End it; safe to call twice."""


class SshConnection:
    """The other computer's ``swgui remote --stdio``, started by the system's ssh.

    Raises
    ------
    Unreachable
        If ssh is not installed, or does not reach swgui there.
    """

    def __init__(self, address: Address) -> None:
        program = shutil.which("ssh")
        if program is None:
            raise Unreachable(
                "The program ssh is not installed here.", hint="Install OpenSSH, or use an https address."
            )
        self._name = address.text
        port = ("-p", str(address.port)) if address.port else ()
        target = f"{address.user}@{address.host}" if address.user else address.host
        command = address.program or "swgui"  # there
        words = [program, *SSH_OPTIONS, *port, "--", target, f"{command} {AGENT}"]
        self._trial = " ".join(("ssh", *port, target, command, "version"))
        # A session of its own: Ctrl+C stops the run, and must not end the connection by which it is stopped.
        apart: dict[str, Any] = {"start_new_session": True} if sys.platform != "win32" else {"creationflags": 0x200}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **apart)
        self._said = deque[str](maxlen=5)
        self._frames = queue.SimpleQueue[bytes | None]()
        self._readers = [
            threading.Thread(target=read, name="swgui-ssh", daemon=True) for read in (self._read_errors, self._read)
        ]
        for thread in self._readers:
            thread.start()
        try:
            if self._next() != MAGIC:
                raise self._lost()
        except BaseException:
            self.close()
            raise

    def exchange(self, content: bytes) -> bytes:
        """Send a frame and return the content of the answer; `Unreachable` if none comes."""
        assert self._process.stdin is not None
        try:
            left = memoryview(content)
            while left:
                left = left[self._process.stdin.write(left) or 0 :]
        except OSError:
            raise self._lost() from None
        answer = self._next()
        if answer is None:
            raise self._lost()
        return answer

    def close(self) -> None:
        """End ssh; what runs there continues."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(OSError):
            self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        for thread in self._readers:
            thread.join(1)

    def _next(self) -> bytes | None:
        try:
            return self._frames.get(timeout=ANSWER_SECONDS + CONNECT_SECONDS)
        except queue.Empty:
            raise Unreachable(f"'{self._name}' has not answered for {ANSWER_SECONDS:.0f} seconds.") from None

    def _lost(self) -> Unreachable:
        """Return why the connection ended, with the last words of ssh."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._readers[0].join(2)
        last = self._said[-1].rstrip(".") if self._said else "it ended without a word"
        return Unreachable(
            f"The connection to '{self._name}' failed: {last}.",
            hint=f"Try '{self._trial}', which must print the version there.",
        )

    def _read(self) -> None:
        """Put what comes into the queue: the magic line, then contents of frames, then None."""
        assert self._process.stdout is not None
        source = _Exact(self._process.stdout)
        try:
            if source.skip_to(MAGIC, NOISE):
                self._frames.put(MAGIC)
                while (content := read_frame(source.read)) is not None:
                    self._frames.put(content)
            else:
                self._process.terminate()
        except (OSError, ValueError):  # closed by the other thread, or broken
            pass
        self._process.stdout.close()
        self._frames.put(None)
        self._frames.put(None)  # one for the magic line, one for the first call

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr, suppress(OSError, ValueError):
            for line in self._process.stderr:
                if text := line.decode("utf-8", "replace").strip():
                    self._said.append(text[:300])


class _Exact:
    """Reads a given number of bytes from a pipe."""

    def __init__(self, file: IO[bytes]) -> None:
        self._descriptor, self._held = file.fileno(), b""

    def skip_to(self, line: bytes, most: int) -> bool:
        """Read up to a line, and no more than `most` bytes before it; whether it was there."""
        while line not in self._held and len(self._held) <= most + len(line):
            part = os.read(self._descriptor, 1 << 16)
            if not part:
                return False
            self._held += part
        before, found, self._held = self._held.partition(line)
        return bool(found) and len(before) <= most

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end alone."""
        parts, have = [self._held[:size]], min(size, len(self._held))
        self._held = self._held[size:]
        while have < size and (part := os.read(self._descriptor, min(size - have, 1 << 20))):
            parts.append(part)
            have += len(part)
        return b"".join(parts)


class HttpConnection:
    """A server (``swgui serve``) at another address, with the token of its user.

    Raises
    ------
    Unreachable
        If the certificates to trust cannot be read.
    """

    def __init__(self, address: Address, token: str = "", authority: str = "") -> None:
        self._address, self._token = address, token
        self._context = _trusted(authority) if address.way == "https" else None

    def exchange(self, content: bytes) -> bytes:
        """Send a frame and return the content of the answer; `Unreachable` if none comes, `Refusal` if it refuses."""
        at, line = self._address, self._line()
        headers = {"Content-Type": "application/octet-stream", "User-Agent": f"swgui/{swgui.__version__}"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            line.connect()
            line.sock.settimeout(ANSWER_SECONDS)
            line.request("POST", f"{at.program}{SERVED}", content, headers)
            answer = line.getresponse()
            body = answer.read(LARGEST + 5)
        except (OSError, http.client.HTTPException) as fault:
            raise Unreachable(f"'{at.text}' cannot be reached: {_why(fault)}.") from None
        finally:
            line.close()
        if answer.status == 401:
            raise Refusal(
                f"'{at.text}' does not know the token.", hint="Ask its administrator for yours.", kind="token"
            )
        if answer.status != 200:
            raise _of_status(at.text, answer.status)
        return read_frame(_Bytes(body).read) or b""

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _line(self) -> http.client.HTTPConnection:
        at = self._address
        if self._context is not None:
            return http.client.HTTPSConnection(at.host, at.port or None, timeout=REACH_SECONDS, context=self._context)
        return http.client.HTTPConnection(at.host, at.port or None, timeout=REACH_SECONDS)


class _Bytes:
    def __init__(self, content: bytes) -> None:
        self._left = memoryview(content)

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end alone."""
        part, self._left = bytes(self._left[:size]), self._left[size:]
        return part


def _of_status(name: str, status: int) -> Exception:
    """Return the error of a status; those of a server that is busy or starts are no end of a run."""
    if status >= 500 or status == 429:
        return Unreachable(f"'{name}' is busy (status {status}).")
    if status == 404:
        return Refusal(f"'{name}' carries out no runs for other computers.", hint="Start it with 'swgui serve'.")
    return Refusal(f"'{name}' refused the request (status {status}).")


def _trusted(authority: str) -> ssl.SSLContext:
    """Return the certificates to trust: those of the system, or of one authority."""
    if authority:
        try:
            return ssl.create_default_context(cafile=authority)
        except (OSError, ssl.SSLError) as fault:
            raise Unreachable(f"The certificate '{authority}' cannot be read: {reason_of(fault)}.") from None
    try:
        import truststore  # here: few runs are elsewhere
    except ImportError as missing:
        raise MissingPackage("truststore") from missing
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _why(fault: Exception) -> str:
    if isinstance(fault, socket.gaierror):
        return "its name is not known here"
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted here ({fault.verify_message.rstrip('.')})"
    return reason_of(fault)


class Link:
    """Another computer to call; connects when it is needed, and again after a loss."""

    def __init__(self, address: Address, token: str = "", authority: str = "") -> None:
        self.address, self._token, self._authority = address, token, authority
        self._connection: Connection | None = None
        self.greeting: Greeting | None = None  # of the other side, once it was reached

    @property
    def name(self) -> str:
        """Its host, as the user calls it."""
        return self.address.host

    def call(self, method: str, kind: type[T], **arguments: Any) -> T:
        """Return the value of a method of the other side.

        Parameters
        ----------
        kind : type
            Of the value.

        Raises
        ------
        Unreachable
            If the connection is lost; the next call makes another.
        Refusal
            If the other side refuses, or is another version.
        """
        try:
            connection = self._connection or self._connected()
            return self._called(connection, method, kind, arguments)
        except Unreachable:
            self.close()
            raise

    def close(self) -> None:
        """End the connection; what runs on the other side continues."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> Connection:
        made: Connection
        if self.address.way == "ssh":
            made = SshConnection(self.address)
        else:
            made = HttpConnection(self.address, self._token, self._authority)
        self._connection = made
        own = Greeting(PROTOCOL, swgui.__version__)
        its = self._called(made, "hello", Greeting, msgspec.to_builtins(own))
        if its.protocol != PROTOCOL:
            self.close()
            older = self.name if its.protocol < PROTOCOL else "this computer"
            raise Refusal(
                f"'{self.name}' has swgui {its.version}, this computer {own.version}, and they do not understand each "
                "other.",
                hint=f"Update swgui on {older}.",
                kind="version",
            )
        self.greeting = its
        return made

    def _called(self, connection: Connection, method: str, kind: type[T], arguments: dict[str, Any]) -> T:
        reply = decoded(connection.exchange(frame(Call(method, arguments))), Reply)
        if reply.fault is not None:
            raise Refusal(reply.fault.message, hint=reply.fault.hint, kind=reply.fault.kind)
        try:
            return msgspec.convert(reply.value, kind)
        except msgspec.ValidationError:
            raise Unreachable(f"'{self.name}' sent an answer that cannot be read.") from None
