"""The organisms of all subjects of a database, from their headers: a million of them in about a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import is_binomial, is_certain
from swgui.core.organisms.subjects import DIGITS, UNKNOWN, SubjectOrganisms, grouped, organism_of
from swgui.core.texts import TextColumn

BLOCK: Final = 1 << 21  # bytes of descriptions looked at together
_EQUALS, _BLANK, _CLOSED, _JOINED = b"= ]\x01"
_NAME, _TAXID, _OTHER = range(3)
_FIELDS: Final = {b"OS": _NAME, b"OX": _TAXID, b"GN": _OTHER, b"PE": _OTHER, b"SV": _OTHER}
_UNIREF: Final = b"UniRef"
_UNIREF_FIELDS: Final = {b"Tax": _NAME, b"TaxID": _TAXID, b"RepID": _OTHER}
_LAST: Final = np.array(sorted({word[-1] for word in (*_FIELDS, *_UNIREF_FIELDS)}), dtype=np.uint8)
_ODD: Final = -2  # mark of a name that is an organism or not by the rest of the header


def scan_organisms(
    ids: TextColumn, descriptions: TextColumn, watch: Callable[[], None] | None = None
) -> SubjectOrganisms:
    """Return the organism that each header names, as `swgui.core.headers.parse_header` reads it.

    Parameters
    ----------
    watch : callable, optional
        Called for every few megabytes; may raise to stop.
    """
    count = len(descriptions)
    names = _Names()
    of = np.full(count, UNKNOWN, dtype=np.int64)
    taxids = np.zeros(count, dtype=np.int32)
    offsets = descriptions.offsets
    first = 0
    while first < count:
        if watch is not None:
            watch()
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
        block = _Block(ids, descriptions, first, min(last, count))
        block.read(names, of[first : block.last], taxids[first : block.last])
        first = block.last
    return grouped(of, tuple(names.texts), taxids)


class _Names:
    """Distinct names, numbered in order of appearance; the result for the bytes of one is reused for the next."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.fields: dict[bytes, int] = {}
        self.brackets: dict[bytes, int] = {}
        self._number: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a name; `UNKNOWN` of an empty one."""
        if not text:
            return UNKNOWN
        if text not in self._number:
            self._number[text] = len(self.texts)
            self.texts.append(text)
        return self._number[text]

    def field(self, data: bytes) -> int:
        """Return the number of the text behind ``OS=`` or ``Tax=``."""
        if data not in self.fields:
            text = data.decode("utf-8", "replace").strip()
            self.fields[data] = self.number(text) if is_certain(text) else _ODD
        return self.fields[data]

    def bracket(self, data: bytes) -> int:
        """Return the number of the text in brackets at the end."""
        if data not in self.brackets:
            text = data.decode("utf-8", "replace")
            plain = b"[" not in data and b"]" not in data and is_binomial(text)
            self.brackets[data] = self.number(text) if plain else _ODD
        return self.brackets[data]


class _Block:
    """The headers of some subjects, concatenated."""

    def __init__(self, ids: TextColumn, descriptions: TextColumn, first: int, last: int) -> None:
        self.first, self.last = first, last
        self._ids, self._descriptions = ids, descriptions
        edges = np.asarray(descriptions.offsets[first : last + 1], dtype=np.int64)
        self.data = np.ascontiguousarray(descriptions.data[edges[0] : edges[-1]])
        self.starts, self.ends = edges[:-1] - edges[0], edges[1:] - edges[0]
        self._cut()

    def _cut(self) -> None:
        """End each header where the next of those joined by control-A begins, without blanks behind it."""
        joined = np.flatnonzero(self.data == _JOINED)
        if len(joined):
            rows, first = np.unique(self._rows(joined), return_index=True)
            self.ends[rows] = joined[first]
        if not len(self.data):
            return
        while True:
            blank = (self.ends > self.starts) & (self.data[self.ends - 1] == _BLANK)
            if not blank.any():
                return
            self.ends -= blank

    def _rows(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in which header each place (ascending) lies."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def read(self, names: _Names, of: NDArray[np.int64], taxids: NDArray[np.int32]) -> None:
        """Fill in numbers of names and taxids of these headers."""
        content = self.data.tobytes()
        rows, starts, ends = self._fields(taxids)
        for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
            of[row] = names.field(content[start:end])
        bracketed = np.flatnonzero(self.ends > self.starts)
        bracketed = bracketed[(self.data[self.ends[bracketed] - 1] == _CLOSED) & (of[bracketed] == UNKNOWN)]
        edges = zip(self.starts[bracketed].tolist(), self.ends[bracketed].tolist(), strict=True)
        for row, (start, end) in zip(bracketed.tolist(), edges, strict=True):
            opened = content.rfind(b" [", start, end)
            if opened > start:
                of[row] = names.bracket(content[opened + 2 : end - 1])
        for row in np.flatnonzero(of == _ODD).tolist():
            organism = organism_of(self._ids[self.first + row], self._descriptions[self.first + row])
            of[row], taxids[row] = names.number(organism.name), organism.taxid

    def _fields(self, taxids: NDArray[np.int32]) -> tuple[NDArray[np.int64], ...]:
        """Fill in taxids; return the headers with a field of the name, and where its value begins and ends."""
        places, rows, kinds = self._tags()
        follows = np.append(rows[1:] == rows[:-1], False) if len(rows) else np.zeros(0, dtype=bool)
        ends = self.ends[rows]
        ends[follows] = self._tag_starts[1:][follows[:-1]] - 1
        with_taxid, first = np.unique(rows[kinds == _TAXID], return_index=True)
        taxids[with_taxid] = self._numbers(places[kinds == _TAXID][first] + 1, self.ends[with_taxid])
        named, first = np.unique(rows[kinds == _NAME], return_index=True)
        unnamed = np.ones(len(taxids), dtype=bool)
        unnamed[named] = False
        taxids[unnamed] = 0
        return named, places[kinds == _NAME][first] + 1, ends[kinds == _NAME][first]

    def _tags(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the place of the sign of equality, the header and the kind of every field."""
        places = np.flatnonzero(self.data == _EQUALS)
        places = places[np.isin(self.data[places - 1], _LAST)]  # few of many remain, before any look-up
        rows = self._rows(places)
        inside = places < self.ends[rows]
        places, rows = places[inside], rows[inside]
        kinds = np.full(len(places), UNKNOWN, dtype=np.int64)
        starts = places.copy()
        uniref = self._of_uniref()[rows]
        self._find(_FIELDS, places, rows, kinds, starts, np.ones(len(places), dtype=bool))
        if uniref.any():
            self._find(_UNIREF_FIELDS, places, rows, kinds, starts, uniref)
        recognized = kinds != UNKNOWN
        self._tag_starts = starts[recognized]
        return places[recognized], rows[recognized], kinds[recognized]

    def _find(
        self, words: dict[bytes, int], places: NDArray[np.int64], rows: NDArray[np.int64], kinds: NDArray[np.int64],
        starts: NDArray[np.int64], among: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Mark the places where one of some words is before the sign of equality, at the start or behind a blank."""
        for word, kind in words.items():
            left = np.flatnonzero(among & (kinds == UNKNOWN) & (self.data[places - 1] == word[-1]))
            begins = places[left] - len(word)
            bounds = self.starts[rows[left]]
            matches = begins >= bounds
            for offset, sign in enumerate(word[:-1]):
                matches &= self.data[begins + offset] == sign
            matches &= (begins == bounds) | (self.data[begins - 1] == _BLANK)
            kinds[left[matches]], starts[left[matches]] = kind, begins[matches]

    def _of_uniref(self) -> NDArray[np.bool_]:
        """Return a mask of the identifiers that begin as those of UniRef do."""
        edges = np.asarray(self._ids.offsets[self.first : self.last + 1], dtype=np.int64)
        letters = np.asarray(self._ids.data[edges[0] : edges[-1]])
        matches = np.diff(edges) >= len(_UNIREF)
        for offset, sign in enumerate(_UNIREF):
            if not matches.any():
                break
            places = edges[:-1] - edges[0] + offset
            matches &= letters[places.clip(max=len(letters) - 1)] == sign
        return matches

    def _numbers(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers that begin at some places; 0 where there is none."""
        values = np.zeros(len(starts), dtype=np.int64)
        goes_on = np.ones(len(starts), dtype=bool)
        for digit in range(DIGITS):
            places = starts + digit
            signs = self.data[places.clip(max=max(len(self.data) - 1, 0))].astype(np.int64) - ord("0")
            goes_on &= (places < ends) & (signs >= 0) & (signs <= 9)
            values[goes_on] = values[goes_on] * 10 + signs[goes_on]
        return values
