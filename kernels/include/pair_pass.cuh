// One pass over a rectangle of the matrix, and one band of it.
#pragma once
#include "pair_flow.cuh"

struct Pass {
    const word* columns;
    int column_count;
    const int* rows;
    int row_count;
    const short* matrix;
    int left_lead, left_slope;
    const int2* left;
    int beyond;                     // columns of the matrix right of the pass
    int first_band;                 // number of the band that begins with row first_row
    int first_row;
    uint2 *even, *odd;
    int* reached;                   // per band: columns that lie written below it for certain
    int2* saved;
    long long saved_stride;
    int save_every;
    int2* right;
    int4* records;
    int* best;
    unsigned long long* progress;
    unsigned long long* found;
    int target;
    const int2* known_way;          // per band: column of its last row where a known path ends a pair, and the rest
    const long long* outlook;       // possible gain beyond borders of a pass from the other end
    const int* heard;               // how many of these there are by now, 0, the other pass's best score, 0
    int outlook_rows, outlook_columns;      // rows between two of them; columns that share a value
    long long* said;                // the same of this pass, for the other
    int* told;                      // per saved border: whether it is there
    const int2* said_left;          // per saved border: column where a known path crosses it (-1: none), and the rest
    const int *barred_start, *barred;
    int barred_row, barred_column, barred_step;
    const volatile int* cancel;
};

struct Band {
    int number;
    int row;                        // its first
    int last_tier, last_lane, last_half;    // whose border goes out below
    int blocks, whole;              // steps of the pass, and how many of them have all their columns
    const uint2* above;
    uint2* below;
    word tag_in, tag_out;
    int2* saved;
    int2 known_way;                 // column -1 if there is none
};

PAIR_INLINE Band band_of(const Pass& pass, int number) {
    Band band;
    band.number = number;
    band.row = pass.first_row + (number - pass.first_band) * PAIR_BAND;
    const int groups = (min(PAIR_BAND, pass.row_count - band.row) + PAIR_ROWS - 1) / PAIR_ROWS;
    band.last_tier = (groups - 1) / PAIR_LANES;
    band.last_lane = (groups - 1) % 32;
    band.last_half = (groups - 1) % PAIR_LANES / 32;
    band.blocks = (pass.column_count + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
    band.whole = pass.column_count / PAIR_COLUMNS;
    band.above = number % 2 ? pass.odd : pass.even;
    band.below = number % 2 ? pass.even : pass.odd;
    band.tag_in = (word)(number - 1) >> 1 & 1;
    band.tag_out = (word)number >> 1 & 1;
    band.saved = 0;
    if (pass.saved && (number + 1) % pass.save_every == 0) {
        band.saved = pass.saved + ((number + 1) / pass.save_every - 1) * pass.saved_stride;
    }
    band.known_way = make_int2(-1, 0);
    if (PAIR_TRACKS_BEST && pass.known_way) band.known_way = pass.known_way[number];
    return band;
}

// Steps that the last tier's border lies behind its first lane.
PAIR_INLINE int lag_of(const Band& band) { return band.last_half * 32 + band.last_lane; }

// G left of row i (from 0; -1: above the first row), and E of the first column. Rows of padding continue like the last
// one.
PAIR_INLINE int2 left_of(const Pass& pass, int i) {
    if (pass.left && i >= 0) return pass.left[min(i, pass.row_count - 1)];
    const int h = pass.left ? -pass.left_lead : i < 0 ? 0 : -(pass.left_lead + pass.left_slope * (i + 1));
    return make_int2(h - PAIR_FIRST, h - PAIR_FIRST);
}

PAIR_INLINE int warp_max(int value) {
    for (int distance = 16; distance; distance /= 2) {
        value = max(value, __shfl_sync(FULL_WARP, value, (int)(threadIdx.x % 32 ^ distance), 32));
    }
    return value;
}
