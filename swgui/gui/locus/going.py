"""Where the user wants to go: a position, a range, a sequence with one of these, or the name of a gene."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from swgui.core.compare.matching import match_names
from swgui.core.errors import NotFound
from swgui.core.loci.annotation import Annotation
from swgui.core.plain import replace
from swgui.gui.locus.scene import Scene

_RANGE: Final = re.compile(r"([\d,  ]+)(?:(?:\.\.|-|–|to)([\d,  ]+))?")
_POSITION: Final = 50  # bases on either side of a position


class Target(msgspec.Struct, frozen=True):
    """A stretch to show."""

    db_index: int
    # start, end: half-open range from 0
    start: int
    end: int


def targets(scene: Scene, text: str, annotation: Annotation | None) -> list[Target]:
    """Return the stretches that a text names, the first of several genes first; for a worker.

    Raises
    ------
    NotFound
        If it names nothing; the sentence says where was looked.
    """
    index, length = scene.place.db_index, scene.length
    if (found := _range(text, index, length)) is not None:
        return [found]
    if scene.table is not None and (rows := scene.table.find(text)).size:
        table = scene.table
        return _apart(
            [Target(index, int(table.starts[row]), min(int(table.ends[row]), length)) for row in rows.tolist()]
        )
    name, colon, rest = text.rpartition(":")
    if (other := _sequence(scene, name if colon else text)) is not None:
        of_other = int(scene.place.database.lengths[other])
        return [_range(rest, other, of_other) or Target(other, 0, of_other) if colon else Target(other, 0, of_other)]
    found_elsewhere = _elsewhere(scene, text, annotation)
    if found_elsewhere:
        return found_elsewhere
    where = "it has no features" if scene.table is None else f"no feature of {scene.name} has this name"
    raise NotFound(text, f"'{text}' is no position, gene or sequence: {where}.")


def _range(text: str, db_index: int, length: int) -> Target | None:
    match = _RANGE.fullmatch(text.strip())
    if match is None or not match[1].strip(" ,"):
        return None
    first, last = (int(re.sub(r"\D", "", part) or 0) if part else 0 for part in match.groups())
    if match[2] is None:
        first = min(max(first, 1), length)
        return Target(db_index, max(first - 1 - _POSITION, 0), min(first + _POSITION, length))
    low, high = sorted((min(max(first, 1), length), min(max(last, 1), length)))
    return Target(db_index, low - 1, high)


def _sequence(scene: Scene, name: str) -> int | None:
    matches = match_names([name], scene.place.database.ids)
    return matches.found.get(name)


def _elsewhere(scene: Scene, text: str, annotation: Annotation | None) -> list[Target]:
    """Return the genes of this name on other sequences of the file of features."""
    for name, table in () if annotation is None else annotation.tables.items():
        rows = table.find(text)
        if rows.size and (index := _sequence(scene, name)) is not None:
            return _apart([Target(index, int(table.starts[row]), int(table.ends[row])) for row in rows.tolist()])
    return []


def _apart(found: list[Target]) -> list[Target]:
    """Return stretches without those that lie inside another: transcripts of a gene are one."""
    kept: list[Target] = []
    for target in sorted(found, key=lambda one: (one.start, -one.end)):
        if kept and target.start < kept[-1].end:
            kept[-1] = replace(kept[-1], end=max(kept[-1].end, target.end))
        else:
            kept.append(target)
    return kept
