// Flow of values through a band: the data that its tiers share, and their progress counters.
//
//      global memory: border above
//            |  feeder (a warp): turns border words into values above the band's base, a batch at a time
//        link 0        G and F of the last few columns, one entry per step, as tier 0 needs them
//      tier 0 (a warp): its last lane writes
//        link 1
//      tier 1, ...
//        link n
//            |  drain (a warp): and back
//      global memory: border below
//
// A link is a ring of PAIR_LINK steps. Its writer counts steps in `written`, its reader in `taken`; both
// only grow. Tiers write batches that begin anywhere in the ring, and read batches that begin at a multiple: the ring
// has PAIR_STEPS entries more than its length, so that a batch is written in one piece (see `link_place`).
#pragma once
#include "pair_cell.cuh"

#define PAIR_STEPS (PAIR_BATCH / PAIR_COLUMNS)       // steps of a batch
#define PAIR_LINK (4 * PAIR_STEPS)                   // steps of a link: a power of two
#define PAIR_LANES (PAIR_HALVES * 32)                // half lanes of a tier; each is a step behind the one before
#define PAIR_TIER_ROWS (PAIR_LANES * PAIR_ROWS)
#define PAIR_BAND (PAIR_TIERS * PAIR_TIER_ROWS)      // rows
// Steps that the last lane may be behind the feeder.
#define PAIR_LAG (PAIR_TIERS * (PAIR_LANES + PAIR_LINK) + PAIR_LINK)
#define PAIR_BASES 64                                // chunks whose base is kept: more than PAIR_LAG spans
#define PAIR_CAPTURED (PAIR_TRACK ? PAIR_HALVES * PAIR_COLUMNS * PAIR_ROWS * 32 * 4 : 0)  // bytes per tier

static_assert(PAIR_LAG + 2 * PAIR_CHUNK < PAIR_BASES * PAIR_CHUNK, "bases are kept long enough");
static_assert((PAIR_LAG + PAIR_LANES + 2 * PAIR_STEPS) * PAIR_COLUMNS <= PAIR_RING, "letters are kept long enough");

struct Link {
    uint2 cells[(PAIR_LINK + PAIR_STEPS) * PAIR_COLUMNS];   // G, F
};

struct alignas(16) Shared {
    Link links[PAIR_TIERS + 1];
    uint2 nothing[PAIR_BATCH];                              // stands for a link behind the last column
    word letters[PAIR_RING + PAIR_BATCH + PAIR_COLUMNS];    // its first columns once more behind its last
    int base[PAIR_BASES];
    int written[PAIR_TIERS + 1], taken[PAIR_TIERS + 1];     // steps of the pass
    int best[PAIR_TIERS];           // best score of a tier
    int highest[PAIR_TIERS];        // H of a tier's cells, when it was at `looked`
    int looked[PAIR_TIERS];
    int bottom[PAIR_TIERS];         // H of a tier's last row, where it was computed last
    int known;                      // best score of all
    int band;
    int open_base;
    int start, end;                 // steps of the segment
    int skipped, above;             // columns left out before it, and H above the last of them
    int stopped;                    // cancelled
    int finished;                   // no segment is left
};

// Counters from one warp to the others: a warp that has seen a new count can read all earlier writes.
PAIR_INLINE int look_at(const int& place) {
#ifdef __CUDA_ARCH__
    int value;
    const unsigned address = (unsigned)__cvta_generic_to_shared(&place);
    asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
#else
    return *(const volatile int*)&place;
#endif
}
PAIR_INLINE void set(int& place, int value) { *(volatile int*)&place = value; }

PAIR_INLINE void tell(int& counter, int value, int lane) {
    __syncwarp();
    __threadfence_block();
    if (lane == 0) set(counter, value);
}
PAIR_INLINE void tell(int& counter, int value, int& another, int its_value, int lane) {
    __syncwarp();
    __threadfence_block();
    if (lane == 0) {
        set(counter, value);
        set(another, its_value);
    }
}

// All warps of the block meet, each from its own part of the program.
PAIR_INLINE void meet() {
#ifdef __CUDA_ARCH__
    asm volatile("barrier.sync 1, %0;" : : "n"(32 * (PAIR_TIERS + 2)) : "memory");
#else
    __syncthreads();
#endif
}

// Whether a counter has come to a value, the same for all lanes.
PAIR_INLINE bool has_come(const int& counter, int value) { return __all_sync(FULL_WARP, look_at(counter) >= value); }

// Entry of a step in a link, for readers of aligned batches: the last entry of a batch that was written in one
// piece over the end of the ring lies behind the end.
PAIR_INLINE const uint2* link_place(const Link& link, int step) {
    const int place = step & (PAIR_LINK - 1);
    return link.cells + (place ? place : PAIR_LINK) * PAIR_COLUMNS;
}

template <int COLUMNS>
PAIR_INLINE void read_above(const uint2* place, word (&g)[COLUMNS], word (&f)[COLUMNS]) {
    if constexpr (COLUMNS == 1) {
        g[0] = place->x, f[0] = place->y;
    } else {
#pragma unroll
        for (int c = 0; c < COLUMNS; c += 2) {
            const uint4 both = *(const uint4*)(place + c);
            g[c] = both.x, f[c] = both.y, g[c + 1] = both.z, f[c + 1] = both.w;
        }
    }
}

template <int COLUMNS>
PAIR_INLINE void write_columns(uint2* place, const word (&g)[COLUMNS], const word (&f)[COLUMNS]) {
    if constexpr (COLUMNS == 1) {
        *place = make_uint2(g[0], f[0]);
    } else {
#pragma unroll
        for (int c = 0; c < COLUMNS; c += 2) *(uint4*)(place + c) = make_uint4(g[c], f[c], g[c + 1], f[c + 1]);
    }
}

PAIR_INLINE void write_below(uint2* place, const Cells& cells) { write_columns(place, cells.below_g, cells.below_f); }

// Values above a thread's first row: from the lane before; in the first lane from the link, and for the upper half
// from the last lane's lower half. Links keep 16-bit values in the upper half, where the last lane has them.
PAIR_INLINE Above take_above(const Cells& cells, const uint2* place, int lane, word take) {
    Above above;
    word g[PAIR_COLUMNS], f[PAIR_COLUMNS];
    read_above(place, g, f);
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
        above.g[c] = __shfl_sync(FULL_WARP, cells.below_g[c], (lane + 31) % 32, 32);
        above.f[c] = __shfl_sync(FULL_WARP, cells.below_f[c], (lane + 31) % 32, 32);
        if constexpr (PAIR_WIDE) {
            if (lane == 0) above.g[c] = g[c], above.f[c] = f[c];
        } else {
            above.g[c] = permute(above.g[c], g[c], take);
            above.f[c] = permute(above.f[c], f[c], take);
        }
    }
    return above;
}

// Columns of a step from the ring, `block` being the step of the lane's lower half.
template <int COLUMNS>
PAIR_INLINE void read_columns(word (&columns)[COLUMNS], const word* place) {
    if constexpr (COLUMNS == 4) {
        const uint4 read = *(const uint4*)place;
        columns[0] = read.x, columns[1] = read.y, columns[2] = read.z, columns[3] = read.w;
    } else if constexpr (COLUMNS == 2) {
        const uint2 read = *(const uint2*)place;
        columns[0] = read.x, columns[1] = read.y;
    } else {
        columns[0] = *place;
    }
}
PAIR_INLINE const word* letters_of(const Shared& shared, int step) {
    return shared.letters + ((step * PAIR_COLUMNS) & (PAIR_RING - 1));
}
