// One pair of long sequences: every cell of a rectangle of its score matrix, in memory for a few rows.
//
//                    columns (subject), PAIR_COLUMNS to a step
//                  ------------------------------------------------->
//   band 0   lane 0 lower half  [ step k    ]                          a band is PAIR_HALVES x 32 x PAIR_ROWS
//   (a warp) lane 1 lower half     [ step k-1  ]                       rows, one warp; what leaves a lane below
//            ...                        ...                            enters the next by shuffle
//            lane 0 upper half               [ step k-32 ]
//            ...                                   ...
//   band 1   (another warp)  <--- border: G and F of every column, through global memory, a batch at a time
//   ...
//
// Bands are handed out by an atomic counter, so a band waits only for one that is already being worked on:
// no standstill whatever the number of warps that run at once. Bands read one of two border arrays and write
// the other. A border word is (value << 1 | tag); the tag, (band >> 1) & 1, tells that it has been written since the
// band before last. That it is not from five bands ago follows from the lag of each band behind the one before, once
// the third band before this one has reported its first batch in `reached`; with pruning there need be no lag, and
// every chunk is reported to the next band.
//
// Values are 16 bits above a base, which every band chooses anew where the border above has drifted
// (PAIR_DOWN, PAIR_SLACK); a lane changes over when it reaches the chunk. So no score is too high for 16 bits.
//
// Pruning: a chunk whose every entrance, plus all that the rest of both sequences could add, stays below the
// best score so far is left out; what lies behind it begins with the gaps that lead through it. What ties with the
// best is never left out.
//
// Coordinates are those of the pass: row i is rows[i], column j is columns[j], both from 0. H left of row i is
// -(left_lead + left_slope x (i + 1)), and 0 above the first row. A block of columns of a wider matrix takes what
// lies left of it from `left`, and leaves the same behind its last column in `right`; -left_lead is then H above
// and left of its first cell, and `beyond` columns of the matrix lie right of it.
//
// Pointers: columns word[columns] (scores as bytes, or byte offsets into the profile); rows int[rows] (0..3, or row of the matrix); matrix short[][PAIR_LETTERS]; even, odd
// uint2[columns + 3]; reached int[bands], zeros before the first launch; saved int2[][saved_stride] (G, F) or null: the border below every save_every-th band;
// left, right int2[rows] or null: G of the last column before this pass, or of it, and E of the column behind that one;
// records int4[groups] (best score, column and row of the first cell that has it, 0) per PAIR_ROWS rows, of those that may be the best of all;
// counter int and best int: as the host set them; progress unsigned long long[2]: cells done, cells left out;
// found unsigned long long: smallest (column << 32 | row) with a diagonal sum of `target`; barred_start
// int[...], barred int[...]: per row of the query, ascending, the columns it must not be aligned with;
// the pass's row i and column j are query row barred_row + i x barred_step, subject column barred_column + j x
// barred_step. Grid: any number of blocks of 32 threads.
#include "include/pair_cell.cuh"

#define PAIR_BAND (PAIR_HALVES * 32 * PAIR_ROWS)
#define PAIR_LAG (PAIR_HALVES * 32)                  // half lanes of a band
#define PAIR_BATCH_STEPS (PAIR_BATCH / PAIR_COLUMNS)
#define PAIR_RING (128 * PAIR_COLUMNS)               // columns kept for the lanes behind the first
#define PAIR_REPORT (16 * PAIR_CHUNK)                // steps between two reports of progress
#define PAIR_TOP 0x7bff                              // no half is ever above

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
    const int *barred_start, *barred;
    int barred_row, barred_column, barred_step;
    const volatile int* cancel;
};

// G left of row i (from 0; -1: above the first row), and E of the first column. Rows of padding go on like the last one.
PAIR_INLINE int2 left_of(const Pass& pass, int i) {
    if (pass.left && i >= 0) return pass.left[min(i, pass.row_count - 1)];
    const int h = pass.left ? -pass.left_lead : i < 0 ? 0 : -(pass.left_lead + pass.left_slope * (i + 1));
    return make_int2(h - PAIR_FIRST, h - PAIR_FIRST);
}

// The base under which a chunk is computed whose first cell above is `top`; the old one while it will do.
PAIR_INLINE int choose_base(int top, int old, bool fresh) {
#if PAIR_BITS == 32
    return 0;
#else
    const int ideal = top - PAIR_DOWN;
    if (!fresh && ideal - old >= 0 && ideal - old <= PAIR_SLACK) return old;
    if (PAIR_LOCAL && ideal <= PAIR_SLACK) return 0;
    return ideal - PAIR_SLACK / 2;
#endif
}

// One band at work; everything here is in registers.
struct Band {
    int lane;
    int number;
    int row;                        // first row of the band
    int last_lane, last_half;       // whose border goes out below
    int blocks, whole;              // steps of the pass, and how many of them have all their columns
    const uint2* above;
    uint2* below;
    word tag_in, tag_out;
    int2* saved;
    int base[PAIR_HALVES];          // of what this lane computes
    int top[PAIR_HALVES];           // best score of this lane's rows, and the first cell that has it
    int top_column[PAIR_HALVES], top_row[PAIR_HALVES];
    int next_barred[PAIR_HALVES];   // no row of this lane is barred in a column before
};

PAIR_INLINE int rows_from(const Pass& pass, const Band& band, int half) {
    return band.row + (half * 32 + band.lane) * PAIR_ROWS;
}

PAIR_INLINE void load_rows(const Pass& pass, const Band& band, Cells& cells, char* profile) {
#if PAIR_SCORES == 0
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word selector = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int row = rows_from(pass, band, h) + i;
            // Padding rows take the sign of a byte that has none: a score of 0 as stored, never better than a gap.
            const word letter = 4 * h + (row < pass.row_count ? pass.rows[row] : 8);
            selector |= (letter | (letter | 8) << 4) << 8 * h;
        }
        cells.selector[i] = selector;
    }
#else
    __syncwarp();
    for (int at = band.lane; at < PAIR_PROFILE_BYTES / 2; at += 32) {
        const int row_in_unit = at % 8, lane = at / 8 % 32, half = at / 256 % PAIR_HALVES;
        const int unit = at / (PAIR_UNIT_BYTES / 2) % PAIR_UNITS, letter = at / (PAIR_STRIDE / 2);
        const int i = unit * 8 + row_in_unit, row = band.row + (half * 32 + lane) * PAIR_ROWS + i;
        int score = -PAIR_FIRST;
        if (i < PAIR_ROWS && row < pass.row_count) {
            score = max((int)pass.matrix[(size_t)pass.rows[row] * PAIR_LETTERS + letter], PAIR_WORST);
        }
        ((short*)profile)[at] = (short)(PAIR_BITS == 32 ? max(score, -32768) : score + PAIR_FIRST);
    }
    __syncwarp();
#endif
}

// G of the row above each lane's first row, from the lane before; `first` above the very first row.
PAIR_INLINE word corner_of(const Band& band, const Cells& cells, int first) {
    const word before = __shfl_sync(FULL_WARP, cells.g[PAIR_ROWS - 1], (band.lane + 31) % 32, 32);
#if PAIR_HALVES == 2
    return band.lane ? before : permute(before, (word)first, 0x1054);
#else
    return band.lane ? before : (word)first;
#endif
}

// Everything left of the rows, as the task says.
PAIR_INLINE void open_cells(const Pass& pass, Band& band, Cells& cells, int base) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word g = 0, e = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int2 left = left_of(pass, rows_from(pass, band, h) + i);
            g |= in_half(left.x - base + PAIR_ZERO, h);
            e |= in_half(max(left.y - base + PAIR_ZERO, PAIR_FLOOR), h);
        }
        cells.g[i] = g;
        cells.e[i] = e;
    }
    cells.corner = corner_of(band, cells, left_of(pass, band.row - 1).x - base + PAIR_ZERO);
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) band.base[h] = base;
}

#if PAIR_PRUNE
// What was left out leaves gaps behind: along every row from where it was computed last, down from the border
// above. These are true lower bounds of H, and what they differ by is bounded as everywhere else.
PAIR_INLINE int behind_skipped(const Band& band, const Cells& cells, int h, int i, int skipped, int above) {
    const int along = half_of(cells.g[i], h) - PAIR_ZERO + band.base[h] - PAIR_FURTHER * skipped;
    const int down = above - PAIR_FIRST - PAIR_FURTHER * ((h * 32 + band.lane) * PAIR_ROWS + i);
    return max(max(along, down), 0);
}

PAIR_INLINE void reopen_cells(Band& band, Cells& cells, int base, int skipped, int above) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        word g = 0;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            g |= in_half(behind_skipped(band, cells, h, i, skipped, above) - PAIR_FIRST - base + PAIR_ZERO, h);
        }
        cells.g[i] = g;
        cells.e[i] = max2(g, PAIR_BOTH(PAIR_FLOOR));
    }
    cells.corner = corner_of(band, cells, above - PAIR_FIRST - base + PAIR_ZERO);
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) band.base[h] = base;
}
#endif

#if PAIR_TRACK
// From which diagonal sums on a cell is to be noted: one that beats this lane's best and at least ties with the
// best known; or what is looked for.
PAIR_INLINE void set_limit(const Pass& pass, const Band& band, Cells& cells, int known) {
    word limit = 0;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        const int below = PAIR_TRACK == 2 ? pass.target - 1 : max(known - 1, band.top[h]);
        if (PAIR_BITS == 32) limit = (word)below;
        else limit |= (word)min(max(below - band.base[h] + PAIR_ZERO, 0), PAIR_TOP) << 16 * h;
    }
    cells.limit = limit;
}
#endif

#if PAIR_TRACK == 1
// Tell the others of a new best score. Returns the best score known, the same in all lanes.
PAIR_INLINE int share_best(const Pass& pass, const Band& band, int known) {
    int mine = band.top[0];
#pragma unroll
    for (int h = 1; h < PAIR_HALVES; h++) mine = max(mine, band.top[h]);
    if (mine > known) atomicMax(pass.best, mine);
    const int elsewhere = *(const volatile int*)pass.best;
    return __shfl_sync(FULL_WARP, max(known, elsewhere), 0, 32);
}
#endif

PAIR_INLINE int warp_max(int value) {
    for (int distance = 16; distance; distance /= 2) {
        value = max(value, __shfl_sync(FULL_WARP, value, (int)(threadIdx.x ^ distance), 32));
    }
    return value;
}

// Columns [from, to) in which rows of this lane must not be aligned, and the first such column after them.
PAIR_INLINE void find_barred(const Pass& pass, Band& band, Care& care, int half, int from) {
    int next = pass.column_count;
    for (int i = 0; i < PAIR_ROWS; i++) {
        const int row = rows_from(pass, band, half) + i;
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
    band.next_barred[half] = next;
}

// Wait until all lanes' columns of the border above have been written. False if cancelled.
PAIR_INLINE bool await_border(const Pass& pass, const Band& band, uint2& read, int column, bool wants) {
    for (unsigned asked = 1;; asked++) {
        const bool there = !wants || !(((read.x ^ band.tag_in) | (read.y ^ band.tag_in)) & 1);
        if (__all_sync(FULL_WARP, there)) return true;
        if (!there) read = read_border(band.above + column);
        if (asked % 1024 == 0 && __any_sync(FULL_WARP, *pass.cancel)) return false;
    }
}

// Say that the border below is written up to a column.
PAIR_INLINE void publish(const Pass& pass, const Band& band, int column) {
    __threadfence();
    __syncwarp();
    if (band.lane == 0) *(volatile int*)(pass.reached + band.number) = column;
}

// Wait until the border below a band before this one is written up to a column. False if cancelled.
// Bands that are far from their turn must not keep the memory busy with asking.
PAIR_INLINE bool await_reached(const Pass& pass, int number, int column) {
    if (number < 0) return true;
    while (__any_sync(FULL_WARP, *(volatile int*)(pass.reached + number) < column)) {
        if (__any_sync(FULL_WARP, *pass.cancel)) return false;
        __nanosleep(500);
    }
    __threadfence();
    return true;
}

// What is known of chunks left out in one go.
struct Skipped {
    int columns;                    // how many so far
    int bottom;                     // H of the last row before them
    int above;                      // H above the last of them
};

#if PAIR_PRUNE
// The border above a chunk: its highest H, 0 if none is above that, and its last. Waits for it; -1 if cancelled.
PAIR_INLINE int chunk_top(const Pass& pass, const Band& band, int block, int& last) {
    int top = 0, own = 0;
    const int from = block * PAIR_COLUMNS, to = min(from + PAIR_CHUNK * PAIR_COLUMNS, pass.column_count);
    if (!await_reached(pass, band.number - 1, to)) return -1;
    for (int column = from + band.lane; column < to; column += 32) {
        own = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        top = max(top, own);
    }
    last = __shfl_sync(FULL_WARP, own, (to - 1 - from) % 32, 32);
    return warp_max(top);
}

// Leave out a chunk: below it lie the gaps that run along the last row and down from above.
PAIR_INLINE void skip_chunk(const Pass& pass, const Band& band, int block, Skipped& skipped, int last) {
    const int from = block * PAIR_COLUMNS, to = min(from + PAIR_CHUNK * PAIR_COLUMNS, pass.column_count);
    for (int column = from + band.lane; column < to; column += 32) {
        const int above = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        const int along = skipped.bottom - PAIR_FIRST - PAIR_FURTHER * (skipped.columns + column - from);
        const int g = max(max(along, above - PAIR_FIRST - PAIR_FURTHER * (PAIR_BAND - 1)), 0) - PAIR_FIRST;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)g << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, g);
    }
    skipped.columns += to - from;
    skipped.above = last;
    publish(pass, band, to);
    if (band.lane == 0) {
        const int blocks = (to - from + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
        atomicAdd(pass.progress + 1, (unsigned long long)blocks * (PAIR_COLUMNS * PAIR_BAND));
    }
}

// Whether nothing that passes through the band from this chunk's left edge on can reach `best`.
// `highest` bounds H at every entrance, but for values on their way from one lane to the next, or in the corner: a gap
// of at most a step leads from each of them to one that was looked at.
PAIR_INLINE bool cannot_reach(const Pass& pass, const Band& band, int block, int highest, int best) {
    const int columns = pass.column_count - (block - PAIR_LAG) * PAIR_COLUMNS + pass.beyond;
    const long long left = (long long)min(pass.row_count - band.row, columns) * PAIR_HIGHEST;
    return highest + PAIR_FIRST + PAIR_FURTHER * (PAIR_COLUMNS - 1) + left < best;
}

PAIR_INLINE int cells_top(const Band& band, const Cells& cells) {
    word highest = cells.g[0];
#pragma unroll
    for (int i = 1; i < PAIR_ROWS; i++) highest = max2(highest, cells.g[i]);
    int top = 0;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        top = max(top, half_of(highest, h) - PAIR_ZERO + PAIR_FIRST + band.base[h]);
    }
    return warp_max(top);
}

// H of the band's last row, where it was computed last.
PAIR_INLINE int bottom_of(const Band& band, const Cells& cells) {
    const int h = half_of(cells.g[PAIR_ROWS - 1], PAIR_HALVES - 1) + band.base[PAIR_HALVES - 1] - PAIR_ZERO + PAIR_FIRST;
    return __shfl_sync(FULL_WARP, h, 31, 32);
}
#endif

// One half's columns of a step, from the ring they were read into ahead of the first lane.
PAIR_INLINE void take_columns(Step& step, const word* ring, int half, int block, int lane) {
    const word* place = ring + ((block * PAIR_COLUMNS) & (PAIR_RING - 1));
#if PAIR_COLUMNS == 4
    const uint4 read = *(const uint4*)place;
    step.column[half][0] = read.x, step.column[half][1] = read.y;
    step.column[half][2] = read.z, step.column[half][3] = read.w;
#elif PAIR_COLUMNS == 2
    const uint2 read = *(const uint2*)place;
    step.column[half][0] = read.x, step.column[half][1] = read.y;
#else
    step.column[half][0] = *place;
#endif
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) step.column[half][c] += PAIR_SCORES ? lane * 16 : 0;
}

// G and F above a step's columns: from the lane before; in the first lane from the border above, and for the
// upper half from the last lane's lower half.
PAIR_INLINE void take_above(Step& step, const uint2* top, int lane, word take) {
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
        const uint2 fetched = top[c];
        step.g[c] = __shfl_sync(FULL_WARP, step.g[c], (lane + 31) % 32, 32);
        step.f[c] = __shfl_sync(FULL_WARP, step.f[c], (lane + 31) % 32, 32);
#if PAIR_HALVES == 2
        step.g[c] = permute(step.g[c], fetched.x, take);
        step.f[c] = permute(step.f[c], fetched.y, take);
#else
        if (lane == 0) step.g[c] = fetched.x, step.f[c] = fetched.y;
#endif
    }
}

PAIR_INLINE void put_below(const Step& step, uint2* out, bool last_lane) {
    if (!last_lane) return;
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) out[c] = make_uint2(step.g[c], step.f[c]);
}

// Write a batch of the border below, up to step start + done.
PAIR_INLINE void flush_below(const Pass& pass, const Band& band, const uint2* out, int start, int done, bool last) {
    const int from = (start + done) / PAIR_BATCH_STEPS * PAIR_BATCH, column = from + band.lane;
    const int written = start + done + 1;
    int under = band.base[0];
#if PAIR_HALVES == 2
    if (band.last_half) under = band.base[1];
#endif
    under = __shfl_sync(FULL_WARP, under, band.last_lane, 32) - PAIR_ZERO;
    __syncwarp();
    if (band.lane < PAIR_BATCH && column < min(written * PAIR_COLUMNS, pass.column_count)) {
        const uint2 both = out[band.lane];
        const int g = half_of(both.x, band.last_half) + under, f = half_of(both.y, band.last_half) + under;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)f << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, f);
    }
    __syncwarp();
    if (PAIR_PRUNE ? written % PAIR_CHUNK == 0 || last : from == 0) {
        publish(pass, band, min(written * PAIR_COLUMNS, pass.column_count));
    }
}

// Compute the band from step `start` on, to the end or to where the rest of it can be left out.
// Returns the step that comes next; -1 if cancelled.
PAIR_INLINE int run_segment(const Pass& pass, Band& band, Cells& cells, const char* profile, uint2* top, uint2* out, word* ring,
                            const int start, int& known, const Skipped& skipped) {
    const int lane = band.lane, lag = band.last_half * 32 + band.last_lane;
    const word take = lane ? 0x3210 : 0x1054;  // lane 0: lower half from above, upper half from the last lane
    int end = band.blocks, event = -PAIR_LAG, change = 0, base = 0, reported = start;
    Step step;
    Care care;
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) step.g[c] = step.f[c] = 0;
    const bool loads = lane < PAIR_BATCH;
    int column = start * PAIR_COLUMNS + lane;
    uint2 ahead = make_uint2(0, 0);
    word column_ahead = 0;
    if (loads && column < pass.column_count) {
        ahead = read_border(band.above + column);
        column_ahead = __ldg(pass.columns + column);
    }

    for (int t = 0;; t++) {
        const int block = start + t;
        if (t % PAIR_CHUNK == 0 && block < end && t > 0) {
#if PAIR_TRACK == 1
            known = share_best(pass, band, known);
            set_limit(pass, band, cells, known);
#endif
            if (__any_sync(FULL_WARP, *pass.cancel)) return -1;
            if (block - reported >= PAIR_REPORT) {
                if (lane == 0) {
                    atomicAdd(pass.progress, (unsigned long long)(block - reported) * (PAIR_COLUMNS * PAIR_BAND));
                }
                reported = block;
            }
#if PAIR_PRUNE
            int ignored;
            const int highest = chunk_top(pass, band, block, ignored);
            if (highest < 0) return -1;
            if (loads && column < pass.column_count) ahead = read_border(band.above + column);
            if (cannot_reach(pass, band, block, max(highest, cells_top(band, cells)), known)) {
                end = block;
                if (lag == 0) break;  // all that comes before is written
            }
#endif
        }
        if (t % PAIR_BATCH_STEPS == 0 && block < end) {
            const bool wants = loads && column < pass.column_count;
            if (!await_border(pass, band, ahead, column, wants)) return -1;
            const int g = (int)ahead.x >> 1, f = (int)ahead.y >> 1;
            if (t % PAIR_CHUNK == 0) {
                const int first = __shfl_sync(FULL_WARP, g, 0, 32) + PAIR_FIRST;
                const int chosen = choose_base(first, base, t == 0);
                if (t == 0) {
#if PAIR_PRUNE
                    if (start) reopen_cells(band, cells, chosen, skipped.columns, skipped.above);
#else
                    open_cells(pass, band, cells, chosen);
#endif
#if PAIR_TRACK
                    set_limit(pass, band, cells, known);
#endif
                } else if (chosen != base) {
                    event = t;
                    change = chosen - base;
                }
                base = chosen;
            }
            __syncwarp();
            if (loads) {
                top[lane] = make_uint2((word)(g - base + PAIR_ZERO), (word)(f - base + PAIR_ZERO));
                ring[column & (PAIR_RING - 1)] = column_ahead;
            }
            __syncwarp();
            column += PAIR_BATCH;
            column_ahead = 0;
            if (loads && column < pass.column_count) {
                ahead = read_border(band.above + column);
                column_ahead = __ldg(pass.columns + column);
            }
        }

        const auto note = [&](int half, int c, int i, int value) {
            const int at = (start + t - lane - 32 * half) * PAIR_COLUMNS + c, row = rows_from(pass, band, half) + i;
            const int score = value - PAIR_ZERO + band.base[half];
#if PAIR_TRACK == 1
            band.top[half] = score;
            band.top_column[half] = at;
            band.top_row[half] = row;
            set_limit(pass, band, cells, known);
#elif PAIR_TRACK == 2
            if (score == pass.target && row < pass.row_count) {
                atomicMin(pass.found, (unsigned long long)at << 32 | (unsigned)row);
            }
#endif
        };

        // A whole batch without anything to be careful about.
        bool smooth = t % PAIR_BATCH_STEPS == 0 && t >= max(PAIR_LAG, event + PAIR_LAG) &&
                      block + PAIR_BATCH_STEPS < min(end, band.whole);
#if PAIR_BARRED
        bool near = false;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            near = near || (block - lane - 32 * h + PAIR_BATCH_STEPS) * PAIR_COLUMNS > band.next_barred[h];
        }
        smooth = smooth && !__any_sync(FULL_WARP, near);
#endif
        if (smooth) {
            const int flushes = (lag - 1 - t) & (PAIR_BATCH_STEPS - 1);
#pragma unroll 1
            for (int s = 0; s < PAIR_BATCH_STEPS; s++) {
#pragma unroll
                for (int h = 0; h < PAIR_HALVES; h++) take_columns(step, ring, h, start + t - lane - 32 * h, lane);
                take_above(step, top + s * PAIR_COLUMNS, lane, take);
                advance<false>(cells, step, profile, care, note);
                put_below(step, out + ((t - lag) & (PAIR_BATCH_STEPS - 1)) * PAIR_COLUMNS, lane == band.last_lane);
                if (s == flushes) flush_below(pass, band, out, start, t - lag, false);
                t++;
            }
            t--;
            continue;
        }

        // One step with care. Where there are no columns any letter will do.
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int own = block - lane - 32 * h;
            take_columns(step, ring, h, own >= start && own < end ? own : start, lane);
        }
        take_above(step, top + t % PAIR_BATCH_STEPS * PAIR_COLUMNS, lane, take);

#if PAIR_BITS == 16
        if (t < event + PAIR_LAG) {
#pragma unroll
            for (int h = 0; h < PAIR_HALVES; h++) {
                if (lane + 32 * h != t - event) continue;
                band.base[h] += change;
#if PAIR_TRACK
                set_limit(pass, band, cells, known);
#endif
                const word less = in_half(change, h);
                cells.corner -= less;
#pragma unroll
                for (int i = 0; i < PAIR_ROWS; i++) {
                    cells.g[i] -= less;
                    cells.e[i] -= less;
                }
            }
        }
#endif

#pragma unroll
        for (int c = 0; c < PAIR_COLUMNS; c++) {
            care.on[c] = 0;
#pragma unroll
            for (int h = 0; h < PAIR_HALVES; h++) {
                const int own = block - lane - 32 * h;
                const bool on = own >= start && own < end && own * PAIR_COLUMNS + c < pass.column_count;
                if (on) care.on[c] |= PAIR_BITS == 32 ? 0xffffffffu : 0xffffu << 16 * h;
                care.barred[h][c] = 0;
            }
        }
#if PAIR_BARRED
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) {
            const int own = block - lane - 32 * h;
            if (own >= start && own < end && (own + 1) * PAIR_COLUMNS > band.next_barred[h]) {
                find_barred(pass, band, care, h, own * PAIR_COLUMNS);
            }
        }
#endif
        advance<true>(cells, step, profile, care, note);

        // What lies below the last row that counts, a batch at a time.
        const int done = t - lag;
        put_below(step, out + (done & (PAIR_BATCH_STEPS - 1)) * PAIR_COLUMNS, lane == band.last_lane);
        const bool last = start + done + 1 == end;
        if (done >= 0 && ((done + 1) % PAIR_BATCH_STEPS == 0 || last)) flush_below(pass, band, out, start, done, last);
        if (last) break;
    }
#if PAIR_TRACK == 1
    known = share_best(pass, band, known);
#endif
    if (lane == 0 && end > reported) {
        atomicAdd(pass.progress, (unsigned long long)(end - reported) * (PAIR_COLUMNS * PAIR_BAND));
    }
    return end;
}

// One band from its first column to its last. False if cancelled.
PAIR_INLINE bool run_band(const Pass& pass, int number, char* profile, uint2* top, uint2* out, word* ring) {
    Band band;
    band.lane = threadIdx.x;
    band.number = number;
    band.row = pass.first_row + (number - pass.first_band) * PAIR_BAND;
    const int groups = (min(PAIR_BAND, pass.row_count - band.row) + PAIR_ROWS - 1) / PAIR_ROWS;
    band.last_lane = (groups - 1) % 32;
    band.last_half = (groups - 1) / 32;
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
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        band.top[h] = band.top_column[h] = band.top_row[h] = band.next_barred[h] = band.base[h] = 0;
    }
    Cells cells;
    load_rows(pass, band, cells, profile);
    int known = 0;
#if PAIR_TRACK == 1
    known = share_best(pass, band, known);
#endif
    if (!await_reached(pass, number - 3, 1)) return false;
    Skipped skipped = {0, 0, 0};
    for (int block = 0; block < band.blocks;) {
#if PAIR_PRUNE
        int last;
        int highest = chunk_top(pass, band, block, last);
        if (highest < 0) return false;
        if (block == 0) {
            const int first = ((int)read_border(band.above).x >> 1) + PAIR_FIRST;
            open_cells(pass, band, cells, choose_base(first, 0, true));
            skipped.bottom = bottom_of(band, cells);
            highest = max(highest, max(left_of(pass, band.row - 1).x + PAIR_FIRST, cells_top(band, cells)));
        }
        if (cannot_reach(pass, band, block + PAIR_LAG, highest, known)) {
            skip_chunk(pass, band, block, skipped, last);
            block = min(block + PAIR_CHUNK, band.blocks);
            continue;
        }
#endif
        block = run_segment(pass, band, cells, profile, top, out, ring, block, known, skipped);
        if (block < 0) return false;
#if PAIR_PRUNE
        skipped.columns = 0;
        skipped.bottom = bottom_of(band, cells);
#endif
    }
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        const int group = (band.row - pass.first_row) / PAIR_ROWS + h * 32 + band.lane;
#if PAIR_TRACK == 1
        if (rows_from(pass, band, h) < pass.row_count) {
            pass.records[group] = make_int4(band.top[h], band.top_column[h], band.top_row[h], 0);
        }
#endif
        if (pass.right) {
#pragma unroll
            for (int i = 0; i < PAIR_ROWS; i++) {
                const int row = rows_from(pass, band, h) + i;
                if (row >= pass.row_count) break;
                const int to_score = band.base[h] - PAIR_ZERO;
                int2 right = make_int2(half_of(cells.g[i], h) + to_score, half_of(cells.e[i], h) + to_score);
#if PAIR_PRUNE
                if (skipped.columns) {
                    right.x = behind_skipped(band, cells, h, i, skipped.columns, skipped.above) - PAIR_FIRST;
                    right.y = right.x;
                }
#endif
                pass.right[row] = right;
            }
        }
    }
    return true;
}

extern "C" __global__ void __launch_bounds__(32, PAIR_MIN_BLOCKS)
pair_wavefront(const word* columns, int column_count, const int* rows, int row_count, const short* matrix,
               int left_lead, int left_slope, const int2* left, int beyond, int first_band, int last_band, int first_row,
               uint2* even, uint2* odd, int* reached, int2* saved, long long saved_stride, int save_every, int2* right,
               int4* records, int* counter, int* best, unsigned long long* progress, unsigned long long* found, int target,
               const int* barred_start, const int* barred, int barred_row, int barred_column, int barred_step, const int* cancel) {
    DYN_SHARED(uint4, shared);
    char* profile = (char*)shared;
    uint2* top = (uint2*)(profile + PAIR_PROFILE_BYTES);
    uint2* out = top + 32;
    word* ring = (word*)(out + 32);
    const Pass pass = {columns, column_count, rows, row_count, matrix, left_lead, left_slope, left, beyond,
                       first_band, first_row, even, odd, reached, saved, saved_stride, save_every, right, records, best,
                       progress, found, target, barred_start, barred, barred_row, barred_column, barred_step,
                       cancel};
    while (true) {
        int band = 0;
        if (threadIdx.x == 0) band = atomicAdd(counter, 1);
        band = __shfl_sync(FULL_WARP, band, 0, 32);
        if (band >= last_band) return;
        if (!run_band(pass, band, profile, top, out, ring)) return;
    }
}
