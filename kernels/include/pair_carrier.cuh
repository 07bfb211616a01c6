// The warp of a band that carries borders: from the band above to its first tier, from its last tier to the band
// below. It also chooses bases, hands round the best score, counts progress and decides what is left out, so that the
// other warps have nothing to do with global memory.
#pragma once
#include "pair_pass.cuh"

#define PAIR_REPORT (16 * PAIR_CHUNK)                // steps between two reports of progress
#define PAIR_LOOKS 256                               // idle turns between two looks whether the work is cancelled

struct Carrier {
    int lane;
    int start, end;                 // steps of the segment
    int staged, flushed;            // steps brought in and carried out
    uint2 ahead;                    // border above the batch to come, as read last
    word letter_ahead;              // of the batch after that
    int base;
    int known, elsewhere;           // best score known, and as it was read last
    int reported;
#if PAIR_PRUNE
    int tops[3];                    // highest H above this chunk and the two before
#endif
};

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

PAIR_INLINE bool cancelled(const Pass& pass) { return __any_sync(FULL_WARP, *pass.cancel); }

// Say that the border below is written up to a column.
PAIR_INLINE void publish(const Pass& pass, const Band& band, int lane, int column) {
    __threadfence();
    __syncwarp();
    if (lane == 0) *(volatile int*)(pass.reached + band.number) = column;
}

// Whether the border below a band before this one is written up to a column.
PAIR_INLINE bool is_reached(const Pass& pass, int number, int column) {
    if (number < 0) return true;
    const bool there = !__any_sync(FULL_WARP, *(volatile int*)(pass.reached + number) < column);
    if (there) __threadfence();
    return there;
}

// Wait for that. False if cancelled. Bands that are far from their turn must not keep the memory busy with asking.
PAIR_INLINE bool await_reached(const Pass& pass, int number, int column) {
    while (!is_reached(pass, number, column)) {
        if (cancelled(pass)) return false;
        __nanosleep(500);
    }
    return true;
}

PAIR_INLINE int column_of(const Carrier& carrier, int step) { return step * PAIR_COLUMNS + carrier.lane; }

PAIR_INLINE word letter_at(const Pass& pass, const Carrier& carrier, int step) {
    const int column = column_of(carrier, step);
    return carrier.lane < PAIR_BATCH && column < pass.column_count ? __ldg(pass.columns + column) : 0;
}

PAIR_INLINE void put_letters(Shared& shared, const Carrier& carrier, int step, word letter) {
    if (carrier.lane >= PAIR_BATCH) return;
    const int place = column_of(carrier, step) & (PAIR_RING - 1);
    shared.letters[place] = letter;
    if (place < PAIR_BATCH + PAIR_COLUMNS) shared.letters[PAIR_RING + place] = letter;
}

PAIR_INLINE void read_ahead(const Pass& pass, const Band& band, Carrier& carrier) {
    const int column = column_of(carrier, carrier.staged);
    if (carrier.lane < PAIR_BATCH && column < pass.column_count) carrier.ahead = read_border(band.above + column);
}

#if PAIR_PRUNE
// The border above a chunk, which is written: its highest H, 0 if none is above that, and its last.
PAIR_INLINE int chunk_top(const Pass& pass, const Band& band, int lane, int block, int& last) {
    int top = 0, own = 0;
    const int from = block * PAIR_COLUMNS, to = min(from + PAIR_CHUNK * PAIR_COLUMNS, pass.column_count);
    for (int column = from + lane; column < to; column += 32) {
        own = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        top = max(top, own);
    }
    last = __shfl_sync(FULL_WARP, own, (to - 1 - from) % 32, 32);
    return warp_max(top);
}

PAIR_INLINE int chunk_end(const Pass& pass, int block) {
    return min((block + PAIR_CHUNK) * PAIR_COLUMNS, pass.column_count);
}

// Whether nothing that passes through the band from a step on can reach the best score. `highest` bounds H at every
// entrance, but for values that a gap of `near` steps leads from to one that was looked at.
PAIR_INLINE bool cannot_reach(const Pass& pass, const Band& band, int step, int highest, int near, int best) {
    const int columns = pass.column_count - step * PAIR_COLUMNS + pass.beyond;
    const long long left = (long long)min(pass.row_count - band.row, columns) * PAIR_HIGHEST;
    return highest + PAIR_FIRST + PAIR_FURTHER * (near * PAIR_COLUMNS - 1) + left < best;
}

// Leave out a chunk: below it lie the gaps that run along the last row and down from above.
PAIR_INLINE void skip_chunk(const Pass& pass, const Band& band, Shared& shared, const Carrier& carrier, int block, int last) {
    const int from = block * PAIR_COLUMNS, to = chunk_end(pass, block), bottom = shared.bottom[band.last_tier];
    for (int column = from + carrier.lane; column < to; column += 32) {
        const int above = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        const int along = bottom - PAIR_FIRST - PAIR_FURTHER * (shared.skipped + column - from);
        const int g = max(max(along, above - PAIR_FIRST - PAIR_FURTHER * (PAIR_BAND - 1)), 0) - PAIR_FIRST;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)g << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, g);
    }
    publish(pass, band, carrier.lane, to);
    if (carrier.lane == 0) {
        shared.skipped += to - from;
        shared.above = last;
        const int blocks = (to - from + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
        atomicAdd(pass.progress + 1, (unsigned long long)blocks * (PAIR_COLUMNS * PAIR_BAND));
    }
    __syncwarp();
}

// Leave out what can be left out from a step on. Returns the first step that cannot, -1 if cancelled.
PAIR_INLINE int skip_chunks(const Pass& pass, const Band& band, Shared& shared, Carrier& carrier, int block) {
    while (block < band.blocks) {
        if (!await_reached(pass, band.number - 1, chunk_end(pass, block))) return -1;
        int last, highest = chunk_top(pass, band, carrier.lane, block, last);
        for (int tier = 0; tier <= band.last_tier; tier++) highest = max(highest, shared.highest[tier]);
        if (!cannot_reach(pass, band, block, highest, 1, carrier.known)) break;
        skip_chunk(pass, band, shared, carrier, block, last);
        block = min(block + PAIR_CHUNK, band.blocks);
    }
    return block;
}

// What enters a band at its left edge.
PAIR_INLINE void look_left(const Pass& pass, const Band& band, Shared& shared, const Carrier& carrier) {
    int highest = max(left_of(pass, band.row - 1).x + PAIR_FIRST, 0);
    for (int i = carrier.lane; i < PAIR_BAND; i += 32) highest = max(highest, left_of(pass, band.row + i).x + PAIR_FIRST);
    highest = warp_max(highest);
    const int first = ((int)read_border(band.above).x >> 1) + PAIR_FIRST;
    if (carrier.lane == 0) {
        for (int tier = 0; tier < PAIR_TIERS; tier++) {
            shared.highest[tier] = highest;
            shared.looked[tier] = 0;
            shared.bottom[tier] = left_of(pass, band.row + (tier + 1) * PAIR_TIER_ROWS - 1).x + PAIR_FIRST;
        }
        shared.open_base = choose_base(first, 0, true);
    }
    __syncwarp();
}

// Whether the segment ends with the chunk to come, while tiers are still at work before it. Every path onwards leads
// through cells of a tier as they were when it looked at them last, over a link, or from above since then.
PAIR_INLINE bool ends_here(const Pass& pass, const Band& band, const Shared& shared, const Carrier& carrier) {
    int highest = max(max(carrier.tops[0], carrier.tops[1]), carrier.tops[2]), step = carrier.staged;
    for (int tier = 0; tier <= band.last_tier; tier++) {
        step = min(step, look_at(shared.looked[tier]) - PAIR_LANES);
        highest = max(highest, look_at(shared.highest[tier]));
    }
    const bool ends = cannot_reach(pass, band, step, highest, PAIR_LINK + PAIR_LANES + 2 * PAIR_CHUNK, carrier.known);
    return __all_sync(FULL_WARP, ends);
}
#endif

// Get to know the others' best score, and tell them this band's.
PAIR_INLINE void share_best(const Pass& pass, const Band& band, Shared& shared, Carrier& carrier) {
    int mine = 0;
    for (int tier = 0; tier <= band.last_tier; tier++) mine = max(mine, look_at(shared.best[tier]));
    if (mine > carrier.known && carrier.lane == 0) atomicMax(pass.best, mine);
    // What was asked for at the last chunk is there by now.
    carrier.known = __shfl_sync(FULL_WARP, max(max(carrier.known, mine), carrier.elsewhere), 0, 32);
    carrier.elsewhere = *(const volatile int*)pass.best;
    if (carrier.lane == 0) set(shared.known, carrier.known);
}

// Bring in a batch. False if there is none, no room for it, or if it is not written yet.
PAIR_INLINE bool stage(const Pass& pass, const Band& band, Shared& shared, Carrier& carrier) {
    const int step = carrier.staged;
    if (step >= carrier.end || !has_come(shared.taken[0], step + PAIR_STEPS - PAIR_LINK)) return false;
    const bool wants = carrier.lane < PAIR_BATCH && column_of(carrier, step) < pass.column_count;
    const bool there = !wants || !(((carrier.ahead.x ^ band.tag_in) | (carrier.ahead.y ^ band.tag_in)) & 1);
    if (!__all_sync(FULL_WARP, there)) {
        if (!there) read_ahead(pass, band, carrier);
        return false;
    }
    int g = (int)carrier.ahead.x >> 1, f = (int)carrier.ahead.y >> 1;
    if (step % PAIR_CHUNK == 0) {
#if PAIR_PRUNE
        if (!is_reached(pass, band.number - 1, chunk_end(pass, step))) return false;
        int ignored;
        carrier.tops[2] = carrier.tops[1], carrier.tops[1] = carrier.tops[0];
        carrier.tops[0] = chunk_top(pass, band, carrier.lane, step, ignored);
        if (step > carrier.start && ends_here(pass, band, shared, carrier)) {
            carrier.end = step;
            if (carrier.lane == 0) set(shared.end, step);
            return true;
        }
#endif
#if PAIR_TRACK == 1
        share_best(pass, band, shared, carrier);
#endif
        carrier.base = choose_base(__shfl_sync(FULL_WARP, g, 0, 32) + PAIR_FIRST, carrier.base, step == carrier.start);
        if (carrier.lane == 0) {
            set(shared.base[step / PAIR_CHUNK % PAIR_BASES], carrier.base);
            if (step - carrier.reported >= PAIR_REPORT) {
                atomicAdd(pass.progress, (unsigned long long)(step - carrier.reported) * (PAIR_COLUMNS * PAIR_BAND));
            }
        }
        if (step - carrier.reported >= PAIR_REPORT) carrier.reported = step;
        if (cancelled(pass) && carrier.lane == 0) set(shared.stopped, 1);
    }
    // Behind the last column everything is as low as can be.
    if (!wants) g = f = carrier.base - PAIR_FIRST;
    if (carrier.lane < PAIR_BATCH) {
        uint2* entry = (uint2*)link_place(shared.links[0], step + carrier.lane / PAIR_COLUMNS);
        const int from_base = PAIR_ZERO - carrier.base;
        entry[carrier.lane % PAIR_COLUMNS] = make_uint2(in_half(g + from_base, PAIR_HALVES - 1), in_half(f + from_base, PAIR_HALVES - 1));
    }
    carrier.staged += PAIR_STEPS;
    put_letters(shared, carrier, carrier.staged, carrier.letter_ahead);
    if (carrier.staged >= band.blocks) {
        for (int more = PAIR_STEPS; more <= PAIR_LANES + 2 * PAIR_STEPS; more += PAIR_STEPS) {
            put_letters(shared, carrier, carrier.staged + more, 0);
        }
    }
    tell(shared.written[0], carrier.staged, carrier.lane);
    read_ahead(pass, band, carrier);
    carrier.letter_ahead = letter_at(pass, carrier, carrier.staged + PAIR_STEPS);
    return true;
}

// Entry of a step in the link below the last tier, which writes batches that begin anywhere.
PAIR_INLINE const uint2* entry_below(const Shared& shared, const Band& band, int start, int step) {
    const int t = step - start + lag_of(band), behind = t % PAIR_STEPS;
    return shared.links[band.last_tier + 1].cells + (((step - behind) & (PAIR_LINK - 1)) + behind) * PAIR_COLUMNS;
}

// Carry out a batch. False if there is none.
PAIR_INLINE bool flush(const Pass& pass, const Band& band, Shared& shared, Carrier& carrier) {
    const int step = carrier.flushed, upto = min(step + PAIR_STEPS, carrier.end);
    if (step >= carrier.end || !has_come(shared.written[band.last_tier + 1], upto)) return false;
    const int column = column_of(carrier, step);
    if (carrier.lane < PAIR_BATCH && column < min(upto * PAIR_COLUMNS, pass.column_count)) {
        const uint2* entry = entry_below(shared, band, carrier.start, step + carrier.lane / PAIR_COLUMNS);
        const uint2 both = entry[carrier.lane % PAIR_COLUMNS];
        const int under = look_at(shared.base[step / PAIR_CHUNK % PAIR_BASES]) - PAIR_ZERO;
        const int g = half_of(both.x, band.last_half) + under, f = half_of(both.y, band.last_half) + under;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)f << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, f);
    }
    carrier.flushed = upto;
    tell(shared.taken[band.last_tier + 1], upto, carrier.lane);
    if (PAIR_PRUNE ? upto % PAIR_CHUNK == 0 || upto == carrier.end : step == carrier.start) {
        publish(pass, band, carrier.lane, min(upto * PAIR_COLUMNS, pass.column_count));
    }
    return true;
}

// Carry borders from step `start` on, to the end or to where the rest can be left out.
PAIR_INLINE void carry_segment(const Pass& pass, const Band& band, Shared& shared, Carrier& carrier) {
    carrier.staged = carrier.flushed = carrier.reported = carrier.start;
    read_ahead(pass, band, carrier);
    put_letters(shared, carrier, carrier.start, letter_at(pass, carrier, carrier.start));
    carrier.letter_ahead = letter_at(pass, carrier, carrier.start + PAIR_STEPS);
    unsigned idle = 0;
    while (carrier.flushed < carrier.end && !has_come(shared.stopped, 1)) {
        const bool brought = stage(pass, band, shared, carrier);
        if (flush(pass, band, shared, carrier) || brought) continue;
        if (++idle % PAIR_LOOKS == 0 && cancelled(pass) && carrier.lane == 0) set(shared.stopped, 1);
        __syncwarp();
    }
    if (carrier.lane == 0 && carrier.end > carrier.reported) {
        atomicAdd(pass.progress, (unsigned long long)(carrier.end - carrier.reported) * (PAIR_COLUMNS * PAIR_BAND));
    }
}

// Everything the carrier does for a band; the tiers meet it at the barriers.
PAIR_INLINE void carry_band(const Pass& pass, const Band& band, Shared& shared) {
    Carrier carrier;
    carrier.lane = threadIdx.x % 32;
    carrier.base = carrier.known = carrier.elsewhere = 0;
#if PAIR_TRACK == 1
    carrier.known = __shfl_sync(FULL_WARP, *(const volatile int*)pass.best, 0, 32);
#endif
    for (int i = carrier.lane; i < PAIR_RING + PAIR_BATCH + PAIR_COLUMNS; i += 32) shared.letters[i] = 0;
    if (carrier.lane == 0) {
        for (int tier = 0; tier < PAIR_TIERS; tier++) shared.best[tier] = 0;
        shared.known = carrier.known;
        shared.skipped = shared.above = 0;
    }
    __syncwarp();
    bool going = await_reached(pass, band.number - 3, 1);
#if PAIR_PRUNE
    going = going && await_reached(pass, band.number - 1, chunk_end(pass, 0));
    if (going) look_left(pass, band, shared, carrier);
#endif
    for (int block = 0;;) {
#if PAIR_PRUNE
        if (going) block = skip_chunks(pass, band, shared, carrier, block);
        going = block >= 0;
        for (int i = 0; i < 3; i++) carrier.tops[i] = 0;
#endif
        carrier.start = block;
        carrier.end = band.blocks;
        if (carrier.lane == 0) {
            for (int tier = 0; tier <= PAIR_TIERS; tier++) shared.written[tier] = shared.taken[tier] = block;
            shared.start = block;
            shared.end = band.blocks;
            shared.finished = !going || block >= band.blocks;
            if (!going) shared.stopped = 1;
        }
        __syncthreads();
        if (shared.finished) return;
        carry_segment(pass, band, shared, carrier);
        __syncthreads();
        if (shared.stopped) return;
#if PAIR_PRUNE
        if (carrier.lane == 0) shared.skipped = 0;
        __syncwarp();
#endif
        block = carrier.end;
    }
}
