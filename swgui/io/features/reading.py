"""Reading a file of features, whose content tells its format."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from swgui.core.control import Check
from swgui.core.errors import SequenceError, SequenceFileMissing, SwguiError
from swgui.core.features import within
from swgui.core.loci.annotation import Annotation
from swgui.core.loci.table import FeatureTable
from swgui.core.words import count
from swgui.io.features.gff3 import GTF, features_in, read_gff3
from swgui.io.read_report import ReadReport
from swgui.io.sequences import sniffing
from swgui.io.sequences.parsers import PARSERS
from swgui.io.sequences.sources import TextSource, open_file

_ENTRIES: Final = (sniffing.GENBANK, sniffing.EMBL, sniffing.IMGT, sniffing.SWISS_PROT)
_GFF_LINE: Final = re.compile(rb"[^\t\n>#]+\t[^\t\n]*\t[^\t\n]+\t\d+\t\d+\t", re.MULTILINE)
_HINT: Final = "GFF3 files and entries of GenBank, EMBL and UniProt have features."
_EVERY: Final = 100_000  # lines between two looks whether to stop
Read = Callable[[TextSource, str, Check], Annotation]


class AnnotationError(SwguiError, ValueError):
    """A file of features that cannot be read; ``path`` names it."""

    def __init__(self, path: str, message: str, *, hint: str = _HINT) -> None:
        super().__init__(message, hint=hint)
        self.path = path


def read_annotation(path: str | os.PathLike[str], check: Check = lambda: None) -> Annotation:
    """Read the features of GFF3, or of entries of GenBank, EMBL and UniProt; packed files are read as they are.

    Parameters
    ----------
    check : callable
        Raises `Stopped` once the work is to end.

    Raises
    ------
    AnnotationError
        If the file cannot be read, is of none of these formats, or has no features.
    """
    place, name = str(path), Path(path).name
    try:
        with open_file(place) as source:
            annotation = _reader(source, place, name)(source, name, check)
    except SequenceError as fault:
        hint = fault.hint if isinstance(fault, SequenceFileMissing) else _HINT
        raise AnnotationError(place, fault.message, hint=hint) from fault
    if not len(annotation):
        remarks = f": {'; '.join(annotation.remarks)}" if annotation.remarks else ""
        raise AnnotationError(place, f"{name} has no features that are read here{remarks}.")
    return annotation


def _reader(source: TextSource, path: str, name: str) -> Read:
    head = source.head
    if GTF.encode() in head and _GFF_LINE.search(head):
        hint = "Convert it, for example with 'gffread -E FILE.gtf -o FILE.gff3'."
        raise AnnotationError(path, f"{name} is GTF, which is not read.", hint=hint)
    if head.lstrip().startswith(b"##gff-version") or _GFF_LINE.search(head):
        return _read_gff3
    kind = sniffing.sniff(source)
    if kind not in _ENTRIES:
        raise AnnotationError(path, f"{name} is {kind}, which has no features.")
    return lambda source, name, check: _read_entries(source, name, kind, check)


def _read_gff3(source: TextSource, name: str, check: Check) -> Annotation:
    with source.text() as text:
        read = read_gff3(_checked(text, check))
    tables = {
        sequence: FeatureTable.of(features_in(lines), read.lengths.get(sequence, 0), circular=sequence in read.circular)
        for sequence, lines in read.lines.items()
    }
    return Annotation(name, tables, list(read.remarks()))


def _checked(lines: Iterator[str], check: Check) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number % _EVERY == 0:
            check()
        yield line


def _read_entries(source: TextSource, name: str, kind: str, check: Check) -> Annotation:
    tables: dict[str, FeatureTable] = {}
    lost = repeated = 0
    report = ReadReport()
    for raw in PARSERS[kind](source, report):
        check()
        length = len(raw.body)
        features = within(raw.features, length) if length else raw.features
        lost += len(raw.features) - len(features)
        if raw.id in tables:
            repeated += 1
            continue
        tables[raw.id] = FeatureTable.of(features, length, circular=raw.circular)
    remarks = [
        *([f"{count(lost, 'feature')} that {'lies' if lost == 1 else 'lie'} behind the end of its sequence "
           f"{'is' if lost == 1 else 'are'} left out"] if lost else []),
        *([f"{count(repeated, 'entry', 'entries')} with a name that an earlier one has "
           f"{'is' if repeated == 1 else 'are'} left out"] if repeated else []),
        *chain.from_iterable(_remarks(report)),
    ]  # fmt: skip
    return Annotation(name, tables, remarks)


def _remarks(report: ReadReport) -> Iterator[list[str]]:
    unread = [remark.message for remark in report.remarks if "cannot be read" in remark.message]
    if unread:
        yield [f"{count(len(unread), 'feature')} cannot be read and {'is' if len(unread) == 1 else 'are'} left out"]
