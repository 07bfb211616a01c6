"""Z-values of hits and fits to shuffles, on an engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.hits.encoding import encode_query
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.regression import FitError
from swgui.core.statistics.shuffling import ShufflePlan, ZValue
from swgui.engines.registry import make_engine, probe
from swgui.jobs.check.device import last_check, remember
from swgui.jobs.events import Stage
from swgui.jobs.search import shuffles as significance
from swgui.jobs.search.shuffles import ZRequest, fit_to_shuffles, z_values
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request


def records(alphabet: Alphabet, letters: str, lengths: list[int], seed: int = 8) -> list[SequenceRecord]:
    chance = np.random.default_rng(seed)
    return [
        SequenceRecord(f"s{i}", "", bytes(chance.choice(list(letters.encode()), n).astype(np.uint8)))
        for i, n in enumerate(lengths)
    ]


def search(scheme: ScoringScheme, strand: str = "plus") -> SearchResult:
    letters = "ACDEFGHIKLMNPQRSTVWY" if scheme is BLOSUM62 else "ACGT"
    made = records(scheme.alphabet, letters, [120, 60, 90, 45, 45, 80])
    query = replace(made[0], id="query", residues=made[0].residues[10:70])
    request = search_request(
        queries=(query,),
        database=encode_database(made, scheme.alphabet),
        scheme=scheme,
        strand=strand,
        max_evalue=1e9,
        engine="cpu",
    )  # type: ignore[arg-type]
    return answer(request)


def run(result: SearchResult, rows: list[int], plan: ShufflePlan, engine: str = "cpu") -> list[ZValue]:
    events = list(z_values(ZRequest(result.hit_list(0), rows, plan, engine), threading.Event()))
    stages = [event for event in events if isinstance(event, Stage)]
    assert stages[0].done == 0
    assert stages[-1].done == stages[-1].total == plan.count * len(rows)
    return [event for event in events if isinstance(event, ZValue)]


def test_the_related_subject_stands_out() -> None:
    result = search(BLOSUM62)
    values = run(result, [0, 1, 2, 3], ShufflePlan(400))
    assert [value.row for value in values] == [0, 1, 2, 3]
    assert values[0].db_index == 0
    assert values[0].z > 20
    assert values[0].reached == 0
    assert values[0].log10_p < -8
    for value in values[1:]:
        assert abs(value.z) < 5
        assert value.reached > 0
        assert abs(np.log10(value.counted_p) - value.log10_p) < 0.5
    hits = result.queries[0].hits
    assert [value.score for value in values] == hits.scores[:4].tolist()


def test_values_depend_on_the_seed_only() -> None:
    result, plan = search(BLOSUM62), ShufflePlan(100, seed=4)
    together = run(result, [2, 0, 1], plan)
    alone = run(result, [1], plan)
    assert np.array_equal(together[2].shuffled_scores, alone[0].shuffled_scores)
    other = run(result, [1], ShufflePlan(100, seed=5))
    assert not np.array_equal(alone[0].shuffled_scores, other[0].shuffled_scores)
    reference = run(result, [1], plan, engine="reference")
    assert np.array_equal(alone[0].shuffled_scores, reference[0].shuffled_scores)


def test_small_batches_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    result, plan = search(BLOSUM62), ShufflePlan(100, window=10)
    expected = run(result, [0, 1, 2], plan)
    whole = significance.shuffled_batches

    def small(*given: object) -> Iterator[tuple[EncodedDatabase, np.ndarray]]:
        return whole(*given, 1000)  # type: ignore[arg-type]

    monkeypatch.setattr(significance, "shuffled_batches", small)
    found = run(result, [0, 1, 2], plan)
    for a, b in zip(expected, found, strict=True):
        assert np.array_equal(a.shuffled_scores, b.shuffled_scores)


def test_both_strands_take_the_better_one() -> None:
    plus, both = search(DNA_SCHEME), search(DNA_SCHEME, "both")
    plan = ShufflePlan(200)
    one, two = run(plus, [0], plan)[0], run(both, [0], plan)[0]
    assert one.db_index == two.db_index == 0
    assert (two.shuffled_scores >= one.shuffled_scores).all()
    assert two.mean > one.mean


def test_stop_ends_early_and_no_rows_are_refused() -> None:
    result, cancel = search(BLOSUM62), threading.Event()
    cancel.set()
    events = list(z_values(ZRequest(result.hit_list(0), [0], ShufflePlan(100), "cpu"), cancel))
    assert not any(isinstance(event, ZValue) for event in events)
    with pytest.raises(InvalidParameter):
        ZRequest(result.hit_list(0), [])
    for count in (99, 10_001):
        with pytest.raises(InvalidParameter, match="100 and 10,000"):
            ZRequest(result.hit_list(0), [0], ShufflePlan(count))


def test_a_device_that_failed_its_self_check_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    result = search(BLOSUM62)
    (device,) = probe("cpu").devices
    good = last_check("cpu", device)
    assert good is not None
    remember(replace(good, differing=1))
    with pytest.raises(EngineUnavailable, match="wrong"):
        list(z_values(ZRequest(result.hit_list(0), [0], ShufflePlan(100), "cpu"), threading.Event()))
    monkeypatch.setattr(significance.registry, "resolve", lambda name: ("cpu", "reference"))
    values = [
        v
        for v in z_values(ZRequest(result.hit_list(0), [3], ShufflePlan(100)), threading.Event())
        if isinstance(v, ZValue)
    ]
    assert len(values) == 1


def test_the_engine_that_steps_in_is_not_told_the_settings_of_the_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    result = search(BLOSUM62)
    good = last_check("cpu", probe("cpu").devices[0])
    assert good is not None
    remember(replace(good, differing=1, settings="chunk_residues=5000"))
    monkeypatch.setattr(significance.registry, "resolve", lambda name: ("cpu", "reference"))
    options = EngineOptions(devices=("cpu",), settings={"chunk_residues": "5000"})
    request = ZRequest(result.hit_list(0), [3], ShufflePlan(100), "auto", options)
    assert sum(isinstance(event, ZValue) for event in z_values(request, threading.Event())) == 1


def test_a_small_database_is_fitted_to_its_shuffles() -> None:
    made = records(PROTEIN, "ACDEFGHIKLMNPQRSTVWY", [40, 80, 150, 300, 500])
    database, query = encode_database(made, PROTEIN), encode_query(made[2], BLOSUM62)
    with closing(make_engine("cpu", EngineOptions())) as engine:
        fit = fit_to_shuffles([query], database, BLOSUM62, engine, threading.Event())
        assert fit is not None
        assert fit.origin == "shuffles"
        assert fit.used == 2000
        assert 2 < fit.rho < 8
        own = fit.log10_evalues([700], 150, [150], database.residues, 5)[0]
        assert own < -20
        chance = fit.log10_evalues([35], 150, [300], database.residues, 5)[0]
        assert chance > -1
        cancel = threading.Event()
        cancel.set()
        assert fit_to_shuffles([query], database, BLOSUM62, engine, cancel) is None
        with pytest.raises(FitError):
            fit_to_shuffles([query], encode_database([], PROTEIN), BLOSUM62, engine, threading.Event())


def test_a_chromosome_is_shuffled_in_pieces_and_chance_scores_are_expected() -> None:
    chance = np.random.default_rng(2)
    subject = SequenceRecord("long", "", bytes(chance.choice(list(b"ACGT"), 300_000).astype(np.uint8)))
    query = SequenceRecord("query", "", bytes(chance.choice(list(b"ACGT"), 400).astype(np.uint8)))
    database = encode_database([subject], NUCLEOTIDE)
    with closing(make_engine("cpu", EngineOptions())) as engine:
        encoded = [encode_query(query, DNA_SCHEME)]
        fit = fit_to_shuffles(encoded, database, DNA_SCHEME, engine, threading.Event())
        assert fit is not None
        assert fit.used == 2000
        own = significance.best_scores(engine, encoded, database, DNA_SCHEME, threading.Event())
    # Query and subject are unrelated, so chance must explain the score.
    assert own is not None
    assert -1.5 < fit.log10_evalues(own, 400, database.lengths, database.residues, 1)[0] <= 0
