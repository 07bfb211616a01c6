"""Single entries from UniProt, NCBI and the PDB, over HTTPS: asked for only when the user says so."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from swgui.core.entries.lookup import Entry, UnknownAccession
from swgui.core.errors import SequenceError, Stopped
from swgui.core.links import UNIPROT_ACCESSION
from swgui.io.sequences.reader import ReadReport, read_text

LARGEST: Final = 64 << 20  # bytes of an entry; chromosomes are files to download
_BLOCK: Final = 1 << 18
_EFETCH: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=text&db={db}&rettype={kind}&id={{}}"
_PROTEIN: Final = _EFETCH.format(db="protein", kind="gp")
_NUCLEOTIDE: Final = _EFETCH.format(db="nuccore", kind="gbwithparts")


@dataclass(frozen=True, slots=True)
class Service:
    """Address of the entries of one form."""

    name: str
    form: str  # pattern of the whole accession; its first group goes into the address
    url: str
    chain: str = ""  # pattern of the chain behind it, where an entry has several sequences


SERVICES: Final = (
    Service("UniProt", rf"({UNIPROT_ACCESSION}(?:-\d+)?)", "https://rest.uniprot.org/uniprotkb/{}.txt"),
    Service("NCBI", r"((?:[ANXY]P|WP)_\d{6,}(?:\.\d+)?|[A-Z]{3}(?:\d{5}|\d{7})(?:\.\d+)?)", _PROTEIN),
    Service(
        "NCBI",
        r"([ANX][CGMRTWZ]_(?:[A-Z]{4,6})?\d{6,}(?:\.\d+)?|(?:[A-Z]\d{5}|[A-Z]{2}\d{6}|[A-Z]{2}\d{8})(?:\.\d+)?)",
        _NUCLEOTIDE,
    ),
    Service("PDB", r"([1-9][A-Za-z0-9]{3})(?:[_:]\w{1,4})?", "https://www.rcsb.org/fasta/entry/{}", r"[_:](\w{1,4})"),
    Service("UniProt", r"([A-Z0-9]{1,10}_[A-Z0-9]{1,5})", "https://rest.uniprot.org/uniprotkb/{}.txt"),
)


def service_of(accession: str) -> tuple[Service, str] | None:
    """Return the server for an accession, and the address; None if no server has accessions of its form."""
    for service in SERVICES:
        match = re.fullmatch(service.form, accession)
        if match is not None:
            isoform = service.name == "UniProt" and "-" in match[1]
            url = service.url.replace(".txt", ".fasta") if isoform else service.url
            return service, url.format(match[1])
    return None


def hosts_of(accessions: Sequence[str]) -> list[str]:
    """Return the servers of some accessions."""
    from swgui.io.database.web import host_of  # here, as below: a call without downloads does not wait for http

    asked = (service_of(accession) for accession in accessions)
    return list(dict.fromkeys(host_of(pair[1]) for pair in asked if pair is not None))


def fetch_entry(accession: str, cancel: threading.Event) -> Entry:
    """Ask for one entry.

    Raises
    ------
    UnknownAccession
        If its form is that of no database, or the database has no such entry.
    DownloadError
        If the server cannot be reached, or the entry is too large.
    Stopped
        If `cancel` was set.
    """
    asked = service_of(accession)
    if asked is None:
        raise UnknownAccession(
            [accession],
            f"'{accession}' has the form of no accession of UniProt, NCBI or the PDB.",
            hint="Examples are P69905, NP_000549.1, NM_000558.5 and 4HHB_A.",
        )
    service, url = asked
    text, report = _load(service, url, accession, cancel), ReadReport()
    try:
        records = read_text(text, None, report)
    except SequenceError as fault:
        raise _none(service, accession) from fault
    chain = re.search(service.chain, accession) if service.chain else None
    if chain is not None:
        records = [record for record in records if _is_chain(record.header, chain[1])]
    if not records or report.alphabet is None or text.lstrip()[:1] not in (">", "I", "L"):
        raise _none(service, accession)
    return Entry(records[0], report.alphabet, service.name)


def _load(service: Service, url: str, accession: str, cancel: threading.Event) -> str:
    from swgui.io.database.web import DownloadError, connected, host_of, read_some, request_for, unbroken

    parts, size = [], 0
    try:
        with unbroken(url), connected(request_for(url)) as reply:
            while part := read_some(reply, _BLOCK):
                size += len(part)
                if cancel.is_set():
                    raise Stopped("Asking for the entry was stopped.")
                if size > LARGEST:
                    raise DownloadError(
                        url,
                        f"The entry '{accession}' is larger than {LARGEST >> 20} MB.",
                        hint=f"Load it from {host_of(url)} as a file.",
                    )
                parts.append(part)
    except DownloadError as fault:
        if fault.status in (400, 404):
            raise _none(service, accession) from fault
        raise
    return b"".join(parts).decode("utf-8", "replace")


def _none(service: Service, accession: str) -> UnknownAccession:
    return UnknownAccession([accession], f"{service.name} has no sequence of the entry '{accession}'.")


def _is_chain(header: str, chain: str) -> bool:
    """Whether a header of the PDB, ``4HHB_1|Chains A, C[auth C]|...``, names a chain."""
    named = re.search(r"\|Chains? ([^|]*)", header)
    return named is not None and chain in re.findall(r"\w+", named[1].replace("auth", " "))
