"""Where sequence text comes from: a file or a string, unpacked, decoded and with plain line ends.

Whatever the input, the rest of the program sees blocks of UTF-8 bytes with LF line ends. The content of a file decides
its format, never its name.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import IO, Final

from swgui.core.errors import SequenceError, SequenceFileMissing
from swgui.io.opening import not_opened
from swgui.io.structures.naming import chosen
from swgui.io.unpacking import BOMB_HINT, PACKINGS, Bomb, Damaged, packing_of

STANDARD: Final = "-"  # name of the standard input
BLOCK: Final = 1 << 20
HEAD: Final = 1 << 16  # bytes looked at to tell what a file is

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a part of it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_ZIP: Final = b"PK\x03\x04"
_SAVED: Final = ".swgui"  # zip archives of this program

_OTHER_ARCHIVES: Final = (
    (_ZIP, "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x1f\x9d", "compressed with compress (.Z)"),
)


class TextSource:
    """One input, open for reading; use it in a ``with`` statement.

    Parameters
    ----------
    stream : binary file
        Closed at the end.
    name : str
        What messages call the input.
    path : str
        For errors; empty for text in memory.
    size : int
        Bytes to read in all, 0 if unknown.

    Attributes
    ----------
    head : bytes
        The first `HEAD` bytes or more of the text, as `blocks` will give them.
    packing : str
        Name of one of `PACKINGS`, or empty.
    chain, model
        Which of a structure is wanted: the name of a chain, empty for all, and the number of a model, 0 for the first.
    encoding : str
        ``"utf-8"`` unless a byte-order mark or the bytes say otherwise.
    """

    def __init__(self, stream: IO[bytes], name: str, path: str = "", size: int = 0) -> None:
        self.chain, self.model = "", 0
        self.name = name
        self.path = path
        self.size = size
        self._raw = stream
        self._consumed = 0
        self.packing = ""
        try:
            self.packing, self._stream = self._unpack(stream)
            self.decoded = self._decoded_blocks()
            ready: list[bytes] = []
            while sum(map(len, ready)) < HEAD and (block := next(self.decoded, b"")):
                ready.append(block)
            self.head = b"".join(ready)
        except BaseException:
            stream.close()
            raise

    def __enter__(self) -> TextSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._raw.close()

    @property
    def position(self) -> int:
        """Bytes of the input consumed so far, packed as they are."""
        return self._consumed

    def fileno(self) -> int:
        """Descriptor of the open file; `OSError` for text in memory."""
        return self._raw.fileno()

    def error(self, message: str, *, line: int = 0, record: int = 0, hint: str = "") -> SequenceError:
        """Make an error that names this input."""
        return SequenceError(message[:1].upper() + message[1:], path=self.path, line=line, record=record, hint=hint)

    def blocks(self) -> Iterator[bytes]:
        """Yield the whole text in blocks of about 1 MB; once."""
        yield self.head
        yield from self.decoded

    def text(self) -> io.TextIOWrapper:
        """Return the whole text as a text file, for Biopython's parsers.

        Bytes that are not UTF-8 come through as surrogates.
        """
        buffered = io.BufferedReader(_BlockStream(self.blocks()), BLOCK)
        return io.TextIOWrapper(buffered, encoding="utf-8", errors="surrogateescape", newline="\n")

    def _unpack(self, stream: IO[bytes]) -> tuple[str, IO[bytes]]:
        buffered = io.BufferedReader(_Counting(stream, self), BLOCK)
        start = self._guarded(buffered.peek, HEAD)[:HEAD]
        if not start:
            raise self.error(
                f"{self.name} is empty.", hint="Choose a file with sequences, for example in FASTA format."
            )
        if start.startswith(_ZIP) and self.path.endswith(_SAVED):
            raise self.error(
                f"{self.name} was saved by this program and is not a sequence file.",
                hint="Open it in the window, or see 'swgui show' and 'swgui verify'.",
            )
        for magic, kind in _OTHER_ARCHIVES:
            if start.startswith(magic):
                raise self.error(
                    f"{self.name} is {kind}, which is not read here.",
                    hint=f"Unpack it first; {', '.join(packing.name for packing in PACKINGS)} can be read as they are.",
                )
        packing = packing_of(start)
        return (packing.name, packing.opened(buffered)) if packing else ("", buffered)

    def _guarded(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Read, and say what went wrong in the user's words."""
        try:
            data = read(size)
        except EOFError:
            raise self.error(
                f"{self.name} ends in the middle of its compressed data.",
                hint="The file is truncated; copy or download it again.",
            ) from None
        except Damaged as fault:
            raise self.error(
                f"{self.name} is damaged: its compressed data cannot be read ({fault}).",
                hint="Copy or download it again.",
            ) from None
        except Bomb as fault:
            raise self.error(f"{self.name} {fault}.", hint=BOMB_HINT) from None
        except OSError as fault:
            raise self.error(f"{self.name} cannot be read: {fault.strerror or fault}.") from fault
        return data

    def _decoded_blocks(self) -> Iterator[bytes]:
        """Read, decode to UTF-8 and turn CR and CRLF into LF."""
        first = self._guarded(self._stream.read, BLOCK)
        mark, self.encoding = next(
            ((mark, name) for mark, name in _BYTE_ORDER_MARKS if first.startswith(mark)), (b"", _by_zeros(first))
        )
        decoder = None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)()
        held = b""  # a CR at the end of a block, whose LF may come with the next
        block = first[len(mark) :]
        final = not first
        while not final:
            text = self._recoded(decoder, block, False) if decoder else block
            block = self._guarded(self._stream.read, BLOCK)
            final = not block
            if final and decoder:
                text += self._recoded(decoder, b"", True)
            text = held + text
            held = b"\r" if text.endswith(b"\r") and not final else b""
            text = text[: len(text) - len(held)]
            if b"\r" in text:
                text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if text:
                yield text

    def _recoded(self, decoder: codecs.IncrementalDecoder, block: bytes, final: bool) -> bytes:
        try:
            return decoder.decode(block, final).encode("utf-8")
        except UnicodeError as fault:
            raise self.error(
                f"{self.name} is not proper {self.encoding.upper()} text ({getattr(fault, 'reason', fault)}).",
                hint="Save it as plain text in UTF-8.",
            ) from None


def _by_zeros(start: bytes) -> str:
    """Tell UTF-16 without a byte-order mark by the zeros that every ASCII letter brings."""
    sample = start[:HEAD]
    half = len(sample) // 2
    if (half >= 2 and len(sample) % 2 == 0) or half >= 64:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > 0.9 * half and even == 0:
            return "utf-16-le"
        if even > 0.9 * half and odd == 0:
            return "utf-16-be"
    return "utf-8"


def open_file(path: str | os.PathLike[str]) -> TextSource:
    """Open a sequence file, or the standard input where `STANDARD` is its name.

    ``FILE:CHAIN`` names a chain of a structure.

    Raises
    ------
    SequenceError
        If it is missing, a folder, unreadable, empty or an archive of a foreign kind.
    """
    if str(path) == STANDARD:
        return TextSource(_standard_input(), "the standard input")
    choice = chosen(path)
    place = choice.path
    name = f"'{place.name or place}'"
    shown = str(place)
    try:
        facts = place.stat()
        if stat.S_ISDIR(facts.st_mode):
            raise IsADirectoryError
        stream = open(place, "rb", buffering=0)  # noqa: SIM115 - closed by the source
    except FileNotFoundError:
        raise SequenceFileMissing(
            f"There is no file '{shown}'.", path=shown, hint="Check the name; it may have been moved or deleted."
        ) from None
    except IsADirectoryError:
        raise SequenceError(
            f"{name} is a folder, not a file.", path=shown, hint="Choose a sequence file inside it."
        ) from None
    except PermissionError:
        raise SequenceError(
            f"{name} may not be read by you.", path=shown, hint="Ask its owner for permission, or copy it."
        ) from None
    except (OSError, ValueError) as fault:  # ValueError: a zero byte in the name
        raise SequenceError(not_opened(place, fault), path=shown) from fault
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    source = TextSource(stream, name, shown, size)
    source.chain, source.model = choice.chain, choice.model
    return source


def _standard_input() -> IO[bytes]:
    """Return the standard input, which stays open when the source is closed."""
    if sys.stdin is None:
        raise SequenceError("There is no standard input.", hint="Name a file.")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


def open_text(text: str) -> TextSource:
    """Open text held in memory, for example pasted."""
    data = text.encode("utf-8", "replace")
    return TextSource(io.BytesIO(data), "the text", size=len(data))


class _Counting(io.RawIOBase):
    """Passes bytes on and tells the source how many were consumed."""

    def __init__(self, stream: IO[bytes], source: TextSource) -> None:
        self._inner = stream
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        count: int = self._inner.readinto(buffer) or 0  # type: ignore[attr-defined]
        self._source._consumed += count
        return count


class _BlockStream(io.RawIOBase):
    """A readable file over blocks of bytes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.decoded = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        if not self._rest:
            self._rest = memoryview(next(self.decoded, b""))
        target = memoryview(buffer)  # type: ignore[arg-type]
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
