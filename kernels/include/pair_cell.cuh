// The recurrence on one thread's rows, for two 16-bit cells or one 32-bit cell per register.
//
//   H(i,j) = max(floor, H(i-1,j-1) + s(i,j), E(i,j), F(i,j))
//   E(i,j+1) = max(E(i,j) - further, H(i,j) - first)        along the subject
//   F(i+1,j) = max(F(i,j) - further, H(i,j) - first)        along the query
//
// Kept from column to column are G = H - first, and E. Per cell:
//
//   D = G of the row above, one column earlier, + (s + first)        add          multiplier pipe
//   H = max3(D, E, F)                                                max3         ALU
//   G = H - first                                                    add          multiplier pipe
//   E = max3(E - further, G, floor)                                  add, max3    both
//   F = max(F - further, G)                                          add-max      ALU
//   best of the column = max3(best, D, D of the row below)           half a max3  ALU
//
// The two halves of a register are cells of two row bands: the upper half's band lies 32 x PAIR_ROWS rows below
// and follows 32 steps behind, so that what leaves the last lane's lower half enters the first lane's upper half.
// Halves are never negative where they are added, so that one 32-bit addition adds both.
//
// Scores. PAIR_SCORES 0: the query has at most four letters. A column's word holds the scores of its letter
// against these four as bytes; one permutation picks the byte of each half by the row's selector.
// PAIR_SCORES 1: a profile in shared memory, 16-byte units ordered (letter, unit of 8 rows, half, lane): eight
// rows at a time for each half, put together by one permutation per row.
#pragma once
#include "pair_lanes.cuh"

#define PAIR_UNITS ((PAIR_ROWS + 7) / 8)
#define PAIR_UNIT_BYTES (32 * 16 * PAIR_HALVES)
#define PAIR_STRIDE (PAIR_UNITS * PAIR_UNIT_BYTES)  // bytes per letter
#define PAIR_PROFILE_BYTES (PAIR_SCORES ? PAIR_LETTERS * PAIR_STRIDE : 0)

PAIR_INLINE int half_of(word both, int half) { return PAIR_BITS == 32 ? (int)both : (int)(both >> 16 * half & 0xffff); }
PAIR_INLINE word in_half(int value, int half) { return PAIR_BITS == 32 ? (word)value : (word)value << 16 * half; }

struct Cells {
    word g[PAIR_ROWS];          // G of the last column
    word e[PAIR_ROWS];          // E of the column to come
    word corner;                // G above the first row, one column before the one to come
    word limit;                 // diagonal sums above this are to be noted
#if PAIR_SCORES == 0
    word selector[PAIR_ROWS];
#endif
};

// The columns of one step, and what lies above the thread's first row there; then what lies below its last.
struct Step {
    word column[PAIR_HALVES][PAIR_COLUMNS];
    word g[PAIR_COLUMNS], f[PAIR_COLUMNS];
};

// What a careful step must respect besides.
struct Care {
    word on[PAIR_COLUMNS];                                  // all ones in halves that take part
    unsigned barred[PAIR_HALVES][PAIR_COLUMNS];             // rows that must not be aligned there, as bits
};

#if PAIR_SCORES == 0
PAIR_INLINE word add_score(word above, const Cells& cells, const Step& step, const char*, int c, int i) {
    const word scores = permute(step.column[0][c], step.column[PAIR_HALVES - 1][c], cells.selector[i]);
#else
struct Unit {
    uint4 half[PAIR_HALVES];
};
PAIR_INLINE Unit read_unit(const Step& step, const char* profile, int c, int unit) {
    Unit read;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        read.half[h] = *(const uint4*)(profile + step.column[h][c] + unit * PAIR_UNIT_BYTES + h * 32 * 16);
    }
    return read;
}
PAIR_INLINE word pick(const uint4& unit, int i) {
    return i / 2 == 0 ? unit.x : i / 2 == 1 ? unit.y : i / 2 == 2 ? unit.z : unit.w;
}
PAIR_INLINE word add_score(word above, const Unit& unit, int i) {
#if PAIR_BITS == 32
    return above + (word)PAIR_FIRST + permute(pick(unit.half[0], i), 0, i % 2 ? 0xbb32 : 0x9910);
#else
    const word scores = permute(pick(unit.half[0], i), pick(unit.half[PAIR_HALVES - 1], i), i % 2 ? 0x7632 : 0x5410);
#endif
#endif
#if PAIR_BITS == 16 && PAIR_SIGNED
    return __vadd2(above, scores);
#elif PAIR_BITS == 16
    return above + scores;
#endif
}

#if PAIR_TRACK
// Columns whose diagonal sums are looked at together: a branch keeps the compiler from mixing what lies on
// both sides of it.
#define PAIR_CHECKED (PAIR_ROWS * PAIR_COLUMNS <= 16 ? PAIR_COLUMNS : PAIR_COLUMNS > 1 && PAIR_ROWS <= 8 ? 2 : 1)

PAIR_INLINE word best_of(const word (&d)[PAIR_ROWS]) {
    word best = PAIR_ROWS % 2 ? max2(d[0], 0) : 0;
#pragma unroll
    for (int i = PAIR_ROWS % 2; i < PAIR_ROWS; i += 2) best = max3(best, d[i], d[i + 1]);
    return best;
}

// Note the best sum of a column, for each half in which it is above the limit.
template <class Note>
PAIR_INLINE void look(word best, const word (&d)[PAIR_ROWS], const Cells& cells, int column, Note note) {
    if (max2(best, cells.limit) == cells.limit) return;
#pragma unroll
    for (int h = 0; h < PAIR_HALVES; h++) {
        if (half_of(best, h) <= half_of(cells.limit, h)) continue;
        int row = 0;
#pragma unroll
        for (int i = PAIR_ROWS - 1; i >= 0; i--) {
            if (half_of(d[i], h) == half_of(best, h)) row = i;
        }
        note(h, column, row, half_of(best, h));
    }
}
#endif

// One step: PAIR_COLUMNS columns of PAIR_ROWS rows. `note(half, column, row, value)` is told of the highest diagonal
// sum of a column if it is above the limit, and of the first row that has it: where a path may end best.
template <bool CAREFUL, class Note>
PAIR_INLINE void advance(Cells& cells, Step& step, const char* profile, const Care& care, Note note) {
#if PAIR_TRACK
    word sums[PAIR_CHECKED][PAIR_ROWS];
#endif
    word before = cells.corner;  // G above the first row, one column earlier
#pragma unroll
    for (int c = 0; c < PAIR_COLUMNS; c++) {
        word d[PAIR_ROWS];
#if PAIR_SCORES == 0
#pragma unroll
        for (int i = PAIR_ROWS - 1; i >= 0; i--) {
            d[i] = add_score(i ? cells.g[i - 1] : before, cells, step, profile, c, i);
        }
#else
#pragma unroll
        for (int u = PAIR_UNITS - 1; u >= 0; u--) {
            const Unit unit = read_unit(step, profile, c, u);
#pragma unroll
            for (int i = min(8 * u + 7, PAIR_ROWS - 1); i >= 8 * u; i--) {
                d[i] = add_score(i ? cells.g[i - 1] : before, unit, i - 8 * u);
            }
        }
#endif
#if PAIR_BARRED
        if (CAREFUL) {
#pragma unroll
            for (int i = 0; i < PAIR_ROWS; i++) {
#if PAIR_BITS == 16
                if (care.barred[0][c] >> i & 1) d[i] &= 0xffff0000u;
                if (care.barred[1][c] >> i & 1) d[i] &= 0x0000ffffu;
#else
                if (care.barred[0][c] >> i & 1) d[i] = (word)-0x3fffffff;
#endif
            }
        }
#endif
#if PAIR_TRACK
        if (CAREFUL) {
            word best = best_of(d);
            best &= care.on[c];
            look(best, d, cells, c, note);
        } else {
#pragma unroll
            for (int i = 0; i < PAIR_ROWS; i++) sums[c % PAIR_CHECKED][i] = d[i];
        }
#endif
        word f = step.f[c];
#pragma unroll
        for (int i = 0; i < PAIR_ROWS; i++) {
#if PAIR_CHAIN
            // F need not wait for H: first >= further, so a gap after a gap never pays.
            const word x = max2(d[i], cells.e[i]);
            const word h = max2(x, f);
            f = add_max(f, -PAIR_FURTHER, x - PAIR_BOTH(PAIR_FIRST));
#else
            const word h = max3(d[i], cells.e[i], f);
#endif
            word g = h - PAIR_BOTH(PAIR_FIRST);
            word e = max3(cells.e[i] - PAIR_BOTH(PAIR_FURTHER), g, PAIR_BOTH(PAIR_FLOOR));
#if !PAIR_CHAIN
            f = add_max(f, -PAIR_FURTHER, g);
#endif
            if (CAREFUL) {
                g = (g & care.on[c]) | (cells.g[i] & ~care.on[c]);
                e = (e & care.on[c]) | (cells.e[i] & ~care.on[c]);
            }
            cells.g[i] = g;
            cells.e[i] = e;
        }
        before = CAREFUL ? (step.g[c] & care.on[c]) | (before & ~care.on[c]) : step.g[c];
        step.g[c] = cells.g[PAIR_ROWS - 1];
        step.f[c] = f;
#if PAIR_TRACK
        if (!CAREFUL && (c + 1) % PAIR_CHECKED == 0) {
            word best = best_of(sums[0]);
#pragma unroll
            for (int k = 1; k < PAIR_CHECKED; k++) best = max2(best, best_of(sums[k]));
            if (max2(best, cells.limit) != cells.limit) {
#pragma unroll
                for (int k = 0; k < PAIR_CHECKED; k++) {
                    look(best_of(sums[k]), sums[k], cells, c + 1 - PAIR_CHECKED + k, note);
                }
            }
        }
#endif
    }
    cells.corner = before;
}
