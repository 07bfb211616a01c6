"""PDF files of pages, with links and a list of contents; no library and no font file is needed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import IO, Final

from swgui.io.paper.letters import HIGH, NAMES, RAISED, runs_of, width_of
from swgui.io.paper.marks import HEIGHT, WIDTH, Bar, Letter, Link, Mark, Page, Words

Foot = Callable[[int, int], list[Mark]]  # takes the number of a page and that of all; returns the marks at its foot
_CATALOG, _PAGES, _OUTLINES, _FONTS = 1, 2, 3, 4
_ESCAPED: Final = {ord(sign): b"\\" + sign.encode() for sign in "()\\"}
_TABLE_ENTRY: Final = "{:010d} 00000 n \n"


class _Objects:
    """Objects of a file, written as they come; their places are known at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._at = file, 0
        self._places: dict[int, int] = {}
        self._last = _FONTS + len(NAMES) - 1
        self.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def write(self, content: bytes) -> None:
        self._file.write(content)
        self._at += len(content)

    def number(self) -> int:
        """Return the number of a new object."""
        self._last += 1
        return self._last

    def put(self, number: int, content: bytes) -> int:
        """Write an object and return its number."""
        self._places[number] = self._at
        self.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        return number

    def stream(self, content: bytes) -> int:
        """Write a packed stream and return its number."""
        packed = zlib.compress(content)
        head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
        return self.put(self.number(), head + packed + b"\nendstream")

    def end(self, info: int) -> None:
        """Write the table of places."""
        start, size = self._at, self._last + 1
        entries = "".join(_TABLE_ENTRY.format(self._places[number]) for number in range(1, size))
        self.write(f"xref\n0 {size}\n0000000000 65535 f \n{entries}".encode())
        trailer = f"trailer\n<< /Size {size} /Root {_CATALOG} 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n"
        self.write(trailer.encode())


def write_pdf(pages: Iterable[Page], file: IO[bytes], title: str, producer: str, foot: Foot) -> None:
    """Write pages as a PDF file; the pages are read one by one.

    Parameters
    ----------
    title, producer : str
        Of the document, as readers show it.
    foot : callable
        Returns the marks at the foot of a page, from its number and that of all pages.
    """
    objects = _Objects(file)
    bodies, headings = list[tuple[int, list[int]]](), list[tuple[str, int, float]]()
    for number, page in enumerate(pages):
        links = [objects.put(objects.number(), _link(mark)) for mark in page.marks if isinstance(mark, Link)]
        bodies.append((objects.stream(_drawn(page.marks)), links))
        headings += [(heading.title, number, heading.y) for heading in page.headings]
    numbers = [objects.number() for _ in bodies]
    for place, (number, (body, links)) in enumerate(zip(numbers, bodies, strict=True)):
        below = objects.stream(_drawn(foot(place + 1, len(bodies))))
        noted = f" /Annots [{' '.join(f'{link} 0 R' for link in links)}]" if links else ""
        shown = f"/Parent {_PAGES} 0 R /Contents [{body} 0 R {below} 0 R]{noted}"
        objects.put(number, f"<< /Type /Page {shown} >>".encode())
    _write_tree(objects, numbers)
    _write_contents(objects, headings, numbers)
    info = b"<< /Title %s /Producer %s >>" % (_text(title), _text(producer))
    objects.end(objects.put(objects.number(), info))


def _write_tree(objects: _Objects, numbers: list[int]) -> None:
    fonts = " ".join(f"/{key} {_FONTS + place} 0 R" for place, key in enumerate(NAMES))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    box = f"/MediaBox [0 0 {WIDTH:g} {HEIGHT:g}] /Resources << /Font << {fonts} >> >>"
    objects.put(_PAGES, f"<< /Type /Pages /Count {len(numbers)} /Kids [{kids}] {box} >>".encode())
    for place, (key, name) in enumerate(NAMES.items()):
        encoding = "" if key == "symbol" else " /Encoding /WinAnsiEncoding"
        objects.put(_FONTS + place, f"<< /Type /Font /Subtype /Type1 /BaseFont /{name}{encoding} >>".encode())


def _write_contents(objects: _Objects, headings: list[tuple[str, int, float]], numbers: list[int]) -> None:
    """Write the catalogue, and the list of contents that readers show."""
    own = [objects.number() for _ in headings]
    for place, (title, page, y) in enumerate(headings):
        before = f" /Prev {own[place - 1]} 0 R" if place else ""
        behind = f" /Next {own[place + 1]} 0 R" if place + 1 < len(own) else ""
        to = f" /Parent {_OUTLINES} 0 R{before}{behind} /Dest [{numbers[page]} 0 R /XYZ 0 {HEIGHT - y:g} 0]"
        objects.put(own[place], b"<< /Title %s%s >>" % (_text(title), to.encode()))
    ends = f" /First {own[0]} 0 R /Last {own[-1]} 0 R /Count {len(own)}" if own else ""
    objects.put(_OUTLINES, f"<< /Type /Outlines{ends} >>".encode())
    shown = " /PageMode /UseOutlines" if len(own) > 1 else ""
    catalog = f"<< /Type /Catalog /Pages {_PAGES} 0 R /Outlines {_OUTLINES} 0 R{shown} /Lang (en) >>"
    objects.put(_CATALOG, catalog.encode())


def _drawn(marks: Iterable[Mark]) -> bytes:
    """Return the commands that draw marks."""
    parts = list[bytes]()
    for mark in marks:
        if isinstance(mark, Bar):
            y = HEIGHT - mark.y - mark.height
            place = f"{mark.x:.2f} {y:.2f} {mark.width:.2f} {mark.height:.2f}"
            parts.append(f"{_colour(mark.colour)} {place} re f\n".encode())
        elif isinstance(mark, Words):
            parts.append(_written(mark))
        elif isinstance(mark, Letter):
            parts.append(_stretched(mark))
    return b"".join(parts)


def _written(words: Words) -> bytes:
    parts = [f"BT {_colour(words.colour)} 1 0 0 1 {words.x:.2f} {HEIGHT - words.y:.2f} Tm".encode()]
    for run in runs_of(words.text, words.font):
        size, rise = (words.size * RAISED, words.size / 3) if run.raised else (words.size, 0)
        parts.append(f"/{run.font} {size:.3g} Tf {rise:.3g} Ts".encode())
        parts.append(b"(%s) Tj" % _escaped(run.code))
    return b" ".join([*parts, b"ET\n"])


def _stretched(letter: Letter) -> bytes:
    wide, high = letter.width / width_of(letter.text, 1, "bold"), letter.height / HIGH
    matrix = f"{wide:.3f} 0 0 {high:.3f} {letter.x:.2f} {HEIGHT - letter.y - letter.height:.2f} Tm"
    return f"BT {_colour(letter.colour)} {matrix} /bold 1 Tf ({letter.text}) Tj ET\n".encode()


def _escaped(code: bytes) -> bytes:
    return b"".join(_ESCAPED.get(sign, bytes([sign])) for sign in code)


def _colour(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return f"{red:.3g} {green:.3g} {blue:.3g} rg"


def _link(link: Link) -> bytes:
    low, high = HEIGHT - link.y - link.height, HEIGHT - link.y
    box = f"[{link.x:.1f} {low:.1f} {link.x + link.width:.1f} {high:.1f}]"
    address = _escaped(link.address.encode("ascii", "replace"))
    frame = f"<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect {box}"
    return b"%s /A << /S /URI /URI (%s) >> >>" % (frame.encode(), address)


def _text(text: str) -> bytes:
    """Return a text of readers, in any writing."""
    return b"<FEFF%s>" % text.encode("utf-16-be", "replace").hex().upper().encode()
