"""Web pages about an entry at public databases, from its identifier and back; without network access."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

# UniProt's own pattern for accession numbers.
UNIPROT_ACCESSION: Final = r"(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})"
_NCBI: Final = "https://www.ncbi.nlm.nih.gov"
_ENA: Final = ("ENA", "https://www.ebi.ac.uk/ena/browser/view/{0}")
_PROTEIN: Final = ("NCBI Protein", _NCBI + "/protein/{0}")
_NUCLEOTIDE: Final = ("NCBI Nucleotide", _NCBI + "/nuccore/{0}")
_UNIPROT: Final = (
    ("UniProt", "https://www.uniprot.org/uniprotkb/{0}/entry"),
    ("InterPro", "https://www.ebi.ac.uk/interpro/protein/UniProt/{1}/"),
    ("AlphaFold DB", "https://alphafold.ebi.ac.uk/entry/{1}"),
    ("PDB structures", "https://www.ebi.ac.uk/pdbe/pdbe-kb/proteins/{1}"),
    ("NCBI Protein", _NCBI + "/protein/{1}"),
)
_PDB: Final = (
    ("PDB", "https://www.rcsb.org/structure/{0}"),
    ("PDBe", "https://www.ebi.ac.uk/pdbe/entry/pdb/{0}"),
)
# Text around accessions in FASTA headers: sp|P69905|HBA_HUMAN, gi|4557325|ref|NP_000032.1|, pdb|1ABC|A.
_WRAPPED: Final = re.compile(r"(?:gi\|\d+\|)?(?:sp|tr|gb|emb|dbj|ref|pdb|tpg|tpe|tpd|gim)\|+([\w.-]+)(?:\|[\w.-]*)?")
# Form of an identifier, which is compiled when it is first tried, to its pages: the first is that of the entry itself.
# {0}, {1}: groups of the form.
_FORMS: Final = (
    (rf"(({UNIPROT_ACCESSION})(?:-\d+)?)(?:\.\d+)?", _UNIPROT),
    (rf"(?:AFDB:)?AF-(({UNIPROT_ACCESSION}))-F\d+(?:-model_v\d+)?(?::\w{{1,4}})?", (_UNIPROT[2], *_UNIPROT[:2])),
    (rf"(UniRef\d+_({UNIPROT_ACCESSION})(?:-\d+)?)",
     (("UniRef", "https://www.uniprot.org/uniref/{0}"), ("UniProt", "https://www.uniprot.org/uniprotkb/{1}/entry"),
      *_UNIPROT[1:3])),
    (r"(UniRef\d+_(UPI[0-9A-F]{10}))",
     (("UniRef", "https://www.uniprot.org/uniref/{0}"),
      ("UniParc", "https://www.uniprot.org/uniparc/{1}/entry"))),
    (r"((?:[ANXY]P|WP)_\d{6,}(?:\.\d+)?)", (_PROTEIN, ("Identical proteins", _NCBI + "/ipg/?term={0}"))),
    (r"([ANX][CGMRTWZ]_(?:[A-Z]{4,6})?\d{6,}(?:\.\d+)?)", (_NUCLEOTIDE,)),
    (r"([A-Z]{3}(?:\d{5}|\d{7})\.\d+)", (_PROTEIN, _ENA)),
    (r"((?:[A-Z]\d{5}|[A-Z]{2}\d{6}|[A-Z]{2}\d{8}|[A-Z]{4}\d{8,10}|[A-Z]{6}\d{9,})\.\d+)", (_NUCLEOTIDE, _ENA)),
    (r"(ENS[A-Z]*[GTPE]\d{11})(?:\.\d+)?", (("Ensembl", "https://www.ensembl.org/id/{0}"),)),
    (r"([1-9](?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{3})(?:[_:][A-Za-z0-9]{1,4})?", _PDB),
    # Files of wwPDB, its biological assemblies, and domains of SCOPe.
    (r"pdb([1-9][A-Za-z0-9]{3})(?::[A-Za-z0-9]{1,4})?", _PDB),
    (r"([1-9][A-Za-z0-9]{3})-assembly\d+(?::[A-Za-z0-9-]{1,8})?", _PDB),
    (r"d([1-9][a-z0-9]{3})[a-z0-9._][a-z0-9_]", _PDB),
)  # fmt: skip

# Pages of an entry, as browsers copy their addresses: host, then the path up to the accession, which is the group.
_PAGES: Final = tuple(
    re.compile(rf"(?:https?://)?(?:{host})/{path}(?:[/.?#].*)?", re.IGNORECASE)
    for host, path in (
        (r"(?:www|rest)\.uniprot\.org", r"uniprot(?:kb)?/([\w-]+)"),
        (r"(?:www\.)?alphafold\.(?:ebi\.ac\.uk|com)", rf"(?:entry|files)/(?:AF-)?({UNIPROT_ACCESSION})(?:-[\w-]+)?"),
        (r"(?:www\.)?rcsb\.org", r"(?:structure|sequence|3d-view|fasta/entry)/([1-9]\w{3})"),
        (r"files\.(?:rcsb|wwpdb)\.org", r"(?:download|view)/([1-9]\w{3})"),
        (r"www\.ebi\.ac\.uk", r"pdbe/entry/pdb/([1-9]\w{3})"),
        (r"www\.ncbi\.nlm\.nih\.gov", r"(?:protein|nuccore)/(\w+(?:\.\d+)?)"),
    )
)


class Link(msgspec.Struct, frozen=True):
    """A page at a database."""

    name: str  # of the database: ``UniProt``
    url: str


@lru_cache(maxsize=4096)
def links(identifier: str) -> tuple[Link, ...]:
    """Return the pages of an entry, its own first.

    Parameters
    ----------
    identifier : str
        First word of a header, or an accession: ``sp|P69905|HBA_HUMAN``, ``NP_000549.1``, ``1ABC_A``.

    Returns
    -------
    tuple of Link
        Empty for an identifier of no known form.
    """
    wrapped = _WRAPPED.fullmatch(identifier)
    accession = wrapped[1] if wrapped else identifier
    for form, pages in _FORMS:
        match = re.fullmatch(form, accession)
        if match is not None:
            parts = [part.upper() if pages is _PDB else part for part in match.groups()]
            return tuple(Link(name, address.format(*parts)) for name, address in pages)
    return ()


def accession_of(word: str) -> str:
    """Return the accession in the address of an entry's page at UniProt, AlphaFold DB, the PDB or NCBI.

    Any other word is returned as it is.
    """
    found = next((match for page in _PAGES if (match := page.fullmatch(word))), None) if "/" in word else None
    return found[1] if found else word
