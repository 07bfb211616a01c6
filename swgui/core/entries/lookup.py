"""Entries of databases by their accession: the words that are one, the place of the entry, and similar names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from swgui.core.alphabet import Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.headers import Header, parse_header
from swgui.core.judging.subjects import find_headers
from swgui.core.links import accession_of
from swgui.core.records import SequenceRecord

MAX_LOOKUPS: Final = 200  # accessions looked up at once
NEAR: Final = 4  # names told
_CANDIDATES: Final = 200
_OF_GENE: Final = 20_000  # headers with a gene's name, of all organisms
_LONGEST_ADDRESS: Final = 200  # characters, with a space
_SHORTEST: Final = 3  # letters that near names begin with alike
# A digit and a letter at least, and at most the length of accessions: residues have no digits, numbers no letters.
_ACCESSION: Final = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_.|:-]{2,39}")
_GENE: Final = re.compile(r"[A-Za-z][A-Za-z0-9.-]{1,14}")
_ORGANISM_WORD: Final = re.compile(r"[A-Za-z][A-Za-z-]*\.?")
_MAX_WORDS: Final = 6  # of gene and organism
_ENTRY_NAME: Final = re.compile(r"[A-Z0-9]{1,10}_[A-Z0-9]{1,5}")  # of UniProt, as text entries are read


class UnknownAccession(SwguiError):
    """No database has an entry of this name; ``accessions`` are all that were not found."""

    def __init__(self, accessions: Sequence[str], message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.accessions = tuple(accessions)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that was found."""

    record: SequenceRecord
    alphabet: Alphabet
    where: str  # name of its database


def accessions_in(text: str) -> tuple[str, ...]:
    """Return the accessions of a text that is nothing else; none if it holds anything else.

    The address of an entry's page (`swgui.core.links.accession_of`) stands for its accession.
    """
    if len(text) > _LONGEST_ADDRESS * MAX_LOOKUPS:
        return ()
    words = [accession_of(word) for word in text.replace(",", " ").replace(";", " ").split()]
    return tuple(dict.fromkeys(words)) if 0 < len(words) <= MAX_LOOKUPS and all(map(_is_name, words)) else ()


def _is_name(word: str) -> bool:
    return bool(_ACCESSION.fullmatch(word) or _ENTRY_NAME.fullmatch(word))


def gene_in(text: str) -> tuple[str, str] | None:
    """Return gene and organism of a text that may be no more than both: ``ADH1 yeast``, ``recA of E. coli``.

    None of a text that cannot be. One that can may still be residues or prose: `find_gene` tells it by its database.
    """
    words = text.replace(",", " ").split()
    if "\n" in text.strip() or len(text) > _LONGEST_ADDRESS or not 2 <= len(words) <= _MAX_WORDS:
        return None
    gene, *organism = words
    organism = organism[organism[0] in ("of", "from", "in") :]
    named = organism and all(_ORGANISM_WORD.fullmatch(word) for word in organism)
    return (gene, " ".join(organism)) if named and _GENE.fullmatch(gene) else None


def find_gene(databases: Iterable[EncodedDatabase], gene: str, organism: str) -> list[Entry]:
    """Return the entries of a gene in an organism, from the first database that has any; reviewed ones if there are.

    The header names the gene; the organism is named by words of its name (``E. coli``), or as in entry names (yeast).
    """
    for database in databases:
        found = [
            index
            for index in find_headers(database.ids, database.descriptions, gene, _OF_GENE)
            if _is_of(parse_header(database.ids[index], database.descriptions[index]), gene, organism)
        ]
        reviewed = [index for index in found if database.ids[index].startswith("sp|")]
        if found:
            return [Entry(database.record(one), database.alphabet, database.name) for one in reviewed or found]
    return []


def _is_of(header: Header, gene: str, organism: str) -> bool:
    if header.gene.casefold() != gene.casefold():
        return False
    words, wanted = header.organism.casefold().split(), organism.casefold().split()
    if len(wanted) == 1 and header.name.casefold().endswith(f"_{wanted[0]}"):
        return True
    return len(words) >= len(wanted) and all(
        word.startswith(short[:-1]) if short.endswith(".") else word == short
        for word, short in zip(words, wanted, strict=False)
    )


def find_entry(database: EncodedDatabase, accession: str) -> int | None:
    """Return the source index of an entry, None if there is none of this name.

    An entry is named by its whole identifier, by a part of it between bars, by either without its version, or by
    the entry name at the start of its description; upper and lower case are alike, and the closest way counts.
    """
    wanted = accession.casefold()
    best: tuple[int, int] | None = None
    for db_index in find_headers(database.ids, database.descriptions, accession, _CANDIDATES):
        for place, name in enumerate(_names(database, db_index)):
            if name.casefold() == wanted and (best is None or place < best[0]):
                best = place, db_index
    return best[1] if best else None


def find_entries(databases: Iterable[EncodedDatabase], accessions: Sequence[str]) -> list[Entry]:
    """Return the entries of some accessions, each from the first database that has it.

    Raises
    ------
    UnknownAccession
        If a name is in none of the databases; the message lists similar names.
    """
    given = list(databases)
    entries: dict[str, Entry] = {}
    for accession in accessions:
        for database in given:
            db_index = find_entry(database, accession)
            if db_index is not None:
                entries[accession] = Entry(database.record(db_index), database.alphabet, database.name)
                break
    missing = [accession for accession in accessions if accession not in entries]
    if missing:
        raise _unknown(missing, given)
    return list(entries.values())


def near_names(database: EncodedDatabase, accession: str) -> list[str]:
    """Return identifiers that begin like an accession, those that agree longest first."""
    names: dict[str, None] = {}
    for length in range(len(accession) - 1, _SHORTEST - 1, -1):
        start = accession[:length].casefold()
        for index in find_headers(database.ids, database.descriptions, accession[:length], _CANDIDATES):
            names.update(dict.fromkeys(name for name in _names(database, index) if name.casefold().startswith(start)))
        if len(names) >= NEAR:
            break
    return list(names)[:NEAR]


def _names(database: EncodedDatabase, db_index: int) -> list[str]:
    """Return the names of an entry, the most exact first."""
    identifier = database.ids[db_index]
    parts = [part for part in identifier.split("|") if part]
    plain = [re.sub(r"\.\d+$", "", name) for name in (identifier, *parts)]
    first = database.descriptions[db_index].split(None, 1)[:1]
    return list(dict.fromkeys([identifier, *parts, *plain, *filter(_ENTRY_NAME.fullmatch, first)]))


def _unknown(missing: Sequence[str], databases: Sequence[EncodedDatabase]) -> UnknownAccession:
    where = ", ".join(f"'{database.name}'" for database in databases) or "any database"
    which = ", ".join(f"'{accession}'" for accession in missing[:NEAR])
    more = f" and {len(missing) - NEAR:,} more" if len(missing) > NEAR else ""
    near = list(dict.fromkeys(name for database in databases for name in near_names(database, missing[0])))[:NEAR]
    hint = f"Near {missing[0]} there are {', '.join(near)}." if near else ""
    return UnknownAccession(missing, f"There is no entry {which}{more} in {where}.", hint=hint)
