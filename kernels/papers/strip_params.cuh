// Parameters of a strip: every constant comes in as -D.
//
//   STRIP        s, columns of a strip
//   STRIP_COLS   columns that one thread holds in registers: 2, 4 or 8
//   STRIP_ROWS   rows that one thread computes at a time: 2 or 4
//   STRIP_WARPS  warps that compute: just enough for s columns; a block has one more, which fetches and hands on
//   STRIP_BATCH  T, rows of a border column that are handed on at once, a multiple of STRIP_ROWS
//   STRIP_CHUNK  h, rows between two saved rows, a multiple of STRIP_ROWS; 0 if none is saved
//   STRIP_STATES start states: 0 none, 1 local to a strip, 2 local to a chunk
//   STRIP_LETTERS letters of the row sequence
//   STRIP_BYTES  1, 2 or 4: size of a score in shared memory
//   STRIP_FIRST, STRIP_FURTHER  costs of the first and of every other residue of a gap
//   STRIP_COLUMN_FIRST  1 if the leftmost of equal scores counts, 0 if the topmost
//   STRIP_DPX    1 where three-way maxima are one instruction
#pragma once

#if !defined(STRIP) || !defined(STRIP_COLS) || !defined(STRIP_ROWS) || !defined(STRIP_WARPS) || !defined(STRIP_BATCH)
#error "the shape of a strip is not given"
#endif
#if !defined(STRIP_CHUNK) || !defined(STRIP_STATES)
#error "what a strip keeps is not given"
#endif
#if !defined(STRIP_LETTERS) || !defined(STRIP_BYTES) || !defined(STRIP_FIRST) || !defined(STRIP_FURTHER)
#error "the scheme is not given"
#endif
#if !defined(STRIP_COLUMN_FIRST) || !defined(STRIP_DPX)
#error "the order of equal scores or the instructions are not given"
#endif
static_assert(STRIP_ROWS == 2 || STRIP_ROWS == 4, "a thread computes 2 or 4 rows at a time");
static_assert(STRIP_BATCH % STRIP_ROWS == 0 && STRIP_CHUNK % STRIP_ROWS == 0,
              "batches and chunks are whole groups of rows");
static_assert(STRIP_COLS == 2 || STRIP_COLS == 4 || STRIP_COLS == 8, "a thread holds 2, 4 or 8 columns");
static_assert((STRIP_WARPS - 1) * 32 * STRIP_COLS < STRIP && STRIP_WARPS * 32 * STRIP_COLS >= STRIP,
              "a block has just enough warps for its strip");
static_assert(STRIP_COLS * STRIP_BYTES >= 4, "the scores of a thread's columns fill a word");
static_assert(STRIP_STATES != 2 || STRIP_CHUNK >= 1, "states local to a chunk need chunks");

#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif
#define STRIP_INLINE __device__ __forceinline__
#define STRIP_THREADS (32 * STRIP_WARPS + 32)
#define STRIP_HELD (32 * STRIP_WARPS * STRIP_COLS)  // columns held, those beyond s included
#define STRIP_EDGE_THREAD ((STRIP - 1) / STRIP_COLS)  // holds the last column
#define STRIP_PACKS (STRIP_EDGE_THREAD + 1)           // threads that hold columns of the strip
#define STRIP_EDGE_CELL ((STRIP - 1) % STRIP_COLS)
#define STRIP_STEPS (STRIP_BATCH / STRIP_ROWS)                          // of a batch, each a group of rows
#define STRIP_DELAY ((STRIP_STEPS + 31 + STRIP_STEPS - 1) / STRIP_STEPS)  // batches a warp is behind its left neighbour
#define STRIP_RING ((STRIP_DELAY + 1) * STRIP_STEPS)
#define STRIP_NEVER (-(1 << 29))
#define STRIP_HEIGHT (STRIP_CHUNK ? STRIP_CHUNK : 1)  // of a chunk, where there are any
#define STRIP_ALL 0xffffffffu

// Start states are one word: row x STRIP_CODES + code. The code is 0 for H on the left border, 1 ... s for H in
// that column, s + 1 for F on the left border. E on the border above a chunk is row h + 1 of it with its column.
#define STRIP_CODES (STRIP + 2)

typedef unsigned int word;

// Integers of so many bytes.
template <int bytes> struct Integer;
template <> struct Integer<1> { typedef signed char of; typedef unsigned char plain; };
template <> struct Integer<2> { typedef short of; typedef unsigned short plain; };
template <> struct Integer<4> { typedef int of; typedef unsigned int plain; };

STRIP_INLINE int max3(int a, int b, int c) {
    if constexpr (STRIP_DPX) return __vimax3_s32(a, b, c);
    else return max(max(a, b), c);
}
STRIP_INLINE int add_max(int a, int b, int c) {
    if constexpr (STRIP_DPX) return __viaddmax_s32(a, b, c);
    else return max(a + b, c);
}
