// Parameters from the host for the kernels of one long pair, and the basic operations of these.
// Every constant comes in as -D from one Python record (swgui/engines/cuda/pair/wavefront/cells.py).
//
//   cells     PAIR_BITS     16: two cells per register, of two row bands; 32: one cell per register
//             PAIR_ROWS     rows per thread and half       PAIR_COLUMNS  columns per step: 1, 2 or 4
//             PAIR_CHAIN    1: shorter chain of dependent operations for one more operation per cell
//             PAIR_TIERS    tiers of a band: warps of a block, without those that carry borders
//   borders   PAIR_BATCH    columns handed on at a time: 4, 8, 16 or 32, at least two steps
//             PAIR_CHUNK    steps between two looks at best, base and pruning: a multiple of 64
//             PAIR_RING     columns whose letters are kept for the lanes behind: a power of two
//   scores    PAIR_SCORES   0: at most four letters in the query, scores are bytes of a register; 1: profile
//             PAIR_SIGNED   1: a stored score may be below 0 (16 bits only)
//             PAIR_LETTERS  letters of the alphabet
//             PAIR_WORST    scores below this are raised to it: two gaps are cheaper
//             PAIR_HIGHEST  highest score
//   scheme    PAIR_FIRST, PAIR_FURTHER     costs of the first and of every other residue of a gap
//   frame     PAIR_ZERO     stored form of a value equal to the base
//             PAIR_DOWN     how far a cell of a band and chunk may be below the chunk's first cell above it
//             PAIR_SLACK    how much more the base may lag behind
//   task      PAIR_LOCAL    1: no value below 0          PAIR_TRACK    0: nothing, 1: best score, 2: find a score
//             PAIR_PRUNE    1: leave out chunks that cannot reach the best score
//             PAIR_BARRED   1: some pairs of residues must not be aligned
//   GPU       PAIR_DPX      1: fused s16x2 instructions (compute capability 9.0 and later)
//             PAIR_MIN_BLOCKS   blocks per multiprocessor
#pragma once

#if !defined(PAIR_BITS) || !defined(PAIR_ROWS) || !defined(PAIR_COLUMNS) || !defined(PAIR_CHAIN) || !defined(PAIR_TIERS)
#error "the cells are not given: PAIR_BITS, PAIR_ROWS, PAIR_COLUMNS, PAIR_CHAIN, PAIR_TIERS"
#endif
#if !defined(PAIR_BATCH) || !defined(PAIR_CHUNK) || !defined(PAIR_RING)
#error "the borders are not given: PAIR_BATCH, PAIR_CHUNK, PAIR_RING"
#endif
#if !defined(PAIR_SCORES) || !defined(PAIR_SIGNED) || !defined(PAIR_LETTERS) || !defined(PAIR_WORST) || \
    !defined(PAIR_HIGHEST) || !defined(PAIR_FIRST) || !defined(PAIR_FURTHER)
#error "the scheme is not given: PAIR_SCORES, _SIGNED, _LETTERS, _WORST, _HIGHEST, _FIRST, _FURTHER"
#endif
#if !defined(PAIR_ZERO) || !defined(PAIR_DOWN) || !defined(PAIR_SLACK)
#error "the frame is not given: PAIR_ZERO, PAIR_DOWN, PAIR_SLACK"
#endif
#if !defined(PAIR_LOCAL) || !defined(PAIR_TRACK) || !defined(PAIR_PRUNE) || !defined(PAIR_BARRED)
#error "the task is not given: PAIR_LOCAL, PAIR_TRACK, PAIR_PRUNE, PAIR_BARRED"
#endif
#if !defined(PAIR_DPX) || !defined(PAIR_MIN_BLOCKS)
#error "the GPU is not given: PAIR_DPX, PAIR_MIN_BLOCKS"
#endif

// Features of a variant, for `if constexpr`. Members of records that a variant has no use for take no register.
#define PAIR_WIDE (PAIR_BITS == 32)
#define PAIR_PROFILE (PAIR_SCORES == 1)
#define PAIR_TRACKS_BEST (PAIR_TRACK == 1)
#define PAIR_TRACKS (PAIR_TRACK != 0)

static_assert(PAIR_COLUMNS == 1 || PAIR_COLUMNS == 2 || PAIR_COLUMNS == 4, "a step has 1, 2 or 4 columns");
static_assert(PAIR_BATCH >= 2 * PAIR_COLUMNS && PAIR_BATCH <= 32 && !(PAIR_BATCH & (PAIR_BATCH - 1)) &&
              PAIR_CHUNK % 64 == 0, "a batch has 4, 8, 16 or 32 columns, a chunk a multiple of 64 steps");
static_assert(!(PAIR_RING & (PAIR_RING - 1)), "the ring of letters is a power of two");
static_assert(!PAIR_PRUNE || (PAIR_LOCAL && PAIR_TRACKS_BEST),
              "only the search for the best local score can be pruned");
static_assert(!PAIR_WIDE || PAIR_PROFILE, "32-bit cells take their scores from a profile");

#define LANES_WIDE PAIR_WIDE
#define LANES_DPX PAIR_DPX
#define LANES_FLOATS (!PAIR_SIGNED)
#include "lanes.cuh"

#define PAIR_INLINE LANES_INLINE
#define FULL_WARP 0xffffffffu
#define PAIR_HALVES (PAIR_WIDE ? 1 : 2)
#define PAIR_BOTH LANES_BOTH
// In 16 bits every value is at least its base, stored as PAIR_ZERO: so the same floor serves where it is a score of 0
// (base 0) and where nothing ever comes near it.
#define PAIR_FLOOR (!PAIR_WIDE ? PAIR_ZERO : PAIR_LOCAL ? 0 : -0x3fffffff)

// Bytes of low and high by the nibbles of a selector; a nibble of 8 or more gives the byte's sign eight times.
PAIR_INLINE word permute(word low, word high, word selector) {
#ifdef __CUDA_ARCH__
    word picked;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(selector));
    return picked;
#else
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    word picked = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned nibble = selector >> 4 * i, byte = (unsigned)(bytes >> 8 * (nibble & 7)) & 0xff;
        picked |= (nibble & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return picked;
#endif
}

// A border's two words go through the second cache, past the first, and each tells by its lowest bit which band
// wrote it: no fences, no flags.
PAIR_INLINE uint2 read_border(const uint2* place) {
#ifdef __CUDA_ARCH__
    uint2 read;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(read.x), "=r"(read.y) : "l"(place) : "memory");
    return read;
#else
    return *place;
#endif
}

PAIR_INLINE void write_border(uint2* place, word g, word f) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" : : "l"(place), "r"(g), "r"(f) : "memory");
#else
    place->x = g;
    place->y = f;
#endif
}
