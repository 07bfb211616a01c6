"""Letters of three fonts that every reader of PDF has: their widths, signs outside of Latin, lines of a width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal, NamedTuple

Font = Literal["plain", "bold", "fixed"]
NAMES: Final[dict[str, str]] = {
    "plain": "Helvetica", "bold": "Helvetica-Bold", "fixed": "Courier", "symbol": "Symbol",
}  # fmt: skip
RAISED: Final = 0.65  # size of raised digits to that of the text
UNKNOWN: Final = "?"  # in place of signs that the fonts lack
# Widths of the signs from the blank to the tilde, in thousandths of the size, from Adobe's font metrics.
_PLAIN: Final = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_BOLD: Final = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 "
    "333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 "
    "611 389 556 333 611 556 778 556 556 500 389 280 389 584"
)
_MORE: Final = {"…": 1000, "–": 556, "—": 1000, "•": 350, "×": 584, "±": 584, "°": 400, "·": 278, "\xa0": 278,
                "“": 333, "”": 333, "‘": 222, "’": 222}  # fmt: skip
_WIDTHS: Final[dict[str, dict[str, int]]] = {
    name: {chr(32 + place): int(width) for place, width in enumerate(widths.split())} | _MORE
    for name, widths in (("plain", _PLAIN), ("bold", _BOLD))
}
FIXED_WIDTH: Final = 0.6  # of a letter of fixed width to its size
_FIXED, _USUAL, _IN_SYMBOL = 600, 556, 560
HIGH: Final = 0.718  # height of a bold capital to the size of its font
# Signs that Helvetica lacks and Symbol has, by their places there.
_SYMBOL: Final = {
    "≤": 0xA3, "≥": 0xB3, "→": 0xAE, "←": 0xAC, "≠": 0xB9, "≈": 0xBB, "∞": 0xA5, "−": 0x2D, "√": 0xD6, "λ": 0x6C,
    "α": 0x61, "β": 0x62, "γ": 0x67, "δ": 0x64, "ε": 0x65, "ζ": 0x7A, "η": 0x68, "θ": 0x71, "κ": 0x6B, "μ": 0x6D,
    "π": 0x70, "σ": 0x73, "τ": 0x74, "φ": 0x66, "χ": 0x63, "ψ": 0x79, "ω": 0x77, "Δ": 0x44, "Σ": 0x53, "Ω": 0x57,
}  # fmt: skip
_BLANKS: Final = dict.fromkeys(map(ord, "\u2009\u202f\u2007"), "\xa0")
_HIGH: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))


class Run(NamedTuple):
    """Neighbouring letters of one font."""

    font: str  # key of `NAMES`
    text: str  # as people read it
    code: bytes  # as the font counts its signs
    raised: bool  # smaller and above the line
    width: float  # for a size of 1


def runs_of(text: str, font: Font) -> Iterator[Run]:
    """Yield the runs of a text of one line, from left to right."""
    for (name, raised), letters in groupby((_sign(sign, font) for sign in text.translate(_BLANKS)), _kind):
        signs = list(letters)
        size = RAISED if raised else 1.0
        width = sum(_width(sign.text, name) for sign in signs) * size / 1000
        yield Run(name, "".join(s.text for s in signs), b"".join(s.code for s in signs), raised, width)


def _kind(sign: Run) -> tuple[str, bool]:
    return sign.font, sign.raised


@lru_cache(maxsize=4096)
def _sign(sign: str, font: Font) -> Run:
    """Return one letter as a run; those that no font has are a question mark, or the letter without its accent."""
    if sign in _HIGH:
        return Run(font, _HIGH[sign], _HIGH[sign].encode(), True, 0)
    if sign in _SYMBOL:
        return Run("symbol", sign, bytes([_SYMBOL[sign]]), False, 0)
    for form in (sign, unicodedata.normalize("NFKD", sign)[:1], UNKNOWN):
        if form and (code := form.encode("cp1252", "ignore")):
            return Run(font, form, code, False, 0)
    raise AssertionError  # a question mark is in every font


def _width(sign: str, font: str) -> int:
    if font == "fixed":
        return _FIXED
    if font == "symbol":
        return _IN_SYMBOL
    widths = _WIDTHS[font]
    return widths.get(sign) or widths.get(unicodedata.normalize("NFKD", sign)[:1], _USUAL)


@lru_cache(maxsize=1 << 14)
def width_of(text: str, size: float, font: Font = "plain") -> float:
    """Return the width of a text of one line, in points."""
    return size * sum(run.width for run in runs_of(text, font))


def lines_of(text: str, width: float, size: float, font: Font = "plain", most: int = 0) -> list[str]:
    """Return a text in lines of at most a width; a word that is longer is cut.

    Parameters
    ----------
    width, size : float
        In points.
    most : int
        Lines, the last of which ends with ``…`` where more text follows; 0 for all.
    """
    lines, line = list[str](), ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if width_of(longer, size, font) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = _cut(word, width, size, font)
        lines += full
    lines.append(line)
    if most and len(lines) > most:
        lines = [*lines[: most - 1], shortened(" ".join(lines[most - 1 :]), width, size, font)]
    return lines


def _cut(word: str, width: float, size: float, font: Font) -> list[str]:
    """Return a word in pieces that each fit."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and width_of(pieces[-1] + letter, size, font) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def shortened(text: str, width: float, size: float, font: Font = "plain") -> str:
    """Return a text that fits a width, its end ``…`` where it is too long."""
    if width_of(text, size, font) <= width:
        return text
    while text and width_of(f"{text}…", size, font) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"
