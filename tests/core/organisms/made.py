"""A small tree of organisms for tests."""

import numpy as np

from swgui.core.organisms.tree import RANKS, Taxonomy
from swgui.core.texts import TextColumn

# Taxid, that above it, rank, name.
NODES = [
    (1, 1, "no rank", "root"),
    (2, 131567, "superkingdom", "Bacteria"),
    (561, 1224, "genus", "Escherichia"),
    (562, 561, "species", "Escherichia coli"),
    (564, 561, "species", "Escherichia fergusonii"),
    (1224, 2, "phylum", "Pseudomonadota"),
    (2759, 131567, "superkingdom", "Eukaryota"),
    (9605, 40674, "genus", "Homo"),
    (9606, 9605, "species", "Homo sapiens"),
    (10090, 40674, "species", "Mus musculus"),
    (40674, 2759, "class", "Mammalia"),
    (83333, 562, "strain", "Escherichia coli K-12"),
    (83334, 562, "serotype", "Escherichia coli O157:H7"),
    (131567, 1, "no rank", "cellular organisms"),
]
_PLACE = {taxid: at for at, (taxid, *_) in enumerate(NODES)}

TREE = Taxonomy(
    taxids=np.array([node[0] for node in NODES], dtype=np.int32),
    parents=np.array([_PLACE[node[1]] for node in NODES], dtype=np.int32),
    ranks=np.array([RANKS.index(node[2]) for node in NODES], dtype=np.uint8),
    names=TextColumn.from_texts(node[3] for node in NODES),
    other_names=TextColumn.from_texts(["human", "eubacteria"]),
    named=np.array([_PLACE[9606], _PLACE[2]], dtype=np.int32),
    merged=np.array([[99999, 9606]], dtype=np.int32),
)


def write_dump(folder, tree=NODES):
    """Write a tree as NCBI's taxonomy dump, with a merged node and names of other kinds."""
    folder.mkdir(parents=True, exist_ok=True)
    nodes = [f"{taxid}\t|\t{above}\t|\t{rank}\t|\t\t|\t8\t|\t0\t|\n" for taxid, above, rank, _ in tree]
    names = [f"{taxid}\t|\t{name}\t|\t\t|\tscientific name\t|\n" for taxid, _, _, name in tree]
    names.insert(9, "9606\t|\thuman\t|\t\t|\tgenbank common name\t|\n")
    names += ["2\t|\teubacteria\t|\teubacteria <a>\t|\tsynonym\t|\n", "9606\t|\tLinnaeus, 1758\t|\t\t|\tauthority\t|\n"]
    (folder / "nodes.dmp").write_text("".join(nodes))
    (folder / "names.dmp").write_text("".join(names))
    (folder / "merged.dmp").write_text("99999\t|\t9606\t|\n")
    return folder
