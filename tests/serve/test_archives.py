"""Results of five programs that read the archives of a live server."""

import json
import re

import pytest

from swgui.cli import main
from tests.serve.readers import ENVIRONMENT, PAIR, READERS, UNIREF, check_bytes, protenix


def read_by_all(files, chains, *, paired=False):
    for reader in READERS.values():
        made = reader(files, list(chains), paired)
        assert len(made) == len(chains)
    return {name: reader(files, list(chains), paired) for name, reader in READERS.items()}


def lengths(chains):
    return [len(text) for text in chains.values()]


def test_one_chain(client, proteins):
    chains = {"101": proteins["alpha"]}
    files = client.fetch(chains)
    assert set(files) == {UNIREF, ENVIRONMENT, "pdb70.m8", "swgui.json"}
    (first,) = check_bytes(files[UNIREF], chains, lengths(chains))
    (second,) = check_bytes(files[ENVIRONMENT], chains, lengths(chains))
    assert len(first) > 3
    assert second
    assert files["pdb70.m8"] == b""
    read = read_by_all(files, chains)
    assert len(read["boltz"][0]) == len(first) + len(second) + 2
    assert read["boltz"][0][0] == proteins["alpha"]


def test_odd_headers_stops_and_two_alignments_of_a_subject(client, proteins):
    chains = {"101": proteins["alpha"]}
    (heads,) = check_bytes(client.fetch(chains, "env-nofilter")[ENVIRONMENT], chains, lengths(chains))
    names = [head[1:].split("\t")[0] for head in heads]
    assert "_a_b" in names
    twice = [name for name in names if name.startswith("TWICE")]
    assert "TWICE" in twice
    assert any(re.fullmatch(r"TWICE/\d+-\d+", name) for name in twice)
    assert len([name for name in names if name.startswith("same")]) == 2
    figures = dict(zip(names, (head.split("\t")[1:] for head in heads), strict=True))["TWICE"]
    assert len(figures) == 9
    assert int(figures[8]) == 142 * 2 + 50


def test_three_chains_two_of_them_alike(client, proteins):
    chains = {"101": proteins["alpha"], "102": proteins["beta"], "103": proteins["alpha"]}
    files = client.fetch(chains)
    first, _, third = check_bytes(files[UNIREF], chains, lengths(chains))
    assert first == third
    read_by_all(files, chains)
    paired = client.fetch(chains, "pairgreedy-env", "pair")
    assert set(paired) == {PAIR, "swgui.json"}
    read = read_by_all(paired, chains, paired=True)
    assert read["boltz"][0][1:] == read["boltz"][2][1:]


def test_nothing_is_found(client, proteins):
    chains = {"101": proteins["alone"]}
    files = client.fetch(chains)
    text = f">101\n{proteins['alone']}\n\0".encode()
    assert files[UNIREF] == files[ENVIRONMENT] == text
    read_by_all(files, chains)
    assert json.loads(files["swgui.json"])["all_sequences_scored_in_full"] is True


def test_pairs_are_rows_of_one_organism(client, proteins):
    chains = {"101": proteins["alpha"], "102": proteins["beta"]}
    for mode in ("pairgreedy-env", "paircomplete", ""):
        files = client.fetch(chains, mode, "pair")
        first, second = check_bytes(files[PAIR], chains, lengths(chains))
        species = [[re.search(r"_(\w+)$", head)[1] for head in heads] for heads in (first, second)]
        assert species[0] == species[1]
        assert "HORSE" in species[0]
        assert not any("\t" in head for head in first)
        assert json.loads(files["swgui.json"])["pairing"]["organisms_chosen"] == len(first)
        read_by_all(files, chains, paired=True)


def test_pairs_with_nothing_are_never_unpaired(client, proteins):
    for chains in (
        {"101": proteins["alpha"], "102": proteins["alone"]},
        {"101": proteins["alpha"]},
        {"101": proteins["alpha"], "102": proteins["alpha"]},
    ):
        files = client.fetch(chains, "pairgreedy", "pair")
        assert files[PAIR] == "".join(f">{name}\n{text}\n\0" for name, text in chains.items()).encode()
        read_by_all(files, chains, paired=True)


def test_of_three_chains_greedy_fills_up_and_complete_does_not(client, proteins):
    chains = {"query_0": proteins["alpha"], "query_1": proteins["beta"], "query_2": proteins["alone"]}
    greedy = client.fetch(chains, "pairgreedy", "pair")
    heads = check_bytes(greedy[PAIR], chains, lengths(chains))
    assert len({len(block) for block in heads}) == 1
    assert all(head.startswith(">DUMMY") for head in heads[2])
    assert len(heads[0]) > 2
    assert protenix(greedy, chains, paired=True)[0] == len(heads[0]) + 1
    complete = client.fetch(chains, "paircomplete", "pair")
    assert check_bytes(complete[PAIR], chains, lengths(chains)) == [[], [], []]
    one = client.fetch({"query_3": proteins["alpha"]})
    assert protenix(one, ["query_3"], paired=False)[0] > 3


def test_a_long_query(client, proteins):
    chains = {"101": (proteins["alpha"] + "GGSGGS" * 4 + proteins["beta"]) * 4}
    files = client.fetch(chains, "all")
    assert ENVIRONMENT not in files
    (heads,) = check_bytes(files[UNIREF], chains, lengths(chains))
    assert heads


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_rows_are_those_of_the_command(client, proteins, databases, tmp_path, name):
    (tmp_path / "q.fasta").write_text(f">101\n{proteins[name]}\n")
    words = [
        "msa",
        "-q",
        str(tmp_path / "q.fasta"),
        "-d",
        databases[0],
        "-o",
        str(tmp_path / "q.a3m"),
        "--engine",
        "cpu",
    ]
    assert main(words) == 0
    own = {entry.split("\n")[1] for entry in (tmp_path / "q.a3m").read_text().split(">")[1:]}
    served = client.fetch({"101": proteins[name]}, "nofilter")[UNIREF].decode().split("\n")
    assert set(served[1::2]) - {"\0"} == own


def test_the_receipt_names_what_was_done(client, proteins, databases):
    receipt = json.loads(client.fetch({"101": proteins["alpha"]})["swgui.json"])
    assert receipt["databases"][UNIREF]["sequences"] == 400
    assert len(receipt["databases"][UNIREF]["checksum"]) >= 32
    chain = receipt["chains"][UNIREF]["101"]
    assert chain["rows"] == chain["rows_aligned"] - chain["rows_beyond_the_limits_of_rows"]
    assert receipt["settings"]["iterations"] == 3
