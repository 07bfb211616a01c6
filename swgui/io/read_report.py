"""Changes and remarks of a reader, collected while it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from swgui.core.alphabet import Alphabet
from swgui.core.plain import replace
from swgui.core.records import Remark
from swgui.core.words import count

KEPT_PER_KIND: Final = 1000
ALTERING: Final = ("replaced", "empty", "unread")  # kinds of remarks that say that residues are not those of the file
GAP_SIGN: Final = "(gap sign)"
_TOPICS: Final = 5  # of remarks that are shortened
_TOPIC_WORDS: Final = 4  # which tell remarks apart, without their subjects
_VALUES: Final = r"^Record \d[\d,]*( '.*?')?:|'.*?'|\d[\d,]* ×|\d[\d,.]*"

# What the user reads for each kind of remark: one, several.
_KIND_TEXTS: Final = {
    "replaced": ("letter or sign replaced by the unknown letter", "letters or signs replaced by the unknown letter"),
    "removed": ("sign left out", "signs left out"),
    "odd": ("rare letter kept", "rare letters kept"),
    "empty": ("empty record left out", "empty records left out"),
    "duplicate": ("identifier that was there before", "identifiers that were there before"),
    "unread": ("file left out", "files left out"),
    "note": ("remark", "remarks"),
}


class ReadReport(msgspec.Struct):
    """All remarks of one reading, bounded: the first ones are kept, all are counted."""

    # The first `KEPT_PER_KIND` of each kind, in the order of the file.
    remarks: list[Remark] = msgspec.field(default_factory=list)
    # Letters, signs or records concerned, by kind of remark; complete.
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    records: int = 0  # records handed on (empty ones are not)
    residues: int = 0  # residues handed on
    format: str = ""  # for example ``"FASTA, gzip"``; several files are joined by "; "
    alphabet: Alphabet | None = None  # the kind of sequence that was read; None until the first record
    _made: Counter[str] = msgspec.field(default_factory=Counter)
    _topics: list[str] = msgspec.field(default_factory=list)  # subject of each of `remarks`
    _of_topic: Counter[str] = msgspec.field(default_factory=Counter)  # remarks made about each

    def become(self, other: ReadReport) -> None:
        """Add the remarks of another report."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(other, name))

    def add(self, remark: Remark) -> None:
        """Count a remark, and keep it if there is room for its kind."""
        self.counts[remark.kind] += remark.count
        self._made[remark.kind] += 1
        topic = _topic(remark)
        self._of_topic[topic] += 1
        if self._made[remark.kind] <= KEPT_PER_KIND:
            self.remarks.append(remark)
            self._topics.append(topic)

    @property
    def altered(self) -> bool:
        """Whether letters or records were replaced or left out."""
        return self.residues_altered or bool(self.counts["removed"])

    @property
    def residues_altered(self) -> bool:
        """Whether residues or records were replaced or left out."""
        return any(self.counts[kind] for kind in ALTERING)

    @property
    def complete(self) -> bool:
        """Whether `remarks` holds every remark that was made."""
        return all(made < KEPT_PER_KIND for made in self._made.values())

    def add_format(self, name: str) -> None:
        """Note the format of one more file."""
        formats = self.format.split("; ") if self.format else []
        if name not in formats:
            self.format = "; ".join([*formats, name])

    def name_source(self, first: int, name: str) -> None:
        """Put the name of their file before the remarks from number `first` on, where several files are read."""
        self.remarks[first:] = [replace(remark, message=f"{name}: {remark.message}") for remark in self.remarks[first:]]

    def brief(self, altering: bool | None = None) -> Iterator[str]:
        """Yield the first remark about each subject, with how many more of it were made.

        Parameters
        ----------
        altering : bool, optional
            Whether those are wanted that say that residues are not those of the file, or the others; all if not given.
        """
        first: dict[str, Remark] = {}
        for topic, remark in zip(self._topics, self.remarks, strict=True):
            if altering is None or (remark.kind in ALTERING) == altering:
                first.setdefault(topic, remark)
        others = [topic for topic, remark in first.items() if remark.kind == "note"]
        for topic in others[_TOPICS:]:
            del first[topic]
        for topic, remark in first.items():
            more = self._of_topic[topic] - 1
            yield f"{remark.message} ({more:,} more of this kind.)" if more else remark.message
        if left := sum(self._of_topic[topic] for topic in others[_TOPICS:]):
            yield f"{count(left, *(f'further {noun}' for noun in _KIND_TEXTS['note']))} of other kinds."

    def listing(self) -> Iterator[str]:
        """Yield every remark that was kept, and in the end how many of each kind were made if some were not kept."""
        for remark in self.remarks:
            yield remark.message
        if not self.complete:
            yield f"Not every remark is listed, only {KEPT_PER_KIND:,} of each kind. In all: {self._changes()}."

    def summary(self) -> str:
        """Return one or two sentences on the records that were read and the changes to them."""
        kind = f"{self.alphabet.name} " if self.alphabet else ""
        letter = self.alphabet.letter if self.alphabet else "residue"
        text = f"{count(self.records, f'{kind}sequence')}, {count(self.residues, letter)}"
        text += f" ({self.format})." if self.format else "."
        changes = self._changes()
        return f"{text} {changes}." if changes else text

    def _changes(self) -> str:
        return ", ".join(count(self.counts[kind], *texts) for kind, texts in _KIND_TEXTS.items() if self.counts[kind])


def _topic(remark: Remark) -> str:
    """Return the common text of a remark and others that are counted with it, instead of being listed."""
    if remark.kind == "note":
        return " ".join(["note", *re.sub(_VALUES, " ", remark.message).split()[:_TOPIC_WORDS]])
    return f"{remark.kind} {GAP_SIGN}" if GAP_SIGN in remark.message else remark.kind


def shown(text: str, limit: int = 60) -> str:
    """Return a text from a file fit for a message: printable, on one line, not too long."""
    if len(text) <= limit and text.isprintable():
        return text
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[: limit + 1])
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"
