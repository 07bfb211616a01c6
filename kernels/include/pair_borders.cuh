// The two warps of a band that carry borders. The feeder takes them from the band above to the first tier; it also
// chooses bases, distributes the best score, counts progress and decides which chunks are left out. The drain takes
// them from the last tier to the band below. So the tiers do not use global memory.
#pragma once
#include "pair_outlook.cuh"

#define PAIR_REPORT (16 * PAIR_CHUNK)                // steps between two reports of progress
#define PAIR_LOOKS 64                                // idle turns between two looks whether the work is cancelled
#define PAIR_FAR 32                                  // chunks that are left out at a time, at most
#define PAIR_REST 60                                 // nanoseconds to wait after a look without news

struct Feeder {
    int lane;
    int start, end;                 // steps of the segment
    int staged;                     // steps brought in
    uint2 ahead;                    // border above the batch to come, as read last
    word letter_ahead;              // of the batch after that
    int base;
    int known, elsewhere;           // best score known, and as it was read last
    int reported;
    int tops[3];                    // highest H above this chunk and the two before
    int heard;                      // borders of the other end that are known
};

// The base under which a chunk is computed whose first cell above is `top`; the old one while it will do.
PAIR_INLINE int choose_base(int top, int old, bool fresh) {
    if constexpr (PAIR_WIDE) return 0;
    const int ideal = top - PAIR_DOWN;
    if (!fresh && ideal - old >= 0 && ideal - old <= PAIR_SLACK) return old;
    if (PAIR_LOCAL && ideal <= PAIR_SLACK) return 0;
    return ideal - PAIR_SLACK / 2;
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

PAIR_INLINE int column_of(const Feeder& feeder, int step) { return step * PAIR_COLUMNS + feeder.lane; }

PAIR_INLINE word letter_at(const Pass& pass, const Feeder& feeder, int step) {
    const int column = column_of(feeder, step);
    return feeder.lane < PAIR_BATCH && column < pass.column_count ? __ldg(pass.columns + column) : 0;
}

PAIR_INLINE void put_letters(Shared& shared, const Feeder& feeder, int step, word letter) {
    if (feeder.lane >= PAIR_BATCH) return;
    const int place = column_of(feeder, step) & (PAIR_RING - 1);
    shared.letters[place] = letter;
    if (place < PAIR_BATCH + PAIR_COLUMNS) shared.letters[PAIR_RING + place] = letter;
}

PAIR_INLINE void read_ahead(const Pass& pass, const Band& band, Feeder& feeder) {
    const int column = column_of(feeder, feeder.staged);
    if (feeder.lane < PAIR_BATCH && column < pass.column_count) feeder.ahead = read_border(band.above + column);
}

PAIR_INLINE int chunk_end(const Pass& pass, int block, int chunks) {
    return min((block + chunks * PAIR_CHUNK) * PAIR_COLUMNS, pass.column_count);
}

// The border above some chunks, which is written: its highest H, 0 if none is above that, and its last.
PAIR_INLINE int chunk_top(const Pass& pass, const Band& band, int lane, int block, int chunks, int& last) {
    int top = 0, own = 0;
    const int from = block * PAIR_COLUMNS, to = chunk_end(pass, block, chunks);
#pragma unroll 16
    for (int column = from + lane; column < to; column += 32) {
        own = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        top = max(top, own);
    }
    last = __shfl_sync(FULL_WARP, own, (to - 1 - from) % 32, 32);
    return warp_max(top);
}

// Whether nothing that enters the band from step `from` to step `to` can reach the best score. `highest` bounds H at
// every entrance, but for values that a gap of `near` steps leads from to one that was looked at.
PAIR_INLINE bool cannot_reach(const Pass& pass, const Band& band, const Feeder& feeder, int from, int to, int highest,
                              int near) {
    const int first = max(from - (near - 1), 0) * PAIR_COLUMNS;
    const int last = min((to + near - 1) * PAIR_COLUMNS, pass.column_count);
    const long long left = most_to_gain(pass, band, first, last, feeder.heard);
    return highest + PAIR_FIRST + PAIR_FURTHER * (near * PAIR_COLUMNS - 1) + left < feeder.known;
}

// Leave out some chunks: below them lie the gaps that run along the last row and down from above.
PAIR_INLINE void skip_chunks(const Pass& pass, const Band& band, Shared& shared, const Feeder& feeder, int block,
                             int chunks, int last) {
    const int from = block * PAIR_COLUMNS, to = chunk_end(pass, block, chunks), bottom = shared.bottom[band.last_tier];
#pragma unroll 16
    for (int column = from + feeder.lane; column < to; column += 32) {
        const int above = ((int)read_border(band.above + column).x >> 1) + PAIR_FIRST;
        const int along = bottom - PAIR_FIRST - PAIR_FURTHER * (shared.skipped + column - from);
        const int g = max(max(along, above - PAIR_FIRST - PAIR_FURTHER * (PAIR_BAND - 1)), 0) - PAIR_FIRST;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)g << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, g);
    }
    publish(pass, band, feeder.lane, to);
    if (feeder.lane == 0) {
        shared.skipped += to - from;
        shared.above = last;
        const int blocks = (to - from + PAIR_COLUMNS - 1) / PAIR_COLUMNS;
        atomicAdd(pass.progress + 1, (unsigned long long)blocks * (PAIR_COLUMNS * PAIR_BAND));
    }
    __syncwarp();
}

// Whether there is news of the best score or of the other end.
PAIR_INLINE bool hear_news(const Pass& pass, Feeder& feeder) {
    const int known = feeder.known, heard = feeder.heard;
    feeder.known = max(known, __shfl_sync(FULL_WARP, *(const volatile int*)pass.best, 0, 32));
    feeder.heard = now_heard(pass);
    return feeder.known > known || feeder.heard > heard;
}

// Chunks from a step on, at most some, that the band above has written.
PAIR_INLINE int chunks_above(const Pass& pass, const Band& band, int block, int most) {
    if (!band.number) return most;
    const int column = __shfl_sync(FULL_WARP, *(volatile int*)(pass.reached + band.number - 1), 0, 32);
    __threadfence();
    if (column >= chunk_end(pass, block, most)) return most;
    return max(column / PAIR_COLUMNS - block, 0) / PAIR_CHUNK;
}

// Leave out all possible chunks from a step on, as many at a time as the border above has: each time takes
// one access to memory. Returns the first step that cannot be left out, -1 if cancelled.
PAIR_INLINE int skip_from(const Pass& pass, const Band& band, Shared& shared, Feeder& feeder, int block) {
    int inside = 0, most = PAIR_FAR;
    for (int tier = 0; tier <= band.last_tier; tier++) inside = max(inside, shared.highest[tier]);
    while (block < band.blocks) {
        int chunks = chunks_above(pass, band, block, most), last;
        if (!chunks && !await_reached(pass, band.number - 1, chunk_end(pass, block, 1))) return -1;
        chunks = max(chunks, 1);
        const int highest = max(inside, chunk_top(pass, band, feeder.lane, block, chunks, last));
        if (cannot_reach(pass, band, feeder, block, block + chunks * PAIR_CHUNK, highest, 1)) {
            skip_chunks(pass, band, shared, feeder, block, chunks, last);
            block = min(block + chunks * PAIR_CHUNK, band.blocks);
            most = min(2 * most, PAIR_FAR);
        } else if (chunks > 1) {
            most = (chunks + 3) / 4;
        } else if (!hear_news(pass, feeder)) {
            return block;
        }
    }
    return block;
}

// Input of a band at its left edge.
PAIR_INLINE void look_left(const Pass& pass, const Band& band, Shared& shared, const Feeder& feeder) {
    int highest = max(left_of(pass, band.row - 1).x + PAIR_FIRST, 0);
    for (int i = feeder.lane; i < PAIR_BAND; i += 32) {
        highest = max(highest, left_of(pass, band.row + i).x + PAIR_FIRST);
    }
    highest = warp_max(highest);
    const int first = ((int)read_border(band.above).x >> 1) + PAIR_FIRST;
    if (feeder.lane == 0) {
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
PAIR_INLINE bool ends_here(const Pass& pass, const Band& band, const Shared& shared, const Feeder& feeder) {
    int highest = max(max(feeder.tops[0], feeder.tops[1]), feeder.tops[2]), step = feeder.staged;
    for (int tier = 0; tier <= band.last_tier; tier++) {
        step = min(step, look_at(shared.looked[tier]) - PAIR_LANES);
        highest = max(highest, look_at(shared.highest[tier]));
    }
    const int near = PAIR_LINK + PAIR_LANES + 2 * PAIR_CHUNK;
    const bool ends = cannot_reach(pass, band, feeder, step, feeder.staged + PAIR_CHUNK, highest, near);
    return __all_sync(FULL_WARP, ends);
}

// Read the best score of the other bands, and publish this band's.
PAIR_INLINE void share_best(const Pass& pass, const Band& band, Shared& shared, Feeder& feeder) {
    int mine = 0;
    for (int tier = 0; tier <= band.last_tier; tier++) mine = max(mine, look_at(shared.best[tier]));
    if (mine > feeder.known && feeder.lane == 0) atomicMax(pass.best, mine);
    // The read begun at the last chunk has arrived by now.
    feeder.known = __shfl_sync(FULL_WARP, max(max(feeder.known, mine), feeder.elsewhere), 0, 32);
    feeder.elsewhere = *(const volatile int*)pass.best;
    if (pass.heard && feeder.lane == 0) {  // the other end's best score, too
        const int heard = ((const volatile int*)pass.heard)[2];
        if (heard > feeder.elsewhere) atomicMax(pass.best, heard);
    }
    if (feeder.lane == 0) set(shared.known, feeder.known);
}

// Bring in a batch. False if there is none, no room for it, or if it is not written yet.
PAIR_INLINE bool stage(const Pass& pass, const Band& band, Shared& shared, Feeder& feeder) {
    const int step = feeder.staged;
    if (step >= feeder.end || !has_come(shared.taken[0], step + PAIR_STEPS - PAIR_LINK)) return false;
    // Values read ahead of a chunk may be from five bands ago: bands that leave a chunk out have no lag.
    if (PAIR_PRUNE && step % PAIR_CHUNK == 0) {
        if (!is_reached(pass, band.number - 1, chunk_end(pass, step, 1))) return false;
        read_ahead(pass, band, feeder);
    }
    const bool wants = feeder.lane < PAIR_BATCH && column_of(feeder, step) < pass.column_count;
    const bool there = !wants || !(((feeder.ahead.x ^ band.tag_in) | (feeder.ahead.y ^ band.tag_in)) & 1);
    if (!__all_sync(FULL_WARP, there)) {
        if (!there) read_ahead(pass, band, feeder);
        return false;
    }
    int g = (int)feeder.ahead.x >> 1, f = (int)feeder.ahead.y >> 1;
    if (step % PAIR_CHUNK == 0) {
        if constexpr (PAIR_PRUNE) {
            int ignored;
            feeder.tops[2] = feeder.tops[1], feeder.tops[1] = feeder.tops[0];
            feeder.tops[0] = chunk_top(pass, band, feeder.lane, step, 1, ignored);
            feeder.heard = now_heard(pass);
            if (step > feeder.start && ends_here(pass, band, shared, feeder)) {
                feeder.end = step;
                if (feeder.lane == 0) set(shared.end, step);
                return true;
            }
        }
        if constexpr (PAIR_TRACKS_BEST) share_best(pass, band, shared, feeder);
        feeder.base = choose_base(__shfl_sync(FULL_WARP, g, 0, 32) + PAIR_FIRST, feeder.base, step == feeder.start);
        if (feeder.lane == 0) {
            set(shared.base[step / PAIR_CHUNK % PAIR_BASES], feeder.base);
            if (step - feeder.reported >= PAIR_REPORT) {
                atomicAdd(pass.progress, (unsigned long long)(step - feeder.reported) * (PAIR_COLUMNS * PAIR_BAND));
            }
        }
        if (step - feeder.reported >= PAIR_REPORT) feeder.reported = step;
        if (cancelled(pass) && feeder.lane == 0) set(shared.stopped, 1);
    }
    // Behind the last column everything is as low as can be.
    if (!wants) g = f = feeder.base - PAIR_FIRST;
    if (feeder.lane < PAIR_BATCH) {
        uint2* entry = (uint2*)link_place(shared.links[0], step + feeder.lane / PAIR_COLUMNS);
        const int from_base = PAIR_ZERO - feeder.base, last = PAIR_HALVES - 1;
        entry[feeder.lane % PAIR_COLUMNS] = make_uint2(in_half(g + from_base, last), in_half(f + from_base, last));
    }
    feeder.staged += PAIR_STEPS;
    put_letters(shared, feeder, feeder.staged, feeder.letter_ahead);
    if (feeder.staged >= band.blocks) {
        for (int more = PAIR_STEPS; more <= PAIR_LANES + 2 * PAIR_STEPS; more += PAIR_STEPS) {
            put_letters(shared, feeder, feeder.staged + more, 0);
        }
    }
    tell(shared.written[0], feeder.staged, feeder.lane);
    read_ahead(pass, band, feeder);
    feeder.letter_ahead = letter_at(pass, feeder, feeder.staged + PAIR_STEPS);
    return true;
}

// Entry of a step in the link below the last tier, which writes batches that begin anywhere.
PAIR_INLINE const uint2* entry_below(const Shared& shared, const Band& band, int start, int step) {
    const int t = step - start + lag_of(band), behind = t % PAIR_STEPS;
    return shared.links[band.last_tier + 1].cells + (((step - behind) & (PAIR_LINK - 1)) + behind) * PAIR_COLUMNS;
}

// Carry out a batch; false if it is not there yet.
PAIR_INLINE bool flush(const Pass& pass, const Band& band, Shared& shared, int lane, int step, int end) {
    const int upto = min(step + PAIR_STEPS, end), start = shared.start;
    if (!has_come(shared.written[band.last_tier + 1], upto)) return false;
    const int column = step * PAIR_COLUMNS + lane;
    if (lane < PAIR_BATCH && column < min(upto * PAIR_COLUMNS, pass.column_count)) {
        const uint2* entry = entry_below(shared, band, start, step + lane / PAIR_COLUMNS);
        const uint2 both = entry[lane % PAIR_COLUMNS];
        const int under = look_at(shared.base[step / PAIR_CHUNK % PAIR_BASES]) - PAIR_ZERO;
        const int g = half_of(both.x, band.last_half) + under, f = half_of(both.y, band.last_half) + under;
        write_border(band.below + column, (word)g << 1 | band.tag_out, (word)f << 1 | band.tag_out);
        if (band.saved) band.saved[column] = make_int2(g, f);
        if (PAIR_TRACKS_BEST && column == band.known_way.x) {
            atomicMax(pass.best, g + PAIR_FIRST + band.known_way.y + known_gain(pass, band));
        }
    }
    tell(shared.taken[band.last_tier + 1], upto, lane);
    if (PAIR_PRUNE ? upto % PAIR_CHUNK == 0 || upto == end : step == start) {
        publish(pass, band, lane, min(upto * PAIR_COLUMNS, pass.column_count));
    }
    return true;
}

// All of a segment's batches; it may end earlier than was thought.
PAIR_INLINE void drain_segment(const Pass& pass, const Band& band, Shared& shared) {
    const int lane = threadIdx.x % 32;
    for (int step = shared.start;;) {
        const int end = __shfl_sync(FULL_WARP, look_at(shared.end), 0, 32);
        if (step >= end || has_come(shared.stopped, 1)) return;
        if (flush(pass, band, shared, lane, step, end)) step += PAIR_STEPS;
        else __nanosleep(PAIR_REST);
    }
}

// The drain's part in a band. It meets the others at the barriers.
PAIR_INLINE void drain_band(const Pass& pass, const Band& band, Shared& shared) {
    while (true) {
        meet();
        if (shared.finished) return;
        drain_segment(pass, band, shared);
        meet();
        if (shared.stopped) return;
    }
}

// Bring in borders from step `start` on, to the end or to where the rest can be left out.
PAIR_INLINE void feed_segment(const Pass& pass, const Band& band, Shared& shared, Feeder& feeder) {
    feeder.staged = feeder.reported = feeder.start;
    read_ahead(pass, band, feeder);
    put_letters(shared, feeder, feeder.start, letter_at(pass, feeder, feeder.start));
    feeder.letter_ahead = letter_at(pass, feeder, feeder.start + PAIR_STEPS);
    for (unsigned idle = 1; feeder.staged < feeder.end && !has_come(shared.stopped, 1);) {
        if (stage(pass, band, shared, feeder)) continue;
        if (idle++ % PAIR_LOOKS == 0 && cancelled(pass) && feeder.lane == 0) set(shared.stopped, 1);
        __nanosleep(PAIR_REST);
    }
    if (feeder.lane == 0 && feeder.end > feeder.reported) {
        atomicAdd(pass.progress, (unsigned long long)(feeder.end - feeder.reported) * (PAIR_COLUMNS * PAIR_BAND));
    }
}

// The feeder's part in a band. It meets the others at the barriers.
PAIR_INLINE void feed_band(const Pass& pass, const Band& band, Shared& shared) {
    Feeder feeder;
    feeder.lane = threadIdx.x % 32;
    feeder.base = feeder.known = feeder.elsewhere = 0;
    if constexpr (PAIR_TRACKS_BEST) feeder.known = __shfl_sync(FULL_WARP, *(const volatile int*)pass.best, 0, 32);
    for (int i = feeder.lane; i < PAIR_RING + PAIR_BATCH + PAIR_COLUMNS; i += 32) shared.letters[i] = 0;
    if (feeder.lane == 0) {
        for (int tier = 0; tier < PAIR_TIERS; tier++) shared.best[tier] = 0;
        shared.known = feeder.known;
        shared.skipped = shared.above = 0;
    }
    __syncwarp();
    bool going = await_reached(pass, band.number - 3, 1);
    if constexpr (PAIR_PRUNE) {
        going = going && await_reached(pass, band.number - 1, chunk_end(pass, 0, 1));
        if (going) look_left(pass, band, shared, feeder);
        feeder.heard = now_heard(pass);
    }
    for (int block = 0;;) {
        if constexpr (PAIR_PRUNE) {
            if (going) block = skip_from(pass, band, shared, feeder, block);
            going = block >= 0;
            for (int i = 0; i < 3; i++) feeder.tops[i] = 0;
        }
        feeder.start = block;
        feeder.end = band.blocks;
        if (feeder.lane == 0) {
            for (int tier = 0; tier <= PAIR_TIERS; tier++) shared.written[tier] = shared.taken[tier] = block;
            shared.start = block;
            shared.end = band.blocks;
            shared.finished = !going || block >= band.blocks;
            if (!going) shared.stopped = 1;
        }
        meet();
        if (shared.finished) return;
        feed_segment(pass, band, shared, feeder);
        meet();
        if (shared.stopped) return;
        if constexpr (PAIR_PRUNE) {
            if (feeder.lane == 0) shared.skipped = 0;
            __syncwarp();
        }
        block = feeder.end;
    }
}
