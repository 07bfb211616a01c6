"""Formats of profiles and alignments, a record each: files tell theirs by content, outputs by their ending."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.core.errors import ProfileError
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, check_same_alphabet
from swgui.io.profiles.alignments import (
    is_a3m,
    is_clustal,
    is_fasta,
    is_stockholm,
    read_a3m,
    read_clustal,
    read_fasta,
    read_stockholm,
    write_a3m,
    write_fasta,
    write_stockholm,
)
from swgui.io.profiles.ascii_pssm import is_ascii_pssm, read_ascii_pssm, write_ascii_pssm
from swgui.io.profiles.asn_pssm import is_asn_pssm, read_asn_pssm
from swgui.io.profiles.base import ProfileFormat, ProfileText, with_name
from swgui.io.profiles.hmmer import is_hmm, read_hmm, write_hmm
from swgui.io.profiles.own import is_own, read_own, write_own
from swgui.io.sequences.sources import open_file

LARGEST: Final = 1 << 29  # bytes of text; a deep alignment has some millions

FORMATS: Final = (
    ProfileFormat(
        "A3M",
        (".a3m", ".a2m"),
        "an alignment in the columns of the query, insertions in lower case",
        is_a3m,
        read_alignment=read_a3m,
        write_alignment=write_a3m,
    ),
    ProfileFormat(
        "aligned FASTA",
        (".afa", ".fasta", ".fa", ".fas"),
        "an alignment with gap signs",
        is_fasta,
        read_alignment=read_fasta,
        write_alignment=write_fasta,
    ),
    ProfileFormat(
        "Stockholm",
        (".sto", ".stk", ".stockholm"),
        "an alignment whose line RF marks the columns that count",
        is_stockholm,
        read_alignment=read_stockholm,
        write_alignment=write_stockholm,
    ),
    ProfileFormat("Clustal", (".aln", ".clw"), "an alignment in blocks", is_clustal, read_alignment=read_clustal),
    ProfileFormat("JSON", (".json",), "a profile with all its scores and gap costs", is_own, read_own, write=write_own),
    ProfileFormat("HMMER3", (".hmm",), "profile HMMs of HMMER3", is_hmm, read=read_hmm, write=write_hmm),
    ProfileFormat(
        "ASCII PSSM",
        (".pssm",),
        "the scores of every position as a table, as of psiblast -out_ascii_pssm",
        is_ascii_pssm,
        read=read_ascii_pssm,
        write=write_ascii_pssm,
    ),
    ProfileFormat(
        "ASN.1 PSSM",
        (".asn", ".smp"),
        "the scores of every position as text in ASN.1, as of psiblast -out_pssm and in CDD",
        is_asn_pssm,
        read=read_asn_pssm,
    ),
)


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """The content of a file of an alignment or of profiles."""

    format: ProfileFormat
    records: tuple[SequenceRecord, ...]  # queries with their profiles; the query of an alignment without one
    alignment: MasterAlignment | None = None  # if the file is an alignment
    remarks: tuple[str, ...] = ()  # assumptions and omissions


def read_start(path: str | os.PathLike[str], scheme: ScoringScheme) -> StartingPoint:
    """Read a file of an alignment or of profiles in any format, which its content tells; it may be packed.

    Parameters
    ----------
    scheme : ScoringScheme
        Of the search: its gap costs are those of profiles that bring none.

    Raises
    ------
    SequenceError
        If the file cannot be opened.
    ProfileError
        If it is in none of the formats, or breaks the rules of its own.
    AlphabetMismatch
        If it is not of the alphabet of the scheme.
    """
    place = Path(path)
    with open_file(place) as source:
        return start_of(source.text().read(LARGEST + 1), place.name, scheme)


def start_of(text: str, file: str, scheme: ScoringScheme, line: int = 1) -> StartingPoint:
    """Return the content of a text of an alignment or of profiles; errors as of `read_start`.

    Parameters
    ----------
    file : str
        Name of the file that it is of.
    line : int
        Where it begins in the file.
    """
    given, kind = profile_text(text, file, scheme, line)
    stem = Path(file).stem
    if kind.read_alignment is not None:
        alignment = kind.read_alignment(given)
        check_same_alphabet(scheme.alphabet, alignment.alphabet, "alignment")
        return StartingPoint(kind, (query_of(alignment, stem),), alignment, tuple(given.remarks))
    assert kind.read is not None
    records = tuple(with_name(record, stem) for record in kind.read(given))
    for record in records:
        if record.profile is not None:
            check_same_alphabet(scheme.alphabet, record.profile.alphabet, "profile")
    return StartingPoint(kind, records, None, tuple(given.remarks))


def profile_text(text: str, file: str, scheme: ScoringScheme, line: int = 1) -> tuple[ProfileText, ProfileFormat]:
    """Return a text without what surrounds it, and its format; parameters and errors as of `start_of`."""
    name = f"'{file}'"
    if len(text) > LARGEST:
        raise ProfileError(f"{name} is too large for an alignment or a profile.", hint="512 MiB are read at most.")
    begun = text.lstrip("\ufeff \t\r\n")
    first_line, text = line + text.count("\n", 0, len(text) - len(begun)), begun
    others = ""
    if is_fasta(text):  # servers and ColabFold end the alignment of each chain with a zero byte
        text, _, others = text.partition("\0")
    kind = next((form for form in FORMATS if form.found(text)), None)
    if kind is None:
        names = ", ".join(form.name for form in FORMATS)
        fault = "is empty" if not text else "is in no format of alignments or profiles that is read here"
        raise ProfileError(f"{name} {fault}.", hint=f"Read are {names}.")
    given = ProfileText(text, name, scheme, first_line=first_line)
    if others.strip("\0 \t\r\n"):
        given.note_others()
    return given, kind


def query_of(alignment: MasterAlignment, name: str) -> SequenceRecord:
    """Return the first row of an alignment as a query without a profile."""
    row = alignment.query
    return SequenceRecord(row.id or name, row.description, alignment.alphabet.decode(row.codes))
