"""Searches in two tracks: when both are scored, what the result says, and that it is kept whole."""

import threading

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.cli import main
from swgui.core.alignment import rescore
from swgui.core.alphabet import ALPHABETS, PROTEIN, TwoTracks
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import Letters, SequenceRecord, encode_record
from swgui.core.scoring import TrackSettings
from swgui.core.statistics.background import background
from swgui.core.subject_kind import SEQUENCES
from swgui.io.database.build import save_database
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import Finished, finishing
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.search import hsps
from swgui.jobs.search.ranking import rerank
from swgui.jobs.search.run import search_steps
from swgui.runs.search_facts import RequestFacts
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

PLAIN = "ACDEFGHIKLMNPQRSTVWY"


def record(identifier, rng, length=60, letters="3Di"):
    residues, beside = ("".join(rng.choice(list(PLAIN), length)).encode() for _ in range(2))
    return SequenceRecord(identifier, "", residues, letters=Letters(letters, beside) if letters else None)


@pytest.fixture
def records(rng):
    return [record(f"s{n}", rng) for n in range(30)]


def search(queries, records, **changes):
    database = encode_database(records, PROTEIN, "few")
    given = {"queries": tuple(queries), "database": database, "scheme": BLOSUM62, "engine": "reference"}
    request = search_request(**(given | {"max_evalue": 1e6} | changes))
    return list(finishing(search_steps(request, threading.Event())))[-1]


def bare(one):
    return replace(one, letters=None)


def test_both_tracks_are_scored_where_both_sides_have_them(records):
    event = search(records[:1], records)
    assert isinstance(event, Finished)
    result = event.outcome
    assert isinstance(result.scheme.alphabet, TwoTracks)
    assert (
        "Residues and structure symbols (3Di) were scored together: BLOSUM62+3Di, gap 11/1 (BLAST rule)."
        in result.information
    )
    assert result.message == ""  # nothing is wrong
    best = next(iter(describe_hits(result, 0, range(1))))
    expected = result.scheme.matrix.scores[(codes := encode_record(records[0], result.scheme.alphabet)), codes].sum()
    assert (best.subject.id, best.score) == ("s0", expected)
    assert best.subject.letters == records[0].letters
    assert rescore(best.alignment, best.query, codes, result.scheme) == expected
    assert best.counts.nident == 60
    assert result.search.composition == "full"


def test_shapes_that_are_alike_by_composition_lose_of_their_e(rng):
    def made(identifier, chance):
        one = record(identifier, rng, 120)
        return replace(one, letters=Letters("3Di", "".join(rng.choice(list("VLSDP"), 120, p=chance)).encode()))

    mixed, helix = [0.2, 0.2, 0.2, 0.2, 0.2], [0.6, 0.1, 0.1, 0.1, 0.1]
    some = [made(f"{name}{n}", chance) for name, chance in (("h", helix), ("m", mixed)) for n in range(20)]
    result = search(some[:1], some, max_evalue=1e9).outcome
    hits = result.queries[0].hits
    assert hits.composition is not None
    helices = np.array([some[at].id[0] == "h" for at in hits.db_index])
    ratios = hits.composition.lambda_ratio
    assert ratios[helices].mean() + 0.1 < ratios[~helices].mean()
    assert ((hits.log10_evalues > hits.composition.log10_uncorrected) == (ratios < 1)).all()
    shuffled = np.isfinite(hits.composition.shuffle_z)
    assert shuffled.sum() > 10
    assert (shuffled | (ratios >= 0.9)).all()
    assert hits.composition.shuffle_z[1:][shuffled[1:]].max() < 6
    again = rerank(result, None, result.search.limits).queries[0].hits
    assert again.log10_evalues.tolist() == hits.log10_evalues.tolist()


def test_queries_with_fits_of_their_own_are_corrected_together_as_alone(rng):
    letters = ("VLSDP", [0.6, 0.1, 0.1, 0.1, 0.1])
    some = [record(f"s{n}", rng, int(length)) for n, length in enumerate(rng.integers(60, 140, 25))]
    for n in range(0, 25, 2):
        beside = "".join(rng.choice(list(letters[0]), len(some[n].residues), p=letters[1]))
        some[n] = replace(some[n], letters=Letters("3Di", beside.encode()))
    together = search(some[:6], some, max_evalue=1e9).outcome
    assert len({query.fit.lambda_ for query in together.queries}) == 6
    assert sum(np.isfinite(query.hits.composition.shuffle_z).sum() for query in together.queries) > 10
    for query, own in zip(together.queries, some[:6], strict=True):
        alone = search([own], some, max_evalue=1e9).outcome.queries[0].hits
        for name in ("log10_uncorrected", "lambda_ratio", "shuffle_z"):
            both = (getattr(hits.composition, name) for hits in (query.hits, alone))
            np.testing.assert_array_equal(*both)
        assert query.hits.log10_evalues.tolist() == alone.log10_evalues.tolist()


def test_chains_alike_by_runs_of_symbols_are_no_relatives_in_small_databases_either(rng):
    letters = ALPHABETS["3Di"]
    runs = rng.choice(len(letters), (60, 28), p=background(letters)).astype(np.uint8)  # a symbol stays for a while
    texts = [letters.decode(np.repeat(run, 4)) for run in runs]
    some = [replace(record(f"h{n}", rng, 112), letters=Letters("3Di", text)) for n, text in enumerate(texts)]
    result = search(some[:6], some, max_evalue=1e9).outcome
    assert result.statistics == SEQUENCES.fitted
    fits = [query.fit for query in result.queries]
    assert len({fit.mu for fit in fits}) == 6  # each its own
    others = np.concatenate([query.hits.log10_evalues[1:] for query in result.queries])
    assert (others <= 0).sum() <= 18


def test_further_alignments_are_those_that_are_clear_by_themselves(rng, records, monkeypatch):
    query = record("q", rng, 200)
    parts = (slice(0, 200), slice(40, 140), slice(150, 158))
    letters = b"".join(query.letters.text[part] for part in parts)
    repeated = replace(query, id="r", residues=b"".join(query.residues[part] for part in parts))
    repeated = replace(repeated, letters=Letters("3Di", letters))
    result = search([query], [repeated, *records], max_hsps=10).outcome
    listed = next(describe_hits(result, 0, range(1))).hsps
    assert len(listed) == 2
    assert all(one.log10_evalue <= np.log10(hsps.CLEAR_IN_TRACKS) for one in listed)
    monkeypatch.setattr(hsps, "CLEAR_IN_TRACKS", 1e9)
    assert len(next(describe_hits(result, 0, range(1))).hsps) > 2


@pytest.mark.parametrize(
    ("query", "subject", "said"),
    [
        (bare, None, "the queries have no structure symbols"),
        (None, bare, "the database 'few' has no structure symbols"),
        (lambda one: replace(one, letters=Letters("mine", one.letters.text)), None, "the symbols of 's0' are mine"),
    ],
)
def test_otherwise_residues_alone_are_scored_and_the_result_says_so(records, query, subject, said):
    queries = [query(one) if query else one for one in records[:1]]
    result = search(queries, [subject(one) if subject else one for one in records]).outcome
    assert result.scheme is BLOSUM62 or result.scheme == BLOSUM62
    assert f"Residues alone were scored: {said}" in result.information
    plain = search([bare(one) for one in records[:1]], [bare(one) for one in records]).outcome
    assert (plain.message, plain.information) == ("", "")
    assert np.array_equal(result.queries[0].scores, plain.queries[0].scores)


def test_weights_and_costs_are_those_that_were_asked_for(records):
    result = search(records[:1], records, beside=TrackSettings(3, 1, 20, 2)).outcome
    assert result.scheme.describe() == "3xBLOSUM62+3Di, gap 20/2 (BLAST rule)"


@pytest.mark.parametrize("with_database", [True, False])
def test_a_saved_search_keeps_both_tracks(records, tmp_path, with_database):
    result = search(records[:2], records).outcome
    save_search(result, tmp_path / "x.swgui")
    if with_database:
        save_database(encode_database(records, PROTEIN, "few"), tmp_path / "few.swdb")
    loaded = load_search(tmp_path / "x.swgui").result
    assert loaded.scheme.matrix == result.scheme.matrix
    assert loaded.queries[1].query == records[1]
    before, after = (list(describe_hits(one, 1, range(5))) for one in (result, loaded))
    assert [(hit.subject, hit.score, hit.counts) for hit in after] == [(h.subject, h.score, h.counts) for h in before]


def test_a_request_keeps_letters_and_weights(records, tmp_path):
    save_database(encode_database(records, PROTEIN, "few"), tmp_path / "few.swdb")
    given = search_request(
        queries=tuple(records[:2]), database=tmp_path / "few.swdb", scheme=BLOSUM62, beside=TrackSettings(1, 3, 12, 1)
    )
    made = RequestFacts.begun(given).request()
    assert (made.queries, made.search.beside, made.scheme) == (given.queries, given.search.beside, given.scheme)


def test_rounds_take_residues_alone_and_say_so(records):
    given = search_request(
        queries=tuple(records[:1]), database=encode_database(records, PROTEIN), scheme=BLOSUM62, engine="reference"
    )
    result = answer(in_rounds(given, IterationSettings(rounds=2)))
    assert (
        "Residues alone were scored: the queries have no structure symbols (searches in rounds take none)"
        in result.information
    )
    assert result.scheme.alphabet is PROTEIN
    assert result.database.ids[result.queries[0].hits.db_index[0]] == "s0"


def test_the_command_line_takes_both_tracks(records, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("r", lambda one: one.residues), ("l", lambda one: one.letters.text)):
        lines = "".join(f">{one.id}\n{text(one).decode()}\n" for one in records)
        (tmp_path / f"{name}.fasta").write_text(lines)
    assert main(["makedb", "r.fasta", "--letters", "l.fasta", "-o", "two.swdb"]) == 0
    assert "each residue has a symbol of the alphabet 3Di" in capsys.readouterr().out
    words = ["search", "-q", "r.fasta", "--query-letters", "l.fasta", "-d", "two.swdb", "--engine", "reference"]
    assert main([*words, "--letters-weight", "3", "--top", "1", "--max-hsps", "1"]) == 0
    out, said = capsys.readouterr()
    assert [line.split("\t")[2] for line in out.splitlines()[1:]] == [one.id for one in records]
    assert "symbols (3Di)" in said
    assert "3x3Di" in said
    (tmp_path / "l.fasta").write_text(">s0\nDDD\n")
    assert main(words) != 0
    assert "60 residues and 3 letters" in capsys.readouterr().err


def test_a_helix_against_itself_is_no_chance(rng):
    tropomyosin = b"AISKLEEKLQAMDAIKKKMQMLKLDKENALDRAEQAEADKKAAEDRSKQLEDELVSLQKKLKGTEDELDKYSEALKDAQEK"
    helix = SequenceRecord("helix", "", tropomyosin, letters=Letters("3Di", b"D" + b"V" * 79 + b"D"))
    event = search([helix], [helix, *(record(f"s{n}", rng, 150) for n in range(600))], engine="cpu", max_evalue=10.0)
    hits = event.outcome.queries[0].hits
    assert event.outcome.database.ids[hits.db_index[0]] == "helix"
    assert hits.log10_evalues[0] < -30
    assert hits.log10_evalues[0] == hits.composition.log10_uncorrected[0]
