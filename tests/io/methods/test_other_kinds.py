"""Methods texts of rules, pairs and networks: every number is that of the result."""

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Mismatches
from swgui.io.methods.forms import FORMS, written
from swgui.io.methods.networks import network_methods
from swgui.io.methods.pairs import pair_methods
from swgui.io.methods.rules import rule_methods
from swgui.jobs.events import Finished, run_to_end
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import network_of
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from swgui.jobs.rules.run import RuleRun, certificate
from tests.asking import BLOSUM62, DNA_SCHEME

pytestmark = pytest.mark.usefixtures("trusted_engines")


@pytest.fixture
def database(rng):
    letters = [PROTEIN.decode(rng.integers(0, 20, 60, dtype=np.uint8)) for _ in range(5)]
    return encode_database([SequenceRecord(f"s{n}", "", text) for n, text in enumerate(letters)], PROTEIN, "few")


@pytest.fixture
def rule_facts(database):
    peptide = SequenceRecord("p", "", PROTEIN.decode(database.subject(2)[10:19]))
    run = RuleRun(RuleRequest(Mismatches(1), (peptide,), PROTEIN, "few.fa", engine="cpu"), database)
    run.scan_all()
    return certificate(run)


def test_a_rule_says_what_was_tested_and_found(rule_facts):
    text = rule_methods(rule_facts).paragraph
    assert f"{rule_facts['tested']:,} of {rule_facts['expected']:,} places were tested" in text
    assert "1 place in 1 sequence met the rule" in text
    assert "(5 sequences, 300 residues; content checksum" in text
    assert f"Of {rule_facts['controls']['within']:,} places planted within the limit" in text
    assert "stopped" not in text


def test_a_rule_that_was_stopped_or_has_no_controls_says_so(rule_facts):
    facts = {
        **rule_facts,
        "complete": False,
        "left_out": 3,
        "controls": {**rule_facts["controls"], "within": 0, "beyond": 0},
    }
    text = rule_methods(facts).paragraph
    assert "3 sequences were left out." in text
    assert "The search was stopped before all sequences were scanned" in text
    assert "No control places could be planted." in text


@pytest.fixture
def pair(rng):
    letters = NUCLEOTIDE.decode(rng.integers(0, 4, 80, dtype=np.uint8))
    query, subject = SequenceRecord("q", "", letters), SequenceRecord("s", "", letters[:40] + letters[43:])
    *_, last = align_pair(PairRequest(query, subject, DNA_SCHEME, method="cpu", strand="both"), threading.Event())
    assert isinstance(last, Finished)
    return last.outcome


def test_a_pair_says_its_score_and_costs(pair):
    text = pair_methods(pair).paragraph
    assert f"The best score was {pair.score:,}; {len(pair.alignments):,} alignment" in text
    assert "on both strands" in text
    assert f"{pair.scheme.gap_open}/{pair.scheme.gap_extend} in the notation of BLAST" in text
    assert f"{pair.cells:,} cells" in text


def test_a_network_says_how_many_pairs_were_compared(database):
    network = run_to_end(network_of(AllAgainstAll(database, database, BLOSUM62, 1e-3, "cpu"), threading.Event()))
    text = network_methods(network).paragraph
    assert "each of the 10 pairs" in text
    assert "E ≤ 0.001" in text
    assert database.checksum in text
    partial = network_methods(replace(network, compared=0.37)).paragraph
    assert "each of" not in partial
    assert "37.0 % of the pairs were compared, so that edges are missing" in partial


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_is_written_in_every_form(form, rule_facts, pair):
    for made in (rule_methods(rule_facts), pair_methods(pair)):
        text = written(made, form)
        assert "swgui" in text
        assert all(reference.year == 0 or str(reference.year) in text for reference in made.references)
