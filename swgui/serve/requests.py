"""Requests to the server and its answers, for whichever door: values, without a connection."""

from __future__ import annotations

import email.parser
import email.policy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

FIELDS: Final = 100  # of one form, at most
HTML: Final = "text/html; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
_REASON: Final = 100  # characters of a reason in a status line
_NOT_IN_STATUS: Final = re.compile(r"[^ -~]+")


class Refused(Exception):
    """A request that the server refuses; `reason` is for the client, `code` the HTTP status."""

    def __init__(self, reason: str, code: int = 200, status: str = "ERROR") -> None:
        super().__init__(reason)
        self.reason, self.code, self.status = reason[:200], code, status


@dataclass(frozen=True, slots=True)
class Allowed:
    """Limits of one request."""

    chains: int  # sequences
    length: int  # residues of each
    residues: int  # of all of them
    body: int = 1 << 20  # bytes of it


@dataclass(frozen=True, slots=True)
class User:
    """A user of the server, as the file of tokens has it.

    Parameters
    ----------
    databases : frozenset of str, optional
        Names of the databases that the user may search; all if not given.
    waiting : int
        Unfinished jobs at a time; 0 for the limit of the server.
    cells : float
        Cells of one job, at most; 0 for the limit of the server.
    """

    name: str
    databases: frozenset[str] | None = None
    waiting: int = 0
    cells: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request of an admitted user.

    Parameters
    ----------
    path, query : str
        Path without site, token and doubled slashes, and the text behind the question mark.
    base : str
        Beginning of the paths of links to this server: the token, where the client sent it in the path; else empty.
    header : callable
        Returns a header by its name; empty if it was not sent.
    read : callable
        Reads the body, of a number of bytes at most.
    began : float
        Time of `time.monotonic` when the request came.
    """

    method: str
    path: str
    query: str
    user: User
    base: str = ""
    header: Callable[[str], str] = field(default=lambda name: "", repr=False)
    read: Callable[[int], bytes] = field(default=lambda most: b"", repr=False)
    began: float = 0.0

    def fields(self, most: int) -> dict[str, str]:
        """Return the fields of the address and of the form, which wins.

        Raises
        ------
        Refused
            If the body is longer than `most` bytes, or no form.
        """
        found = read_form(self.query.encode("utf-8", "replace"))
        if self.method == "POST" or self.header("Content-Length") not in ("", "0"):
            found |= read_fields(self.read(most), self.header("Content-Type"))
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request; a path is a file, which is sent as it is."""

    body: bytes | Path
    kind: str = HTML
    code: int = 200
    reason: str = ""  # for the status line; that of the code if empty
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def phrase(self) -> str | None:
        """The reason as a status line takes it: one short line of ASCII; None for the usual one."""
        return _NOT_IN_STATUS.sub(" ", self.reason)[:_REASON].strip() or None


def read_fields(body: bytes, content_type: str) -> dict[str, str]:
    """Return the fields of a form; a body that is not multipart is read as a plain form, whatever the header.

    Raises
    ------
    Refused
        If it is no form.
    """
    if not content_type.lower().startswith("multipart/form-data"):
        return read_form(body)
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    parts = message.iter_parts() if message.is_multipart() else iter(())
    found = {str(part.get_param("name", "", "content-disposition")): part.get_payload(decode=True) for part in parts}
    return {name: text.decode("utf-8", "replace") for name, text in found.items() if isinstance(text, bytes)}


def read_form(body: bytes) -> dict[str, str]:
    """Return the fields of a plain form; of a field that stands twice the first one.

    Raises
    ------
    Refused
        If it has too many.
    """
    try:
        fields = parse_qs(body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=FIELDS)
    except ValueError:
        raise Refused("The form has too many fields.") from None
    return {name: values[0] for name, values in fields.items()}


def number_of(name: str, text: str, kind: Callable[[str], float], least: float = 0.0) -> float:
    """Return a number that a client sent, as `kind` reads it.

    Raises
    ------
    Refused
        If it is none, or below `least`.
    """
    try:
        number = kind(text.strip())
        if not least <= number < float("inf"):
            raise ValueError
    except ValueError:
        raise Refused(f"{name} is no such number: {text[:20]!a}.") from None
    return number
