"""Packed files: told by their first bytes, unpacked as a stream, and what goes wrong with them."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, Protocol, cast

import msgspec

from swgui.core.words import printable

BLOCK: Final = 1 << 18  # packed bytes read at a time
LARGEST_WINDOW: Final = 1 << 29  # bytes that a file may ask for to unpack it
ENDINGS: Final = (".gz", ".bgz", ".bgzf", ".bz2", ".xz", ".zst")  # of names, for dialogs and for plain names
_BGZ_FIELD: Final = b"BC\x02\x00"  # extra field of BGZF, at byte 12


USUAL_RATIO: Final = 250  # unpacked to packed; deflate reaches 1,000-fold, and runs of N are parts of files
ALWAYS_ALLOWED: Final = 64 << 20  # bytes unpacked, whatever the ratio
BOMB_HINT: Final = "If this is meant, unpack it yourself and use the unpacked file."


class Damaged(Exception):
    """Packed data cannot be unpacked; the message says why."""


class Bomb(Exception):
    """Packed data expand more than any file of this program's does."""

    def __init__(self) -> None:
        super().__init__(f"grows more than {USUAL_RATIO}-fold when it is unpacked, as no file of its kind does")


def grows_too_much(packed: int, unpacked: int) -> bool:
    """Whether so many bytes of packed data may not become so many: the one rule for files and entries of archives."""
    return unpacked > ALWAYS_ALLOWED and unpacked > USUAL_RATIO * packed


class _Decompressor(Protocol):
    """The common part of the decompressors of the standard library and of zstd."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class Packing(msgspec.Struct, frozen=True):
    """One way to pack a file."""

    name: str
    begins: bytes  # a regular expression for the first bytes
    unpacked: Callable[[IO[bytes]], io.RawIOBase]  # returns the unpacked stream of a packed one

    def opened(self, stream: IO[bytes]) -> io.BufferedReader:
        """Return the unpacked stream of a packed one.

        Its `read` raises `Damaged`, `EOFError` if the end is missing, or `Bomb` by `grows_too_much`.
        """
        packed = _Counted(stream)
        return io.BufferedReader(_Limited(self.unpacked(cast("IO[bytes]", packed)), packed), BLOCK)


def _gunzipped(stream: IO[bytes]) -> io.RawIOBase:
    import gzip
    import zlib

    return _GuardedStream(gzip.GzipFile(fileobj=stream, mode="rb"), (zlib.error, gzip.BadGzipFile))


def _bunzipped(stream: IO[bytes]) -> io.RawIOBase:
    import bz2

    return _Streams(stream, bz2.BZ2Decompressor, OSError)


def _unxzed(stream: IO[bytes]) -> io.RawIOBase:
    import lzma

    return _Streams(stream, lambda: lzma.LZMADecompressor(memlimit=LARGEST_WINDOW), lzma.LZMAError)


def zstd_module() -> Any:
    """Return the module that packs with zstd: that of the standard library, where it has one."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _unzstded(stream: IO[bytes]) -> io.RawIOBase:
    zstd = zstd_module()
    return _Streams(stream, zstd.ZstdDecompressor, zstd.ZstdError)


PACKINGS: Final = (
    Packing("bgz", rb"\x1f\x8b.{10}" + re.escape(_BGZ_FIELD), _gunzipped),
    Packing("gzip", rb"\x1f\x8b", _gunzipped),
    Packing("bzip2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", _bunzipped),
    Packing("xz", rb"\xfd7zXZ\x00", _unxzed),
    Packing("zstd", rb"\x28\xb5\x2f\xfd", _unzstded),
)


def packing_of(start: bytes) -> Packing | None:
    """Return how a file is packed that begins with these bytes, 16 or more; None if it is not."""
    return next((p for p in PACKINGS if re.match(p.begins, start, re.DOTALL)), None)


def without_ending(name: str) -> str:
    """Return the name of a file without the ending that says how it is packed."""
    for ending in ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def plain_name(name: str) -> str:
    """Strip the endings of a sequence file: ``sprot.fasta.gz`` becomes ``sprot``."""
    stem = Path(without_ending(name)).stem
    return printable(stem or name)


class _Counted:
    """A packed stream, and how many bytes of it were read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._inner = stream
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._inner.read(size)
        self.size += len(data)
        return data


class _Limited(io.RawIOBase):
    """An unpacked stream that ends with `Bomb` where too much comes out."""

    def __init__(self, inner: io.RawIOBase, packed: _Counted) -> None:
        self._inner, self._packed, self._size = inner, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._inner.readinto(buffer) or 0
        self._size += count
        if grows_too_much(self._packed.size, self._size):
            raise Bomb
        return count


class _GuardedStream(io.RawIOBase):
    """A stream whose faults are raised as `Damaged`."""

    def __init__(self, stream: io.BufferedIOBase, faults: tuple[type[Exception], ...]) -> None:
        self._inner = stream
        self._faults = faults

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return self._inner.readinto(buffer)
        except self._faults as fault:
            raise Damaged(str(fault)) from None


class _Streams(io.RawIOBase):
    """One packed stream after the other, as one; zeros between them and behind the last are padding."""

    def __init__(self, stream: IO[bytes], decompressor: Callable[[], _Decompressor], fault: type[Exception]) -> None:
        self._inner = stream
        self._new = decompressor
        self._fault = fault
        self._one = decompressor()
        self._held = b""  # packed bytes behind the stream that ended

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        target = memoryview(buffer)
        while True:
            if self._one.eof and not self._next():
                return 0
            data = self._packed() if self._one.needs_input else b""
            try:
                block = self._one.decompress(data, len(target))
            except self._fault as fault:
                raise Damaged(str(fault)) from None
            if block:
                target[: len(block)] = block
                return len(block)

    def _packed(self) -> bytes:
        data, self._held = self._held or self._inner.read(BLOCK), b""
        if not data:
            raise EOFError
        return data

    def _next(self) -> bool:
        """Begin with the stream behind the one that ended; False if there is none."""
        rest = self._one.unused_data
        while not rest.lstrip(b"\x00"):
            rest = self._inner.read(BLOCK)
            if not rest:
                return False
        self._one, self._held = self._new(), rest.lstrip(b"\x00")
        return True
