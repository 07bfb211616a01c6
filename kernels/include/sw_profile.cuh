// The query profile in shared memory, and how a row's score gets from there onto a diagonal.
//
// A unit is 16 bytes: the scores of some successive rows against one letter. Units are ordered
//
//     unit = (letter * UNITS + unit within the thread's rows) * SLOTS + lane
//
// so that a quarter warp, which shared memory serves at once, covers all 32 banks whatever
// letters its lanes look up. Groups of 4 lanes keep two copies for that (SLOTS = 8).
//
// A stored value is the score plus the change of frame of sw_cell.cuh, of either sign. Padding rows and letters
// store 0, which is never better than a gap there; with costs by position they score 0, which is no better than the
// value before.
//
//   PACKED  two subjects, scores of up to 7 bits. The table for the lower half has one word per row,
//           (score, -32768) as two 16-bit numbers; the one for the upper half two bytes per row,
//           (1, -2 x score). Their dot product, score_lower x 1 + -32768 x -2 x score_upper, is both scores
//           in their halves: one instruction parallel to the maxima adds it to a diagonal.
//   WORDS   one table with one word per row. Two subjects: both read it, and the upper half is shifted by a
//           multiplication. Two queries: each word is the sum of both halves and is added as it is.
//
// A second track has tables of its own behind those of residues, of the same form, whose values are added as well.
// They store plain scores; the tables of residues have all changes of frame.
#pragma once
#include "sw_lanes.cuh"

#define SW_SLOTS (SW_LANES < 8 ? 8 : SW_LANES)
#define SW_LOWER_UNITS ((SW_ROWS + 3) / 4)
#define SW_UPPER_UNITS (SW_PACKED ? (SW_ROWS + 7) / 8 : 0)
#define SW_LOWER_STRIDE (SW_LOWER_UNITS * SW_SLOTS * 16)  // bytes per letter
#define SW_UPPER_STRIDE (SW_UPPER_UNITS * SW_SLOTS * 16)
#define SW_LOWER_BYTES (SW_CODES * SW_LOWER_STRIDE)
#define SW_UPPER_BYTES (SW_CODES * SW_UPPER_STRIDE)
#define SW_RESIDUE_BYTES (SW_LOWER_BYTES + SW_UPPER_BYTES)
#define SW_BESIDE_LOWER_BYTES (SW_BESIDE_CODES * SW_LOWER_STRIDE)
#define SW_BESIDE_UPPER_BYTES (SW_BESIDE_CODES * SW_UPPER_STRIDE)
#define SW_PROFILE_BYTES (SW_RESIDUE_BYTES + SW_BESIDE_LOWER_BYTES + SW_BESIDE_UPPER_BYTES)

static_assert(SW_LOWER_STRIDE <= 32767, "one letter's scores must span less than 32 KiB of shared memory");

// profile is int16[SW_LETTERS + SW_BESIDE][length]; rows from `length` on are padding.
template <bool beside>
SW_INLINE int stored_score(const short* profile, int length, int letter, int lane_row, int row) {
    if (lane_row >= SW_ROWS) return 0;
    if (beside) return row >= length || letter >= SW_BESIDE ? 0 : profile[(size_t)(SW_LETTERS + letter) * length + row];
    const int drift = lane_row % SW_PERIOD ? SW_FURTHER : -(SW_PERIOD - 1) * SW_FURTHER;
    if (row >= length || letter >= SW_LETTERS) return SW_POSITIONS ? SW_FURTHER + drift : 0;
    const int given = profile[(size_t)letter * length + row];
    const int score = SW_BESIDE ? given : max(given, SW_WORST);  // a second track may compensate it
    return score + (SW_POSITIONS ? SW_FURTHER : SW_FIRST) + drift;
}

// Fill the table of a track's lower half for rows first_row ... of the query; all threads of the block take part.
template <bool beside>
SW_INLINE void build_lower(char* tables, const short* profile, int length, const short* profile2, int length2,
                           int first_row) {
#pragma unroll 4
    for (int at = threadIdx.x; at < (beside ? SW_BESIDE_LOWER_BYTES : SW_LOWER_BYTES) / 4; at += SW_THREADS) {
        const int unit = at / 4, lane = unit % SW_SLOTS % SW_LANES, letter = unit / (SW_SLOTS * SW_LOWER_UNITS);
        const int lane_row = unit / SW_SLOTS % SW_LOWER_UNITS * 4 + at % 4;
        const int row = first_row + lane * SW_ROWS + lane_row;
        word stored = (word)stored_score<beside>(profile, length, letter, lane_row, row);
        if constexpr (SW_PACKED) stored = (stored & 0xffff) | 0x80000000u;
        if constexpr (SW_TWO_QUERIES) {
            stored += (word)stored_score<beside>(profile2, length2, letter, lane_row, row) << 16;
        }
        ((word*)tables)[at] = stored;
    }
}

// Fill that of the upper half, which packed profiles have.
template <bool beside>
SW_INLINE void build_upper(char* tables, const short* profile, int length, int first_row) {
#pragma unroll 4
    for (int at = threadIdx.x; at < (beside ? SW_BESIDE_UPPER_BYTES : SW_UPPER_BYTES) / 4; at += SW_THREADS) {
        const int unit = at / 4, lane = unit % SW_SLOTS % SW_LANES, letter = unit / (SW_SLOTS * SW_UPPER_UNITS);
        const int lane_row = unit / SW_SLOTS % SW_UPPER_UNITS * 8 + at % 4 * 2;
        const int row = first_row + lane * SW_ROWS + lane_row;
        const word even = -2 * stored_score<beside>(profile, length, letter, lane_row, row);
        const word odd = -2 * stored_score<beside>(profile, length, letter, lane_row + 1, row + 1);
        ((word*)tables)[at] = 0x00010001u | (even & 0xff) << 8 | (odd & 0xff) << 24;
    }
}

template <bool beside>
SW_INLINE void build_track(char* tables, const short* profile, int length, const short* profile2, int length2,
                           int first_row) {
    char* upper = tables + (beside ? SW_BESIDE_LOWER_BYTES : SW_LOWER_BYTES);
    build_lower<beside>(tables, profile, length, profile2, length2, first_row);
    if constexpr (SW_PACKED) build_upper<beside>(upper, profile, length, first_row);
}

SW_INLINE void build_profile(char* tables, const short* profile, int length, const short* profile2, int length2,
                             int first_row) {
    build_track<false>(tables, profile, length, profile2, length2, first_row);
    if constexpr (SW_TRACKS) {
        build_track<true>(tables + SW_RESIDUE_BYTES, profile, length, profile2, length2, first_row);
    }
}

// base + letter c of four x stride: where a thread's scores against it begin, in bytes from the table's
// start. One instruction that also takes the letter out of its word.
template <int c>
SW_INLINE int score_offset(word letters, int stride, int base) {
    const int pick = c % 2 ? stride << 16 : stride;
    return c < 2 ? __dp2a_lo(pick, (int)letters, base) : __dp2a_hi(pick, (int)letters, base);
}

// Scores of a few rows: 4 for the lower half, 8 (PACKED) or 4 for the upper half of two subjects.
struct Scores {
    uint4 lower, upper;
};

// Read the units of a track that begin at row `row`, a multiple of 4; the offsets come from score_offset.
template <bool beside>
SW_INLINE void load_scores(Scores& scores, const char* tables, int lower_offset, int upper_offset, int row) {
    if (beside) tables += SW_RESIDUE_BYTES;
    scores.lower = *(const uint4*)(tables + lower_offset + row / 4 * (SW_SLOTS * 16));
    if constexpr (SW_PACKED) {
        const int lower_bytes = beside ? SW_BESIDE_LOWER_BYTES : SW_LOWER_BYTES;
        const char* upper = tables + lower_bytes + upper_offset + row / 8 * (SW_SLOTS * 16);
        if (row % 8 == 0) scores.upper = *(const uint4*)upper;
    } else if constexpr (SW_TWO_SUBJECTS) {
        scores.upper = *(const uint4*)(tables + upper_offset + row / 4 * (SW_SLOTS * 16));
    }
}

SW_INLINE word quarter(const uint4& unit, int i) {
    return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w;
}

// diagonal + the scores of row `row`, a constant after unrolling.
SW_INLINE word add_scores(word diagonal, const Scores& scores, int row) {
    const word lower = quarter(scores.lower, row % 4);
    if constexpr (SW_PACKED) {
        const int upper = (int)quarter(scores.upper, row % 8 / 2), sum = (int)diagonal;
        return (word)(row % 2 ? __dp2a_hi((int)lower, upper, sum) : __dp2a_lo((int)lower, upper, sum));
    } else if constexpr (SW_TWO_SUBJECTS) {
        return diagonal + lower + quarter(scores.upper, row % 4) * 65536u;
    } else {
        return diagonal + lower;
    }
}
