"""Subjects chosen by their organism: names and taxids, looked up among the organisms of a database."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.core.organisms.tree import LINEAGE, NOWHERE

NEAR: Final = 3  # names that are proposed
COMPARED: Final = 20_000  # organisms whose names are compared with one that is unknown
_TAXID: Final = re.compile(r"(?:taxid|txid|OX)?[:= ]?(\d{1,9})", re.IGNORECASE)
_WITHOUT_TREE: Final = (
    "The database has no tree of organisms: 'swgui makedb --taxonomy' gives it one, for whole clades."
)


def chosen_subjects(organisms: SubjectOrganisms, limit: OrganismLimit, name: str) -> NDArray[np.bool_]:
    """Return a mask of the subjects to search, shape (N,).

    Parameters
    ----------
    name : str
        Name of the database, for errors.

    Raises
    ------
    InvalidParameter
        If no subject is of an organism that is named, or nothing is left.
    """
    return chosen_of_each([organisms], limit, name)[0]


def chosen_of_each(several: Sequence[SubjectOrganisms], limit: OrganismLimit, name: str) -> list[NDArray[np.bool_]]:
    """Do as `chosen_subjects` for databases that are searched as one: a name need be in one of them only."""
    only, without = (_of_each(several, texts, name) for texts in (limit.only, limit.without))
    chosen: list[NDArray[np.bool_]] = []
    for organisms, wanted, unwanted in zip(several, only, without, strict=True):
        kept = (wanted if limit.only else np.ones(len(organisms.names), dtype=bool)) & ~unwanted
        # The last place represents subjects of no known organism (-1): no name selects them.
        chosen.append(np.append(kept, not limit.only)[organisms.of])
    if not any(mask.any() for mask in chosen):
        raise InvalidParameter(
            "organism",
            limit.describe(),
            f"Of '{name}' no subject is left to be searched (organism: {limit.describe()}).",
            hint="Leave out less.",
        )
    return chosen


def _of_each(several: Sequence[SubjectOrganisms], texts: Sequence[str], name: str) -> list[NDArray[np.bool_]]:
    """Return the organisms of each database that some texts name; `InvalidParameter` if none has one of them."""
    matching = [np.zeros(len(organisms.names), dtype=bool) for organisms in several]
    for text in texts:
        unknown: list[InvalidParameter] = []
        for mask, organisms in zip(matching, several, strict=True):
            try:
                mask |= _any_of(organisms, (text,), name)
            except InvalidParameter as error:
                unknown.append(error)
        if len(unknown) == len(several):
            raise unknown[0]
    return matching


def _any_of(organisms: SubjectOrganisms, texts: Sequence[str], name: str) -> NDArray[np.bool_]:
    matching = np.zeros(len(organisms.names), dtype=bool)
    for text in texts:
        whole = find(organisms, text)
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if not whole.any() and len(parts) > 1:
            for part in parts:
                matching |= _found(organisms, part, name)
        else:
            matching |= whole if whole.any() else _found(organisms, text, name)
    return matching


def _found(organisms: SubjectOrganisms, text: str, name: str) -> NDArray[np.bool_]:
    matching = find(organisms, text)
    if matching.any():
        return matching
    if not len(organisms.names):
        raise InvalidParameter(
            "organism",
            text,
            f"No header of '{name}' names an organism, so that '{text}' cannot be chosen.",
            hint="'swgui makedb --organisms' takes a file that says of which organism each sequence is.",
        )
    near = near_names(organisms, text)
    hint = f"Perhaps you mean {' or '.join(near)}." if near else f"It holds {_most_frequent(organisms)}."
    if organisms.tree is None and (_TAXID.fullmatch(text) or not near):
        hint = f"{hint} {_WITHOUT_TREE}"
    raise InvalidParameter("organism", text, f"No subject of '{name}' is of the organism '{text}'.", hint=hint)


def _most_frequent(organisms: SubjectOrganisms) -> str:
    held = organisms.by_count()
    text = ", ".join(organisms.names[index].partition(" (")[0] for index in held[:NEAR])
    return f"{text} and {len(held) - NEAR:,} more" if len(held) > NEAR else text


def find(organisms: SubjectOrganisms, text: str) -> NDArray[np.bool_]:
    """Return the organisms that a name or a taxid means, shape (k,).

    A name means the organisms of this name and those whose names begin with it and continue with another word; with a
    tree a name or taxid means all below that node, too.
    """
    taxid = _TAXID.fullmatch(text)
    tree = organisms.tree
    if taxid is not None:
        mask: NDArray[np.bool_] = organisms.taxids == int(taxid[1])
        tops = [node] if tree is not None and (node := tree.node(int(taxid[1]))) != NOWHERE else []
    else:
        wanted = text.casefold()
        mask = np.fromiter((_begins(name.casefold(), wanted) for name in organisms.names), bool, len(organisms.names))
        tops = tree.nodes_named(text) if tree is not None else []
    if tree is not None and tops:
        mask = mask | tree.below(tops, organisms.nodes)
    return mask


def _begins(name: str, wanted: str) -> bool:
    return name.startswith(wanted) and name[len(wanted) : len(wanted) + 1] in ("", " ", "(")


def near_names(organisms: SubjectOrganisms, text: str) -> list[str]:
    """Return the names of the database that are most like an unknown one, best first."""
    frequent = [organisms.names[index] for index in organisms.by_count()[:COMPARED]]
    if organisms.tree is not None:
        frequent += list(organisms.tree.names)[:COMPARED]
    shown: dict[str, str] = {}
    for name in frequent:
        short = name.partition(" (")[0]
        for part in (short, name, name.partition(" ")[0]):
            shown.setdefault(part.casefold(), part)
    wanted = text.casefold()
    import difflib  # here: for names that are spelt wrong

    near = difflib.get_close_matches(wanted, shown, NEAR, 0.7)
    near += [key for key in shown if len(wanted) > 2 and wanted in key.split()][:NEAR]  # "coli"
    return [shown[key] for key in dict.fromkeys(near)][:NEAR]


def searched(organisms: SubjectOrganisms, chosen: NDArray[np.bool_]) -> int:
    """Return the number of organisms of the chosen subjects; `chosen` has the shape (N,)."""
    of = organisms.of[chosen]
    return len(np.unique(of[of != UNKNOWN]))


def choices(organisms: SubjectOrganisms) -> list[tuple[str, int]]:
    """Return the possible choices with their numbers of subjects: organisms and, with a tree, named ranks above them.

    The most frequent come first; of those that hold the same subjects the higher rank.
    """
    held = organisms.by_count()
    above: dict[int, int] = {}
    tree = organisms.tree
    if tree is not None:
        for index in held:
            node = int(organisms.nodes[index])
            for higher in tree.lineage(node)[:-1] if node != NOWHERE else ():
                if tree.rank(higher) in LINEAGE:
                    above[higher] = above.get(higher, 0) + int(organisms.counts[index])
    counts = {tree.names[node]: count for node, count in sorted(above.items())} if tree is not None else {}
    for index in held:
        counts.setdefault(organisms.names[index], int(organisms.counts[index]))
    return sorted(counts.items(), key=lambda entry: -entry[1])
