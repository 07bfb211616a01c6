"""Pairs of columns that vary together: scores and tree by plain Python, tRNA, columns that change alone, bad input."""

import math
from contextlib import nullcontext
from itertools import combinations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.covariation.alignment import ABSENT, CODES, BaseAlignment, bases_of, symbols_of
from swgui.core.covariation.alone import LoneColumns, substitutions
from swgui.core.covariation.arcs import arcs_of
from swgui.core.covariation.pairs import CONTRADICTED, GAPPED, NEW, OPEN, STATES, SUPPORTED, UNCHANGED
from swgui.core.covariation.scores import PRIOR, pair_scores
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.errors import AlphabetMismatch, InvalidParameter, ProfileError, Stopped
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.engines.native.covariation import RowsOfBases
from swgui.io.profiles.base_alignments import read_bases
from swgui.jobs.covariation import covariation

WATSON_CRICK = {"AU", "UA", "CG", "GC", "GU", "UG"}


def random_rows(seed, rows=70, columns=9):
    random = np.random.default_rng(seed)
    return random.choice(np.array([0, 1, 2, 3, ABSENT], dtype=np.uint8), (rows, columns), p=[0.3, 0.2, 0.2, 0.2, 0.1])


def plain_g(codes, weights, i, j, classes):
    """G of two columns, by its definition."""
    observed = {(a, b): PRIOR for a in range(4) for b in range(4)}
    for row, weight in zip(codes.tolist(), weights.tolist(), strict=True):
        if row[i] < ABSENT and row[j] < ABSENT:
            observed[row[i], row[j]] += weight
    total = sum(observed.values())
    left = [sum(observed[a, b] for b in range(4)) for a in range(4)]
    right = [sum(observed[a, b] for a in range(4)) for b in range(4)]
    if classes == 16:
        return 2 * sum(n * math.log(n * total / (left[a] * right[b])) for (a, b), n in observed.items())
    pairs = [(a, b) for a, b in observed if "ACGU"[a] + "ACGU"[b] in WATSON_CRICK]
    paired, expected = sum(observed[pair] for pair in pairs), sum(left[a] * right[b] for a, b in pairs) / total
    g = paired * math.log(paired / expected) + (total - paired) * math.log((total - paired) / (total - expected))
    return 2 * g if paired > expected else 0.0


@pytest.mark.parametrize("classes", [2, 16])
@pytest.mark.parametrize("levels", [(1.0,), (1.0, 0.5, 0.125)])
def test_scores_are_those_of_the_definition(classes, levels):
    codes = random_rows(3)
    weights = np.random.default_rng(5).choice(levels, len(codes))
    columns = codes.shape[1]
    g = np.zeros((columns, columns))
    for i, j in combinations(range(columns), 2):
        g[i, j] = g[j, i] = plain_g(codes, weights, i, j, classes)
    means = g.sum(axis=1) / (columns - 1)
    scores = pair_scores(columns, RowsOfBases().counter(codes, weights), classes, lambda: None)
    above = np.triu_indices(columns, 1)
    np.testing.assert_allclose(scores[above], (g - np.outer(means, means) / means.mean())[above], rtol=1e-9, atol=1e-9)


def distance(one, other, weights):
    both = ((one < ABSENT) & (other < ABSENT)) * weights
    return float((both * (one != other)).sum() / both.sum()) if both.any() else 1.0


@pytest.mark.parametrize(("columns", "levels"), [(1, [1]), (64, [1]), (130, [1]), (130, [1, 0.5, 0.125])])
def test_the_tree_joins_each_row_to_its_nearest_one(columns, levels):
    codes = random_rows(columns, rows=25, columns=columns)
    weights = np.random.default_rng(columns).choice(levels, columns).astype(np.float64)
    tree = RowsOfBases().join(codes, weights, 0.6)
    far = [[distance(one, other, weights) for other in codes] for one in codes]
    joined = [0]
    assert (tree.order[0], tree.parents[0]) == (0, -1)
    for row in tree.order[1:].tolist():
        least = min(far[one][k] for one in joined for k in range(len(codes)) if k not in joined)
        assert int(tree.parents[row]) in joined
        assert far[row][tree.parents[row]] == pytest.approx(least) == tree.distances[row]
        joined.append(row)
    close = [sum(k == row or far[row][k] <= 0.6 for k in range(len(codes))) for row in range(25)]
    assert tree.neighbours.tolist() == close


def test_near_copies_of_rows_above_are_left_out():
    codes, even = random_rows(64, rows=25, columns=64), np.ones(64)
    kept = []
    for row in range(len(codes)):
        if all(distance(codes[row], codes[k], even) > 0.7 for k in kept):
            kept.append(row)
    assert RowsOfBases().distinct(codes, 0.7, 100).tolist() == kept
    assert RowsOfBases().distinct(codes, 0.7, 2).tolist() == kept[:2]


def test_stop_ends_compiled_calls(monkeypatch):
    monkeypatch.setattr("swgui.engines.native.covariation.stop_flag", lambda _check: nullcontext(np.ones(1, np.int32)))
    codes = random_rows(3)
    for call in (
        lambda: RowsOfBases().distinct(codes, 0.1, 100),
        lambda: RowsOfBases().join(codes, np.ones(codes.shape[1]), 0.2),
    ):
        with pytest.raises(Stopped):
            call()


def test_copies_keep_gaps_and_conserved_columns_and_change_as_often():
    codes = random_rows(8, rows=60, columns=40)
    codes[:, 0] = np.where(codes[:, 0] < ABSENT, 2, ABSENT)
    tree = RowsOfBases().join(codes, np.ones(codes.shape[1]), 0.2)
    lone, random = LoneColumns(codes, tree, np.ones(len(codes))), np.random.default_rng(1)
    copies = [lone.copy(random, np.arange(40)) for _ in range(20)]
    assert all(((copy == ABSENT) == (codes == ABSENT)).all() and (copy[:, 0] == codes[:, 0]).all() for copy in copies)
    changes = np.mean([substitutions(copy, tree)[1:].mean() for copy in copies])
    assert changes == pytest.approx(substitutions(codes, tree)[1:].mean(), rel=0.05)
    assert lone.copy(random, np.array([5, 3])).shape == (60, 2)


@pytest.fixture(scope="module")
def trna(repository):
    """60 samples of Infernal's model of tRNA."""
    return read_bases(repository / "tests" / "data" / "rna" / "trna.sto")[0]


def test_all_stems_of_trna_are_found_without_its_structure(trna):
    bare = BaseAlignment(trna.name, trna.ids, trna.codes)
    found = covariation(bare, CovariationSettings())
    pairs = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    stems, last = [], (-9, -9)
    compared = set(found.columns.tolist())
    for left, right in trna.pairs.tolist():
        if not (left - last[0] <= 3 and last[1] - right <= 3):
            stems.append([])
        last = left, right
        stems[-1].append((left, right))
    assert len(stems) == 4
    assert all(len(pairs.intersection(stem)) >= 3 for stem in stems)
    assert not {pair for pair in pairs if not compared.issuperset(pair)}
    assert set(found.pairs.states) == {NEW}
    assert len(pairs.difference(map(tuple, trna.pairs.tolist()))) <= 1


def test_a_structure_is_supported_or_contradicted(trna):
    whole = covariation(trna, CovariationSettings())
    assert (whole.number(SUPPORTED), whole.number(CONTRADICTED), len(trna.pairs)) == (21, 0, 21)
    assert (np.diff(whole.pairs.log10_evalues) >= 0).all()
    assert whole.enough
    partners, codes = trna.partners.copy(), trna.codes.copy()
    (left, right), (second, _), (gapped, _) = trna.pairs[1].tolist(), trna.pairs[2].tolist(), trna.pairs[4].tolist()
    partners[[left, right]] = -1
    partners[[left, left + 6]] = left + 6, left  # the true partner of `left` is another column
    codes[:, second] = 2  # never changes
    codes[:50, gapped] = ABSENT
    altered = covariation(BaseAlignment("x", trna.ids, codes, partners), CovariationSettings())
    state = dict(zip(altered.pairs.left.tolist(), altered.pairs.states, strict=True))
    listed = list(zip(altered.pairs.left.tolist(), altered.pairs.right.tolist(), altered.pairs.states, strict=True))
    assert (left, left + 6, CONTRADICTED) in listed
    assert (left, right, NEW) in listed
    assert (state[second], state[gapped]) == (UNCHANGED, GAPPED)
    assert sum(altered.number(state) for state in STATES) == len(altered.pairs)
    said = " ".join(altered.sentences())
    assert f"{altered.number(SUPPORTED):,} supported, 1 contradicted, 1 unchanged" in said
    assert arcs_of(altered.pairs)[0].state in (GAPPED, UNCHANGED, OPEN)
    assert arcs_of(altered.pairs)[-1].state == SUPPORTED


def evolved(random, rows, columns):
    """Rows along a random tree, each column for itself."""
    shares = np.cumsum(random.dirichlet([1.0] * 4, columns), axis=1)[:, :3]
    speeds = random.gamma(0.8, 1.25, columns)
    made = [(random.random(columns)[:, None] > shares).sum(axis=1)]
    while len(made) < rows:
        made.append(made[random.integers(len(made))].copy())
        changes = 1 - np.exp(-speeds * random.exponential() / len(made))
        for row in made:
            drawn = (random.random(columns)[:, None] > shares).sum(axis=1)
            row[:] = np.where(random.random(columns) < changes, drawn, row)
    return np.array(made, dtype=np.uint8)


def test_no_more_pairs_than_e_says_are_false_where_columns_change_alone_along_a_tree():
    random, false, certain = np.random.default_rng(4), 0, 0
    for _ in range(6):
        found = covariation(BaseAlignment("x", [""] * 50, evolved(random, 50, 60)), CovariationSettings(evalue=1))
        false += len(found.pairs)
        certain += int((found.pairs.log10_evalues <= -2).sum())
    assert (1 <= false <= 14, certain) == (True, 0)  # 6 are expected; bases shuffled in each column would give 60


def test_few_rows_are_too_few_to_tell(trna):
    found = covariation(BaseAlignment("x", trna.ids[:12], trna.codes[:12]), CovariationSettings())
    assert not found.enough
    assert any("too few to tell" in sentence for sentence in found.sentences())
    assert covariation(BaseAlignment("x", trna.ids[:8], trna.codes[:8]), CovariationSettings()).classes == 2


def test_one_seed_gives_one_result(trna):
    one, two, other = (covariation(trna, CovariationSettings(seed=seed, copies=5)) for seed in (7, 7, 8))
    assert (one.pairs.log10_evalues == two.pairs.log10_evalues).all()
    assert (one.pairs.log10_evalues != other.pairs.log10_evalues).any()


@pytest.mark.parametrize(
    "rows", [["ACGUACGU"], ["ACGUACGU", "ACGUACGU"], ["ACG", "UUU", "GGG"], ["A" * 6000, "C" * 6000]]
)
def test_too_little_and_too_much_is_refused(rows):
    alignment = BaseAlignment(
        "few", list(map(str, range(len(rows)))), CODES[symbols_of([row.encode() for row in rows])]
    )
    with pytest.raises(ProfileError, match="'few' has"):
        covariation(alignment, CovariationSettings())


@pytest.mark.parametrize("wrong", [{"evalue": 0.0}, {"evalue": math.nan}, {"copies": -1}, {"seed": -1}])
def test_settings_are_checked(wrong):
    with pytest.raises(InvalidParameter):
        CovariationSettings(**wrong)


def master(alphabet, *rows):
    made = (AlignedRow(f"r{number}", "", np.array(row, np.uint8)) for number, row in enumerate(rows))
    return MasterAlignment(alphabet, tuple(made))


def test_rows_of_a_search_are_bases_by_column():
    a, t, u, n = (NUCLEOTIDE.code(letter) for letter in "ATUN")
    found = bases_of(master(NUCLEOTIDE, (a, t, n), (u, DELETION, OUTSIDE)))
    assert found.codes.tolist() == [[0, 3, ABSENT], [3, ABSENT, ABSENT]]
    assert (found.name, found.ids, found.partners, len(found.pairs)) == ("r0", ["r0", "r1"], None, 0)
    with pytest.raises(AlphabetMismatch):
        bases_of(master(PROTEIN, (1, 2, 3)))
