"""Pairs of primers without a product: with 5' tails that the template lacks, or with one turned round."""

import numpy as np
import pytest

import swgui
from tests.cli.test_rule import fasta, rule

pytestmark = pytest.mark.usefixtures("user_folders")

BASES = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(8).integers(0, 4, 300)].tobytes().decode()
TURNED = str.maketrans("ACGT", "TGCA")
WHOLE = BASES[:20], BASES[-20:].translate(TURNED)[::-1]  # at the ends of the template
TAILED = f"TAATACGACTCACTATAGGG{WHOLE[0]}", WHOLE[1]  # with the promoter of T7
HINT = (
    "1 pair of primers (p1/p2) has no product, but 1 product where only the last 18 bases of each primer are compared: "
    "leave off 5' tails that the template lacks."
)


def test_a_tail_is_hinted_at(tmp_path, capsys):
    database = fasta(tmp_path / "d.fa", [BASES], "s")
    for primers, said in ((TAILED, True), (WHOLE, False), ((TAILED[0], "A" * 20), False)):
        query = fasta(tmp_path / "q.fa", primers, "p")
        assert rule("primers", "-q", query, "-d", database, "-o", tmp_path / "T.tsv") == 0
        err = capsys.readouterr().err
        assert (HINT in err) is said
        assert ("None." in err) is (primers != WHOLE)


@pytest.mark.parametrize("side", [0, 1])
def test_a_primer_that_is_turned_round_is_hinted_at(side, tmp_path, capsys):
    primers = list(WHOLE)
    primers[side] = primers[side].translate(TURNED)[::-1]
    database, query = fasta(tmp_path / "d.fa", [BASES], "s"), fasta(tmp_path / "q.fa", primers, "p")
    assert rule("primers", "-q", query, "-d", database, "-o", tmp_path / "T.tsv") == 0
    said = (
        f"has no product, but 1 product with the reverse complement of p{side + 1}: write both primers from 5' to 3'."
    )
    assert said in capsys.readouterr().err


def test_the_library_warns_of_it():
    options = {"type": "nucleotide", "engine": "cpu"}
    with pytest.warns(swgui.SwguiWarning, match="leave off 5' tails"):
        assert not len(swgui.rule("primers", dict(zip(("p1", "p2"), TAILED, strict=True)), {"s": BASES}, **options))


def test_a_long_database_is_not_scanned_for_a_hint(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("swgui.jobs.rules.primer_hints.PLACES", 100)
    database, query = fasta(tmp_path / "d.fa", [BASES], "s"), fasta(tmp_path / "q.fa", TAILED, "p")
    assert rule("primers", "-q", query, "-d", database, "-o", tmp_path / "T.tsv") == 0
    assert "tails" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("primers", "bounds", "said"),
    [
        (WHOLE, ("--longest", 299), False),  # of 300 bases: the bound excludes it, not a tail
        (TAILED, ("--longest", 319), False),  # with the tail it has 320
        (TAILED, ("--longest", 320), True),
        (TAILED, ("--shortest", 321), False),
        (TAILED, ("--shortest", 320), True),
    ],
)
def test_tails_count_in_the_length_of_a_product(primers, bounds, said, tmp_path, capsys):
    database, query = fasta(tmp_path / "d.fa", [BASES], "s"), fasta(tmp_path / "q.fa", primers, "p")
    assert rule("primers", "-q", query, "-d", database, "-o", tmp_path / "T.tsv", *bounds) == 0
    err = capsys.readouterr().err
    assert (HINT in err, "None." in err) == (said, True)
