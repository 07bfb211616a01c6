"""The law of splits: what `split` parts, `leak --split` finds apart, by the same limits, whatever they are."""

from __future__ import annotations

import csv
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.network.clusters import CLUSTER_RULES
from swgui.core.network.edges import lengths_of
from swgui.core.network.judging import judge
from swgui.core.network.measures import EdgeLimit
from swgui.core.network.splitting import split
from swgui.core.scoring import ScoringScheme
from swgui.io.database.any_file import open_any_database
from swgui.jobs.events import run_to_end
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import edges_of, network_of
from swgui.jobs.network.leak import nearest_of, parts_of
from tests.asking import BLOSUM62, DNA_SCHEME

PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class Kind:
    """Families of sequences."""

    alphabet: Alphabet
    letters: str
    scheme: ScoringScheme


KINDS = (Kind(PROTEIN, "ARNDCQEGHILKMFPSTWYV", BLOSUM62), Kind(NUCLEOTIDE, "ACGT", DNA_SCHEME))
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def sequences(kind: Kind, seed: int, number: int) -> list[str]:
    """Return families of sequences, some as long as others, parts of others, and reverse complements of others."""
    rng, texts = np.random.default_rng(seed), list[str]()
    while len(texts) < number:
        own = list("".join(rng.choice(list(kind.letters), int(rng.integers(3, 70)))))
        if texts and rng.random() < 0.7:
            own = list(texts[int(rng.integers(len(texts)))])
            for place in rng.choice(len(own), int(len(own) * rng.choice([0, 0.1, 0.3, 0.6])), replace=False):
                own[place] = str(rng.choice(list(kind.letters)))
            if rng.random() < 0.4:
                own = own[int(rng.integers(0, len(own))) :]
            if rng.random() < 0.3:
                del own[len(own) // 2 : len(own) // 2 + 2]
        text = "".join(own) or kind.letters[0]
        texts.append(text[::-1].translate(COMPLEMENT) if kind.alphabet is NUCLEOTIDE and rng.random() < 0.4 else text)
    return texts


def leaking(
    whole: EncodedDatabase, file: Path, table: Path, asked: AllAgainstAll, limit: EdgeLimit
) -> list[tuple[str, str, str]]:
    """Return parts and test sequences whose nearest one in another part reaches the identity, as `leak` finds it."""
    found = []
    listed = {row["part"] for row in csv.DictReader(table.read_text().splitlines(), delimiter="\t")} & set(PARTS)
    for train_part in sorted(listed):
        for test_part in sorted(listed - {train_part}):
            train, test, space = parts_of(str(file), str(table), (train_part, test_part), threading.Event())
            again = AllAgainstAll(test, train, asked.scheme, asked.evalue, asked.engine, space=space)
            edges = run_to_end(edges_of(again, threading.Event()))
            any_identity = EdgeLimit(0.0, limit.coverage, limit.identity_over, limit.coverage_of, limit.sure)
            leaks = nearest_of(again, edges, any_identity)
            assert (leaks.identity[leaks.nearest[leaks.nearest >= 0]] <= 1).all()
            for index, row in zip(leaks.order.tolist(), leaks.nearest.tolist(), strict=True):
                if row >= 0 and leaks.identity[row] >= limit.identity - 1e-12:
                    found.append((train_part, test_part, test.ids[index]))
    return found


@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 1 << 30),
    number=st.integers(3, 24),
    evalue=st.sampled_from([1e-5, 0.01, 1.0, 10.0, 1000.0, 1e99]),
    identity=st.sampled_from([0.0, 0.25, 0.3, 0.35, 0.5, 0.7, 0.9, 1.0]),
    coverage=st.sampled_from([0.0, 0.5, 0.8]),
    over=st.sampled_from(["columns", "shorter", "longer"]),
    of=st.sampled_from(["shorter", "longer", "both"]),
    sure=st.sampled_from([0.0, 1e-3, 1.0]),
)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_split_does_not_leak(
    kind, seed, number, evalue, identity, coverage, over, of, sure, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("law")
    file, table = folder / "all.fa", folder / "parts.tsv"
    file.write_text("".join(f">s{n}\n{text}\n" for n, text in enumerate(sequences(kind, seed, number))))
    whole, limit = open_any_database(file, alphabet=kind.alphabet), EdgeLimit(identity, coverage, over, of, sure)
    asked = AllAgainstAll(whole, whole, kind.scheme, evalue, "cpu")
    graph = run_to_end(network_of(asked, threading.Event())).similar(limit)
    made = split(graph, [60.0, 20.0, 20.0], drop=True)
    names = [*PARTS, "dropped"]  # -1 is the last one
    table.write_text(
        "sequence\tpart\n" + "".join(f"{whole.ids[n]}\t{names[p]}\n" for n, p in enumerate(made.part.tolist()))
    )
    assert leaking(whole, file, table, asked, limit) == []
    for rule in CLUSTER_RULES.values():
        of_each = rule.cluster(graph, identity).representative
        wrong = judge(of_each, of_each, graph, every=rule.name == "complete")
        assert rule.name != "components" or len(wrong.parted) == 0
        assert rule.name not in ("complete", "greedy") or len(wrong.joined) == 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.alphabet.name)
def test_a_pair_has_one_e_and_one_alignment(kind: Kind, tmp_path: Path) -> None:
    """Whichever set its sequences are of, and whichever of them is longer."""
    texts = sequences(kind, 3, 40)
    for name, some in (("all", texts), ("a", texts[:20]), ("b", texts[20:])):
        (tmp_path / name).write_text("".join(f">{text}\n{text}\n" for text in some))
    whole, a, b = (open_any_database(tmp_path / name, alphabet=kind.alphabet) for name in ("all", "a", "b"))

    def pairs(first: EncodedDatabase, second: EncodedDatabase) -> dict[frozenset[str], set[tuple[object, ...]]]:
        asked = AllAgainstAll(first, second, kind.scheme, 1e3, "cpu", space=whole.search_space)
        edges, made = run_to_end(edges_of(asked, threading.Event())), dict[frozenset[str], set[tuple[object, ...]]]()
        lengths = lengths_of(edges, first.lengths, second.lengths)
        for row in range(len(edges)):
            ends = [first.ids[int(edges.first[row])], second.ids[int(edges.second[row])]]
            spans = [int(edges.first_span[row]), int(edges.second_span[row])]
            assert [len(end) for end in ends] == [int(of_each[row]) for of_each in lengths]
            figures = edges.scores[row], edges.log10_evalues[row], edges.identities[row], edges.columns[row]
            made.setdefault(frozenset(ends), set()).add((*map(float, figures), *sorted(zip(ends, spans, strict=True))))
        return made

    between = pairs(a, b)
    assert len(between) > 30
    assert between == pairs(b, a)
    of_one_set = pairs(whole, whole)
    assert between == {ends: figures for ends, figures in of_one_set.items() if ends in between}
    assert all(ends in between for ends in of_one_set if len({end in texts[:20] for end in ends}) == 2)


@pytest.mark.parametrize("number", [300, pytest.param(2000, marks=pytest.mark.nightly)])
def test_real_proteins_are_parted(
    number: int, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, table, leaks = tmp_path / "some.fa", tmp_path / "parts.tsv", tmp_path / "leaks.tsv"
    source = open_any_database(data_dir / "proteins" / "swissprot_16species.fasta.gz")
    records = [source.record(index) for index in range(0, len(source), len(source) // number)][:number]
    file.write_text("".join(f">{record.id}\n{record.residues.decode()}\n" for record in records))
    assert main(["split", str(file), "--identity", "0.3", "-o", str(table), "--engine", "cpu"]) == 0
    assert main(["leak", str(file), "--split", str(table), "-o", str(leaks), "--engine", "cpu"]) == 0
    assert "0 at 40 %, 0 at 30 %." in capsys.readouterr().err
