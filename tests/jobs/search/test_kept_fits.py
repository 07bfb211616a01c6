"""Fits to shuffled subjects are made once for a scoring and a class of lengths, and kept."""

import numpy as np
import pytest

from swgui import paths
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.subject_kind import SEQUENCES
from swgui.io.database.build import save_database
from swgui.io.matrices import load_matrix
from swgui.jobs.search import kept_fits
from swgui.jobs.search.kept_fits import FEWEST_SHUFFLES, length_class
from tests.asking import altered, answer, search_request


def proteins(lengths, seed):
    chance = np.random.default_rng(seed)
    return [SequenceRecord(f"p{at}", "", PROTEIN.decode(chance.integers(0, 20, n).astype(np.uint8)))
            for at, n in enumerate(lengths)]  # fmt: skip


@pytest.fixture
def fits(monkeypatch):
    """The shuffles of every fit that is made."""
    made = []
    usual = kept_fits.fit_to_shuffles

    def counted(queries, *given, shuffles, **options):
        made.append(shuffles)
        return usual(queries, *given, shuffles=shuffles, **options)

    monkeypatch.setattr(kept_fits, "fit_to_shuffles", counted)
    return made


@pytest.fixture
def search(tmp_path, user_folders):
    """Return a function that searches reads in a small database by a scoring without published parameters."""
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 3, 3)
    path = tmp_path / "small.swdb"
    save_database(encode_database(proteins([300] * 40, 1), PROTEIN, "small"), path)

    def run(lengths, **changes):
        request = search_request(
            queries=tuple(proteins(lengths, 2)), database=path, scheme=scheme, engine="cpu", composition="none"
        )
        return answer(altered(request, **changes))

    return run


def test_reads_of_about_one_length_share_a_fit(search, fits):
    result = search([100, 101, 104, 100, 102, 103])
    assert fits == [FEWEST_SHUFFLES]
    assert result.statistics == SEQUENCES.fitted
    assert [query.fit.query_length for query in result.queries] == [100, 101, 104, 100, 102, 103]
    assert all(np.isfinite(query.hits.log10_evalues).all() for query in result.queries)


def test_a_fit_is_kept_for_the_next_search_and_a_damaged_one_is_made_anew(search, fits):
    first = search([100])
    again = search([100])
    assert len(fits) == 1
    assert again.queries[0].fit == first.queries[0].fit
    (file,) = (paths.cache_dir() / kept_fits.FOLDER).iterdir()
    file.write_text('{"rho": "many"}')
    search([100])
    assert len(fits) == 2
    assert search([100]).queries[0].fit == first.queries[0].fit


def test_other_costs_and_other_lengths_have_fits_of_their_own(search, fits):
    search([100, 400])
    assert len(fits) == 2
    for gap_first, gap_extend in ((8, 4), (6, 4)):
        search([100], scheme=ScoringScheme(load_matrix("BLOSUM62", PROTEIN), gap_first, gap_extend))
    assert len(fits) == 4


def test_e_of_a_shared_fit_is_close_to_that_of_a_fit_of_its_own(search, monkeypatch):
    monkeypatch.setattr(kept_fits, "FEWEST_SHUFFLES", 2_000)
    shared = search([92, 106], max_evalue=1000.0).queries[1]
    monkeypatch.setattr(kept_fits, "CLASSES", 1000)
    own = search([92, 106], max_evalue=1000.0).queries[1]
    assert shared.fit.mu != own.fit.mu
    common, at, of = np.intersect1d(shared.hits.db_index, own.hits.db_index, return_indices=True)
    assert len(common) > 20
    apart = np.abs(shared.hits.log10_evalues[at] - own.hits.log10_evalues[of])
    assert np.median(apart) < 0.4
    assert apart.max() < 1.0


def test_lengths_of_a_class_differ_by_less_than_a_fifth():
    for length in range(10, 3000):
        last = length
        while length_class(last + 1) == length_class(length):
            last += 1
        assert last < 1.2 * length + 1
