"""Arrays and texts in one zip file with a manifest; nothing is unpickled, nothing is unpacked to disk.

Every part has a checksum in the manifest (BLAKE2b, 128 bits, of the unpacked bytes). A reader says beforehand
what shape it expects of a part, so that a file cannot make the program reserve more than it should.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import RunFileError, SwguiError
from swgui.io.opening import open_to_read
from swgui.io.unpacking import grows_too_much

MANIFEST: Final = "manifest.json"
SAVED_SEARCH: Final = "a saved search"
MAX_PARTS: Final = 1000
LARGEST_TEXT: Final = 256 << 20  # bytes of a JSON or text part
LARGEST: Final = 64 << 30  # bytes of all parts, unpacked
_BLOCK: Final = 1 << 20
_LEVEL: Final = 1  # of compression: the higher ones take ten times as long for a few percent
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # times are in the manifest

# Every exception that `zipfile`, `zlib`, `json` and `numpy.lib.format` are known to raise on damaged input.
FAULTS: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, ValueError, KeyError, TypeError,
    AttributeError, IndexError, OverflowError, RecursionError, MemoryError, NotImplementedError, RuntimeError,
    SyntaxError, tokenize.TokenError,
)  # fmt: skip


def damaged(path: Path, fault: str) -> RunFileError:
    """Make the error for a part that differs from the written one."""
    return RunFileError(str(path), f"'{path.name}' is damaged: {fault}.", hint="Copy it again, or repeat the search.")


def manifest_of(path: Path) -> Mapping[str, Any]:
    """Return the manifest of a file; empty if it is none of these files, or cannot be read."""
    if not path.is_file():  # opening a pipe would wait for its writer
        return {}
    try:
        with PackReader(path) as pack:
            return pack.manifest
    except (SwguiError, OSError):
        return {}


class PackWriter:
    """Writes parts one after the other; `finish` writes the manifest.

    Parameters
    ----------
    compress : bool
        Whether large numeric parts are compressed; texts always are.
    """

    def __init__(self, file: IO[bytes], *, compress: bool = True) -> None:
        self._zip = zipfile.ZipFile(file, "w", allowZip64=True)
        self._compress = compress
        self.parts: dict[str, str] = {}

    def __enter__(self) -> PackWriter:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, ValueError):  # after a failure, which is being raised; else it is closed
            self._zip.close()

    def array(self, name: str, array: NDArray[Any], *, compress: bool = True) -> None:
        """Write an array in ``.npy`` form; stored as it is if compression is off or does not pay."""
        blocks = (array[i : i + _BLOCK] for i in range(0, len(array), _BLOCK))
        self.rows(name, array.dtype, array.shape, blocks, compress=compress)

    def rows(
        self,
        name: str,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        blocks: Iterable[NDArray[Any]],
        *,
        compress: bool = True,
    ) -> None:
        """Write an array that comes in blocks along its first axis; as `array`."""
        order = dtype.newbyteorder("<")
        header = {"descr": np.lib.format.dtype_to_descr(order), "fortran_order": False, "shape": shape}
        with self._part(name, compress=self._compress and compress) as write:
            start = _Collected()
            np.lib.format.write_array_header_1_0(start, header)
            write(bytes(start.data))
            for block in blocks:
                write(np.ascontiguousarray(block, dtype=order).reshape(-1).view(np.uint8).data)

    def text(self, name: str, text: bytes) -> None:
        """Write a text."""
        with self._part(name, compress=True) as write:
            for start in range(0, len(text), _BLOCK):
                write(text[start : start + _BLOCK])

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest with the checksums of all parts, and the end of the file."""
        parts = dict(self.parts)
        self.text(MANIFEST, json.dumps({**manifest, "parts": parts}, indent=1).encode("ascii"))
        self._zip.close()

    @contextmanager
    def _part(self, name: str, *, compress: bool) -> Iterator[Any]:
        about = zipfile.ZipInfo(name, _EARLIEST)
        about.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        about._compresslevel = _LEVEL  # type: ignore[attr-defined]  # 3.13 made it public as `compress_level`
        digest = hashlib.blake2b(digest_size=16)
        with self._zip.open(about, "w", force_zip64=True) as part:

            def write(data: Any) -> None:
                digest.update(data)
                part.write(data)

            yield write
        self.parts[name] = digest.hexdigest()


class _Collected:
    """Collects what is written to it."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> int:
        self.data += data
        return len(data)


class PackReader:
    """Opens such a file and reads its parts.

    Parameters
    ----------
    kind : str
        What it should be, for errors.

    Raises
    ------
    RunFileError
        If the file cannot be read, is none of these files, is damaged, or would unpack to far more than it holds.
    """

    def __init__(self, path: str | os.PathLike[str], kind: str = SAVED_SEARCH) -> None:
        self.path, self._kind = Path(path), kind
        self._file = _opened(self.path, kind)
        try:
            with self.watched():
                self._zip = zipfile.ZipFile(self._file)
                self._entries = self._listed()
                self.manifest = self._read_manifest()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> PackReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Turn the errors that libraries raise on a damaged file into one sentence."""
        try:
            yield
        except SwguiError:
            raise
        except OSError as fault:
            reason = fault.strerror or str(fault)
            raise RunFileError(str(self.path), f"'{self.path.name}' cannot be read: {reason}.") from fault
        except FAULTS as fault:
            raise damaged(self.path, "it does not hold what it should") from fault

    def array(self, name: str, dtypes: str | tuple[str, ...], shape: tuple[int, ...]) -> NDArray[Any]:
        """Read an array whose type and shape are known beforehand.

        Raises
        ------
        RunFileError
            If the part is missing, of another shape or type, or its checksum is wrong.
        """
        allowed = (dtypes,) if isinstance(dtypes, str) else dtypes
        with self.watched(), self._part(name) as part:
            form, fortran, dtype = _read_header(part)
            if dtype.str not in allowed or form != shape or fortran:
                raise damaged(self.path, f"the part '{name}' has another shape than it should")
            size = math.prod(shape) * dtype.itemsize
            if size > part.left:
                raise damaged(self.path, f"the part '{name}' is too short")
            array = np.empty(shape, dtype=dtype)
            part.fill(array.reshape(-1).view(np.uint8))
            part.check()
        return array

    def count(self, name: str) -> int:
        """Return the number of entries of an array with one axis, without reading it."""
        with self.watched(), self._part(name) as part:
            shape, _, _ = _read_header(part)
            if len(shape) != 1:
                raise damaged(self.path, f"the part '{name}' has another shape than it should")
            return int(shape[0])

    def text(self, name: str) -> bytes:
        """Read a text."""
        with self.watched(), self._part(name) as part:
            return part.text()

    def _part(self, name: str) -> _Part:
        if name not in self._entries:
            raise damaged(self.path, f"the part '{name}' is missing")
        checksum = self.manifest["parts"].get(name)
        if not isinstance(checksum, str):
            raise damaged(self.path, f"the part '{name}' has no checksum")
        return _Part(self._zip.open(self._entries[name]), self._entries[name], self.path, checksum)

    def _listed(self) -> dict[str, zipfile.ZipInfo]:
        entries = self._zip.infolist()
        names = [entry.filename for entry in entries]
        if MANIFEST not in names:
            raise not_a_saved_search(self.path, self._kind)
        if len(entries) > MAX_PARTS or len(set(names)) != len(names):
            raise damaged(self.path, "it has too many parts, or parts of the same name")
        unpacked = sum(entry.file_size for entry in entries)
        size = self._file.seek(0, os.SEEK_END)
        if unpacked > LARGEST or grows_too_much(size, unpacked):
            raise RunFileError(
                str(self.path),
                f"'{self.path.name}' ({size:,} bytes) would unpack to {unpacked:,} bytes, which no saved search does.",
                hint="Do not trust where it comes from.",
            )
        return dict(zip(names, entries, strict=True))

    def _read_manifest(self) -> dict[str, Any]:
        entry = self._entries[MANIFEST]
        with _Part(self._zip.open(entry), entry, self.path, "") as part:
            manifest = json.loads(part.text())
        if not isinstance(manifest, dict) or not isinstance(manifest.get("parts"), dict):
            raise damaged(self.path, "its manifest is not one")
        return manifest


class _Part:
    """One part while it is read; its bytes are counted and hashed."""

    def __init__(self, stream: IO[bytes], entry: zipfile.ZipInfo, path: Path, checksum: str) -> None:
        self._stream = stream
        self._path = path
        self._name = entry.filename
        self._checksum = checksum
        self._digest = hashlib.blake2b(digest_size=16)
        self.left = entry.file_size

    def __enter__(self) -> _Part:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        data = self._stream.read(size)
        self._digest.update(data)
        self.left -= len(data)
        return data

    def fill(self, target: NDArray[np.uint8]) -> None:
        """Fill an array of bytes."""
        for start in range(0, len(target), _BLOCK):
            wanted = min(_BLOCK, len(target) - start)
            data = self.read(wanted)
            if len(data) != wanted:
                raise damaged(self._path, f"the part '{self._name}' is too short")
            target[start : start + wanted] = np.frombuffer(data, dtype=np.uint8)

    def text(self) -> bytes:
        """Return all bytes, verified if there is a checksum."""
        if self.left > LARGEST_TEXT:
            raise damaged(self._path, f"the part '{self._name}' is too long")
        data = bytearray()
        while self.left > 0 and (block := self.read(min(_BLOCK, self.left))):
            data += block
        self.check()
        return bytes(data)

    def check(self) -> None:
        """Verify that the part ends here, and its checksum."""
        if self._stream.read(1) or self.left or (self._checksum and self._digest.hexdigest() != self._checksum):
            raise damaged(self._path, f"the part '{self._name}' does not match its checksum")


def _read_header(part: _Part) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(part)  # type: ignore[arg-type]
    if version != (1, 0):
        raise ValueError(version)
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(part)  # type: ignore[arg-type]
    return shape, fortran, dtype


def _opened(path: Path, kind: str) -> IO[bytes]:
    file = open_to_read(path, kind, RunFileError)
    try:
        if file.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
            raise not_a_saved_search(path, kind)
    except BaseException:
        file.close()
        raise
    return file


def not_a_saved_search(path: Path, kind: str = SAVED_SEARCH) -> RunFileError:
    """Make the error for a file of another kind than expected."""
    hint = "Choose a .swgui file." if kind == SAVED_SEARCH else ""
    return RunFileError(str(path), f"'{path.name}' is not {kind} of this program.", hint=hint)
