"""Queries that the kernels for regions and shuffles take: gap costs by position, two tracks."""

import numpy as np

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN, two_tracks
from swgui.core.judging.correction_work import RegionRequest, joined_scores
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.stretches import ScoredPairs
from swgui.engines.native import Subjects
from swgui.engines.traceback.many import align_each
from swgui.io.matrices import load_matrix


def region_request(profile, subjects, scores, gap_first, gap_extend, gaps=None, tracks=None):
    """Request for the regions of one query."""
    of, begins = np.zeros(len(subjects), dtype=np.int64), np.array([0, len(profile)])
    return RegionRequest(profile, begins, of, subjects, scores, gap_first, gap_extend, gaps, tracks)


def joined_request(requests):
    """Requests of one query each as one of all."""
    first, gaps = requests[0], [one.gaps for one in requests]
    of = np.repeat(np.arange(len(requests)), [len(one.subjects) for one in requests])
    return replace(
        first,
        profile=joined_scores([one.profile for one in requests]),
        begins=np.cumsum([0, *(len(one.profile) for one in requests)]),
        of=of,
        subjects=Subjects.join([one.subjects for one in requests]),
        scores=np.concatenate([one.scores for one in requests]),
        gaps=None if first.gaps is None else PositionGaps.joined(gaps),
    )


def assert_same_regions(found, expected):
    """Compare regions with those of requests of one query each, or of one request."""
    expected = expected if isinstance(expected, list) else [expected]
    assert np.array_equal(np.stack(found.columns), np.concatenate([one.columns for one in expected], axis=1))


def gaps_of(rng, rows, refunds=False):
    """Costs of which each is another; with refunds deletions that get some back."""
    first, extend = (rng.integers(least, most, (2, rows)) for least, most in ((6, 30), (0, 6)))
    if refunds:
        extend[1][rng.random(rows) < 0.3] = -1
        first[1] += np.cumsum(extend[1]).max() - np.cumsum(extend[1]).min()
    return PositionGaps(first[0], extend[0], first[1], extend[1])


def track_data(rng, rows, symbols):
    """Alphabet in two tracks, a profile, and symbols."""
    alphabet = two_tracks(PROTEIN, ALPHABETS["3Di"])
    tables = (rng.integers(-4, 6, (rows, len(part))).astype(np.int16) for part in alphabet.parts)
    return alphabet, TrackProfile(*tables), rng.integers(0, len(alphabet), symbols).astype(np.uint16)


def related(rng, mother, letters):
    """A copy of some residues with others in places, some left out and some put in."""
    own = mother.copy()
    changed = rng.random(len(own)) < 0.2
    own[changed] = rng.choice(letters, int(changed.sum()))
    begin, size = int(rng.integers(len(own) + 1)), int(rng.integers(12))
    return np.concatenate([own[:begin], rng.choice(letters, int(rng.integers(12))), own[begin + size :]])


def assert_counts_are_those_of_alignments(work, rng, gaps, lengths, pairs, letters="ACDW", **how):
    """Hold what is counted of random pairs of few letters, which have many ties, against alignments as shown."""
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), *gaps)
    some = PROTEIN.encode(letters.encode())
    queries = [EncodedQuery(str(n), rng.choice(some, length)) for n, length in enumerate(lengths)]
    of = rng.integers(0, len(queries), pairs)
    subjects = Subjects.stacked([related(rng, queries[number].codes, some) for number in of.tolist()])
    aligned = align_each(queries, of, subjects, scheme)
    scores, totals = aligned.totals.scores.copy(), aligned.totals
    scores[:2] += 1  # found out, and left
    found = work.count_pairs(ScoredPairs(queries, of, subjects, scheme, scores), **how)
    expected = np.stack([totals.nident, totals.length, totals.query_span, totals.subject_span], axis=1)
    expected[(np.arange(pairs) < 2) | (scores == 0)] = -1
    assert np.array_equal(found, expected)
