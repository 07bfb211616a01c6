"""Every number of a hit explains itself, with the numbers the hit shows."""

import threading

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.explain import explain_hit
from swgui.core.profiles.recipe import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.evalue import format_log10
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.iterate.run import run_iteration
from swgui.jobs.search.run import run_search
from tests.asking import search_request
from tests.described import describe_hits
from tests.jobs.iterate.family import family_records


@pytest.mark.parametrize(("count", "costs"), [(600, (11, 1)), (600, (3, 3)), (20, (11, 1))])
def test_the_sections_hold_the_numbers_of_the_hit(count, costs):
    codes = np.random.default_rng(8).integers(0, 20, size=(count, 80)).astype(np.uint8)
    codes[1, :30], codes[1, 33:] = codes[0, :30], codes[0, 30:77]  # a relative with a gap
    codes[1, 4::6] = (codes[1, 4::6] + 1) % 20
    subjects = [SequenceRecord(f"s{i}", "", PROTEIN.decode(row)) for i, row in enumerate(codes)]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), *costs)
    database = encode_database(subjects, PROTEIN)
    request = search_request(queries=(subjects[0],), database=database, scheme=scheme, engine="cpu", top=3)
    result = list(run_search(request, threading.Event()))[-1].result
    hit = next(hit for hit in describe_hits(result, 0, [0, 1]) if hit.subject.id == "s1")
    sections = dict(explain_hit(result, 0, hit, load_statistics(scheme)))
    assert f"= {hit.score}." in sections["Score"]
    corrected = sections["E-value, corrected for composition"]
    assert f"{hit.lambda_ratio:.3f}" in corrected
    assert f"{format_log10(hit.log10_evalue)} with the correction" in corrected
    assert "Gap residues = 3, gaps = 1" in sections["Alignment"]
    assert f"{hit.counts.pident:.1f} %" in sections["Alignment"]
    if costs == (11, 1):
        assert f" {hit.bit_score:.2f} bits belong to the E that counts." in sections["Bit score"]
        assert "E =" in sections["E-value, published parameters"]
    else:
        assert "Bit score" not in sections
    if count >= 500:
        assert f"= {hit.z_score:.1f}" in sections["Z-score and E-value, fitted to this search"]
    else:
        assert "too few" in sections["E-value, fitted to this search"]


def test_a_hit_of_rounds_says_what_its_profile_and_its_shuffles_did():
    records = family_records()
    query = next(record for record in records if record.id == "kin0")
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    asked = search_request(queries=(query,), database=encode_database(records, PROTEIN), scheme=scheme, engine="cpu")
    result = list(run_iteration(in_rounds(asked, IterationSettings(rounds=2)), threading.Event()))[-1].result
    hit = next(hit for hit in describe_hits(result, 0, range(8)) if hit.subject.id != "kin0")
    corrected = dict(explain_hit(result, 0, hit, load_statistics(scheme)))["E-value, corrected for composition"]
    assert corrected.startswith("A profile has no lambda of compositions.")
    made = "none were made" if np.isnan(hit.shuffle_z) else f"Z = {hit.shuffle_z:.1f}"
    assert f"not related: {made}." in corrected
