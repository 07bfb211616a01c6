"""Messages between two computers: frames of msgpack, a call and its reply in each.

The side that answers begins with the line `MAGIC`, which may come behind the words of a login. A frame is its length
(u32, little-endian) and a record; unknown fields are skipped, and nothing is ever unpickled.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from swgui.core.errors import ConnectionFault, SwguiError

T = TypeVar("T")
PROTOCOL: Final = 1  # both sides must have the same
MAGIC: Final = b"SWGUI-REMOTE 1\n"
LARGEST: Final = 16 << 20  # bytes of a frame
CHUNK: Final = 1 << 20  # bytes of a file in one frame, which a slow line carries in some seconds
NOISE: Final = 64 << 10  # bytes before the magic line, at most
FAILED: Final = "failed"  # kind of the refusal of a run that failed there, and its state
HEAD: Final = struct.Struct("<I")


class Unreachable(ConnectionFault):
    """Another computer that does not answer; what runs there continues."""


class Refusal(SwguiError):
    """An answer of another computer that refuses; ``kind`` says which of its errors it was."""

    def __init__(self, message: str, *, hint: str = "", kind: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind = kind


class Call(msgspec.Struct, frozen=True):
    """One call: a method of `swgui.serve.remote.agent.METHODS`, and its arguments by name."""

    method: str
    arguments: dict[str, Any] = {}


class Fault(msgspec.Struct, frozen=True):
    """Why a call failed."""

    kind: str
    message: str
    hint: str = ""


class Reply(msgspec.Struct, frozen=True):
    """The answer to a call: a plain value, or a fault."""

    value: Any = None
    fault: Fault | None = None


class Greeting(msgspec.Struct, frozen=True):
    """The first message of either side: its version."""

    protocol: int
    version: str  # of swgui
    host: str = ""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A database of another computer."""

    name: str
    checksum: str
    alphabet: str
    sequences: int
    residues: int
    longest: int = 0
    size: int = 0  # bytes on disk
    made: str = ""  # local time there, ISO 8601


class Standing(msgspec.Struct, frozen=True):
    """How a run stands on another computer.

    Parameters
    ----------
    state : {"none", "waiting", "running", "paused", "done", "partial", "failed", "lost"}
        ``paused``: others have their turn meanwhile; ``lost``: its program ended, and it can be continued;
        ``partial``: it was stopped, likewise.
    size, sha256 : int, str
        Of the file of its result, with ``done`` and ``partial``.
    message, hint : str
        Why it failed.
    """

    state: str
    size: int = 0
    sha256: str = ""
    message: str = ""
    hint: str = ""

    @property
    def live(self) -> bool:
        """Whether it runs, waits for its turn, or is paused."""
        return self.state in ("waiting", "running", "paused")

    @property
    def fetched(self) -> bool:
        """Whether it has a result to fetch."""
        return self.state in ("done", "partial")


class Told(msgspec.Struct, frozen=True):
    """Events of a run (`swgui.runs.remote.events`), and the place in the file of events where the next ones begin."""

    events: list[Any]
    after: int
    standing: Standing


def frame(record: object) -> bytes:
    """Return a record as a frame; `Refusal` if it is too large."""
    content = msgspec.msgpack.encode(record)
    if len(content) > LARGEST:
        raise Refusal(f"A message of {len(content):,} bytes is longer than the {LARGEST:,} that are allowed.")
    return HEAD.pack(len(content)) + content


def read_frame(read: Callable[[int], bytes]) -> bytes | None:
    """Return the content of the next frame; None at the end.

    Parameters
    ----------
    read : callable
        Returns a number of bytes, fewer at the end alone.

    Raises
    ------
    Unreachable
        If the bytes end within a frame, or are none of this program.
    """
    head = read(HEAD.size)
    if not head:
        return None
    size = HEAD.unpack(head)[0] if len(head) == HEAD.size else LARGEST + 1
    content = read(size) if size <= LARGEST else b""
    if size > LARGEST or len(content) < size:
        raise Unreachable("The connection broke in the middle of a message.")
    return content


def decoded(content: bytes, kind: type[T]) -> T:
    """Return the record of a frame; `Unreachable` if it is none."""
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except msgspec.MsgspecError:
        raise Unreachable("The other computer sent a message that cannot be read.") from None
