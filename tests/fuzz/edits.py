"""Small changes of bytes, drawn by hypothesis in the suite and by a random generator in long runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

# What tends to sit at the edges of formats and of numbers.
TOKENS = (
    b"", b"\0", b"\n", b"\r", b"\r\n", b"\t", b" ", b">", b"@", b"+", b"#", b"*", b"-", b"//\n", b"\\", b'"', b"'",
    b"-1", b"0", b"1e999", b"nan", b"-inf", b"99999999999999999999", b"1.5", b"null", b"true", b"[]", b"{}", b'""',
    b"<", b"</", b"&", b"&amp;", b"]]>", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xae",
    b"\x1f\x8b", b"PK\x03\x04", b"=cmd()", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"[" * 2000, b"A" * 5000, b"9" * 5000,
)  # fmt: skip
KINDS = ("overwrite", "insert", "delete", "flip", "repeat", "cut", "splice")


class Edit(NamedTuple):
    """One change.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    at, length : int
        Any whole numbers from 0; they are brought into range.
    piece : bytes
        The new bytes; for ``splice`` ``length`` selects the other seed that gives a part.
    """

    kind: str
    at: int
    length: int
    piece: bytes


def apply(data: bytes, edits: Sequence[Edit], others: Sequence[bytes] = (b"",)) -> bytes:
    """Return the changed bytes; never longer than four times the original and 64 KB."""
    limit = 4 * len(data) + (1 << 16)
    for kind, at, length, piece in edits:
        at %= len(data) + 1
        end = min(len(data), at + 1 + length % 64)
        if kind == "overwrite":
            data = data[:at] + piece + data[at + len(piece) :]
        elif kind == "insert":
            data = data[:at] + piece + data[at:]
        elif kind == "delete":
            data = data[:at] + data[end:]
        elif kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << length % 8]) + data[at + 1 :]
        elif kind == "repeat":
            data = data[:end] + data[at:end] * (1 + length % 40) + data[end:]
        elif kind == "cut":
            data = data[:at]
        elif kind == "splice":
            other = others[length % len(others)]
            data = data[:at] + other[at % (len(other) + 1) :]
    return data[:limit]


def drawn(source: random.Random) -> list[Edit]:
    """Draw one to six edits."""
    pieces = [source.choice(TOKENS), source.randbytes(source.randrange(1, 9))]
    return [
        Edit(source.choice(KINDS), source.randrange(1 << 30), source.randrange(1 << 16), source.choice(pieces))
        for _ in range(source.choice((1, 1, 2, 3, 6)))
    ]
