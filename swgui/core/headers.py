"""FASTA headers taken apart: accession, name, organism and gene where the header follows a known layout.

Only layouts that public databases document are parsed (UniProtKB, UniRef, NCBI, Ensembl, wwPDB).
Any other header is the user's own text and is shown exactly as it is: a name is never taken apart
on a guess. Only its organism is read, where it is named in a way that can mean nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import msgspec

from swgui.core.links import UNIPROT_ACCESSION, Link, links
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord

_UNIPROT_ID = re.compile(rf"(?:sp|tr)\|({UNIPROT_ACCESSION}(?:-\d+)?)\|([^|\s]+)")  # -2 is an isoform
_UNIREF_ID = re.compile(r"(UniRef(?:100|90|50)_(\S+))")
_UNIREF_TEXT = re.compile(r"(.*?) n=\d+(?: Tax=(.*?))?(?: TaxID=(\d+))?(?: RepID=(\S+))?$")
_NCBI_ID = re.compile(
    r"(?:gi\|\d+\|)?(?P<database>gb|emb|dbj|ref|sp|pir|prf|tpg|tpe|tpd|gim)\|+(?P<accession>[A-Z0-9_]+(?:\.\d+)?)\|?(?P<name>\w*)"
)
# RefSeq (two letters, underscore) and INSDC accessions; both carry a version.
_NCBI_BARE_ID = re.compile(r"(?:[ANWXY][CGMPRTWZ]_(?:[A-Z]{4})?\d{6,}|[A-Z]{1,6}\d{5,})\.\d+")
_REC_NAME = re.compile(r"^(?:Rec|Sub)Name: Full=([^;]*)")
_ENSEMBL_ID = re.compile(r"(ENS[A-Z]*[GTPE]\d{11})(?:\.\d+)?")
_ENSEMBL_SYMBOL = re.compile(r"(?:^| )gene_symbol:(\S+)")
_ENSEMBL_DESCRIPTION = re.compile(r"(?:^| )description:(.*?)(?: \[Source:.*)?$")
_PDB_ID = re.compile(r"([0-9][A-Za-z0-9]{3})_(\w+)")
_PDB_TEXT = re.compile(r"mol:\w+ length:\d+\s+(.*)")
FIELD: Final = re.compile(r"(?:^| )(OS|OX|GN|PE|SV)=")
_ENDS: Final = frozenset((" OS", " OX", " GN", " PE", " SV"))  # the text before "=" in its form
IN_BRACKETS: Final = re.compile(r"^(.*\S) \[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]$")
# Headers of no known layout give an organism only if the text can hardly mean anything else.
_CAPITAL: Final = re.compile(r"[A-Z]")
_BINOMIAL: Final = re.compile(r"\[?[A-Z][a-z-]{2,}\]? (?:[a-z][a-z-]{2,}\b|sp\.).*")


class Header(msgspec.Struct, frozen=True):
    """Fields of a header, with empty texts for missing ones."""

    accession: str  # the id that a query to a database takes; the whole id if the layout is unknown
    name: str  # short name to show (``APOE_HUMAN``); the accession where there is no other
    title: str  # description without the fields below
    organism: str = ""
    gene: str = ""
    taxid: str = ""
    # Layout of the header: ``"UniProtKB"``, ``"UniRef"``, ``"NCBI"``, ``"Ensembl"``, ``"PDB"`` or empty.
    source: str = ""

    @property
    def label(self) -> str:
        """The name, with all of the header where its layout is unknown: ``APOE_HUMAN``, ``my DHFR``."""
        return self.name if self.source else f"{self.name} {self.title}".rstrip()

    @property
    def links(self) -> tuple[Link, ...]:
        """Pages about this entry, its own first; none if its accession has no known form."""
        return links(self.accession)


def header_of(record: SequenceRecord) -> Header:
    """Return the fields of the header of a record."""
    return parse_header(record.id, record.description)


@lru_cache(maxsize=4096)
def parse_header(record_id: str, description: str) -> Header:
    """Take one header apart, as `parse_anew`; those asked for lately are remembered."""
    return parse_anew(record_id, description)


def parse_anew(record_id: str, description: str) -> Header:
    """Take one header of many apart; an unknown layout comes back as it is, with the organism it names for certain.

    Parameters
    ----------
    record_id : str
        First word of the header.
    """
    # A header of NCBI's nr joins several entries by control-A; the first one names the sequence.
    first = description.split("\x01", 1)[0].rstrip()
    for parse in _PARSERS:
        if (header := parse(record_id, first)) is not None:
            break
    else:
        header = Header(record_id, record_id, description)
    if header.organism:
        return header
    organism, taxid, gene = organism_named(first)
    return replace(header, organism=organism, taxid=taxid or header.taxid, gene=gene or header.gene)


def _uniprot(record_id: str, description: str) -> Header | None:
    match = _UNIPROT_ID.fullmatch(record_id)
    if match is None:
        return None
    title, fields = fields_of(description)
    return Header(
        accession=match[1],
        name=match[2],
        title=title,
        organism=fields.get("OS", ""),
        gene=fields.get("GN", ""),
        taxid=fields.get("OX", ""),
        source="UniProtKB",
    )


def _uniref(record_id: str, description: str) -> Header | None:
    match = _UNIREF_ID.fullmatch(record_id)
    if match is None:
        return None
    text = _UNIREF_TEXT.match(description)
    title, organism, taxid, representative = text.groups() if text else (description, None, None, None)
    return Header(
        accession=match[1],
        name=representative or match[2],
        title=title,
        organism=organism or "",
        taxid=taxid or "",
        source="UniRef",
    )


def _ncbi(record_id: str, description: str) -> Header | None:
    match = _NCBI_ID.fullmatch(record_id)
    if match is not None:
        accession, name, swissprot = match["accession"], match["name"], match["database"] == "sp"
    elif _NCBI_BARE_ID.fullmatch(record_id):
        accession, name, swissprot = record_id, "", False
    else:
        return None
    organism = IN_BRACKETS.match(description)
    title = organism[1] if organism else description
    full_name = _REC_NAME.match(title)
    return Header(
        accession=accession,
        name=name if swissprot and name else accession,
        title=full_name[1] if full_name else title,
        organism=organism[2] if organism else "",
        source="NCBI",
    )


def _ensembl(record_id: str, description: str) -> Header | None:
    match = _ENSEMBL_ID.fullmatch(record_id)
    if match is None:
        return None
    symbol = _ENSEMBL_SYMBOL.search(description)
    title = _ENSEMBL_DESCRIPTION.search(description)
    return Header(
        accession=match[1],
        name=record_id,
        title=title[1] if title else description,
        gene=symbol[1] if symbol else "",
        source="Ensembl",
    )


def _pdb(record_id: str, description: str) -> Header | None:
    match, text = _PDB_ID.fullmatch(record_id), _PDB_TEXT.fullmatch(description)
    if match is None or text is None:
        return None
    return Header(accession=match[1].upper(), name=f"{match[1].upper()} chain {match[2]}", title=text[1], source="PDB")


_PARSERS: tuple[Callable[[str, str], Header | None], ...] = (_uniprot, _uniref, _ensembl, _ncbi, _pdb)


def is_certain(name: str) -> bool:
    """Return True if the text behind ``OS=`` is an organism in headers of any source."""
    return _CAPITAL.match(name) is not None


def is_binomial(name: str) -> bool:
    """Return True if the text in brackets is an organism in headers of any source."""
    return _BINOMIAL.fullmatch(name) is not None


def fields_of(description: str) -> tuple[str, dict[str, str]]:
    """Return the text before the fields of a UniProt header, and the fields."""
    *named, value = description.split("=")
    fields: dict[str, str] = {}
    if all(part[-3:] in _ENDS for part in named):  # as nearly always, and several times as fast as the expression
        for part in reversed(named):  # of several the first counts
            fields[part[-2:]] = value.strip()
            value = part[:-3]
        return value.strip(), fields
    title, *parts = FIELD.split(description)
    for name, value in zip(parts[::2], parts[1::2], strict=True):
        fields.setdefault(name, value.strip())
    return title.strip(), fields


def organism_named(description: str) -> tuple[str, str, str]:
    """Return organism, taxid and gene that a header of no known layout names; empty texts where it does not.

    A gene counts only together with an organism in the form of UniProt.

    Parameters
    ----------
    description : str
        Without the identifier.
    """
    _, fields = fields_of(description)
    if is_certain(fields.get("OS", "")):
        taxid = re.match(r"\d+", fields.get("OX", ""))
        return fields["OS"], taxid[0] if taxid else "", fields.get("GN", "")
    match = IN_BRACKETS.match(description)
    return (match[2] if match and is_binomial(match[2]) else ""), "", ""
