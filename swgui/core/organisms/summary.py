"""What organisms some hits are of, in a sentence."""

from __future__ import annotations

from typing import Final

import numpy as np

from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.core.organisms.tree import LINEAGE, NOWHERE

NAMED: Final = (*LINEAGE, "subspecies", "strain", "subfamily", "tribe", "suborder", "subphylum", "kingdom")


def describe_hits(organisms: SubjectOrganisms) -> str:
    """Say of how many organisms some hits are, and which is the last common ancestor, if there is a tree.

    Parameters
    ----------
    organisms : SubjectOrganisms
        Of the subjects of these hits.

    Returns
    -------
    str
        ``of 5 organisms; last common ancestor: Gammaproteobacteria (class)``; empty if no organism
        is known.
    """
    different = np.unique(organisms.of[organisms.of != UNKNOWN])
    if not len(different):
        return ""
    if len(different) == 1:
        return f"of {organisms.names[int(different[0])]}{_and_unknown(organisms)}"
    text = f"of {len(different):,} organisms{_and_unknown(organisms)}"
    tree = organisms.tree
    node = tree.common_ancestor(organisms.nodes[different]) if tree is not None else NOWHERE
    if tree is None or node == NOWHERE:
        return text
    rank = tree.rank(node)
    return f"{text}; last common ancestor: {tree.names[node]}{f' ({rank})' if rank in NAMED else ''}"


def _and_unknown(organisms: SubjectOrganisms) -> str:
    unknown = int((organisms.of == UNKNOWN).sum())
    return f" ({unknown:,} of no known one)" if unknown else ""
