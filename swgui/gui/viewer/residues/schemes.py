"""Colour schemes: their contents, and how swgui reads them from JSON.

Pure, without Qt. A *style* is a small number: 0 for a residue without fill, ``i + 1`` for group ``i`` of the scheme.
Views turn styles into colours for a light or a dark window.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui import paths
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.scoring import AlphabetRecord
from swgui.io.read_report import shown
from swgui.io.whole_file import save_text

DARK_LIGHT = 0.45  # share of the light that a fill keeps in a dark window
RULES = ("residue", "ramp", "similarity", "blosum62", "percent_identity", "column_tests")
_ORDER = (
    "similarity", "safe_7", "clustal_x", "zappo", "taylor", "hydrophobicity", "blosum62", "percent_identity",
    "safe_nucleotide", "nucleotide", "purine_pyrimidine", "none",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColorGroup:
    """One colour of a scheme, its meaning in words, and its residues if they alone decide."""

    name: str
    residues: str
    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """Residues that get a group's style where one of the shares (residues, percent of the column) is exceeded."""

    residues: str
    style: int
    shares: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ColorScheme:
    """A colour scheme."""

    key: str  # name of its file
    title: str
    alphabet: str  # name of the one it is for, or ``any``
    rule: str  # one of `RULES`: what decides the group of a residue
    origin: str  # where the scheme comes from, in a sentence or two
    groups: tuple[ColorGroup, ...]
    tests: tuple[ColumnTest, ...] = ()  # for the rule ``column_tests``; the first one that passes decides

    @property
    def needs_column(self) -> bool:
        """Whether the rest of the column decides, so that the scheme means little for two sequences."""
        return self.rule in ("blosum62", "percent_identity", "column_tests")

    def suits(self, alphabet: str) -> bool:
        return self.alphabet in ("any", alphabet)

    def fills(self, dark: bool) -> list[str]:
        """Return the fill of every group as ``#RRGGBB``."""
        return [group.dark if dark else group.light for group in self.groups]

    def table(self) -> NDArray[np.uint8]:
        """Return the style of every byte, shape (256,), for schemes whose residues alone decide."""
        table = np.zeros(256, dtype=np.uint8)
        for written in (str.lower, str):  # a residue's own style after the style of the other case
            for style, group in enumerate(self.groups, start=1):
                table[list(map(ord, written(group.residues)))] = style
        return table


NO_COLOURS = ColorScheme("none", "No colours", "any", "residue", "", ())  # until one is chosen


def linear(color: str) -> NDArray[np.float64]:
    """Return linear red, green and blue of ``#RRGGBB``, shape (3,)."""
    encoded = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def darkened(color: str) -> str:
    """Return a fill for dark windows: the same chromaticity with less light."""
    light = linear(color) * DARK_LIGHT
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(np.clip(encoded, 0, 1) * 255).astype(int)
    return f"#{red:02X}{green:02X}{blue:02X}"


def read_scheme(path: Path) -> ColorScheme:
    """Read a scheme from a JSON file.

    Raises
    ------
    InvalidParameter
        If the file is not a colour scheme; the message names the fault.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _scheme(path.stem, content)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InvalidParameter("scheme", str(path), f"'{path.name}' cannot be read as JSON: {error}.") from error
    except KeyError as error:
        what = f"'{shown(str(error.args[0]))}' is missing"
        raise InvalidParameter("scheme", str(path), f"'{path.name}' is not a colour scheme: {what}.") from error
    except (TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        what = shown(str(error), 200)
        raise InvalidParameter("scheme", str(path), f"'{path.name}' is not a colour scheme: {what}.") from error


def own_folder() -> Path:
    return paths.config_dir() / "color_schemes"


def own_key(scheme: ColorScheme) -> str:
    """Return the key of a user's scheme: never a shipped scheme's key."""
    return f"own:{scheme.key}"


def adopt_scheme(path: Path) -> ColorScheme:
    """Read a scheme from a file and keep a copy among the user's own, so that it is there the next time.

    Raises
    ------
    InvalidParameter
        As `read_scheme`.
    FileNotWritten
    """
    scheme = read_scheme(path)
    kept = own_folder() / f"{path.stem}.json"
    if not (kept.exists() and kept.samefile(path)):
        paths.make_folder(kept.parent)
        content = path.read_text(encoding="utf-8")
        save_text(kept, lambda file: file.write(content))
    return scheme


def own_schemes() -> tuple[list[ColorScheme], list[str]]:
    """Return the user's own schemes by title, and the errors of files that cannot be read."""
    schemes, problems = [], []
    for path in sorted(own_folder().glob("*.json")):
        try:
            scheme = read_scheme(path)
            schemes.append(replace(scheme, key=own_key(scheme)))
        except InvalidParameter as error:
            problems.append(str(error))
    return sorted(schemes, key=lambda scheme: scheme.title.casefold()), problems


def _scheme(key: str, content: dict[str, Any]) -> ColorScheme:
    if not isinstance(content, dict) or content["rule"] not in RULES:
        raise ValueError("it names no known rule")
    groups = tuple(_ramp(content) if content["rule"] == "ramp" else map(_group, content["groups"]))
    names = [group.name for group in groups]
    tests = tuple(
        ColumnTest(
            _residues(test["letters"]),
            names.index(test["group"]) + 1,
            tuple((str(residues), float(percent)) for residues, percent in test["shares"]),
        )
        for test in content.get("tests", ())
    )
    title, origin = _text(content["title"]), _text(content["origin"])
    return ColorScheme(key, title, _text(content["alphabet"]), content["rule"], origin, groups, tests)


def scheme_of(record: AlphabetRecord) -> ColorScheme:
    """Return the colours of an alphabet's file as a scheme: a group for each symbol that has one."""
    groups = (ColorGroup(symbol, symbol, light, darkened(light)) for symbol, light in record.colours.items())
    origin = f"From the file of the alphabet: {record.title or record.name}."
    return ColorScheme(f"alphabet:{record.name}", record.name, record.name, "residue", origin, tuple(groups))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is needed here")
    return value


def _residues(value: object) -> str:
    """Return the residues of a group if all are ASCII: they index tables of 256 entries."""
    if not _text(value).isascii():
        raise ValueError("residues are plain ASCII")
    return str(value)


def _color(value: object) -> str:
    """Return a colour if it is one; it goes into style sheets as it is."""
    if not re.fullmatch(r"#[0-9A-Fa-f]{6}", _text(value)):
        raise ValueError("colours are written #RRGGBB")
    return str(value)


def _group(content: dict[str, Any]) -> ColorGroup:
    light = _color(content["light"])
    dark = _color(content["dark"]) if content.get("dark") else darkened(light)
    return ColorGroup(_text(content["name"]), _residues(content["letters"]), light, dark)


def _ramp(content: dict[str, Any]) -> list[ColorGroup]:
    ramp, values = content["ramp"], content["values"]
    low, high = (np.array([int(_color(ramp[end])[at : at + 2], 16) for at in (1, 3, 5)]) for end in ("low", "high"))
    groups = []
    for residue, value in values.items():
        share = min(max((value - ramp["from"]) / (ramp["to"] - ramp["from"]), 0.0), 1.0)
        red, green, blue = np.rint(low + share * (high - low)).astype(int)
        light = f"#{red:02X}{green:02X}{blue:02X}"
        groups.append(
            ColorGroup(
                f"{residue} {value:+.1f}".replace("-", "\N{MINUS SIGN}"), _residues(residue), light, darkened(light)
            )
        )
    return groups


@cache
def shipped_schemes() -> dict[str, ColorScheme]:
    """Return the schemes that come with the program by name, in the order to offer them."""
    folder = paths.resources_dir() / "color_schemes"
    return {key: read_scheme(folder / f"{key}.json") for key in _ORDER}
