"""Searches with context scores: the same by every engine, by their definition, and kept as asked."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alignment import gap_costs, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, ProfileError
from swgui.core.judging.explain import explain_hit
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.context import RESIDUES, WINDOW, ContextLibrary, context_profile
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.log_odds import profile_scheme
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import FRAMES, translate
from swgui.core.translation.programs import PROGRAMS, Translation
from swgui.engines.native.context import ColumnMaker
from swgui.io.export.provenance import provenance
from swgui.io.methods.searches import paragraph
from swgui.io.profiles.contexts import read_contexts
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.search.describe import describe_list
from tests.asking import BLOSUM62, DNA_SCHEME, altered, answer, search_request
from tests.reference import reference_scores

QUERIES = (
    SequenceRecord("q", "", b"MKVLAWGRTNDEHHIKLMFPSTWYVACDEFGHIKLMNPQRSTVWY" * 2),
    SequenceRecord("one", "", b"W"),
    SequenceRecord("unknown", "", b"XXXXXXXX"),
)
GENE = SequenceRecord("gene", "", b"ACGT" * 50 + (
    b"ATGAAAGTTCTTGCTTGGGGTCGTACTAACGATGAACATCATATCAAACTTATGTTTCCTTCTACTTGGTATGTT"))  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> str:
    """Return the name of a file with a small library of random contexts around conserved residues."""
    rng = np.random.default_rng(11)
    columns = rng.dirichlet(np.full(len(RESIDUES), 0.3), 40)
    weights = rng.normal(-3, 0.7, (40, WINDOW, len(RESIDUES)))
    path = tmp_path_factory.mktemp("contexts") / "forty.npz"
    background = columns.mean(axis=0)
    np.savez(path, weights=weights, bias=rng.normal(0, 1, 40), columns=columns, background=background, scale=1.5)
    return str(path)


@pytest.fixture(scope="module")
def database():
    rng = np.random.default_rng(12)
    texts = [bytes(rng.choice(list(RESIDUES.encode()), int(length)).tolist()) for length in rng.integers(20, 90, 520)]
    texts[7] = QUERIES[0].residues[10:70]
    records = [SequenceRecord(f"s{at}", "", text) for at, text in enumerate(texts)]
    return encode_database(records, PROTEIN, "db")


@pytest.fixture(scope="module")
def result(library, database):
    usual = {"scheme": BLOSUM62, "composition": "none", "engine": "cpu"}
    return answer(search_request(queries=QUERIES, database=database, context=library, **usual))


def test_scores_are_those_of_the_columns(result, library, database):
    contexts = read_contexts(library)
    codes = PROTEIN.encode(QUERIES[0].residues)
    columns = ColumnMaker(contexts).of_residues([codes])[0]
    scheme = profile_scheme(BLOSUM62.matrix, Recipe())
    profile = context_profile(codes, columns, contexts, scheme)
    expected = 1.5 * 8 * np.log2(columns / contexts.background)
    assert np.abs(profile.scores[:, : len(RESIDUES)] - expected).max() <= 0.51
    some = [0, 7, 100]
    subjects = [database.subject(at) for at in some]
    scores = reference_scores(profile.scores, subjects, scheme.gap_first, scheme.gap_extend)
    assert result.queries[0].scores[some].tolist() == scores
    assert result.asked.context == library
    assert "the context library 'forty.npz' expects" in paragraph(result)
    assert provenance(result)["context"] == "forty.npz"
    assert "context scores (forty.npz)" in result.queries[0].query.profile.name


def test_a_hit_says_what_the_surroundings_add_and_where(result):
    hit = next(describe_list(result.hit_list(0), [0]))
    path = spell_out(hit.alignment)
    columns = [(q, s) for q, s in zip(path.query.tolist(), path.subject.tolist(), strict=True) if q >= 0 and s >= 0]
    codes, profile, matrix = hit.subject_codes(PROTEIN), hit.query.profile, result.scheme.matrix.scores
    more = [int(profile[q, codes[s]]) - int(matrix[hit.query.codes[q], codes[s]]) for q, s in columns]
    parts = [(sum(more[a:b]), a, b) for a in range(len(more)) for b in range(a + 1, len(more) + 1)]
    most, begin, end = max(parts, key=lambda part: part[0])
    text = dict(explain_hit(result, 0, hit, None))["Score by the surroundings"]
    pairs = sum(int(profile[q, codes[s]]) for q, s in columns)
    assert f"score {pairs} by the surroundings" in text
    assert f"gives these pairs {pairs - sum(more)}. So the surroundings add {sum(more)} " in text
    assert f"{most} ({most / 8:.1f} bits), at residues {columns[begin][0] + 1} to {columns[end - 1][0] + 1} " in text
    assert hit.score == pairs - sum(gap_costs(hit.alignment, hit.query, result.scheme))


def test_engines_agree(result, library, database):
    usual = {"scheme": BLOSUM62, "composition": "none", "engine": "reference"}
    by_reference = answer(search_request(queries=QUERIES, database=database, context=library, **usual))
    for one, other in zip(result.queries, by_reference.queries, strict=True):
        assert (one.scores == other.scores).all()
        assert np.array_equal(one.hits.log10_evalues, other.hits.log10_evalues, equal_nan=True)


def test_unknown_residues_and_one_alone_are_searched(result):
    assert result.queries[2].scores.max() == 0
    assert len(result.queries[2].hits) == 0
    assert result.queries[1].scores.max() > 0


def test_a_saved_search_is_made_again_with_the_same_scores(result, tmp_path, library):
    save_search(result, tmp_path / "kept.swgui")
    kept = load_search(tmp_path / "kept.swgui").result
    assert kept.asked.context == library
    again = answer(search_request(
        queries=tuple(query.query for query in kept.queries), database=result.database, scheme=BLOSUM62,
        context=library, engine="cpu", queries_masked=True,
    ))  # fmt: skip
    assert all((a.scores == b.scores).all() for a, b in zip(again.queries, result.queries, strict=True))


def test_what_is_masked_says_nothing_about_its_surroundings(library, database):
    low = SequenceRecord("low", "", b"MKVLAWGRTNDEHH" + b"Q" * 40 + b"IKLMFPSTWYVACDEF")
    request = search_request(queries=(low,), database=database, scheme=BLOSUM62, context=library, mask=True)
    found = answer(request)
    masked = found.queries[0].query
    assert b"XXXX" in masked.residues
    assert masked.id in found.information
    plain = answer(altered(request, queries=(SequenceRecord("low", "", masked.residues),), mask=False))
    assert (plain.queries[0].scores == found.queries[0].scores).all()


def test_rounds_begin_with_context_scores(library, database, result):
    settings = IterationSettings(rounds=2)
    request = search_request(
        queries=QUERIES[:1], database=database, scheme=BLOSUM62, context=library, iteration=settings, engine="cpu"
    )
    rounds = answer(request).queries[0].rounds
    assert not rounds.from_profile
    first, plain = rounds.rounds[0], result.queries[0].hits
    assert first.db_index[0] == plain.db_index[0]
    assert first.log10_evalues[0] == plain.log10_evalues[0]


@pytest.mark.parametrize("program", [one for one in PROGRAMS.values() if one.translates], ids=lambda one: one.name)
@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_every_frame_of_a_translated_search_has_scores_by_its_own_residues(library, program, engine, tmp_path):
    query, subject = (GENE if kind is NUCLEOTIDE else QUERIES[0] for kind in (program.query, program.database))
    database = encode_database([subject], program.database, "db")
    usual = {"scheme": BLOSUM62, "context": library, "engine": engine, "composition": "none"}
    found = answer(search_request(queries=(query,), database=database, translation=Translation(program.name), **usual))
    residues, subjects = ([translate(kind.encode(of.residues), frame) for frame in FRAMES] if kind is NUCLEOTIDE
                          else [kind.encode(of.residues)]
                          for of, kind in ((query, program.query), (subject, program.database)))  # fmt: skip
    contexts, gaps = read_contexts(library), (found.scheme.gap_first, found.scheme.gap_extend)
    expected = 0
    for codes in residues:
        columns = ColumnMaker(contexts).of_residues([codes])[0]
        profile = context_profile(codes, columns, contexts, profile_scheme(BLOSUM62.matrix, Recipe()))
        expected = max([expected, *reference_scores(profile.scores, subjects, *gaps)])
    assert found.queries[0].scores[0] == expected > 100
    save_search(found, tmp_path / "kept.swgui")
    kept = load_search(tmp_path / "kept.swgui").result.queries[0].query.profile
    assert (kept.scores == found.queries[0].query.profile.scores).all()
    (hit,) = describe_list(found.hit_list(0), [0])
    assert hit.score == expected


def test_a_part_of_the_organisms_is_searched(library):
    records = [replace(QUERIES[0], id=f"p{of}", description=f"OS={of}", taxid=0) for of in ("Mus musculus", "Gallus")]
    database = encode_database(records, PROTEIN, "db")
    usual = {"scheme": BLOSUM62, "context": library, "composition": "none"}
    within = OrganismLimit(("Gallus",))
    asked = search_request(queries=QUERIES[:1], database=database, organisms=within, **usual)
    found = answer(asked)
    assert [found.database.ids[at] for at in found.queries[0].hits.db_index] == ["pGallus"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"queries": (SequenceRecord("d", "", b"ACGT"),), "scheme": DNA_SCHEME},
            "of proteins; the queries are nucleot",
        ),
        *(
            (
                {
                    "translation": Translation(one.name, shift=15),
                    "queries": (GENE if one.query is NUCLEOTIDE else QUERIES[0],),
                },
                "do not go with frameshifts",
            )
            for one in PROGRAMS.values()
            if one.translates_query != one.translates_database
        ),
        ({"starts": {2: MasterAlignment.of_query(QUERIES[2], PROTEIN)}, "iteration": IterationSettings()}, "alignment"),
    ],
)
def test_searches_that_can_have_none_are_refused(library, database, given, message):
    usual = {"queries": QUERIES, "database": database, "scheme": BLOSUM62, "context": library}
    with pytest.raises(InvalidParameter, match=message):
        search_request(**usual | given)


def test_a_damaged_library_is_refused(library, database, tmp_path):
    path = tmp_path / "bad.crf"
    path.write_text("nothing\n")
    request = search_request(queries=QUERIES, database=database, scheme=BLOSUM62, context=str(path))
    with pytest.raises(ProfileError, match="is no context library"):
        answer(request)


def test_the_library_of_the_program_is_one(database):
    contexts = read_contexts("resources/contexts/library.npz")
    assert isinstance(contexts, ContextLibrary)
    one = replace(QUERIES[0], residues=QUERIES[0].residues[:30])
    found = answer(search_request(queries=(one,), database=database, scheme=BLOSUM62, context="own"))
    assert found.queries[0].scores[7] > 0
