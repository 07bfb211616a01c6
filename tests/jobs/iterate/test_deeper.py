"""Looking deeper ends early without losing what the rounds found."""

import threading

import pytest

from swgui.core.errors import EngineFault
from swgui.core.plain import replace
from swgui.core.profiles.evidence import Evidence, TwoStepPath
from swgui.core.profiles.iteration import EvidenceOptions, IterationSettings
from swgui.gui.results.summary import what_was_found
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate import deeper
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.events import RoundStarted
from tests.jobs.iterate.family import family_request
from tests.jobs.iterate.two_domains import with_two_domains


@pytest.fixture(scope="module")
def request_for():
    search = family_request(with_two_domains())

    def make(**wanted):
        return in_rounds(search, IterationSettings(rounds=2, evidence=EvidenceOptions(**wanted)))

    return make


def run(request, at_hits=lambda cancel: None):
    cancel, started = threading.Event(), []

    def hear(event):
        if isinstance(event, RoundStarted):
            started.append((event.name, event.queries))
            if event.hits:
                at_hits(cancel)

    return run_to_end(iteration_steps(request, cancel), hear), started


def test_stop_keeps_the_hits_and_says_how_far_it_was(request_for):
    result, started = run(request_for(neighbours=True, best=20), lambda cancel: cancel.set())
    whole, _ = run(request_for())
    assert started[-1] == ("Search with the hits, round 1 of 2", 20)
    assert result.state == "stopped"
    assert result.queries[0].hits.db_index.tolist() == whole.queries[0].hits.db_index.tolist()
    assert not result.queries[0].rounds.evidence
    assert len(result.queries[0].rounds) == len(whole.queries[0].rounds)


def test_a_fault_keeps_the_hits_and_is_said(request_for, monkeypatch):
    def fail(*_):
        raise EngineFault("The device is gone.")

    monkeypatch.setattr(deeper, "with_paths", fail)
    result, _ = run(request_for(neighbours=True, best=20))
    assert (result.state, result.message) == ("failed", "The device is gone.")
    assert len(result.queries[0].hits)


def test_what_was_stopped_goes_on_behind_the_rounds(request_for):
    stopped, _ = run(request_for(neighbours=True, best=20), lambda cancel: cancel.set())
    result, started = run(replace(request_for(neighbours=True, best=20), before=stopped))
    assert [name for name, _ in started] == [f"Search with the hits, round {n} of 2" for n in (1, 2)]
    paths = {result.database.ids[at]: one.path for at, one in result.queries[0].rounds.evidence.items() if one.path}
    assert paths["beyond"].through == "both"
    hits = result.queries[0].hits
    assert hits.log10_evalues.tolist() == sorted(hits.log10_evalues.tolist())
    assert "beyond" in [result.database.ids[at] for at in hits.db_index.tolist()]


def test_the_cost_is_that_of_two_rounds_with_each_hit(request_for):
    result, _ = run(request_for())
    few, many = deeper.cost_of(result, 0, 3), deeper.cost_of(result, 0, 1000)
    assert few.hits == 3
    assert many.hits == len(result.queries[0].hits) - 1
    lengths = result.database.lengths[deeper.best_hits(result, 0, 3)]
    assert few.seconds * result.gcups * 1e9 == pytest.approx(2 * int(lengths.sum()) * result.database.residues)


def test_a_path_through_another_domain_is_said_to_be_one(request_for, tmp_path):
    result, _ = run(request_for(neighbours=True, best=20))
    save_search(result, tmp_path / "run.swgui")
    for told in (result, load_search(tmp_path / "run.swgui").result):
        paths = {told.database.ids[at]: one.path for at, one in told.queries[0].rounds.evidence.items() if one.path}
        assert paths["beyond"].other_domain
        assert told.message == ""
        assert "another domain of 'both' than the query does" in told.information
        found = what_was_found(told, -3.0)
        assert f", {len(paths)} through another domain of both" in found
        assert "by a path" not in found
        significant = int((told.queries[0].hits.log10_evalues <= -3).sum())
        assert found.startswith(f"{significant} significant")


def test_a_path_along_the_same_stretch_is_none_of_another_domain(request_for):
    result, _ = run(request_for())
    listed, ids = result.queries[0].hits, list(result.database.ids)
    kin, far = (ids.index(name) for name in ("kin4", "kin9"))
    weak = listed.log10_evalues.copy()
    weak[listed.db_index == far] = -1.0  # as if the query did not find it well enough
    of_query = replace(result.queries[0], hits=replace(listed, log10_evalues=weak))
    doubtful = replace(result, queries=(of_query,))
    (request,) = [deeper.searches_of(request_for(), result, [kin])]
    of_hits, _ = run(request)
    evidence = deeper.with_paths({far: Evidence()}, doubtful, 0, of_hits, [kin], lambda: None)
    assert evidence[far].path == TwoStepPath("kin4", "kin9", evidence[far].path.first, evidence[far].path.second)
