"""Comparisons by context in both directions: every pair by its definition, kept, verified, resumed and refused."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.judging.directions import FEWEST
from swgui.core.network.edges import Edges
from swgui.core.network.measures import alignment_scores
from swgui.core.profiles.log_odds import profile_scheme
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.statistics.fit import fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.io.network.file import load_network, save_network
from swgui.jobs.events import run_to_end
from swgui.jobs.network import edges as job
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import edges_of, facts_of, network_of, scheme_of
from swgui.jobs.network.resume import log_beside
from swgui.jobs.search.decoys import DECOYS, MEMBERS, decoys_of
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.contexts import save_forty
from tests.jobs.network.test_edges import families
from tests.reference import reference_scores
from tests.runs.life import stop_after

EULER, SCALE = 0.5772156649015329, math.pi / math.sqrt(6)
LOWEST = -(math.log(-math.log(1e-12)) + EULER) / SCALE  # z of a chance of 1 - 1e-12


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_forty(tmp_path_factory.mktemp("contexts") / "forty.npz")


class Plain:
    """Scores, fits and E of pairs by their definition, one after the other; those with decoys are of searches."""

    def __init__(self, library: str, train: EncodedDatabase) -> None:
        self.library, self.scheme = library, profile_scheme(BLOSUM62.matrix, Recipe())
        self.decoys = decoys_of(train.arrays(), DECOYS)
        self.known: dict[bytes, tuple[np.ndarray, float, float, float]] = {}
        self.learn(train)
        some = sorted({int(at) for at in np.linspace(0, len(train) - 1, MEMBERS)})
        some = [at for at in some if self.has_fit(train.subject(at))]
        z = [[self.z(train.subject(a), train.subject(b)) for b in some] for a in some]
        sums = [z[a][b] + z[b][a] for a in range(len(some)) for b in range(a) if z[a][b] < 4 and z[b][a] < 4]
        assert len(sums) >= FEWEST
        at_half, at_upper = ((-math.log(-math.log(q)) - EULER) / SCALE for q in (0.5, 0.95))
        self.spread = (np.quantile(sums, 0.95) - np.quantile(sums, 0.5)) / (at_upper - at_half)
        self.mean = np.quantile(sums, 0.5) - self.spread * at_half

    def learn(self, database: EncodedDatabase) -> None:
        """Take the scores by position of sequences, and the line and the spread of those with decoys."""
        records = tuple(database.record(at) for at in range(len(database)))
        found = answer(search_request(queries=records, database=self.decoys, scheme=BLOSUM62, engine="cpu",
                                      composition="none", context=self.library))  # fmt: skip
        for query in found.queries:
            codes = PROTEIN.encode(query.query.residues)
            try:
                fit = fit_statistics(query.scores, self.decoys.lengths, len(codes), self.scheme, origin="decoys")
                line = fit.rho, fit.mu, math.sqrt(fit.variance)
            except FitError:
                line = 0.0, math.inf, 1.0
            self.known[codes.tobytes()] = query.query.profile.scores, *line

    def has_fit(self, a: np.ndarray) -> bool:
        return math.isfinite(self.known[a.tobytes()][2])

    def score(self, a: np.ndarray, b: np.ndarray) -> int:
        return int(reference_scores(self.known[a.tobytes()][0], [b], self.scheme.gap_first, self.scheme.gap_extend)[0])

    def z(self, a: np.ndarray, b: np.ndarray) -> float:
        _, rho, mu, deviation = self.known[a.tobytes()]
        return float(max((self.score(a, b) - rho * math.log(max(len(b), 10)) - mu) / deviation, LOWEST))

    def log10_evalue(self, a: np.ndarray, b: np.ndarray, sequences: float) -> float:
        own = SCALE * (self.z(a, b) + self.z(b, a) - self.mean) / self.spread + EULER
        return math.log10(sequences * max(-math.expm1(-math.exp(-own)), 1e-300))


@pytest.fixture(scope="module")
def train() -> EncodedDatabase:
    return families(6, families=6, members=3)


@pytest.fixture(scope="module")
def plain(library: str, train: EncodedDatabase) -> Plain:
    return Plain(library, train)


def made(asked: AllAgainstAll) -> Edges:
    return run_to_end(edges_of(asked, threading.Event()))


def in_parts(asked: AllAgainstAll, stop: threading.Event, out: Path) -> Edges:
    with log_beside(out, facts_of(asked)) as log:
        return run_to_end(edges_of(asked, stop, log))


@pytest.mark.parametrize("two_sets", [False, True])
@pytest.mark.parametrize("evalue", [1e-3, 2.0, 1e9])
def test_every_pair_within_the_limit_is_kept_and_no_other(
    library: str, train: EncodedDatabase, plain: Plain, evalue: float, two_sets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "BLOCK", 5)
    test = families(6, families=3, members=2) if two_sets else train
    plain.learn(test)
    edges = made(AllAgainstAll(test, train, BLOSUM62, evalue, "cpu", context=library))
    expected, sequences = {}, len(train) + (len(test) if two_sets else 0)
    for a in range(len(test)):
        for b in range(0 if two_sets else a + 1, len(train)):
            x, y = test.subject(a), train.subject(b)
            scores, log10 = (plain.score(x, y), plain.score(y, x)), plain.log10_evalue(x, y, sequences)
            if min(scores) > 0 and (log10 <= math.log10(evalue) or x.tobytes() == y.tobytes()):
                longer_first = len(x) > len(y) or (len(x) == len(y) and x.tobytes() <= y.tobytes())
                expected[a, b] = (*(scores if longer_first else scores[::-1]), log10)
    found = zip(edges.first.tolist(), edges.second.tolist(), strict=True)
    assert dict.fromkeys(found) == dict.fromkeys(expected)
    scores = np.array(list(expected.values()))
    assert edges.scores.tolist() == scores[:, 0].tolist()
    assert edges.back_scores is not None
    assert edges.back_scores.tolist() == scores[:, 1].tolist()
    assert (edges.back_scores != edges.scores).any()
    rare = scores[:, 2] > -12
    np.testing.assert_allclose(edges.log10_evalues[rare], scores[rare, 2], atol=1e-6)


def test_every_pair_of_a_sequence_without_a_fit_counts_as_chance_in_its_direction(
    library: str, train: EncodedDatabase
) -> None:
    texts = [train.record(at).residues + b"M" for at in range(len(train) - 1)]
    with_m = encode_database(
        [SequenceRecord(str(at), "", text) for at, text in enumerate([*texts, b"M"])], PROTEIN, "m"
    )
    plain, of_m = Plain(library, with_m), len(texts)
    assert [plain.has_fit(with_m.subject(at)) for at in range(len(with_m))] == [True] * of_m + [False]
    for limit, some in ((2.0, False), (1e9, True)):
        edges = made(AllAgainstAll(with_m, with_m, BLOSUM62, limit, "cpu", context=library))
        found = {first: at for at, first in enumerate(edges.first.tolist()) if edges.second[at] == of_m}
        assert bool(found) == some
        for at in range(of_m):
            log10 = plain.log10_evalue(with_m.subject(at), with_m.subject(of_m), len(with_m))
            one, other = with_m.subject(at), with_m.subject(of_m)
            both = plain.score(one, other), plain.score(other, one)
            assert (at in found) == (min(both) > 0 and log10 <= math.log10(limit))
            if at in found:
                assert abs(edges.log10_evalues[found[at]] - log10) < 1e-6


def test_engines_agree_and_what_was_stopped_is_resumed(
    library: str, train: EncodedDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "BLOCK", 4)
    asked = AllAgainstAll(train, train, BLOSUM62, 1.0, "cpu", context=library)
    whole = run_to_end(network_of(asked, threading.Event()))
    by_reference = made(AllAgainstAll(train, train, BLOSUM62, 1.0, "reference", context=library))
    save_network(whole, tmp_path / "whole.swnet")
    again = load_network(tmp_path / "whole.swnet")
    assert (again.context, again.said) == (library, "context scores in both directions, library of 'forty.npz'")
    stop = threading.Event()
    with monkeypatch.context() as patch:
        stop_after(patch, stop.set, 2)
        with pytest.raises(Stopped):
            in_parts(asked, stop, tmp_path / "n.swnet")
    assert (tmp_path / "n.swnet.part").exists()
    resumed = in_parts(asked, threading.Event(), tmp_path / "n.swnet")
    for other in (by_reference, again.edges, resumed):
        for name, column in whole.edges.columns_by_name.items():
            np.testing.assert_array_equal(getattr(other, name), column)
    lengths = train.lengths[whole.edges.first], train.lengths[whole.edges.second]
    chance = np.array(whole.edges.log10_evalues) - math.log10(len(train))  # of the pair alone
    efi = alignment_scores(whole.edges, lengths, whole.bits)
    sure = chance < -3
    assert sure.any()
    assert np.array_equal(efi[sure], np.trunc(-chance[sure] + 1e-9))
    with pytest.raises(InvalidParameter, match="scored by the surroundings"):
        scheme_of(whole, (0, 1), train, threading.Event())


def test_a_certificate_names_the_library_and_is_verified(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, some in (("train", families(6, families=3, members=2)), ("test", families(6, families=2, members=2))):
        text = "".join(f">{some.ids[at]}\n{some.record(at).residues.decode()}\n" for at in range(len(some)))
        Path(f"{name}.fasta").write_text(text)
    command = ["leak", "train.fasta", "test.fasta", "--context", library, "--engine", "cpu", "-o", "out.tsv"]
    assert main([*command, "--certificate", "C.json"]) == 0
    assert "back_score" in Path("out.tsv").read_text().splitlines()[0].split("\t")
    facts = json.loads(Path("C.json").read_text())
    assert facts["scoring"]["context"] == library
    capsys.readouterr()
    assert main(["verify", "C.json", "--engine", "cpu", "--full"]) == 0
    assert "The certificate holds" in capsys.readouterr().out
    changed = dict(np.load(library))
    np.savez(library, **{**changed, "bias": changed["bias"] + np.linspace(0, 3, len(changed["bias"]))})
    assert main(["verify", "C.json", "--engine", "cpu"]) == 1
    assert "scoring.context_checksum" in capsys.readouterr().out
    np.savez(library, **changed)


def test_nucleotides_and_sequences_without_a_fit_are_refused(library: str, train: EncodedDatabase) -> None:
    bases = encode_database([SequenceRecord("d", "", b"ACGTACGT")], NUCLEOTIDE, "dna")
    with pytest.raises(InvalidParameter, match="where they are proteins; these are nucleotides"):
        AllAgainstAll(bases, bases, DNA_SCHEME, 1.0, context=library)
    short = encode_database([SequenceRecord(str(at), "", b"MKVLAW") for at in range(3)], PROTEIN, "short")
    with pytest.raises(InvalidParameter, match="No E can be fitted to the context scores of any sequence of 'short'"):
        made(AllAgainstAll(short, short, BLOSUM62, 1.0, "cpu", context=library))
    unknown = encode_database([*(train.record(at) for at in range(len(train))), SequenceRecord("x", "", b"X" * 30)],
                              PROTEIN, "x")  # fmt: skip
    edges = made(AllAgainstAll(unknown, unknown, BLOSUM62, 1e9, "cpu", context=library))
    assert len(train) not in {*edges.first.tolist(), *edges.second.tolist()}
