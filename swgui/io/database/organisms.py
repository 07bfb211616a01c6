"""The organisms of a database as sections of its file: optional, all or none, and passed over by older programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.index_check import are_offsets
from swgui.core.texts import TextColumn

if TYPE_CHECKING:
    from swgui.core.organisms.subjects import SubjectOrganisms

# Name and dtype. Names are texts and where each begins; nodes of the tree as in `Taxonomy`.
OF_SUBJECTS: Final = "organism_of"
SECTIONS: Final = {
    OF_SUBJECTS: "<i4",
    "organism_taxids": "<i4",
    "organism_names": "<u1",
    "organism_name_offsets": "<i8",
    "taxon_ids": "<i4",
    "taxon_parents": "<i4",
    "taxon_ranks": "<u1",
    "taxon_names": "<u1",
    "taxon_name_offsets": "<i8",
    "taxon_other_names": "<u1",
    "taxon_other_name_offsets": "<i8",
    "taxon_named": "<i4",
    "taxon_merged": "<i4",
}
Arrays = Mapping[str, NDArray[Any]]


def sections_of(organisms: SubjectOrganisms) -> dict[str, NDArray[Any]]:
    """Return the content to write, by section; no tree is one without nodes."""
    from swgui.core.organisms.tree import Taxonomy  # here, as below: many databases store no organisms

    names = TextColumn.from_texts(organisms.names)
    empty = TextColumn.from_texts([])
    none = np.zeros(0, dtype=np.int32)
    tree = organisms.tree or Taxonomy(none, none, none.astype(np.uint8), empty, empty, none, none.reshape(0, 2))
    return {
        "organism_of": organisms.of,
        "organism_taxids": organisms.taxids,
        "organism_names": names.data,
        "organism_name_offsets": names.offsets,
        "taxon_ids": tree.taxids,
        "taxon_parents": tree.parents,
        "taxon_ranks": tree.ranks,
        "taxon_names": tree.names.data,
        "taxon_name_offsets": tree.names.offsets,
        "taxon_other_names": tree.other_names.data,
        "taxon_other_name_offsets": tree.other_names.offsets,
        "taxon_named": tree.named,
        "taxon_merged": tree.merged.ravel(),
    }


def organisms_of(arrays: Arrays, subjects: int) -> SubjectOrganisms | None:
    """Return the organisms in the sections of a file; None if it has none of them.

    Raises
    ------
    ValueError
        If one is missing, or its numbers point to nothing; its text is the name of the section.
    """
    if not any(name in arrays for name in SECTIONS):
        return None
    missing = [name for name in SECTIONS if name not in arrays]
    if missing:
        raise ValueError(missing[0])
    from swgui.core.organisms.subjects import SubjectOrganisms
    from swgui.core.organisms.tree import Taxonomy

    _check(arrays, subjects)
    names = _texts(arrays, "organism_names", "organism_name_offsets")
    tree = Taxonomy(
        taxids=arrays["taxon_ids"],
        parents=arrays["taxon_parents"],
        ranks=arrays["taxon_ranks"],
        names=_texts(arrays, "taxon_names", "taxon_name_offsets"),
        other_names=_texts(arrays, "taxon_other_names", "taxon_other_name_offsets"),
        named=arrays["taxon_named"],
        merged=arrays["taxon_merged"].reshape(-1, 2),
    )
    return SubjectOrganisms(arrays["organism_of"], tuple(names), arrays["organism_taxids"], tree if len(tree) else None)


def _texts(arrays: Arrays, data: str, offsets: str) -> TextColumn:
    if not are_offsets(arrays[offsets], len(arrays[data])):
        raise ValueError(offsets)
    return TextColumn(arrays[data], arrays[offsets])


def _check(arrays: Arrays, subjects: int) -> None:
    """Raise `ValueError` where a number leads to nothing, or the tree turns in a circle."""
    from swgui.core.organisms.subjects import UNKNOWN
    from swgui.core.organisms.tree import node_in_a_circle

    organisms, nodes = len(arrays["organism_taxids"]), len(arrays["taxon_ids"])
    sizes = {
        "organism_of": subjects, "organism_name_offsets": organisms + 1, "taxon_parents": nodes, "taxon_ranks": nodes,
        "taxon_name_offsets": nodes + 1, "taxon_other_name_offsets": len(arrays["taxon_named"]) + 1,
    }  # fmt: skip
    bounds = {"organism_of": (UNKNOWN, organisms), "taxon_parents": (0, nodes), "taxon_named": (0, nodes)}
    for name, size in sizes.items():
        if len(arrays[name]) != size:
            raise ValueError(name)
    for name, (low, high) in bounds.items():
        array = arrays[name]
        if len(array) and (int(array.min()) < low or int(array.max()) >= high):
            raise ValueError(name)
    if len(arrays["taxon_merged"]) % 2 or (np.diff(arrays["taxon_merged"][::2]) < 0).any():
        raise ValueError("taxon_merged")
    if (np.diff(arrays["taxon_ids"]) <= 0).any():
        raise ValueError("taxon_ids")
    if node_in_a_circle(arrays["taxon_parents"]) is not None:
        raise ValueError("taxon_parents")
