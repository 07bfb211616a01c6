"""NCBI's taxonomy dump: read as it is written, cut to what is needed, refused in a sentence where it is another."""

import tracemalloc

import numpy as np
import pytest

from swgui.core.organisms.tree import NOWHERE, walk_around
from swgui.io.organisms.assign import TaxonomyDump, TaxonomyError
from tests.core.organisms.made import NODES, TREE, write_dump


@pytest.fixture
def folder(tmp_path):
    return write_dump(tmp_path / "taxdump")


def test_the_whole_tree_is_what_was_written(folder):
    tree = TaxonomyDump(folder).above(np.array([node[0] for node in NODES], dtype=np.int32))
    for name in ("taxids", "parents", "ranks", "named", "merged"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(TREE, name), err_msg=name)
        assert getattr(tree, name).dtype == getattr(TREE, name).dtype
    assert list(tree.names) == list(TREE.names)
    assert list(tree.other_names) == list(TREE.other_names)


def test_only_what_lies_above_is_kept(folder):
    tree = TaxonomyDump(folder).above(np.array([83333, 7], dtype=np.int32))
    assert list(tree.names) == [
        "root", "Bacteria", "Escherichia", "Escherichia coli", "Pseudomonadota", "Escherichia coli K-12",
        "cellular organisms",
    ]  # fmt: skip
    assert tree.ranked(tree.node(83333))["phylum"] == "Pseudomonadota"
    assert tree.node(9606) == NOWHERE
    assert len(tree.merged) == 0
    assert len(TaxonomyDump(folder).above(np.array([7], dtype=np.int32))) == 0


def test_names_are_found_and_merged_numbers_replaced(folder):
    dump = TaxonomyDump(folder)
    assert dump.find(["homo sapiens", "HUMAN", "nobody"]) == {"homo sapiens": 9606, "HUMAN": 9606}
    assert dump.current(np.array([99999, 562], dtype=np.int32)).tolist() == [9606, 562]
    (folder / "merged.dmp").unlink()
    assert TaxonomyDump(folder).current(np.array([99999], dtype=np.int32)).tolist() == [99999]


def test_what_was_merged_several_times_leads_to_what_stands_now(folder):
    (folder / "merged.dmp").write_text("99999\t|\t99998\t|\n99998\t|\t99997\t|\n99997\t|\t9606\t|\n12\t|\t562\t|\n")
    dump = TaxonomyDump(folder)
    assert dump.current(np.array([99997, 99999, 12, 9606], dtype=np.int32)).tolist() == [9606, 9606, 562, 9606]
    assert dump.above(np.array([9606], dtype=np.int32)).node(99999) != NOWHERE
    for circle in ("5\t|\t6\t|\n6\t|\t5\t|\n", "5\t|\t5\t|\n"):
        (folder / "merged.dmp").write_text(circle)
        with pytest.raises(TaxonomyError, match=r"Node 5 in 'merged\.dmp' was merged into itself"):
            TaxonomyDump(folder)


def test_newer_names_of_ranks_and_line_ends(folder):
    nodes = (folder / "nodes.dmp").read_text().replace("superkingdom", "domain").replace("serotype", "odd new rank")
    (folder / "nodes.dmp").write_text("\n" + nodes.rstrip("\n"))
    dump = TaxonomyDump(folder)
    tree = dump.above(np.array([83334], dtype=np.int32))
    assert tree.rank(tree.node(2)) == "superkingdom"
    assert tree.rank(tree.node(83334)) == "no rank"


def test_lines_may_end_as_on_windows(folder):
    whole = TaxonomyDump(folder).above(np.array([83334], dtype=np.int32))
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    again = TaxonomyDump(folder).above(np.array([83334], dtype=np.int32))
    assert (list(again.names), list(again.other_names)) == (list(whole.names), list(whole.other_names))
    assert again.names[again.node(562)] == "Escherichia coli"


def change(name, old, new):
    def apply(folder):
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return apply


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda folder: (folder / "nodes.dmp").unlink(), r"There is no 'nodes\.dmp' in"),
        (lambda folder: (folder / "names.dmp").unlink(), r"holds no 'names\.dmp'"),
        (lambda folder: (folder / "nodes.dmp").write_text(""), r"'nodes\.dmp' is empty"),
        (lambda folder: (folder / "nodes.dmp").write_text("taxid,parent\n1,1\n"), r"Line 1 of 'nodes\.dmp' is not as"),
        (lambda folder: (folder / "nodes.dmp").write_bytes(bytes(range(256))), r"Line 1 of 'nodes\.dmp' is not as"),
        (change("nodes.dmp", "564\t|\t561\t|", "564\t|\tx61\t|"), r"Line 5 of 'nodes\.dmp' is not as .*'564"),
        (change("nodes.dmp", "564\t|\t561", "564,\t561"), r"Line 5 of 'nodes\.dmp' is not as"),
        (change("nodes.dmp", "564\t|\t561", "12345678901\t|\t561"), r"Line 5 of 'nodes\.dmp' is not as"),
        (change("nodes.dmp", "564\t|", "562\t|"), r"Node 562 occurs twice in 'nodes\.dmp'"),
        (change("nodes.dmp", "564\t|\t561", "564\t|\t77"), r"Node 77, above node 564, is not in 'nodes\.dmp'"),
        (change("nodes.dmp", "1224\t|\t2\t", "1224\t|\t83333\t"), r"Node \d+ in 'nodes\.dmp' is below itself"),
        (change("nodes.dmp", "2\t|\t131567", "2\t|\t1224"), r"Node \d+ in 'nodes\.dmp' is below itself"),
        (change("merged.dmp", "99999\t|", "99999 |"), r"Line 1 of 'merged\.dmp' is not as"),
    ],
)
def test_another_format_is_refused(folder, spoil, sentence):
    spoil(folder)
    with pytest.raises(TaxonomyError, match=sentence):
        TaxonomyDump(folder)


def test_names_of_another_format_are_refused(folder):
    change("names.dmp", "2\t|\tBacteria", "two Bacteria")(folder)
    with pytest.raises(TaxonomyError, match=r"Line 2 of 'names\.dmp' is not as"):
        TaxonomyDump(folder).above(np.array([2], dtype=np.int32))


def test_a_file_is_no_folder(folder):
    with pytest.raises(TaxonomyError, match="is no folder with a taxonomy"):
        TaxonomyDump(folder / "nodes.dmp")


@pytest.mark.slow
@pytest.mark.parametrize("count", [450_000, pytest.param(2_700_000, marks=pytest.mark.nightly)])
def test_a_tree_as_large_as_ncbis_takes_bounded_memory(folder, count):
    """A sixth of NCBI's nodes, or all, some 40 deep; the tree and a walk around it within 400 bytes a node."""
    rng = np.random.default_rng(1)
    parents = np.append(0, (np.arange(1, count) * rng.random(count - 1) ** 0.35).astype(np.int64))
    taxids = np.sort(rng.choice(3 * count // 2, count, replace=False)) + 1
    rest = "\t|\tspecies\t|\tXX\t|\t0\t|\t1\t|\t1\t|\t1\t|\t0\t|\t1\t|\t1\t|\t0\t|\t\t|\n"
    with open(folder / "nodes.dmp", "w") as file:
        pairs = zip(taxids.tolist(), taxids[parents].tolist(), strict=True)
        file.writelines(f"{taxid}\t|\t{above}{rest}" for taxid, above in pairs)
    tracemalloc.start()
    dump = TaxonomyDump(folder)
    tour = walk_around(dump.parents)
    assert tracemalloc.get_traced_memory()[1] < 400 * count
    tracemalloc.stop()
    np.testing.assert_array_equal(dump.parents, parents)
    for node in rng.integers(0, 2000, 20).tolist():
        below = np.flatnonzero((tour.places - tour.places[node]).view(np.uint32) < tour.sizes[node])
        inside = np.zeros(count, dtype=bool)
        inside[node] = True
        while not np.array_equal(grown := inside | inside[parents], inside):
            inside = grown
        assert np.array_equal(below, np.flatnonzero(inside))
