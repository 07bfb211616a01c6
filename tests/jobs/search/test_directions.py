"""Searches in both directions, held to plain searches of each direction; kept, verified, narrowed and refused."""

from __future__ import annotations

import math
from threading import Event

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.judging.directions import Chance, chance_of, of_both, z_of
from swgui.core.judging.explain import explain_hit
from swgui.core.plain import replace
from swgui.core.profiles.context import RESIDUES
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.statistics.fit import fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.core.translation.programs import Translation
from swgui.io.methods.searches import paragraph
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.search.decoys import DECOYS, MEMBERS, decoys_of
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.verify import verify
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.contexts import save_forty
from tests.reference import reference_scores

CORE = "MKVLAWGRTNDEHHIKLMFPSTWYVACDEFGHIKLMNPQRSTVWY"


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> str:
    """Return the name of a file with a library of two states for each residue, which the residues around choose."""
    return save_forty(tmp_path_factory.mktemp("contexts") / "forty.npz")


@pytest.fixture(scope="module")
def database():
    """Random sequences, and some that differ from a core at a few places."""
    rng = np.random.default_rng(12)
    texts = ["".join(rng.choice(list(RESIDUES), int(length))) for length in rng.integers(20, 90, 510)]
    for at in range(12):
        changed = list(CORE)
        for place in rng.choice(len(CORE), 3 * at, replace=False):
            changed[place] = str(rng.choice(list(RESIDUES)))
        texts[40 * at] = "".join(changed)
    return encode_database(
        [SequenceRecord(f"s{at}", "", text.encode()) for at, text in enumerate(texts)], PROTEIN, "db"
    )


@pytest.fixture(scope="module")
def request_of(library, database):
    queries = (database.record(0), SequenceRecord("unknown", "", b"XXXXXXXX"), database.record(40))
    usual = {"scheme": BLOSUM62, "engine": "cpu", "composition": "none", "context": library, "both_directions": True}
    return search_request(queries=queries, database=database, **usual)


@pytest.fixture(scope="module")
def result(request_of):
    return answer(request_of)


def plain_scores(library, records, subjects):
    """Return scores of profiles by context with subjects, by a search of one direction; and the searched queries."""
    asked = {"scheme": BLOSUM62, "engine": "cpu", "composition": "none", "context": library}
    found = answer(search_request(queries=tuple(records), database=subjects, **asked))
    return np.array([query.scores for query in found.queries]), found


def fit_of(scores, decoys, length, scheme):
    return fit_statistics(scores, decoys.lengths, length, scheme, origin="decoys")


def expected(library, database, query, hits):
    """Return scores back, E of each direction and E of both of the hits of a query, from plain searches."""
    decoys, number = decoys_of(database, DECOYS), len(database)
    subjects = [database.record(int(at)) for at in hits.db_index]
    of_decoys, found = plain_scores(library, [query, *subjects], decoys)
    fits = [fit_of(row, decoys, len(one.residues), found.scheme)
            for row, one in zip(of_decoys, [query, *subjects], strict=True)]  # fmt: skip
    codes = PROTEIN.encode(query.residues)
    back = [reference_scores(one.query.profile.scores, [codes], found.scheme.gap_first, found.scheme.gap_extend)[0]
            for one in found.queries[1:]]  # fmt: skip
    some = np.linspace(0, number - 1, MEMBERS).astype(int).tolist()
    members = encode_database([database.record(at) for at in some], PROTEIN)
    between, _ = plain_scores(library, [members.record(at) for at in range(len(some))], members)
    with_decoys, _ = plain_scores(library, [members.record(at) for at in range(len(some))], decoys)
    of_members = [fit_of(row, decoys, len(members.subject(at)), found.scheme) for at, row in enumerate(with_decoys)]
    z = np.array([(fit.z_scores(row, members.lengths) - 50) / 10 for fit, row in zip(of_members, between, strict=True)])
    sums = [z[a, b] + z[b, a] for a in range(len(some)) for b in range(a) if z[a, b] < 4 and z[b, a] < 4]
    at_half, at_upper = ((-math.log(-math.log(q)) - 0.5772156649) * math.sqrt(6) / math.pi for q in (0.5, 0.95))
    spread = (np.quantile(sums, 0.95) - np.quantile(sums, 0.5)) / (at_upper - at_half)
    mean = np.quantile(sums, 0.5) - spread * at_half
    lengths = database.lengths[hits.db_index]
    zs = [((fits[0].z_scores([score], [length])[0] - 50) / 10, (fit.z_scores([other], [len(codes)])[0] - 50) / 10)
          for score, length, fit, other in zip(hits.scores, lengths, fits[1:], back, strict=True)]  # fmt: skip
    both = [(one + other - mean) / spread for one, other in zs]
    chance = [-math.expm1(-math.exp(-(math.pi / math.sqrt(6) * of + 0.5772156649))) for of in both]
    return back, [math.log10(number * max(p, 1e-300)) for p in chance]


def test_hits_have_the_scores_and_e_of_plain_searches_of_each_direction(result, library, database):
    assert len(database) >= DECOYS
    hits = result.queries[0].hits
    back, evalues = expected(library, database, database.record(0), hits)
    assert len(hits) > 5
    assert hits.directions.back_scores.tolist() == back
    rare = np.array(evalues) > -12  # beyond, the chance of the plain formula underflows
    assert rare.any()
    np.testing.assert_allclose(hits.log10_evalues[rare], np.array(evalues)[rare], atol=1e-6)
    assert (np.diff(hits.log10_evalues) >= 0).all()
    assert (hits.log10_evalues <= 1).all()
    assert "Fitted in each direction" in result.statistics


@pytest.mark.parametrize("composition", ["none", "full"])
def test_a_pair_has_the_same_e_whichever_is_the_query(request_of, result, composition):
    found = result if composition == "none" else answer(altered(request_of, composition=composition))
    one, other = found.queries[0].hits, found.queries[2].hits
    there, back = np.flatnonzero(one.db_index == 40)[0], np.flatnonzero(other.db_index == 0)[0]
    assert one.log10_evalues[there] == pytest.approx(other.log10_evalues[back], abs=1e-6)
    assert one.scores[there] == other.directions.back_scores[back]
    assert one.directions.back_scores[there] == other.scores[back]
    assert one.directions.forward[there] == pytest.approx(other.directions.back[back], abs=1e-6)
    assert (one.composition is None) == (composition == "none")


def test_queries_without_any_fit_and_small_databases_are_searched(result, request_of, database):
    assert len(result.queries[1].hits) == 0
    few = encode_database([database.record(40 * at) for at in range(6)], PROTEIN, "few")
    found = answer(altered(request_of, database=few, queries=request_of.queries[:1])).queries[0].hits
    assert found.db_index[0] == 0
    assert found.log10_evalues[0] < -5


def test_a_search_is_kept_verified_narrowed_and_explained(result, tmp_path):
    save_search(result, tmp_path / "kept.swgui")
    kept = load_search(tmp_path / "kept.swgui", database=result.database).result
    for one, other in zip(kept.queries, result.queries, strict=True):
        assert one.hits.directions.back_scores.tolist() == other.hits.directions.back_scores.tolist()
        assert one.hits.log10_evalues.tolist() == other.hits.log10_evalues.tolist()
    outcome = run_to_end(verify(kept, Event()))
    assert outcome.ok
    plain = run_to_end(verify(altered(kept, both_directions=False), Event()))
    assert outcome.compared > plain.compared
    first = kept.queries[0]
    wrong = replace(first.hits.directions, back_scores=first.hits.directions.back_scores + 1)
    changed = replace(kept, queries=(replace(first, hits=replace(first.hits, directions=wrong)), *kept.queries[1:]))
    assert not run_to_end(verify(changed, Event())).ok
    narrow = rerank(kept, None, replace(kept.search.limits, max_evalue=1e-3))
    assert 0 < len(narrow.queries[0].hits) < len(first.hits)
    with pytest.raises(InvalidParameter, match="of the listed hits alone"):
        rerank(kept, None, replace(kept.search.limits, max_evalue=1e3))
    (hit,) = describe_list(kept.hit_list(0), [1])
    text = dict(explain_hit(kept, 0, hit, None))["E-value of both directions"]
    assert str(hit.back_score) in text
    assert "in the other direction as well" in paragraph(kept)


def test_command_and_library_write_the_columns(database, tmp_path, library):
    fasta = tmp_path / "db.fasta"
    fasta.write_text(
        "".join(f">s{at}\n{database.record(at).residues.decode()}\n" for at in range(0, 520, 10) if at < 510)
    )
    columns = ["--columns", "qseqid,score,back_score,evalue,evalue_forward,evalue_back"]
    given = ["-q", str(fasta), "-d", str(fasta), "--context", library, "--engine", "cpu", "-e", "1e-4", *columns]
    assert main(["search", *given, "--both-directions", "-o", str(tmp_path / "o.tsv")]) == 0
    lines = [line.split("\t") for line in (tmp_path / "o.tsv").read_text().splitlines()]
    assert all(line[2] and line[4] and line[5] for line in lines[1:])
    assert main(["search", *given, "-o", str(tmp_path / "p.tsv")]) == 0
    assert (tmp_path / "p.tsv").read_text().splitlines()[1].split("\t")[2] == ""
    assert swgui.search(str(fasta), str(fasta), context=library, both_directions=True, evalue=1e-4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"context": "none"}, "same score by a matrix"),
        ({"translation": Translation("tblastn")}, "need no translation"),
        ({"iteration": IterationSettings()}, "of one round"),
    ],
)
def test_searches_without_another_direction_are_refused(request_of, given, message):
    with pytest.raises(InvalidParameter, match=message):
        altered(request_of, **given)


def test_the_law_of_both_directions():
    e = np.array([-300.0, -20.0, -3.0, 0.0, 2.0])
    assert z_of(e, 1000)[:-1] == pytest.approx(sorted(z_of(e, 1000)[:-1], reverse=True))
    np.testing.assert_allclose(of_both(e, e, 1000, Chance(0.0, 2.0)), e, atol=1e-9)  # the same twice is the same
    np.testing.assert_array_equal(
        of_both(e, e[::-1], 1000, Chance(0.1, 1.9)), of_both(e[::-1], e, 1000, Chance(0.1, 1.9))
    )
    rng = np.random.default_rng(1)
    first = rng.gumbel(size=(90, 90))
    z = (0.7 * (first + first.T) / 2 + 0.3 * rng.gumbel(size=(90, 90)) - 0.57) / 1.28
    found, sums = chance_of(z), (z + z.T)[np.triu_indices(90, 1)]
    assert found.mean == pytest.approx(sums.mean(), abs=0.1)
    assert found.spread == pytest.approx(sums.std(), rel=0.1)
    assert chance_of(z[:5, :5]) == Chance()
    with pytest.raises(FitError):
        fit_statistics([1, 1], [5, 5], 3, BLOSUM62, origin="decoys")
