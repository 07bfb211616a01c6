"""Files of clusters and networks: read as other programs write them, and by independent readers."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from Bio import Phylo

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import RunFileError
from swgui.core.network.clusters import Clusters
from swgui.core.network.edges import Edges
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.io.cells import sequence_names
from swgui.io.matrices import load_matrix
from swgui.io.network.clusters import (
    CLUSTER_FORMATS,
    ClusterFileError,
    labels_of,
    read_clusters,
    write_clstr,
    write_clusters,
)
from swgui.io.network.file import load_network, save_network
from swgui.io.network.graphs import GRAPH_FORMATS, Network, attributes
from swgui.io.network.sequence_tables import NamedClusters

CLSTR = """>Cluster 0
0\t123aa, >alpha... *
1\t120aa, >beta... at 95.00%
>Cluster 1
0\t50aa, >gamma... *
"""
NAMES = ["alpha", "beta", "gamma"]
# Identifiers, and what mmseqs 14-7e284 (easy-cluster) and cd-hit 4.8.1 (its names cut after 19 letters) made of them.
SHORTENED = {
    "gnl|db|SEQ1": ("SEQ1", "gnl|db|SEQ1"),
    "gi|12345|ref|NP_000001.1|": ("NP_000001.1", "gi|12345|ref|NP_000"),
    "sp|P69905|HBA_HUMAN": ("P69905", "sp|P69905|HBA_HUMAN"),
    "tr|A0A000ABC1|A0A000ABC1_MOUSE": ("A0A000ABC1", "tr|A0A000ABC1|A0A00"),
    "ref|NP_000002.2|": ("NP_000002.2", "ref|NP_000002.2|"),
    "pdb|1ABC|A": ("1ABC", "pdb|1ABC|A"),
    "prf||1701234A": ("1701234A", "prf||1701234A"),
    "emb|CAA12345.1|": ("emb|CAA12345.1|", "emb|CAA12345.1|"),
    "jgi|Aspni7|12345|gene": ("jgi|Aspni7|12345|gene", "jgi|Aspni7|12345|ge"),
    "consensus_something": ("something", "consensus_something"),
    "consensus_sp|Q1|A_B": ("Q1", "consensus_sp|Q1|A_B"),
    "uc1_x": ("1_x", "uc1_x"),
    "UniRef50_Q9XYZ1": ("UniRef50_Q9XYZ1", "UniRef50_Q9XYZ1"),
    "lcl|NZ_1_prot_WP_1.1_1": ("NZ_1_prot_WP_1.1_1", "lcl|NZ_1_prot_WP_1."),
}


def a_network() -> Network:
    def ints(*values: int) -> np.ndarray:
        return np.array(values, np.int32)

    scores, log10 = ints(400, 90), np.array([-40.5, -3.2])
    edges = Edges(
        ints(0, 1),
        ints(1, 2),
        scores,
        log10,
        ints(90, 20),
        ints(100, 60),
        ints(100, 60),
        ints(99, 58),
        np.array([1, -1], np.int8),
    )
    ids, texts = ["a&b", "b<c>", 'd"e', "alone"], ["first \x01 one", "", "it's", "ü"]
    return Network(
        "a <set>",
        ids,
        texts,
        ints(120, 110, 70, 5),
        edges,
        np.array([160.2, 40.1]),
        1e-3,
        {"cluster": [1, 1, 1, 2]},
        strand="both",
    )


def written(name: str) -> str:
    file = io.StringIO()
    GRAPH_FORMATS[name].write(a_network(), file)
    return file.getvalue()


def put(tmp_path: Path, text: str) -> str:
    path = tmp_path / "clusters"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    "text",
    [CLSTR, "alpha\talpha\nalpha\tbeta\ngamma\tgamma\n", "sequence,cluster\nalpha,7\nbeta,7\ngamma,x\n",
     "\ufeffID\tCluster\nalpha\t7\nbeta\t7\ngamma\t8\n",
     '"id"\t"cluster"\n"alpha"\t7\n"beta"\t7\n"gamma"\t8\n'],
    ids=["CD-HIT", "MMseqs2", "CSV", "table", "R"],
)  # fmt: skip
def test_clusters_of_other_programs_are_read(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, text)
    labels, representative = labels_of(read_clusters(path), NAMES, path)
    assert labels.tolist() == [0, 0, 1]
    assert representative.tolist() in ([0, 0, 2], [-1, -1, -1])


def test_names_that_cd_hit_cut_off_are_found(tmp_path: Path) -> None:
    path = put(tmp_path, CLSTR.replace("gamma", "gam"))
    assert labels_of(read_clusters(path), NAMES, path)[0].tolist() == [0, 0, 1]
    with pytest.raises(ClusterFileError, match="'gam'"):
        labels_of(read_clusters(path), [*NAMES, "gammb"], path)


def test_accessions_that_mmseqs2_writes_are_found(tmp_path: Path) -> None:
    names = ["sp|P02232|LGB1_VICFA", "tr|Q00001|A_B", "other"]
    path = put(tmp_path, "P02232\tP02232\nP02232\tQ00001\nother\tother\n")
    labels, representative = labels_of(read_clusters(path), names, path)
    assert labels.tolist() == [0, 0, 1]
    assert representative.tolist() == [0, 0, 2]
    with pytest.raises(ClusterFileError, match=r"'P02232' of .* may be any of 2 sequences"):
        labels_of(read_clusters(path), [*names, "sp|P02232|AGAIN"], path)


def test_every_identifier_is_found_as_mmseqs2_and_cd_hit_write_it(tmp_path: Path) -> None:
    names, (mmseqs, cd_hit) = [*SHORTENED], zip(*SHORTENED.values(), strict=True)
    table, clstr = tmp_path / "of_mmseqs.tsv", tmp_path / "of_cd_hit.clstr"
    table.write_text("".join(f"{mmseqs[0]}\t{name}\n" for name in mmseqs))
    lines = (f"{n}\t120aa, >{name}... {'at 95.00%' if n else '*'}\n" for n, name in enumerate(cd_hit))
    clstr.write_text(">Cluster 0\n" + "".join(lines))
    for path in (str(table), str(clstr)):
        labels, representative = labels_of(read_clusters(path), names, path)
        assert labels.tolist() == representative.tolist() == [0] * len(names)


def test_names_of_ncbi_are_found_as_programs_shorten_them(tmp_path: Path) -> None:
    names = ["gnl|db|X1", "gi|7|ref|NP_1.1|", "sp|P02232|LGB1_VICFA", "pdb|1abc|A", "other"]
    whole = put(tmp_path, "".join(f"{names[0]}\t{name}\n" for name in names))
    expected = labels_of(read_clusters(whole), names, whole)
    for shorter in (["X1", "NP_1.1", "P02232", "1abc", "other"], ["db", "7", "P02232", "1abc_A", "other"]):
        path = put(tmp_path, "".join(f"{shorter[0]}\t{name}\n" for name in shorter))
        labels, representative = labels_of(read_clusters(path), names, path)
        assert labels.tolist() == expected[0].tolist()
        assert representative.tolist() == expected[1].tolist() == [0] * 5
    cut = put(tmp_path, ">Cluster 0\n" + "".join(f"{n}\t50aa, >{name[:12]}... *\n" for n, name in enumerate(names)))
    assert labels_of(read_clusters(cut), names, cut)[0].tolist() == [0] * 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("hello world\n", "no file of clusters"),
        (">Cluster 0\nnonsense\n", "Line 2"),
        ("alpha\talpha\nalpha\talpha\n", "occurs twice"),
        ("sequence,cluster\nalpha\n", "Line 2"),
        ("alpha\tdelta\nalpha\talpha\nalpha\tbeta\ngamma\tgamma\n", "'delta'"),
        ("alpha\talpha\n", "in no cluster"),
    ],
)
def test_bad_files_are_refused_with_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    path = put(tmp_path, text)
    with pytest.raises(ClusterFileError, match=said):
        labels_of(read_clusters(path), NAMES, path)


def test_a_missing_file_and_equal_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ClusterFileError, match="There is no"):
        read_clusters(str(tmp_path / "none"))
    with pytest.raises(ClusterFileError, match="'alpha_2'"):
        labels_of(read_clusters(put(tmp_path, "alpha\talpha\n")), ["alpha", "alpha"], "x")


@pytest.mark.parametrize("name", [name for name in CLUSTER_FORMATS if name not in ("json", "xlsx")])
def test_clusters_come_back_as_they_were_written(name: str, tmp_path: Path) -> None:
    clusters = Clusters(np.array([1, 1, 2, 1]))
    identities = np.array([1 / 3, 1, 1, 0.98333])
    ids = ["alpha", '"=x', "=cmd|x", "alpha"]
    names, lengths = sequence_names(ids), np.array([3, 9, 4, 5])
    path = str(tmp_path / "clusters")
    write_clusters(path, NamedClusters(clusters, names, lengths, identities), name)
    labels, representative = labels_of(read_clusters(path), ids, path)
    assert labels.tolist() == [0, 0, 1, 0]
    assert name == "csv" or representative.tolist() == [1, 1, 2, 1]


def clstr2txt(text: str) -> list[tuple[str, str, int, int, str]]:
    """Return id, cluster, length, whether it represents, and identity, by the patterns of CD-HIT's clstr2txt.pl."""
    rows, cluster = [], ""
    for line in text.splitlines():
        if line.startswith(">"):
            cluster = re.match(r">Cluster (\d+)", line)[1]
        elif whole := re.search(r"\d+\t(\d+)[a-z]{2}, >(.+)\.\.\. \*", line):
            rows.append((whole[2], cluster, int(whole[1]), 1, "100"))
        else:
            member = re.search(r"\d+\t(\d+)[a-z]{2}, >(.+)\.\.\.", line)
            share = re.search(r"(\d+%|\d+\.\d+%)$", line)
            rows.append((member[2], cluster, int(member[1]), 0, share[1]))
    return rows


@pytest.mark.parametrize("strands", [None, [1, 1, 1, -1]])
def test_cd_hits_own_script_reads_clstr(strands: list[int] | None) -> None:
    clusters, file = Clusters(np.array([1, 1, 2, 1])), io.StringIO()
    names, lengths = ["alpha", "beta", "gamma", "delta"], np.array([3, 9, 4, 5])
    turned = None if strands is None else np.array(strands)
    made = NamedClusters(clusters, names, lengths, np.array([1 / 3, 1, 1, 0.98333]), turned)
    write_clstr(made, file)
    assert clstr2txt(file.getvalue()) == [
        ("beta", "0", 9, 1, "100"),
        ("alpha", "0", 3, 0, "33.33%"),
        ("delta", "0", 5, 0, "98.33%"),
        ("gamma", "1", 4, 1, "100"),
    ]
    assert ("5nt, >delta... at -/98.33%" if strands else "5aa, >delta... at 98.33%") in file.getvalue()


@pytest.mark.parametrize("name", ["graphml", "xgmml", "gexf"])
def test_xml_names_every_node_and_edge(name: str) -> None:
    root = ElementTree.fromstring(written(name))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert (tags.count("node"), tags.count("edge")) == (4, 2)
    assert "a&b" in written(name).replace("&amp;", "&")
    assert all(element.get("for") in {"node", "edge"} for element in root.iter() if element.tag.endswith("}key"))


def test_xgmml_has_the_attributes_of_efi() -> None:
    root = ElementTree.fromstring(written("xgmml"))
    edge = next(element for element in root if element.tag.endswith("edge"))
    values = {attribute.get("name"): attribute.get("value") for attribute in edge}
    assert values["%id"] == "90.0"
    assert values["alignment_score"] == str(int(160.2 * np.log10(2) - np.log10(120 * 110)))
    assert values["alignment_len"] == "100"


def test_graphs_give_numbers_to_filter_by() -> None:
    graphml = ElementTree.fromstring(written("graphml"))
    types = {key.get("id"): key.get("attr.type") for key in graphml if key.tag.endswith("key")}
    first = next(element for element in graphml.iter() if element.tag.endswith("edge"))
    values = {data.get("key"): data.text for data in first}
    assert (types["e_evalue"], float(values["e_evalue"])) == ("double", 3.16e-41)
    assert (types["e_log10_evalue"], float(values["e_log10_evalue"])) == ("double", -40.5)
    xgmml = [one.attrib for one in ElementTree.fromstring(written("xgmml")).iter() if one.get("name") == "evalue"]
    assert [(one["type"], float(one["value"])) for one in xgmml] == [("real", 3.16e-41), ("real", 6.31e-04)]
    gexf = {
        one.get("id"): one.get("type") for one in ElementTree.fromstring(written("gexf")).iter() if one.get("title")
    }
    assert (gexf["evalue"], gexf["coverage"], gexf["coverage_both"]) == ("double",) * 3


def test_an_e_below_all_numbers_is_0_and_keeps_its_logarithm() -> None:
    made = a_network()
    made.edges.log10_evalues[0] = -1234.5
    file = io.StringIO()
    row, _ = attributes(made.edges_table())
    assert (row["evalue"], row["log10_evalue"]) == (0.0, -1234.5)
    GRAPH_FORMATS["edges"].write(made, file)
    assert "\t3.16e-1235\t-1234.5000\t" in file.getvalue()


def test_coverage_is_that_of_the_shorter_sequence() -> None:
    first, _ = attributes(a_network().edges_table())  # 100 of 120 and 99 of 110 residues
    assert (first["coverage"], first["coverage_both"]) == (90.0, 83.33)


@pytest.mark.parametrize("name", ["xgmml", "sif", "edges", "nodes", "newick", "upgma", "graphml", "gexf", "cx2"])
def test_sequences_of_one_name_stay_apart(name: str) -> None:
    file = io.StringIO()
    GRAPH_FORMATS[name].write(replace(a_network(), ids=["a", "a_3", "a", "b"]), file)
    names = set(re.findall(r"\b[ab](?:_\d)*\b", file.getvalue()))
    assert names >= {"a", "a_3", "a_4"}


def test_cx2_counts_what_it_holds() -> None:
    aspects = json.loads(written("cx2"))
    assert aspects[0] == {"CXVersion": "2.0", "hasFragments": False}
    held = {name: len(values) for aspect in aspects for name, values in aspect.items() if isinstance(values, list)}
    assert all(held[entry["name"]] == entry["elementCount"] for entry in aspects[1]["metaData"])
    assert aspects[-1] == {"status": [{"success": True}]}
    edge = next(aspect["edges"][0] for aspect in aspects if "edges" in aspect)
    assert (edge["s"], edge["t"], edge["v"]["score"]) == (0, 1, 400)


def test_tables_have_a_line_for_each() -> None:
    edges, nodes, sif = (written(name).splitlines() for name in ("edges", "nodes", "sif"))
    assert edges[0].split("\t")[:3] == ["source", "target", "score"]
    assert edges[1].split("\t")[:3] == ["a&b", "b<c>", "400"]
    assert nodes[0].split("\t") == ["id", "length", "description", "cluster"]
    assert len(nodes) == 5
    assert sif == ["a&b\tpp\tb<c>", 'b<c>\tpp\td"e', "alone"]


@pytest.mark.parametrize("name", ["newick", "upgma"])
def test_the_tree_is_read_by_biopython(name: str) -> None:
    tree = Phylo.read(io.StringIO(written(name)), "newick")
    assert sorted(leaf.name for leaf in tree.get_terminals()) == sorted(a_network().ids)


def own_matrix(folder: Path) -> Path:
    """Write BLOSUM62 but for X, which BLAST's E-values do not know of."""
    letters, scores = PROTEIN.letters, load_matrix("BLOSUM62", PROTEIN).scores.copy()
    scores[PROTEIN.code("X")] = scores[:, PROTEIN.code("X")] = 4
    path = folder / "mine.txt"
    rows = (f"{letter} {' '.join(map(str, row))}" for letter, row in zip(letters, scores.tolist(), strict=True))
    path.write_text("\n".join([f"  {' '.join(letters)}", *rows]) + "\n")
    return path


@pytest.mark.parametrize("matrix", ["PAM30", "mine", "+1/-3"])
def test_the_scoring_comes_back_with_all_its_scores(matrix: str, tmp_path: Path) -> None:
    alphabet = NUCLEOTIDE if matrix[0] == "+" else PROTEIN
    loaded = load_matrix(str(own_matrix(tmp_path)) if matrix == "mine" else matrix, alphabet)
    scheme, path = ScoringScheme.from_blast(loaded, 7, 3), tmp_path / "n.swnet"
    save_network(replace(a_network(), scheme=scheme, checksum="123"), path)
    again = load_network(path)
    assert (again.scheme, again.said, again.checksum) == (scheme, scheme.describe(), "123")


@pytest.mark.parametrize("matrix", ["PAM30", "+1/-3", "mine", ""])
def test_files_that_say_their_scoring_in_words_alone_are_read(matrix: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(own_matrix(tmp_path).parent)
    (tmp_path / "mine.txt").rename("mine")  # a file of that name is not what was meant
    words, path = f"{matrix}, gap 7/3 (BLAST rule)" if matrix else "", tmp_path / "n.swnet"
    save_network(replace(a_network(), scoring=words), path)
    again = load_network(path)
    assert again.said == (words or "an unstated scoring")
    assert (again.scheme is not None) == (matrix in ("PAM30", "+1/-3"))
    assert again.scheme is None or again.scheme.describe() == words


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("score", [400, 70_000])
def test_a_network_comes_back_as_it_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: int, score: int
) -> None:
    if form == 1:  # whose numbers all have four bytes
        monkeypatch.setattr("swgui.io.network.file.as_small_as_possible", lambda array: array)
        monkeypatch.setattr("swgui.io.network.file.FORMAT", "swgui network 1")
    path, network = tmp_path / "n.swnet", a_network()
    network.edges.scores[0] = score
    save_network(network, path)
    again = load_network(path)
    assert (again.name, again.ids, again.descriptions, again.evalue) == (
        "a <set>",
        network.ids,
        network.descriptions,
        1e-3,
    )
    for name in Edges.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(again.edges, name), getattr(network.edges, name), strict=True)


@pytest.mark.parametrize(("matrix", "strand"), [("BLOSUM62", ""), ("+2/-3", "plus")])
def test_a_network_of_before_is_of_the_plus_strand(
    matrix: str, strand: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheme = ScoringScheme.from_blast(load_matrix(matrix, PROTEIN if strand == "" else NUCLEOTIDE), 11, 1)
    with monkeypatch.context() as patch:
        patch.setattr("swgui.io.network.file.FORMAT", "swgui network 2")
        save_network(replace(a_network(), scheme=scheme), tmp_path / "n.swnet")
    again = load_network(tmp_path / "n.swnet")
    assert again.strand == strand
    assert again.edges.strands.tolist() == [1, 1]
    assert [row.get("strands", "") for row in attributes(again.edges_table())] == [strand, strand]


@pytest.mark.parametrize("name", ["edges", "graphml", "xgmml", "gexf", "cx2"])
def test_exports_of_nucleotides_name_their_strands(name: str) -> None:
    assert all(word in written(name) for word in ("sstrand", "plus", "minus", "strands", "both"))


@pytest.mark.parametrize("damage", ["cut", "byte", "other"])
def test_a_damaged_network_is_refused(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "n.swnet"
    save_network(a_network(), path)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "byte":
        content[120] ^= 255
    else:
        content = bytearray(b"PK\x03\x04 nothing")
    path.write_bytes(bytes(content))
    with pytest.raises(RunFileError):
        load_network(path)
