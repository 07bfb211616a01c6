// The gain still possible beyond a place. Two passes over one matrix may run at the same time, one from each end: the
// results of one bound the gain of the other beyond there, and so show which parts it may skip.
//
// The k-th border of the other pass lies above row row_count - (k + 1) x outlook_rows. V(c) is the most that a path can
// gain which crosses it behind c columns. Columns are taken in groups of outlook_columns; `outlook` has for each border
//
//   [group]           the highest V(c) - c x PAIR_FURTHER of all columns from the first of the group on
//   [groups + group]  the highest V(c) + c x (PAIR_HIGHEST + PAIR_FURTHER) of all columns up to its last
//   [2 x groups]      by how much the other pass is ahead of the path that is known
//
// Values that the other pass has skipped are too low; no path that can reach the best score leads through them. Each
// pass writes its own bounds (`said`, and which of them are complete, `told`), for no other kernel finds room by it;
// the host copies them to the other pass (`outlook`, and how many there are, `heard`).
#pragma once
#include "pair_pass.cuh"

PAIR_INLINE int outlook_groups(const Pass& pass) { return pass.column_count / pass.outlook_columns + 1; }

// The nearest border of the other pass that is known and below the band; null if there is none.
PAIR_INLINE const volatile long long* outlook_of(const Pass& pass, const Band& band, int heard) {
    if (!pass.outlook) return 0;
    const int number = min(heard, (pass.row_count - band.row - PAIR_BAND) / pass.outlook_rows) - 1;
    if (number < 0) return 0;
    return pass.outlook + (long long)number * (2 * outlook_groups(pass) + 1);
}

// How many borders of the other pass are known by now. The same for all lanes.
PAIR_INLINE int now_heard(const Pass& pass) {
    return pass.outlook ? __shfl_sync(FULL_WARP, *(const volatile int*)pass.heard, 0, 32) : 0;
}

// The most that can be gained from cells of a band behind `from` to `to` columns: h rows and d columns away no more
// than min(h, d) pairs, and no fewer gap residues than h and d differ by.
PAIR_INLINE long long most_to_gain(const Pass& pass, const Band& band, int from, int to, int heard) {
    const int rows = pass.row_count - band.row, columns = pass.column_count - from + pass.beyond;
    const long long alone = (long long)min(rows, columns) * PAIR_HIGHEST;
    const volatile long long* outlook = outlook_of(pass, band, heard);
    if (!outlook) return alone;
    const int number = min(heard, (rows - PAIR_BAND) / pass.outlook_rows);
    const long long high = rows - (long long)number * pass.outlook_rows, low = high - PAIR_BAND;
    const int groups = outlook_groups(pass);
    const long long near = (from + low) / pass.outlook_columns, far = (to + high) / pass.outlook_columns;
    long long most = min(high, (long long)columns) * PAIR_HIGHEST;
    if (near < groups) {
        most = max(most, (PAIR_HIGHEST + PAIR_FURTHER) * high + (long long)PAIR_FURTHER * to + outlook[near]);
    }
    const long long before = outlook[groups + min(far, (long long)groups - 1)];
    most = max(most, before - PAIR_FURTHER * low - (long long)(PAIR_HIGHEST + PAIR_FURTHER) * from);
    return min(most, alone);
}

// Write the bounds at the border of the block's band, which is saved, for the other pass. All threads of the block.
PAIR_INLINE void say_outlook(const Pass& pass, const Band& band) {
    const int groups = outlook_groups(pass), number = (band.number + 1) / pass.save_every - 1;
    const int threads = 32 * (PAIR_TIERS + 2);
    const long long rising = PAIR_HIGHEST + PAIR_FURTHER, low = -(1ll << 60);
    long long* const said = pass.said + (long long)number * (2 * groups + 1);
    meet();
    for (int group = threadIdx.x; group < groups; group += threads) {
        const int from = group * pass.outlook_columns, to = min(from + pass.outlook_columns, pass.column_count + 1);
        long long onward = low, back = low;
        for (int c = from; c < to; c++) {  // columns of the other pass before the crossing
            long long value = 0;
            if (c < pass.column_count) {
                const int2 kept = band.saved[pass.column_count - 1 - c];
                value = max(kept.x, kept.y) + PAIR_FIRST;
            }
            onward = max(onward, value - (long long)PAIR_FURTHER * c);
            back = max(back, value + rising * c);
        }
        said[group] = onward;
        said[groups + group] = back;
    }
    meet();
    if (threadIdx.x == 0) {
        for (int group = groups - 2; group >= 0; group--) said[group] = max(said[group], said[group + 1]);
        const int2 left = pass.said_left[number];
        said[2 * groups] = left.x < 0 ? 0 : max(band.saved[left.x].x + PAIR_FIRST - left.y, 0);
    } else if (threadIdx.x == 32) {
        for (int group = 1; group < groups; group++) {
            said[groups + group] = max(said[groups + group], said[groups + group - 1]);
        }
    }
    __threadfence();
    meet();
    if (threadIdx.x == 0) *(volatile int*)(pass.told + number) = 1;
}

// By how much the other pass is ahead of the known path.
PAIR_INLINE int known_gain(const Pass& pass, const Band& band) {
    if constexpr (PAIR_PRUNE) {
        const volatile long long* outlook =
            pass.outlook ? outlook_of(pass, band, *(const volatile int*)pass.heard) : 0;
        if (outlook) return (int)outlook[2 * outlook_groups(pass)];
    }
    return 0;
}
