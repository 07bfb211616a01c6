"""Models of HMMER3: what they score, and what is wrong with some of them."""

import math
import shutil
import subprocess

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import AlphabetMismatch, ProfileError
from swgui.core.score_profile import PositionGaps
from swgui.io.profiles.formats import read_start
from swgui.io.profiles.hmmer import AMINO, AMINO_FREQUENCIES
from swgui.io.sequences.reader import read_sequences
from swgui.paths import resources_dir
from tests.io.profiles.plan7_by_hand import plan7_local_viterbi, profile_scores

UNIT = math.log(2) / 8  # of the scores of a model
CODES = [PROTEIN.code(letter) for letter in AMINO]
PROTEINS = resources_dir() / "examples" / "sample_proteins.fasta"


def hmm_text(emitted, transitions, name="made", kind="amino", letters=AMINO):
    """Write a model from negative logarithms, as HMMER3 does; infinite ones as ``*``."""

    def line(values):
        return " ".join("*" if math.isinf(value) else f"{value:.5f}" for value in values)

    insertion = line([math.log(len(letters))] * len(letters))
    rows = [f"HMMER3/f [3.3.2 | Nov 2020]\nNAME  {name}\nDESC  made for a test\nLENG  {len(emitted)}\nALPH  {kind}"]
    rows += ["HMM  " + "  ".join(letters), "m->m m->i m->d i->m i->i d->m d->d", insertion, line(transitions[0])]
    for at, (match, out) in enumerate(zip(emitted, transitions[1:], strict=True), 1):
        rows += [f"{at} {line(match)} {at} - - - -", insertion, line(out)]
    return "\n".join([*rows, "//", ""])


def whole_model(random, positions):
    """Return log-odds (m, 20) and logarithms of transitions (m + 1, 7), all of them whole units."""
    emitted = random.integers(-10, 30, (positions, 20))
    low, high = np.array([-2, -30, -30, -8, -14, -10, -14]), np.array([0, -10, -10, -2, -5, -1, -3])
    return emitted, random.integers(low, high + 1, (positions + 1, 7))


def as_file(emitted, transitions):
    return hmm_text(-(np.minimum(emitted * UNIT + np.log(AMINO_FREQUENCIES), 0)), -transitions * UNIT)


def fitting(emitted):
    """Return log-odds that are those of probabilities below 1."""
    return np.minimum(emitted, np.floor(-np.log(AMINO_FREQUENCIES) / UNIT).astype(int))


def test_scores_are_those_of_local_plan7_viterbi_on_random_pairs(read):
    random = np.random.default_rng(19)
    compared = gapped = 0
    for _ in range(100):
        emitted, transitions = whole_model(random, int(random.integers(1, 14)))
        emitted = fitting(emitted)
        (record,) = read(as_file(emitted, transitions)).records
        sequences = random.integers(0, 20, (60, int(random.integers(1, 24))))
        expected = plan7_local_viterbi(emitted, transitions, sequences)
        scores = record.profile.scores[:, CODES]
        assert profile_scores(scores, record.profile.gaps, sequences).tolist() == expected.tolist()
        never = PositionGaps.constant(len(scores), 9000, 9000)
        gapped += int((profile_scores(scores, never, sequences) < expected).sum())
        compared += len(sequences)
    assert compared == 6000
    assert gapped > 600  # gaps of either kind decide enough of them


def test_a_deletion_that_would_add_to_a_score_costs_nothing(read):
    emitted, transitions = whole_model(np.random.default_rng(5), 6)
    transitions[:, 0] = -60  # match to match is rare, so that leaving positions out would pay
    transitions[:, 2] = transitions[:, 5] = transitions[:, 6] = -1
    gaps = read(as_file(fitting(emitted), transitions)).records[0].profile.gaps
    assert gaps.deletion_first.min() >= 0
    assert gaps.least_deletion_cost() == 0


def test_what_is_impossible_is_never_worth_it(read):
    """Models may have probabilities of 0: no insertion, no deletion, no way out of a deletion."""
    emitted, transitions = whole_model(np.random.default_rng(7), 5)
    logs = -transitions * UNIT
    logs[2, 1] = logs[3, 2] = logs[1, 6] = logs[4, 5] = math.inf
    text = hmm_text(-(np.minimum(fitting(emitted) * UNIT + np.log(AMINO_FREQUENCIES), 0)), logs)
    gaps = read(text).records[0].profile.gaps
    assert gaps.insertion_first[1] > 3000
    assert gaps.deletion_first[3] > 3000


@pytest.mark.skipif(not shutil.which("hmmsearch"), reason="hmmbuild and hmmsearch are not installed")
def test_a_built_model_ranks_as_hmmsearch_does(tmp_path, scheme):
    records = list(read_sequences(PROTEINS))
    one, path, table = tmp_path / "one.fasta", tmp_path / "one.hmm", tmp_path / "table"
    one.write_text(f">{records[0].id}\n{records[0].residues.decode()}\n")
    subprocess.run(["hmmbuild", "--amino", "--singlemx", path, one], check=True, stdout=subprocess.DEVNULL)
    search = ["hmmsearch", "--max", "-E", "1000", "--domtblout", table, path, PROTEINS]
    subprocess.run(search, check=True, stdout=subprocess.DEVNULL)
    rows = [row.split() for row in table.read_text().splitlines() if not row.startswith("#")]
    theirs = {}
    for row in rows:
        theirs[row[0]] = max(theirs.get(row[0], -99.0), float(row[13]) + float(row[14]))  # without the bias correction
    (query,) = read_start(path, scheme).records
    assert query.residues == records[0].residues
    ours = {
        record.id: profile_scores(query.profile.scores, query.profile.gaps, PROTEIN.encode(record.residues)[None])[0]
        / 8
        for record in records
        if record.id in theirs
    }
    differences = np.array([ours[name] - theirs[name] for name in ours if theirs[name] > 20])
    # Forward sums over paths, and HMMER enters at any of m(m + 1)/2 places and pays for the rest of the sequence.
    assert len(differences) >= 8
    assert 0 < differences.mean() < 20
    assert differences.std() < 3
    ranked = sorted((name for name in ours if theirs[name] > 20), key=lambda name: -ours[name])
    assert ranked[:3] == sorted(ranked, key=lambda name: -theirs[name])[:3]


def test_a_file_of_several_models_is_several_queries(read):
    emitted, transitions = whole_model(np.random.default_rng(1), 4)
    one = as_file(fitting(emitted), transitions)
    records = read(one + one.replace("NAME  made", "NAME  second")).records
    assert [record.id for record in records] == ["made", "second"]
    assert [len(record.profile) for record in records] == [4, 4]


WRONG = {
    "old": (lambda text: text.replace("HMMER3/f", "HMMER2.0"), "line 1: the model is of HMMER2"),
    "cut": (lambda text: text[: len(text) // 2].rsplit("\n", 1)[0], "is not complete"),
    "no length": (lambda text: text.replace("LENG  4", "LENG  x"), "no usable length"),
    "longer": (lambda text: text.replace("LENG  4", "LENG  3"), "more than 3 positions"),
    "shorter": (lambda text: text.replace("LENG  4", "LENG  5"), "position 5 of the model"),
    "word": (lambda text: text.replace("\n2 ", "\n2 oops "), "20 logarithms of probabilities"),
    "dice": (lambda text: text.replace("amino", "dice"), "alphabet 'dice'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_model_that_breaks_the_format_is_refused_in_a_sentence(read, name):
    emitted, transitions = whole_model(np.random.default_rng(1), 4)
    change, said = WRONG[name]
    with pytest.raises(ProfileError, match=said):
        read(change(as_file(fitting(emitted), transitions)))


def test_a_model_of_dna_is_no_query_for_proteins(read):
    emitted, transitions = np.full((3, 4), math.log(4)), np.full((4, 7), 0.7)
    with pytest.raises(AlphabetMismatch, match="The profile is nucleotide, but protein is needed here"):
        read(hmm_text(emitted, transitions, kind="DNA", letters="ACGT"))
