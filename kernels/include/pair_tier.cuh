// A tier of a band: its rows, the values left of them, and the best scores in them.
#pragma once
#include "pair_pass.cuh"

#define PAIR_TOP 0x7bff                              // no half is ever above

// One tier at work.
struct Tier {
    int lane;
    int number;                     // in its band
    int row;                        // its first
    int out_lane, lag;              // who writes the border below, and how many steps that is behind lane 0
    int base[PAIR_HALVES];          // of this lane's values
    int top[PAIR_HALVES];           // best score of this lane's rows, and the step in which it came first
    int top_step[PAIR_HALVES];
    int next_barred[PAIR_HALVES];   // no row of this lane is barred in a column before
    int known;                      // best score of all, as far as known
    bool noted;                     // a best score since the last report
    word limit;                     // sums above this are to be noted
    word alarm;                     // F below the last row is above this if a sum of its column may be
};

PAIR_INLINE int rows_from(const Tier& tier, int half) { return tier.row + (half * 32 + tier.lane) * PAIR_ROWS; }

PAIR_INLINE void load_rows(const Pass& pass, const Tier& tier, Prepared<false>& prepared, char* profile) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word selector = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int row = rows_from(tier, h) + i;
            // Padding rows take the sign of a byte that has none: a score of 0 as stored, never better than a gap.
            const word letter = 4 * h + (row < pass.row_count ? pass.rows[row] : 8);
            selector |= (letter | (letter | 8) << 4) << 8 * h;
        }
        prepared.selector[i] = selector;
    }
}

PAIR_INLINE void load_rows(const Pass& pass, const Tier& tier, Prepared<true>& prepared, char* profile) {
    __syncwarp();
    for (int at = tier.lane; at < PAIR_PROFILE_BYTES / 2; at += 32) {
        const int row_in_unit = at % 8, lane = at / 8 % 32, half = at / 256 % PAIR_HALVES;
        const int unit = at / (PAIR_UNIT_BYTES / 2) % PAIR_UNITS, letter = at / (PAIR_STRIDE / 2);
        const int i = unit * 8 + row_in_unit, row = tier.row + (half * 32 + lane) * PAIR_ROWS + i;
        int score = -PAIR_FIRST;
        if (i < PAIR_ROWS && row < pass.row_count) {
            score = max((int)pass.matrix[(size_t)pass.rows[row] * PAIR_LETTERS + letter], PAIR_WORST);
        }
        ((short*)profile)[at] = (short)(PAIR_WIDE ? max(score, -32768) : score + PAIR_FIRST);
    }
    __syncwarp();
}

// G of the row above each lane's first row, from the lane before; `first` above the very first row.
PAIR_INLINE word corner_of(const Tier& tier, const Cells& cells, int first) {
    const word before = __shfl_sync(FULL_WARP, cells.g[PAIR_ROWS - 1], (tier.lane + 31) % 32, 32);
    return tier.lane ? before : PAIR_WIDE ? (word)first : permute(before, (word)first, 0x1054);
}

// Everything left of the rows, as the task says.
PAIR_INLINE void open_cells(const Pass& pass, Tier& tier, Cells& cells, int base) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word g = 0, e = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int2 left = left_of(pass, rows_from(tier, h) + i);
            g |= in_half(left.x - base + PAIR_ZERO, h);
            e |= in_half(max(left.y - base + PAIR_ZERO, PAIR_FLOOR), h);
        }
        cells.g[i] = g;
        cells.e[i] = e;
    }
    cells.corner = corner_of(tier, cells, left_of(pass, tier.row - 1).x - base + PAIR_ZERO);
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) tier.base[h] = base;
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) cells.below_g[c] = cells.below_f[c] = PAIR_BOTH(PAIR_ZERO - PAIR_FIRST);
}

// Gaps lead through a skipped part: along every row from its last computed cell, down from the border
// above. These are true lower bounds of H, with differences bounded as everywhere else.
PAIR_INLINE int behind_skipped(const Shared& shared, int g, int row_in_band) {
    const int down = shared.above - PAIR_FIRST - PAIR_FURTHER * row_in_band;
    return max(max(g - PAIR_FURTHER * shared.skipped, down), 0);
}

PAIR_INLINE int behind_skipped(const Shared& shared, const Tier& tier, const Cells& cells, int h, int i) {
    const int row_in_band = tier.number * PAIR_TIER_ROWS + (h * 32 + tier.lane) * PAIR_ROWS + i;
    return behind_skipped(shared, half_of(cells.g[i], h) - PAIR_ZERO + tier.base[h], row_in_band);
}

PAIR_INLINE void reopen_cells(const Shared& shared, Tier& tier, Cells& cells, int base) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word g = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            g |= in_half(behind_skipped(shared, tier, cells, h, i) - PAIR_FIRST - base + PAIR_ZERO, h);
        }
        cells.g[i] = g;
        cells.e[i] = max2(g, PAIR_BOTH(PAIR_FLOOR));
    }
    int corner = shared.above;
    if (tier.number) {
        corner = behind_skipped(shared, shared.bottom[tier.number - 1] - PAIR_FIRST, tier.number * PAIR_TIER_ROWS - 1);
    }
    cells.corner = corner_of(tier, cells, corner - PAIR_FIRST - base + PAIR_ZERO);
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) tier.base[h] = base;
}

// Tell the feeder how high cells are, and that lane 0 is about to compute `step`.
PAIR_INLINE void tell_highest(Shared& shared, const Tier& tier, const Cells& cells, int step) {
    word highest = cells.g[0];
#pragma unroll
    for (int i = 1; i < PAIR_ROWS; i++) highest = max2(highest, cells.g[i]);
    int top = 0;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        top = max(top, half_of(highest, h) - PAIR_ZERO + PAIR_FIRST + tier.base[h]);
    }
    top = warp_max(top);
    // The older step with the newer height, if it comes to that, bounds just as well; not the other way round.
    if (tier.lane == 0) set(shared.highest[tier.number], top);
    tell(shared.looked[tier.number], step, tier.lane);
}

// Smallest diagonal sum of a noted cell: one that beats this lane's best and at least ties with the
// best known; or the target.
PAIR_INLINE void set_limit(const Pass& pass, Tier& tier) {
    word limit = 0, alarm = 0;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        const int below = max((PAIR_TRACK == 2 ? pass.target : tier.known) - 1, tier.top[h]) - tier.base[h] + PAIR_ZERO;
        const int fallen = below - PAIR_FIRST - PAIR_FURTHER * (PAIR_ROWS - 1);
        if (PAIR_WIDE) {
            limit = (word)below;
            alarm = (word)fallen;
        } else {
            limit |= (word)min(max(below, 0), PAIR_TOP) << 16 * h;
            alarm |= (word)min(max(fallen, 0), PAIR_TOP) << 16 * h;
        }
    }
    tier.limit = limit;
    tier.alarm = alarm;
}

// Sums of the step in which a half's best score came, while a batch is under way.
struct Noted {
    word d[PAIR_HALVES][PAIR_COLUMNS * PAIR_ROWS];
    bool any[PAIR_HALVES];
};

// Note a step in which a limit is passed; `own` is the step of the lane's lower half. No branch: along the best path
// there is such a step all the time.
PAIR_INLINE void note(Tier& tier, const Sums& sums, Noted& noted, int own) {
    const word best = highest_of(sums);
    const word* d = &sums.d[0][0];
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        const bool better = half_of(best, h) > half_of(tier.limit, h);
        tier.top[h] = better ? half_of(best, h) - PAIR_ZERO + tier.base[h] : tier.top[h];
        tier.top_step[h] = better ? own - 32 * h : tier.top_step[h];
        noted.any[h] = noted.any[h] || better;
#pragma unroll
        for (int k = 0; k < PAIR_COLUMNS * PAIR_ROWS; k++) noted.d[h][k] = better ? d[k] : noted.d[h][k];
    }
    tier.limit = max2(tier.limit, best);
}

PAIR_INLINE Noted nothing_noted() {
    Noted noted;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        noted.any[h] = false;
#pragma unroll
        for (int k = 0; k < PAIR_COLUMNS * PAIR_ROWS; k++) noted.d[h][k] = 0;
    }
    return noted;
}

// Keep the noted cell until the band is done.
PAIR_INLINE void capture(Tier& tier, const Noted& noted, word* captured) {
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        if (!noted.any[h]) continue;
        tier.noted = true;
#pragma unroll
        for (int k = 0; k < PAIR_COLUMNS * PAIR_ROWS; k++) {
            captured[(h * PAIR_COLUMNS * PAIR_ROWS + k) * 32 + tier.lane] = noted.d[h][k];
        }
    }
}

// Column and row of the pass in which a half's best score came first.
PAIR_INLINE int2 place_of_top(const Tier& tier, const word* captured, int h) {
    int best = 0, place = 0;
    for (int k = PAIR_COLUMNS * PAIR_ROWS - 1; k >= 0; k--) {
        const int sum = half_of(captured[(h * PAIR_COLUMNS * PAIR_ROWS + k) * 32 + tier.lane], h);
        if (sum >= best) best = sum, place = k;
    }
    return make_int2(tier.top_step[h] * PAIR_COLUMNS + place / PAIR_ROWS, rows_from(tier, h) + place % PAIR_ROWS);
}

// Columns [from, from + PAIR_COLUMNS) in which rows of this lane must not be aligned, and the first such column after
// them.
PAIR_INLINE void find_barred(const Pass& pass, Tier& tier, Care& care, int half, int from) {
    int next = pass.column_count;
    for (int i = 0; i < PAIR_ROWS; i++) {
        const int row = rows_from(tier, half) + i;
        if (row >= pass.row_count) break;
        const int own = pass.barred_row + row * pass.barred_step;
        for (int at = pass.barred_start[own]; at < pass.barred_start[own + 1]; at++) {
            const int column = (pass.barred[at] - pass.barred_column) * pass.barred_step;
            if (column < from) continue;
            if (column < from + PAIR_COLUMNS) {
#pragma unroll
                for (int c = 0; c < PAIR_COLUMNS; c++) {
                    if (column == from + c) care.barred[half][c] |= 1u << i;
                }
            } else {
                next = min(next, column);
            }
        }
    }
    tier.next_barred[half] = next;
}
