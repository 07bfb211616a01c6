// One pair of long sequences: every cell of a rectangle of its score matrix, in memory for a few rows.
//
//                    columns (subject), PAIR_COLUMNS to a step
//                  ------------------------------------------------->
//   band 0   tier 0  lane 0 lower half  [ step k    ]                 a tier is PAIR_HALVES x 32 x PAIR_ROWS rows,
//   (a block)        lane 1 lower half     [ step k-1  ]              one warp; what leaves a lane below enters the
//                    ...                        ...                   next by shuffle
//                    lane 0 upper half               [ step k-32 ]
//                    ...                                   ...
//            tier 1  (another warp)  <--- link: a ring in shared memory
//            ...
//   band 1   (another block) <--- border: G and F of every column, through global memory, a batch at a time
//   ...
//
// Besides the tiers a block has a warp that carries borders (include/pair_borders.cuh), so that no computing warp ever
// waits for global memory. Bands are handed out by an atomic counter, so a band waits only for one that is already
// being worked on: no standstill whatever the number of blocks that run at once.
//
// Bands read one of two border arrays and write the other. A border word is (value << 1 | tag); the tag, (band >> 1) &
// 1, tells that it has been written since the band before last. That it is not from five bands ago follows from the lag
// of each band behind the one before, once the third band before this one has reported its first batch in `reached`;
// with pruning there need be no lag, and every chunk is reported to the next band.
//
// Values are 16 bits above a base, which every band chooses again where the border above has drifted
// (PAIR_DOWN, PAIR_SLACK); a lane changes over when it reaches the chunk. So no score is too high for 16 bits.
//
// Most batches run without any check: the values that leave the last row below show whether one of their cells beats
// the best score, for F has fallen by a few gap residues at most. Such a batch is run once more, noting the sums of the
// steps that do. Where there are no columns, before the first and behind the last, letters that score nothing leave H
// at 0; only where there is no 0 to stay at are lanes switched on and off.
//
// Pruning: a chunk whose every entrance, plus all that the rest of both sequences could add, stays below the
// best score so far is left out (include/pair_outlook.cuh bounds the rest); the chunks behind it begin with the gaps
// that lead through it. A chunk that may tie with the best is never left out.
//
// Coordinates are those of the pass: row i is rows[i], column j is columns[j], both from 0. H left of row i is
// -(left_lead + left_slope x (i + 1)), and 0 above the first row. A block of columns of a wider matrix reads the
// values left of it from `left`, and writes those of its last column to `right`; -left_lead is then H above
// and left of its first cell, and `beyond` columns of the matrix lie right of it.
//
// Pointers: columns word[columns] (scores as bytes, or byte offsets into the profile); rows int[rows] (0..3, or row of
// the matrix); matrix short[][PAIR_LETTERS]; even, odd uint2[columns + 3]; reached int[bands], zeros before the first
// launch; saved int2[][saved_stride] (G, F) or null: the border below every save_every-th band; left, right int2[rows]
// or null: G of the last column before this pass, or of it, and E of the column behind that one; records int4[groups]
// (best score, column and row of the first cell that has it, 0) per PAIR_ROWS rows, of those that may be the best of
// all; counter int and best int: as the host set them; progress unsigned long long[2]: cells done, cells left out;
// known_way int2[bands] or null; outlook long long[], heard int[4], said long long[], told int[], said_left int2[], or
// all null: messages between this pass and one from the other end while they run (include/pair_outlook.cuh);
// found unsigned long long: smallest (column << 32 | row) with a diagonal sum of `target`; barred_start int[...],
// barred int[...]: per row of the query, ascending, the columns it must not be aligned with; the pass's row i and
// column j are query row barred_row + i x barred_step, subject column barred_column + j x barred_step. Grid: any number
// of blocks of PAIR_TIERS + 2 warps.
#include "include/pair_borders.cuh"
#include "include/pair_tier.cuh"

// Place of a batch, and its work.
struct Batch {
    int start, end;                 // of the segment
    int step;                       // its first, of lane 0
    int event, change;              // step in which lane 0 gets a new base, and how much higher that is
    const uint2* in;                // link above, from the batch's second step on; the first may lie elsewhere
    const uint2* in_first;
    uint2* out;
    bool writes;                    // whether this lane writes the link below
    word take;                      // input of lane 0 from the link
};

// Steps of the segment that are written below, up to whole batches.
PAIR_INLINE int out_end(const Batch& batch) {
    return batch.start + (batch.end - batch.start + PAIR_STEPS - 1) / PAIR_STEPS * PAIR_STEPS;
}

// Whether the link above has a batch, and the link below room for it. The same for all lanes.
PAIR_INLINE bool is_ready(const Shared& shared, const Tier& tier, const Batch& batch, int step) {
    const int written = look_at(shared.written[tier.number]), taken = look_at(shared.taken[tier.number + 1]);
    const bool there = written >= step + PAIR_STEPS || step >= batch.end;
    const bool room = step - tier.lag + PAIR_STEPS - taken <= PAIR_LINK || step - tier.lag >= out_end(batch);
    return __all_sync(FULL_WARP, there && room);
}

// Wait for that. False if cancelled.
PAIR_INLINE bool await_batch(const Shared& shared, const Tier& tier, Batch& batch) {
    while (!is_ready(shared, tier, batch, batch.step)) {
        if (has_come(shared.stopped, 1)) return false;
        if (PAIR_PRUNE) batch.end = __shfl_sync(FULL_WARP, look_at(shared.end), 0, 32);
    }
    return true;
}

PAIR_INLINE Letters letters_at(const Shared& shared, const Tier& tier, int step) {
    Letters letters;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) read_columns(letters.half[h], letters_of(shared, step - tier.lane - 32 * h));
    return letters;
}

// The same where lanes may be outside the segment: there letters score nothing, as behind the last column.
PAIR_INLINE Letters letters_within(const Shared& shared, const Tier& tier, const Batch& batch, int step) {
    Letters letters = letters_at(shared, tier, step);
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        const int own = step - tier.lane - 32 * h;
        if (own >= batch.start && own < batch.end) continue;
#pragma unroll
        for (int c = 0; c < PAIR_COLUMNS; c++) letters.half[h][c] = 0;
    }
    return letters;
}

// A batch in which nothing needs care. NOTES: best scores are noted. Returns the highest F below the last row; asks on
// the way whether the next input is ready.
template <bool NOTES>
PAIR_INLINE word run_fast(Shared& shared, Tier& tier, Cells& cells, const char* profile, word* captured, Batch& batch,
                          bool& ready) {
    const word* places[PAIR_HALVES];
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) places[h] = letters_of(shared, batch.step - tier.lane - 32 * h);
    word highest = PAIR_TRACKS ? tier.alarm : 0;
    Sums sums;
    const Care care = {};
    Noted noted;
    if constexpr (NOTES) noted = nothing_noted();
#pragma unroll(NOTES ? 2 : PAIR_STEPS)
    for (int s = 0; s < PAIR_STEPS; s++) {
        Letters next;
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) read_columns(next.half[h], places[h] + (s + 1) * PAIR_COLUMNS);
        const Above above = take_above(cells, s ? batch.in + s * PAIR_COLUMNS : batch.in_first, tier.lane, batch.take);
        advance<false>(cells, above, profile, care, sums);
        if constexpr (NOTES) note(tier, sums, noted, batch.step + s - tier.lane);
        if (batch.writes) write_below(batch.out + s * PAIR_COLUMNS, cells);
        prepare(cells.prepared, next, tier.lane);
        if (s == PAIR_STEPS - 2) ready = is_ready(shared, tier, batch, batch.step + PAIR_STEPS);
        if constexpr (PAIR_TRACKS && PAIR_COLUMNS == 1) {
            highest = max2(highest, cells.below_f[0]);
        } else if constexpr (PAIR_TRACKS) {
#pragma unroll
            for (int c = 0; c < PAIR_COLUMNS; c += 2) highest = max3(highest, cells.below_f[c], cells.below_f[c + 1]);
        }
    }
    if constexpr (NOTES) capture(tier, noted, captured);
    return highest;
}

// A batch with everything: best scores noted, a new base, barred cells, lanes that have not begun or have ended.
PAIR_INLINE void run_with_care(const Pass& pass, const Shared& shared, Tier& tier, Cells& cells, const char* profile,
                               word* captured, const Batch& batch) {
    Noted noted;
    if constexpr (PAIR_TRACKS) noted = nothing_noted();
#pragma unroll 1
    for (int s = 0; s < PAIR_STEPS; s++) {
        const int step = batch.step + s;
        if (!PAIR_WIDE && step < batch.event + PAIR_LANES) {
#pragma unroll
            for (int h = 0; h < PAIR_HALVES; h++) {
                if (tier.lane + 32 * h != step - batch.event) continue;
                tier.base[h] += batch.change;
                if constexpr (PAIR_TRACKS) set_limit(pass, tier);
                const word less = in_half(batch.change, h);
                cells.corner -= less;
#pragma unroll
                for (int i = 0; i < PAIR_ROWS; i++) {
                    cells.g[i] -= less;
                    cells.e[i] -= less;
                }
            }
        }
        Care care;
#pragma unroll
        for (int c = 0; c < PAIR_COLUMNS; c++) {
            care.on[c] = 0;
#pragma unroll
            for (int h = 0; h < PAIR_HALVES; h++) {
                const int own = step - tier.lane - 32 * h;
                const bool on = own >= batch.start && own < batch.end && own * PAIR_COLUMNS + c < pass.column_count;
                if (on) care.on[c] |= PAIR_WIDE ? 0xffffffffu : 0xffffu << 16 * h;
                care.barred[h][c] = 0;
            }
        }
#pragma unroll
        for (int h = 0; PAIR_BARRED && h < PAIR_HALVES; h++) {
            const int own = step - tier.lane - 32 * h;
            if (own >= batch.start && own < batch.end && (own + 1) * PAIR_COLUMNS > tier.next_barred[h]) {
                find_barred(pass, tier, care, h, own * PAIR_COLUMNS);
            }
        }
        Sums sums;
        const Above above = take_above(cells, s ? batch.in + s * PAIR_COLUMNS : batch.in_first, tier.lane, batch.take);
        advance<true>(cells, above, profile, care, sums);
        if constexpr (PAIR_TRACKS) note(tier, sums, noted, step - tier.lane);
        if (batch.writes) write_below(batch.out + s * PAIR_COLUMNS, cells);
        prepare(cells.prepared, letters_within(shared, tier, batch, step + 1), tier.lane);
    }
    if constexpr (PAIR_TRACKS) capture(tier, noted, captured);
}

// State that a batch changes, to run it once more.
struct Kept {
    word g[PAIR_ROWS], e[PAIR_ROWS], corner, below_g[PAIR_COLUMNS], below_f[PAIR_COLUMNS];
};
PAIR_INLINE void keep(Kept& kept, const Cells& cells) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) kept.g[i] = cells.g[i], kept.e[i] = cells.e[i];
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) kept.below_g[c] = cells.below_g[c], kept.below_f[c] = cells.below_f[c];
    kept.corner = cells.corner;
}
PAIR_INLINE void restore(Cells& cells, const Kept& kept) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) cells.g[i] = kept.g[i], cells.e[i] = kept.e[i];
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) cells.below_g[c] = kept.below_g[c], cells.below_f[c] = kept.below_f[c];
    cells.corner = kept.corner;
}

// Work at the beginning of a chunk: a new base, the best score.
PAIR_INLINE void begin_chunk(const Pass& pass, Shared& shared, Tier& tier, Cells& cells, Batch& batch, int& base) {
    const int chosen = look_at(shared.base[batch.step / PAIR_CHUNK % PAIR_BASES]);
    if (batch.step > batch.start && chosen != base) {
        batch.event = batch.step;
        batch.change = chosen - base;
    }
    base = chosen;
    if constexpr (PAIR_TRACKS_BEST) {
        if (__any_sync(FULL_WARP, tier.noted)) {
            int best = tier.top[0];
#pragma unroll
            for (int h = 1; h < PAIR_HALVES; h++) best = max(best, tier.top[h]);
            best = warp_max(best);
            if (tier.lane == 0) set(shared.best[tier.number], best);
            tier.noted = false;
        }
        tier.known = max(tier.known, look_at(shared.known));
    }
    if constexpr (PAIR_TRACKS) set_limit(pass, tier);
    if constexpr (PAIR_PRUNE) tell_highest(shared, tier, cells, batch.step);
}

// Place of a batch in the links.
PAIR_INLINE void find_places(Shared& shared, const Tier& tier, Batch& batch) {
    const int out = batch.step - tier.lag;
    batch.in = shared.links[tier.number].cells + (batch.step & (PAIR_LINK - 1)) * PAIR_COLUMNS;
    batch.in_first = link_place(shared.links[tier.number], batch.step);
    if (batch.step >= batch.end) batch.in = batch.in_first = shared.nothing;
    batch.out = shared.links[tier.number + 1].cells + (out & (PAIR_LINK - 1)) * PAIR_COLUMNS;
    batch.writes = tier.lane == tier.out_lane && out < out_end(batch);
}

// A batch that needs no care: run fast, and once more if something of it is to be noted; at once so if `hot`.
PAIR_INLINE void run_batch(const Pass& pass, Shared& shared, Tier& tier, Cells& cells, const char* profile,
                           word* captured, Batch& batch, bool& hot, bool& ready) {
    if (!hot) {
        Kept kept;
        if (PAIR_TRACKS) keep(kept, cells);
        const word highest = run_fast<false>(shared, tier, cells, profile, captured, batch, ready);
        if (!PAIR_TRACKS || !__any_sync(FULL_WARP, highest != tier.alarm)) return;
        restore(cells, kept);
        prepare(cells.prepared, letters_at(shared, tier, batch.step), tier.lane);
    }
    if constexpr (PAIR_TRACKS) {
        const word before = tier.limit;
        run_fast<true>(shared, tier, cells, profile, captured, batch, ready);
        // Where one batch had something to note the next may have, too.
        hot = __any_sync(FULL_WARP, tier.limit != before);
        set_limit(pass, tier);
    }
}

// Compute the tier from where the segment starts to where it ends. `fresh`: at the left edge, nothing is left of it.
PAIR_INLINE void run_segment(const Pass& pass, const Band& band, Shared& shared, Tier& tier, Cells& cells,
                             const char* profile, word* captured, bool fresh) {
    Batch batch;
    batch.step = batch.start = shared.start;
    batch.end = __shfl_sync(FULL_WARP, look_at(shared.end), 0, 32);
    batch.event = batch.start - 2 * PAIR_LANES;
    batch.change = 0;
    batch.take = tier.lane ? 0x3210 : 0x1076;
    const bool may_float = PAIR_LOCAL && !PAIR_PROFILE;  // lanes need not be switched on and off
    const bool floats_in = may_float && fresh && !batch.start && !pass.left && !pass.left_lead && !pass.left_slope;
    const bool floats_out = may_float && !PAIR_PRUNE && !pass.right;
    int base = 0;
    bool hot = PAIR_TRACKS, ready = false;

    for (bool done = false; !done;) {
        if (!await_batch(shared, tier, batch)) return;
        if (batch.step == batch.start) {
            const int chosen = look_at(shared.base[batch.start / PAIR_CHUNK % PAIR_BASES]);
            if (fresh) open_cells(pass, tier, cells, PAIR_PRUNE ? shared.open_base : chosen);
            if (PAIR_PRUNE && shared.skipped) reopen_cells(shared, tier, cells, chosen);
            prepare(cells.prepared, floats_in ? letters_at(shared, tier, batch.step)
                                     : letters_within(shared, tier, batch, batch.step), tier.lane);
        }
        if (batch.step < batch.end) begin_chunk(pass, shared, tier, cells, batch, base);

        const bool begun = batch.step >= batch.start + PAIR_LANES || floats_in;
        const bool whole = batch.step + PAIR_CHUNK <= min(batch.end, band.whole) || floats_out;
        bool careful = !begun || !whole;
        if constexpr (PAIR_BARRED) {
            bool near = false;
#pragma unroll
            for (int h = 0; h < PAIR_HALVES; h++) {
                near = near || (batch.step - tier.lane - 32 * h + PAIR_CHUNK) * PAIR_COLUMNS > tier.next_barred[h];
            }
            careful = careful || __any_sync(FULL_WARP, near);
        }
        careful = careful || batch.event == batch.step;
        ready = true;
#pragma unroll 1
        for (int next_chunk = batch.step + PAIR_CHUNK; !done && batch.step < next_chunk;) {
            if (!ready && !await_batch(shared, tier, batch)) return;
            find_places(shared, tier, batch);
            ready = false;
            if (careful) run_with_care(pass, shared, tier, cells, profile, captured, batch);
            else run_batch(pass, shared, tier, cells, profile, captured, batch, hot, ready);
            batch.step += PAIR_STEPS;
            tell(shared.written[tier.number + 1], batch.step - tier.lag, shared.taken[tier.number],
                 min(batch.step, batch.end + PAIR_STEPS), tier.lane);
            done = batch.step - tier.lag >= out_end(batch) && batch.step >= batch.end + PAIR_LANES - 1;
        }
        if (PAIR_TRACKS && careful) set_limit(pass, tier);
    }
    if constexpr (PAIR_PRUNE) {
        const int last = PAIR_HALVES - 1;
        tell_highest(shared, tier, cells, batch.end);
        int bottom = half_of(cells.g[PAIR_ROWS - 1], last) + tier.base[last] - PAIR_ZERO + PAIR_FIRST;
        bottom = __shfl_sync(FULL_WARP, bottom, 31, 32);
        if (tier.lane == 0) shared.bottom[tier.number] = bottom;
    }
}

// Output at the end of a band.
PAIR_INLINE void report(const Pass& pass, const Shared& shared, const Tier& tier, const Cells& cells,
                        const word* captured) {
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        if (PAIR_TRACKS && rows_from(tier, h) < pass.row_count) {
            const int2 place = tier.top[h] ? place_of_top(tier, captured, h) : make_int2(0, 0);
            if constexpr (PAIR_TRACKS_BEST) {
                const int4 record = make_int4(tier.top[h], place.x, place.y, 0);
                pass.records[(rows_from(tier, h) - pass.first_row) / PAIR_ROWS] = record;
            } else if (tier.top[h] == pass.target && place.y < pass.row_count) {
                atomicMin(pass.found, (unsigned long long)place.x << 32 | (unsigned)place.y);
            }
        }
        if (pass.right) {
#pragma unroll
            for (int i = 0; i < PAIR_ROWS; i++) {
                const int row = rows_from(tier, h) + i;
                if (row >= pass.row_count) break;
                const int to_score = tier.base[h] - PAIR_ZERO;
                int2 right = make_int2(half_of(cells.g[i], h) + to_score, half_of(cells.e[i], h) + to_score);
                if (PAIR_PRUNE && shared.skipped) {
                    right.x = right.y = behind_skipped(shared, tier, cells, h, i) - PAIR_FIRST;
                }
                pass.right[row] = right;
            }
        }
    }
}

// A tier of one band, from its first column to its last. It meets the others at the barriers.
PAIR_INLINE void run_tier(const Pass& pass, const Band& band, Shared& shared, int number, char* profile,
                          word* captured) {
    Tier tier;
    tier.lane = threadIdx.x % 32;
    tier.number = number;
    tier.row = band.row + number * PAIR_TIER_ROWS;
    tier.out_lane = number == band.last_tier ? band.last_lane : 31;
    tier.lag = number == band.last_tier ? lag_of(band) : PAIR_LANES - 1;
    tier.known = 0;
    tier.noted = false;
    tier.limit = tier.alarm = 0;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) tier.base[h] = tier.top[h] = tier.top_step[h] = tier.next_barred[h] = 0;
    const bool works = number <= band.last_tier;
    Cells cells;
    if (works) load_rows(pass, tier, cells.prepared, profile);
    bool fresh = true;
    for (;; fresh = false) {
        meet();
        if (shared.finished) break;
        if (works) run_segment(pass, band, shared, tier, cells, profile, captured, fresh);
        meet();
        if (shared.stopped) return;
    }
    if (works && !shared.stopped) {
        if (PAIR_PRUNE && fresh) open_cells(pass, tier, cells, shared.open_base);  // all of it was left out
        report(pass, shared, tier, cells, captured);
    }
}

extern "C" __global__ void __launch_bounds__(32 * (PAIR_TIERS + 2), PAIR_MIN_BLOCKS)
pair_wavefront(const word* columns, int column_count, const int* rows, int row_count, const short* matrix,
               int left_lead, int left_slope, const int2* left, int beyond,
               int first_band, int last_band, int first_row,
               uint2* even, uint2* odd, int* reached, int2* saved, long long saved_stride, int save_every,
               int2* right, int4* records, int* counter, int* best, unsigned long long* progress,
               unsigned long long* found, int target, const int2* known_way,
               const long long* outlook, const int* heard, int outlook_rows, int outlook_columns,
               long long* said, int* told, const int2* said_left,
               const int* barred_start, const int* barred, int barred_row, int barred_column, int barred_step,
               const int* cancel) {
    DYN_SHARED(uint4, dynamic);
    Shared& shared = *(Shared*)dynamic;
    const int warp = threadIdx.x / 32;
    char* profiles = (char*)dynamic + sizeof(Shared);
    char* captured = profiles + PAIR_TIERS * PAIR_PROFILE_BYTES;
    const Pass pass = {columns, column_count, rows, row_count, matrix, left_lead, left_slope, left, beyond,
                       first_band, first_row, even, odd, reached, saved, saved_stride, save_every, right, records, best,
                       progress, found, target, known_way, outlook, heard, outlook_rows, outlook_columns, said, told,
                       said_left, barred_start, barred, barred_row, barred_column, barred_step, cancel};
    if (threadIdx.x < PAIR_BATCH) {
        const word low = PAIR_BOTH(PAIR_ZERO - PAIR_FIRST);
        shared.nothing[threadIdx.x] = make_uint2(low, low);
    }
    while (true) {
        meet();
        if (threadIdx.x == 0) {
            shared.band = atomicAdd(counter, 1);
            shared.stopped = 0;
        }
        meet();
        if (shared.band >= last_band) return;
        const Band band = band_of(pass, shared.band);
        if (warp == PAIR_TIERS) feed_band(pass, band, shared);
        else if (warp > PAIR_TIERS) drain_band(pass, band, shared);
        else run_tier(pass, band, shared, warp, profiles + warp * PAIR_PROFILE_BYTES,
                      (word*)(captured + warp * PAIR_CAPTURED));
        if (shared.stopped) return;
        if constexpr (PAIR_PRUNE) {
            if (pass.said && band.saved) say_outlook(pass, band);
        }
    }
}
