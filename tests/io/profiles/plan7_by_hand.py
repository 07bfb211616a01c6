"""Plan7 Viterbi by its own states, and the recurrence of profiles, both as plainly as can be; used as oracles."""

import numpy as np

LOWEST = -1e15


def plan7_local_viterbi(emitted, transitions, sequences):
    """Return the best local score of each sequence against a model, state by state.

    `emitted` are log-odds (M, K), `transitions` logarithms of MM MI MD IM II DM DD (M + 1, 7). Paths begin at any match
    state k at the MM that leads to it (nothing at the first), and end at any match state. Next to the transitions of
    Plan7 there are D to I at DM MI / MM, I to D at IM MD / MM, and gaps that are closed and opened at once.
    `sequences` is (sequences, n); all of one length.
    """
    count, length = sequences.shape
    positions = len(emitted)
    mm, mi, md, im, ii, dm, dd = transitions.T
    match = np.full((count, positions + 1), LOWEST)
    insertion, deletion = match.copy(), match.copy()
    best = np.zeros(count)
    for i in range(length):
        old_match, old_insertion, old_deletion = match, insertion, deletion
        match, insertion, deletion = (np.full((count, positions + 1), LOWEST) for _ in range(3))
        for k in range(1, positions + 1):
            into = [np.full(count, mm[k - 1] if k > 1 else 0.0)]
            if k > 1:
                into += [old_match[:, k - 1] + mm[k - 1], old_insertion[:, k - 1] + im[k - 1]]
                into += [old_deletion[:, k - 1] + dm[k - 1]]
            match[:, k] = np.max(into, axis=0) + emitted[k - 1, sequences[:, i]]
            again = max(ii[k], im[k] + mi[k] - mm[k])
            crossed = old_deletion[:, k] + dm[k] + mi[k] - mm[k]
            insertion[:, k] = np.max([old_match[:, k] + mi[k], old_insertion[:, k] + again, crossed], axis=0)
            if k > 1:
                again = max(dd[k - 1], dm[k - 1] + md[k - 1] - mm[k - 1])
                crossed = insertion[:, k - 1] + im[k - 1] + md[k - 1] - mm[k - 1]
                opened = match[:, k - 1] + md[k - 1]
                deletion[:, k] = np.max([opened, deletion[:, k - 1] + again, crossed], axis=0)
        best = np.maximum(best, match.max(axis=1))
    return best


def profile_scores(scores, gaps, sequences):
    """Return the largest H of each sequence by the recurrence of `PositionGaps`, cell by cell."""
    count, length = sequences.shape
    first, extend, opened, extended = (costs.astype(np.int64) for costs in gaps.columns)
    positions = len(scores)
    low = -(10**9)
    before = np.zeros((count, positions + 1), np.int64)  # H of the residue before
    insertion = np.full((count, positions + 1), low, np.int64)
    best = np.zeros(count, np.int64)
    for i in range(length):
        h = np.zeros((count, positions + 1), np.int64)
        deletion = np.full(count, low, np.int64)
        for k in range(1, positions + 1):
            insertion[:, k] = np.maximum(before[:, k] - first[k - 1], insertion[:, k] - extend[k - 1])
            deletion = np.maximum(h[:, k - 1] - opened[k - 1], deletion - extended[k - 1])
            diagonal = before[:, k - 1] + scores[k - 1, sequences[:, i]].astype(np.int64)
            h[:, k] = np.maximum.reduce([np.zeros(count, np.int64), diagonal, insertion[:, k], deletion])
        before = h
        best = np.maximum(best, h.max(axis=1))
    return best
