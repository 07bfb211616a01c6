// The recurrence on one thread's rows, for two 16-bit cells or one 32-bit cell per register.
//
//   H(i,j) = max(floor, H(i-1,j-1) + s(i,j), E(i,j), F(i,j))
//   E(i,j+1) = max(E(i,j) - further, H(i,j) - first)        along the subject
//   F(i+1,j) = max(F(i,j) - further, H(i,j) - first)        along the query
//
// Kept from column to column are G = H - first, and E. Two ways, by PAIR_CHAIN. 0, the fewest operations:
//
//   D = G of the row above, one column earlier, + (s + first)        add          multiplier pipe
//   H = max3(D, E, F)                                                max3         ALU
//   G = H - first                                                    add          multiplier pipe
//   E = max3(E - further, G, floor)                                  add, max3    both
//   F = max(F - further, G)                                          add-max      ALU
//
// 1, the shortest chain: a gap along one sequence right behind a gap along the other may as well come before it,
// and first >= further, so neither E nor F need wait for F. Then one operation leads from F to the F of the next
// row, and one from E to the E of the next column:
//
//   X = max3(D, E, floor)                                            max3         ALU
//   Y = X - first                                                    add          multiplier pipe
//   G = max(F - first, Y), E = max(E - further, Y), F = max(F - further, Y)       add-max      ALU
//
// Halves are never negative where they are added, so that one 32-bit addition adds both.
//
// Scores. PAIR_SCORES 0: the query has at most four letters. A column's word holds the scores of its letter
// against these four as bytes; one permutation picks the byte of each half by the row's selector, a step ahead.
// PAIR_SCORES 1: a profile in shared memory, 16-byte units ordered (letter, unit of 8 rows, half, lane): eight
// rows at a time for each half, put together by one permutation per row.
#pragma once
#include "pair_lanes.cuh"

#define PAIR_UNITS ((PAIR_ROWS + 7) / 8)
#define PAIR_UNIT_BYTES (32 * 16 * PAIR_HALVES)
#define PAIR_STRIDE (PAIR_UNITS * PAIR_UNIT_BYTES)  // bytes per letter
#define PAIR_PROFILE_BYTES (PAIR_SCORES ? PAIR_LETTERS * PAIR_STRIDE : 0)

PAIR_INLINE int half_of(word both, int half) { return PAIR_WIDE ? (int)both : (int)(both >> 16 * half & 0xffff); }
PAIR_INLINE word in_half(int value, int half) { return PAIR_WIDE ? (word)value : (word)value << 16 * half; }

// Sources of the scores of the columns to come: the columns' places in the profile, or, of at most four
// letters, the scores themselves and which bytes of a column's word a row takes.
template <bool PROFILE> struct Prepared;
template <> struct Prepared<false> {
    word selector[PAIR_ROWS];
    word score[PAIR_COLUMNS][PAIR_ROWS];
};
template <> struct Prepared<true> {
    word column[PAIR_HALVES][PAIR_COLUMNS];
};

struct Cells {
    word g[PAIR_ROWS];                      // G of the last column
    word e[PAIR_ROWS];                      // E of the column to come
    word corner;                            // G above the first row, one column before the one to come
    word below_g[PAIR_COLUMNS];             // G and F below the last row, in the columns of the last step
    word below_f[PAIR_COLUMNS];
    Prepared<PAIR_PROFILE> prepared;
};

// Columns of a step as they are kept in shared memory, for each half.
struct Letters {
    word half[PAIR_HALVES][PAIR_COLUMNS];
};

// G and F above a thread's first row.
struct Above {
    word g[PAIR_COLUMNS], f[PAIR_COLUMNS];
};

// Diagonal sums of a step: paths end in them.
struct Sums {
    word d[PAIR_COLUMNS][PAIR_ROWS];
};

// Further conditions of a careful step.
struct Care {
    word on[PAIR_COLUMNS];                                  // all ones in halves that take part
    unsigned barred[PAIR_HALVES][PAIR_COLUMNS];             // rows that must not be aligned there, as bits
};

// Get ready for the columns of the next step.
PAIR_INLINE void prepare(Prepared<false>& prepared, const Letters& letters, int lane) {
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
#pragma unroll
        for (int i = 0; i < PAIR_ROWS; i++) {
            const word lower = letters.half[0][c], upper = letters.half[PAIR_HALVES - 1][c];
            prepared.score[c][i] = permute(lower, upper, prepared.selector[i]);
        }
    }
}

PAIR_INLINE void prepare(Prepared<true>& prepared, const Letters& letters, int lane) {
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
#pragma unroll
        for (int h = 0; h < PAIR_HALVES; h++) prepared.column[h][c] = letters.half[h][c] + lane * 16;
    }
}

PAIR_INLINE word add_scores(word above, word scores) {
    return !PAIR_WIDE && PAIR_SIGNED ? __vadd2(above, scores) : above + scores;
}

struct Unit {
    uint4 half[PAIR_HALVES];
};
PAIR_INLINE Unit read_unit(const Prepared<true>& prepared, const char* profile, int c, int unit) {
    Unit read;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        read.half[h] = *(const uint4*)(profile + prepared.column[h][c] + unit * PAIR_UNIT_BYTES + h * 32 * 16);
    }
    return read;
}
PAIR_INLINE word pick(const uint4& unit, int i) {
    return i / 2 == 0 ? unit.x : i / 2 == 1 ? unit.y : i / 2 == 2 ? unit.z : unit.w;
}
PAIR_INLINE word scores_of(const Unit& unit, int i) {
    const word lower = pick(unit.half[0], i);
    if constexpr (PAIR_WIDE) return (word)PAIR_FIRST + permute(lower, 0, i % 2 ? 0xbb32 : 0x9910);
    else return permute(lower, pick(unit.half[PAIR_HALVES - 1], i), i % 2 ? 0x7632 : 0x5410);
}

// Diagonal sums of one column, from the last row up.
PAIR_INLINE void add_diagonally(word (&d)[PAIR_ROWS], const Cells& cells, const Prepared<false>& prepared,
                                const char* profile, word before, int c) {
#pragma unroll
    for (int i = PAIR_ROWS - 1; i >= 0; i--) d[i] = add_scores(i ? cells.g[i - 1] : before, prepared.score[c][i]);
}

PAIR_INLINE void add_diagonally(word (&d)[PAIR_ROWS], const Cells& cells, const Prepared<true>& prepared,
                                const char* profile, word before, int c) {
#pragma unroll
    for (int u = PAIR_UNITS - 1; u >= 0; u--) {
        const Unit unit = read_unit(prepared, profile, c, u);
#pragma unroll
        for (int i = min(8 * u + 7, PAIR_ROWS - 1); i >= 8 * u; i--) {
            d[i] = add_scores(i ? cells.g[i - 1] : before, scores_of(unit, i - 8 * u));
        }
    }
}

// One cell: from D and F to G, to E of the next column and to F of the next row.
PAIR_INLINE void advance_cell(word d, word& g, word& e, word& f) {
    if constexpr (PAIR_CHAIN) {
        const word y = max3(d, e, PAIR_BOTH(PAIR_FLOOR)) - PAIR_BOTH(PAIR_FIRST);
        g = add_max(f, -PAIR_FIRST, y);
        e = add_max(e, -PAIR_FURTHER, y);
        f = add_max(f, -PAIR_FURTHER, y);
    } else {
        g = max3(d, e, f) - PAIR_BOTH(PAIR_FIRST);
        e = max3(e - PAIR_BOTH(PAIR_FURTHER), g, PAIR_BOTH(PAIR_FLOOR));
        f = add_max(f, -PAIR_FURTHER, g);
    }
}

// Take the sums of pairs that must not be aligned out of a column.
PAIR_INLINE void leave_out_barred(word (&d)[PAIR_ROWS], const Care& care, int c) {
#pragma unroll
    for (int i = 0; i < PAIR_ROWS; i++) {
        if constexpr (PAIR_WIDE) {
            if (care.barred[0][c] >> i & 1) d[i] = (word)-0x3fffffff;
        } else {
            if (care.barred[0][c] >> i & 1) d[i] &= 0xffff0000u;
            if (care.barred[PAIR_HALVES - 1][c] >> i & 1) d[i] &= 0x0000ffffu;
        }
    }
}

// One step: PAIR_COLUMNS columns of PAIR_ROWS rows.
template <bool CAREFUL>
PAIR_INLINE void advance(Cells& cells, const Above& above, const char* profile, const Care& care, Sums& sums) {
    word before = cells.corner;  // G above the first row, one column earlier
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
        word(&d)[PAIR_ROWS] = sums.d[c];
        add_diagonally(d, cells, cells.prepared, profile, before, c);
        if constexpr (PAIR_BARRED && CAREFUL) leave_out_barred(d, care, c);
        word f = above.f[c];
#pragma unroll
        for (int i = 0; i < PAIR_ROWS; i++) {
            const word g_before = cells.g[i], e_before = cells.e[i];
            advance_cell(d[i], cells.g[i], cells.e[i], f);
            if (CAREFUL) {
                cells.g[i] = (cells.g[i] & care.on[c]) | (g_before & ~care.on[c]);
                cells.e[i] = (cells.e[i] & care.on[c]) | (e_before & ~care.on[c]);
                d[i] &= care.on[c];
            }
        }
        before = CAREFUL ? (above.g[c] & care.on[c]) | (before & ~care.on[c]) : above.g[c];
        cells.below_g[c] = cells.g[PAIR_ROWS - 1];
        cells.below_f[c] = f;
    }
    cells.corner = before;
}

// The highest of a step's sums, 0 if none is above.
PAIR_INLINE word highest_of(const Sums& sums) {
    const word* d = &sums.d[0][0];
    constexpr int COUNT = PAIR_COLUMNS * PAIR_ROWS;
    word best = COUNT % 2 ? max2(d[0], 0) : 0;
#pragma unroll
    for (int i = COUNT % 2; i < COUNT; i += 2) best = max3(best, d[i], d[i + 1]);
    return best;
}
