"""Proteomes and structures of one organism, found in the lists of their providers as sets that can be downloaded."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.plain import replace
from swgui.core.words import count, file_size
from swgui.io.database.public_sets import PublicSet, find_set
from swgui.io.database.web import DownloadError, connected, host_of, read_some, request_for, unbroken

LISTED: Final = 20  # sets that a search for an organism gives at most
NO_CODE: Final = "None"  # in UniProt's table, of most viruses
_NAMED: Final = 5  # of them in a message
_LARGEST_LIST: Final = 64 << 20  # bytes
_BLOCK: Final = 1 << 18
_EXAMPLE: Final = "Examples are 559292, YEAST, UP000002311 and Saccharomyces cerevisiae."


@dataclass(frozen=True, slots=True)
class OrganismSet:
    """A set of one organism, with the names by which it is found."""

    organism: str  # ``Saccharomyces cerevisiae (strain ATCC 204508 / S288c) (Baker's yeast)``
    taxid: str
    codes: tuple[str, ...]  # of the proteome and the organism at UniProt: ``UP000002311``, ``YEAST``
    public: PublicSet

    def rank(self, wanted: str) -> int:
        """Grade how well a name, in lower case, fits: 0 exactly, 1 the start of the name, 2 a part, 3 no match."""
        name = self.organism.casefold()
        exact = {name, name.split(" (")[0], *re.findall(r"\(([^()]*)\)", name), self.taxid}
        if wanted in exact or wanted in (code.casefold() for code in self.codes):
            return 0
        if wanted.isdigit() or not all(word in name for word in wanted.split()):
            return 3
        return 1 if name.startswith(wanted) else 2


def organism_sets(family: PublicSet, organism: str, cancel: threading.Event) -> list[OrganismSet]:
    """Ask the provider of a family of sets for those of an organism, the best first.

    Parameters
    ----------
    family : PublicSet
        One with a list of organisms.
    organism : str
        Its number at NCBI, its code or its proteome at UniProt, or words of its name.

    Returns
    -------
    list of OrganismSet
        If some fit exactly, only those.

    Raises
    ------
    InvalidParameter
        If the list has no such organism.
    DownloadError
        If the list cannot be loaded, or is not of the form that is known.
    Stopped
        If `cancel` was set.
    """
    wanted = " ".join(organism.casefold().split())
    sets = list(_READERS[family.organisms](family, _list_of(family, cancel)))
    if not sets:
        raise DownloadError(
            family.listing_url,
            f"The list of organisms at {host_of(family.listing_url)} has no organism in the form that swgui reads.",
            hint="The provider may have changed it.",
        )
    ranked = sorted((one for one in sets if one.rank(wanted) < 3), key=lambda one: (one.rank(wanted), one.organism))
    found = [one for one in ranked if one.rank(wanted) == 0] or ranked
    if not wanted or not found:
        message = f"{host_of(family.listing_url)} lists no organism '{organism}' among {count(len(sets), 'set')}."
        raise InvalidParameter("name", organism, message, hint=_EXAMPLE)
    return found


def set_named(name: str, cancel: threading.Event, *, online: bool) -> PublicSet:
    """Return a public set by its key, or the set of one organism by ``proteome:ORGANISM``.

    Parameters
    ----------
    online : bool
        Ask the provider which file the set of an organism is; without it, the set has no address.

    Raises
    ------
    InvalidParameter
        If there is none, or several organisms have such a name.
    DownloadError, Stopped
        As `organism_sets`.
    """
    key, colon, organism = name.partition(":")
    family = find_set(key)
    if not family.organisms:
        return find_set(name)
    if not organism.strip():
        message = f"'{name}' names no organism."
        raise InvalidParameter("name", name, message, hint=f"Write {family.key}:ORGANISM. {_EXAMPLE}")
    if not online:
        safe = re.sub(r"\W+", "-", organism.strip())
        return replace(family, key=f"{family.key}{colon}{safe}", title=f"{family.title} {organism.strip()}")
    found = organism_sets(family, organism, cancel)
    if len(found) > 1:
        some = "; ".join(f"{one.public.key} is {one.organism}" for one in found[:_NAMED])
        more = f"; and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
        message = f"{count(len(found), 'organism')} have '{organism}' in their names: {some}{more}."
        raise InvalidParameter("name", name, message, hint="Name one by its number.")
    return found[0].public


def _list_of(family: PublicSet, cancel: threading.Event) -> str:
    parts, size = [], 0
    url = family.listing_url
    with unbroken(url), connected(request_for(url)) as reply:
        while part := read_some(reply, _BLOCK):
            size += len(part)
            if cancel.is_set():
                raise Stopped("Asking for the list of organisms was stopped.")
            if size > _LARGEST_LIST:
                raise DownloadError(url, f"The list of organisms at {host_of(url)} is larger than 64 MB.")
            parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")


def _proteomes(family: PublicSet, text: str) -> Iterator[OrganismSet]:
    """Read UniProt's table: proteome, taxid, code, kingdom, three numbers of entries, name."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 8 or not re.fullmatch(r"UP\d+", cells[0]) or not cells[1].isdigit():
            continue
        proteome, taxid, code, kingdom, entries, name = *cells[:5], cells[7]
        about = f"Reference proteome of {name}, one protein for each gene"
        about += f": {count(int(entries), 'protein')}." if entries.isdigit() else "."
        url = f"{family.url}{kingdom.capitalize()}/{proteome}/{proteome}_{taxid}.fasta.gz"
        public = PublicSet(f"{family.key}:{taxid}", f"Proteome of {name}", about, url, "", family.terms)
        yield OrganismSet(name, taxid, (proteome, *(() if code == NO_CODE else (code,))), public)


def _structures(family: PublicSet, text: str) -> Iterator[OrganismSet]:
    """Read the list of archives of AlphaFold DB; those that are not of one organism are passed over."""
    try:
        archives = json.loads(text)
    except (ValueError, RecursionError):
        return
    for one in archives if isinstance(archives, list) else ():
        facts = one if isinstance(one, dict) else {}
        archive, name = str(facts.get("archive_name", "")), str(facts.get("species") or "")
        parts = re.fullmatch(r"(UP\d+)_(\d+)_([A-Z0-9]+)(?:_v\d+)?\.tar", archive)
        if parts is None or not name:
            continue
        common = str(facts.get("common_name") or "")
        name = f"{name} ({common})" if common and common.casefold() not in name.casefold() else name
        number, size = facts.get("num_predicted_structures"), facts.get("size_bytes")
        about = f"Predicted structures of {name}"
        about += f": {count(number, 'model')}" if isinstance(number, int) else ""
        about += f", {file_size(size)}." if isinstance(size, int) else "."
        public = PublicSet(
            f"{family.key}:{parts[2]}", f"Structures of {name}", about, f"{family.url}{archive}", "", family.terms
        )
        yield OrganismSet(name, parts[2], (parts[1], parts[3]), public)


_READERS: Final[dict[str, Callable[[PublicSet, str], Iterator[OrganismSet]]]] = {
    "uniprot": _proteomes,
    "alphafold": _structures,
}
