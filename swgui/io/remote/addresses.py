"""Addresses of other computers: ``HOST`` or ``ssh://...`` by ssh, ``https://...`` for a server of swgui."""

from __future__ import annotations

import re
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from swgui.core.devices import is_loopback
from swgui.core.errors import InvalidParameter

# A name never begins with a hyphen, so that none can be an option of ssh.
_HOST: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|[0-9A-Fa-f:]{2,45}")
_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_PROGRAM: Final = re.compile(r"/[A-Za-z0-9_.+/-]{0,400}")  # without any sign that a shell reads
LONGEST: Final = 500  # characters
FORMS: Final = "Give HOST, USER@HOST, ssh://USER@HOST:PORT/PATH/TO/swgui or https://HOST:PORT."


class Address(msgspec.Struct, frozen=True):
    """Where a computer is.

    Parameters
    ----------
    way : {"ssh", "https", "http"}
        How it is reached; ``http`` on this computer alone.
    host, user : str
        A name of the user's ssh configuration, or of a server; the user is empty for the configured one.
    port : int
        0 for the usual one.
    program : str
        Over ssh: path of swgui there; empty where it is among the commands. Of a server: path before its own.
    """

    way: Literal["ssh", "https", "http"]
    host: str
    user: str = ""
    port: int = 0
    program: str = ""

    @property
    def text(self) -> str:
        """The address in its shortest form."""
        user = f"{self.user}@" if self.user else ""
        if self.way == "ssh" and not self.port and not self.program and ":" not in self.host:
            return f"{user}{self.host}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port else ""
        return f"{self.way}://{user}{host}{port}{self.program}"


def read_address(text: str) -> Address:
    """Return the address that a text names.

    Raises
    ------
    InvalidParameter
        If it is none, or one that would leave this computer without encryption.
    """
    typed = text.strip()
    parts = urlsplit(typed if "://" in typed else f"ssh://{typed}")
    try:
        host, port, user = parts.hostname or "", parts.port or 0, parts.username or ""
    except ValueError:
        raise _wrong(text) from None
    if "://" not in typed and not port:  # ssh tells names apart by their letters, `hostname` does not
        host = typed.rpartition("@")[2]
    way, program = parts.scheme, parts.path.rstrip("/")
    secret = parts.password is not None or (way != "ssh" and user)
    if secret or parts.query or parts.fragment or len(typed) > LONGEST:
        raise _wrong(text)
    if (
        not _HOST.fullmatch(host)
        or (user and not _USER.fullmatch(user))
        or (program and not _PROGRAM.fullmatch(program))
    ):
        raise _wrong(text)
    match way:
        case "ssh" | "https":
            return Address(way, host, user, port, program)
        case "http" if is_loopback(host):
            return Address("http", host, "", port, program)
        case "http":
            message = f"'{text}' would send sequences over the network without encryption."
            raise InvalidParameter("on", text, message, hint="Give an https address, or a host that ssh reaches.")
    raise _wrong(text)


def _wrong(text: str) -> InvalidParameter:
    return InvalidParameter("on", text[:LONGEST], f"'{text[:LONGEST]}' is no address of a computer.", hint=FORMS)
