"""Frames of append-only files that survive a crash: length (u32), checksum (8 bytes of BLAKE2b) and content of each."""

from __future__ import annotations

import hashlib
import struct
from typing import IO, Final

_HEAD: Final = struct.Struct("<I8s")
_LARGEST: Final = 1 << 30
_BLOCK: Final = 1 << 24  # bytes read at a time


def framed(content: bytes) -> bytes:
    """Return a content as a frame."""
    return _HEAD.pack(len(content), _checksum(content)) + content


def read_frame(file: IO[bytes]) -> bytes | None:
    """Return the content of the frame that follows; None where none is whole."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, checksum = _HEAD.unpack(head)
    if length > _LARGEST:
        return None
    parts, left = [], length
    while left and (part := file.read(min(left, _BLOCK))):
        parts.append(part)
        left -= len(part)
    content = b"".join(parts)
    return content if not left and _checksum(content) == checksum else None


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()
