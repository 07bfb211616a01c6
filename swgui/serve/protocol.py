"""Requests of clients of a ColabFold server, and its answers: pure functions of bytes.

At least five programs read the archive and rely on its layout: a block for each query, which begins
with the query under its original header and ends with a zero byte behind a line break, two lines a record. This module
refuses names of databases and requests that would break that layout.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from swgui.core.alphabet import is_nucleotide
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment
from swgui.io.profiles.alignments import a3m_row, name_of
from swgui.serve.requests import Allowed, Refused

Kind = Literal["msa", "pair", "nuclmsa"]

UNPAIRED, ENVIRONMENT, PAIRED = "uniref.a3m", "bfd.mgnify30.metaeuk30.smag30.a3m", "pair.a3m"
NUCLEOTIDES: Final = "riboseek.a3m"
TEMPLATES, RECEIPT = "pdb70.m8", "swgui.json"
BASES: Final = frozenset("ACGUTRYSWKMBDHVN")
LETTERS: Final = frozenset("ACDEFGHIKLMNPQRSTVWYXBZUOJ")
GAPS: Final = "DUMMY"  # name of a row that keeps rows of chains aligned
LOG2_OF_10: Final = 3.321928094887362
_MODES: Final = {"env", "all", "nofilter"}
_EXTRAS: Final = {"notemplates", "taxonomy", "taxonomyreport", "m8output"}
_PAIRINGS: Final = {"": False, "pairgreedy": False, "paircomplete": True}
_UNFIT: Final = re.compile(r"[^!-=?-~]+")  # forbidden in a name: blanks, controls, '>' and all characters outside ASCII


@dataclass(frozen=True, slots=True)
class Chain:
    """A sequence from a client: its header, which the archive repeats unchanged, and its residues."""

    id: str
    residues: str


@dataclass(frozen=True, slots=True)
class Mode:
    """Kinds of job."""

    environment: bool = False  # whether the second database is searched, too
    filtered: bool = True  # whether near copies are removed
    templates: bool = True  # whether to write a table of templates
    complete: bool = False  # of pairs: whether an organism must be found with all chains; with two of them otherwise


def kind_of(name: str) -> Kind:
    """Return the kind of a job by the last part of the address it was sent to; ``msa`` for any other name."""
    kinds: tuple[Kind, ...] = ("pair", "nuclmsa")
    return next((kind for kind in kinds if kind == name), "msa")


def read_chains(text: str, allowed: Allowed, kind: Kind = "msa") -> tuple[Chain, ...]:
    """Return the sequences of a request: proteins, or for nucleotides RNA, with U for T.

    Raises
    ------
    Refused
        If it is no FASTA, has letters that are no residues, or more than is allowed.
    """
    if not text.strip():
        raise Refused("The field q, which has the sequences, is missing or empty.")
    chains = tuple(_records(text))
    if len(chains) > allowed.chains:
        raise Refused(f"{len(chains):,} sequences are more than the {allowed.chains:,} of one request.", 413)
    seen: set[str] = set()
    for number, chain in enumerate(chains, start=1):
        where = f"Sequence {number}"
        if not chain.residues:
            raise Refused(f"{where} has no residues.")
        _check_letters(where, chain.residues, kind)
        if len(chain.residues) > allowed.length:
            raise Refused(f"{where} has {len(chain.residues):,} residues; {allowed.length:,} are allowed.", 413)
        if chain.id in seen:
            raise Refused(f"{where} has the header of an earlier one.")
        seen.add(chain.id)
    if (total := sum(len(chain.residues) for chain in chains)) > allowed.residues:
        raise Refused(f"{total:,} residues are more than the {allowed.residues:,} of one request.", 413)
    if kind == "nuclmsa":
        return tuple(replace(chain, residues=chain.residues.replace("T", "U")) for chain in chains)
    return chains


def _check_letters(where: str, residues: str, kind: Kind) -> None:
    """Refuse symbols that are no residues, and sequences of another kind; `Refused` then."""
    letters, symbol = (BASES, "base") if kind == "nuclmsa" else (LETTERS, "amino acid")
    if wrong := sorted(set(residues) - letters):
        raise Refused(f"{where} has a symbol that is no {symbol}: {wrong[0]!a}.")
    if kind != "nuclmsa" and is_nucleotide(residues.encode()):
        raise Refused(f"{where} is DNA or RNA. Send proteins here, RNA to /ticket/nuclmsa.")
    if kind == "nuclmsa" and 2 * residues.count("N") > len(residues):
        raise Refused(f"{where} is N in more than half of its bases.")


def _records(text: str) -> Iterator[Chain]:
    if not text.lstrip().startswith(">"):
        raise Refused("The field q does not begin with '>', as FASTA does.")
    for number, record in enumerate(text.lstrip()[1:].replace("\r", "").split("\n>"), start=1):
        header, _, residues = record.partition("\n")
        name = header.strip()
        if not name.isprintable() or not name:
            raise Refused(f"The header of sequence {number} is empty, or not a line of text.")
        yield Chain(name, "".join(residues.split()).upper().rstrip("*"))


def read_mode(kind: Kind, text: str) -> Mode:
    """Return the meaning of the field `mode` of a request.

    Raises
    ------
    Refused
        If it has a word that is not known.
    """
    if kind == "nuclmsa":  # the reference server keeps the mode, and never reads it
        return Mode(filtered=False, templates=False)
    words = text.split("-") if text else []
    if kind == "pair":
        pairing = [word for word in words if word != "env"] or [""]
        if len(pairing) > 1 or pairing[0] not in _PAIRINGS:
            raise Refused("The mode of a pair is pairgreedy or paircomplete, and -env behind it.")
        return Mode("env" in words, complete=_PAIRINGS[pairing[0]], templates=False)
    unknown = [word for word in words if word not in _MODES | _EXTRAS]
    if unknown or not _MODES & set(words):
        raise Refused("The mode is env, all, nofilter or env-nofilter, and -notemplates behind it.")
    return Mode("env" in words, "nofilter" not in words, "notemplates" not in words)


def fit_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names as headers: one word of ASCII without '>', all different, and different from `taken`."""
    seen, made = set(taken), []
    for name in names:
        fit = free = _UNFIT.sub("_", name)[:200] or "_"
        number = 2
        while free in seen:
            free, number = f"{fit}_{number}", number + 1
        seen.add(free)
        made.append(free)
    return made


@dataclass(frozen=True, slots=True)
class Subject:
    """Facts of a row's hit on its subject: bits and E of the whole of it, and its length."""

    bits: float
    log10_evalue: float
    length: int


def unpaired_block(chain: Chain, alignment: MasterAlignment, subjects: Mapping[str, Subject]) -> bytes:
    """Return the block of one chain, with the figures of each row behind its name.

    Parameters
    ----------
    alignment : MasterAlignment
        The query first.
    subjects : mapping of str to Subject
        By the names of rows.
    """
    rows = alignment.rows[1:]
    bases = alignment.alphabet.complements
    seen: set[str] = set()
    names = []
    for row in rows:
        names.append(name_of(row, query=False) if bases or row.id in seen else row.id)
        seen.add(row.id)
    heads = map("\t".join, zip(fit_names(names, [chain.id]), _figures(alignment, subjects), strict=True))
    return _block(chain, heads, (_text(alignment, row) for row in rows))


def _figures(alignment: MasterAlignment, subjects: Mapping[str, Subject]) -> Iterator[str]:
    """Yield the text after the name of each row: bits, identity, E, and its place, from 0."""
    if len(alignment) == 1:
        return
    codes, alike = alignment.codes, alignment.alphabet.alike_codes
    present = codes[1:] < DELETION
    same = ((alike[codes[1:]] == alike[codes[0]]) & present).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    first = present.argmax(axis=1)
    last = alignment.columns - 1 - present[:, ::-1].argmax(axis=1)
    of_rows = zip(alignment.rows[1:], same.tolist(), first.tolist(), last.tolist(), strict=True)
    for row, identity, begin, end in of_rows:
        subject = subjects.get(row.id, Subject(0.0, row.log10_evalue, row.end))
        bits = max(0, round(subject.bits + (subject.log10_evalue - row.log10_evalue) * LOG2_OF_10))
        places = f"{begin}\t{end}\t{alignment.columns}\t{row.start}\t{row.end - 1}\t{subject.length}"
        yield f"{bits}\t{identity:.3f}\t{evalue_text(row.log10_evalue)}\t{places}"


def evalue_text(log10_evalue: float) -> str:
    """Return an E-value as ``1.234E-20``, however small it is."""
    if not np.isfinite(log10_evalue):
        return "0.000E+00"
    exponent = int(np.floor(log10_evalue))
    figures = f"{10.0 ** (log10_evalue - exponent):.3f}"
    if figures == "10.000":
        figures, exponent = "1.000", exponent + 1
    return f"{figures}E{exponent:+03d}"


def paired_block(chain: Chain, alignment: MasterAlignment, rows: Sequence[AlignedRow | None]) -> bytes:
    """Return the block of one chain whose rows pair with rows of the other chains; None is a row of gaps."""
    filled = (_text(alignment, row) if row is not None else "-" * alignment.columns for row in rows)
    return _block(chain, fit_names((row.id if row is not None else GAPS for row in rows), [chain.id]), filled)


def _text(alignment: MasterAlignment, row: AlignedRow) -> str:
    """Return a row in A3M form, with X for stops, which clients have no token for."""
    text = a3m_row(alignment, row)
    if "*" not in text:
        return text
    stop, unknown = alignment.alphabet.code("*"), alignment.alphabet.code("X")
    insertions = {column: residues.replace(b"*", b"X") for column, residues in row.insertions.items()}
    codes = np.where(row.codes == stop, unknown, row.codes).astype(np.uint8)
    return a3m_row(alignment, replace(row, codes=codes, insertions=insertions))


def _block(chain: Chain, heads: Iterable[str], rows: Iterable[str]) -> bytes:
    lines = [f">{chain.id}", chain.residues]
    for head, row in zip(heads, rows, strict=True):
        lines += (f">{head}", row)
    return "\n".join([*lines, "\0"]).encode()


def chains_of(packed: bytes) -> dict[str, bytes]:
    """Return the alignment of each chain of a packed archive, in A3M form, by the name of the chain.

    Rows of the environment stand behind those of the proteins; the first row is the chain itself.

    Raises
    ------
    tarfile.TarError, OSError
        If the archive cannot be read.
    """
    made: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        for name in (UNPAIRED, ENVIRONMENT, PAIRED, NUCLEOTIDES):
            if name not in tar.getnames() or (member := tar.extractfile(name)) is None:
                continue
            for block in filter(None, member.read().split(b"\0")):
                head, residues, rows = block.lstrip(b"\n").split(b"\n", 2)
                chain = head[1:].decode()
                made[chain] = made.get(chain, b"\n".join([head, residues, b""])) + rows
    return made


def archive(members: Mapping[str, bytes]) -> bytes:
    """Return a flat packed archive of some files, which only its owner may read once they are unpacked."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o600
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
