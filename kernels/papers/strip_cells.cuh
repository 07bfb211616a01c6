// The recurrence of a strip, written once: a thread's columns in a group of rows, in 32 bits.
//
//              up        E'= max(E - further, G above)        a gap in the columns' sequence
//               |        F'= max(F - further, G left)         a gap in the rows' sequence
//   left G, F - H        H = max(0, G up-left + (score + first), E', F')
//                        G = H - first                        kept instead of H
//
// On a tie H comes from the diagonal, else from E', else from F'; a gap is rather opened than extended; H = 0
// always begins again. Phases 1 and 3 decide alike since both use this code, so phase 3 follows phase 1.
#pragma once
#include "strip_params.cuh"

#define STRIP_WORDS (STRIP_COLS * STRIP_BYTES / 4)

// Scores (plus first) of one row letter in a thread's columns.
struct Scores {
    word words[STRIP_WORDS];
    STRIP_INLINE int of(int column) const {
        if constexpr (STRIP_BYTES == 1) return (int)(signed char)(words[column / 4] >> 8 * (column % 4));
        else if constexpr (STRIP_BYTES == 2) return (int)(short)(words[column / 2] >> 16 * (column % 2));
        else return (int)words[column];
    }
};

STRIP_INLINE Scores load_scores(const char* profile, int letter) {
    Scores scores;
    const char* place = profile + (letter * (STRIP_HELD / STRIP_COLS) + (int)threadIdx.x) * (STRIP_COLS * STRIP_BYTES);
    if constexpr (STRIP_WORDS >= 4) {
#pragma unroll
        for (int i = 0; i < STRIP_WORDS; i += 4) {
            const uint4 loaded = *(const uint4*)(place + 4 * i);
            scores.words[i] = loaded.x, scores.words[i + 1] = loaded.y;
            scores.words[i + 2] = loaded.z, scores.words[i + 3] = loaded.w;
        }
    } else if constexpr (STRIP_WORDS == 2) {
        const uint2 loaded = *(const uint2*)place;
        scores.words[0] = loaded.x, scores.words[STRIP_WORDS - 1] = loaded.y;
    } else {
        scores.words[0] = *(const word*)place;
    }
    return scores;
}

// Values that pass from column to column, for a group of rows: the values right of a thread's columns, or of a strip.
struct alignas(16) Edges {
    int g[STRIP_ROWS], f[STRIP_ROWS];
#if STRIP_STATES
    word state_h[STRIP_ROWS], state_f[STRIP_ROWS];
#endif
};

// A thread's columns between two groups of rows.
struct Columns {
    int g[STRIP_COLS], e[STRIP_COLS];
    int diagonal;  // G of the column to the left, one row up
#if STRIP_STATES
    word state_h[STRIP_COLS], state_e[STRIP_COLS], state_diagonal;
#endif
};

// Values of every cell of a group, kept only during its computation.
struct Cells {
    int h[STRIP_ROWS][STRIP_COLS];
#if STRIP_STATES
    word state[STRIP_ROWS][STRIP_COLS];
#endif
    word directions[STRIP_ROWS];
};

// Compute a group of rows. `edges` comes as the values of the column to the left and leaves as those of the last
// column; `border` receives those of the strip's last column. `fresh` is the start state of a path that begins in the
// first row and column. Directions are 4 bits per cell: where H comes from (0 nowhere, 1 diagonal, 2 E, 3 F), 4 if E
// extends, 8 if F extends. Cells are visited by anti-diagonals, so that neighbours in that order do not wait for each
// other.
STRIP_INLINE void compute_rows(Columns& columns, Edges& edges, Edges& border, const Scores* scores, word fresh,
                               Cells& cells) {
    int diagonal[STRIP_ROWS];
#if STRIP_STATES
    word state_diagonal[STRIP_ROWS];
#endif
#pragma unroll
    for (int r = 0; r < STRIP_ROWS; r++) {
        diagonal[r] = r ? edges.g[r - 1] : columns.diagonal;
#if STRIP_STATES
        state_diagonal[r] = r ? edges.state_h[r - 1] : columns.state_diagonal;
#endif
        cells.directions[r] = 0;
    }
    columns.diagonal = edges.g[STRIP_ROWS - 1];
#if STRIP_STATES
    columns.state_diagonal = edges.state_h[STRIP_ROWS - 1];
#endif
#pragma unroll
    for (int d = 0; d < STRIP_COLS + STRIP_ROWS - 1; d++) {
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++) {
            const int c = d - r;
            if (c < 0 || c >= STRIP_COLS) continue;
            int h;
#if STRIP_STATES || defined(STRIP_DIRECTIONS)
            const int f_longer = edges.f[r] - STRIP_FURTHER, e_longer = columns.e[c] - STRIP_FURTHER;
            const bool f_extends = f_longer > edges.g[r], e_extends = e_longer > columns.g[c];
            edges.f[r] = max(f_longer, edges.g[r]);
            columns.e[c] = max(e_longer, columns.g[c]);
            h = diagonal[r] + scores[r].of(c);
            const bool e_wins = columns.e[c] > h;
            h = max(h, columns.e[c]);
            const bool f_wins = edges.f[r] > h;
            h = max(h, edges.f[r]);
            const bool begins = h <= 0;
            h = max(h, 0);
#if STRIP_STATES
            edges.state_f[r] = f_extends ? edges.state_f[r] : edges.state_h[r];
            columns.state_e[c] = e_extends ? columns.state_e[c] : columns.state_h[c];
            word state = e_wins ? columns.state_e[c] : state_diagonal[r];
            state = f_wins ? edges.state_f[r] : state;
            state = begins ? fresh + r * STRIP_CODES + c : state;
            state_diagonal[r] = columns.state_h[c];
            columns.state_h[c] = state;
            edges.state_h[r] = state;
            cells.state[r][c] = state;
#endif
#ifdef STRIP_DIRECTIONS
            const word from = begins ? 0 : f_wins ? 3 : e_wins ? 2 : 1;
            cells.directions[r] |= (from | (e_extends ? 4 : 0) | (f_extends ? 8 : 0)) << 4 * c;
#endif
#else
            edges.f[r] = add_max(edges.f[r], -STRIP_FURTHER, edges.g[r]);
            columns.e[c] = add_max(columns.e[c], -STRIP_FURTHER, columns.g[c]);
            h = max3(add_max(diagonal[r], scores[r].of(c), columns.e[c]), edges.f[r], 0);
#endif
            diagonal[r] = columns.g[c];
            columns.g[c] = edges.g[r] = h - STRIP_FIRST;
            cells.h[r][c] = h;
            if (c == STRIP_EDGE_CELL) {
                border.g[r] = edges.g[r], border.f[r] = edges.f[r];
#if STRIP_STATES
                border.state_h[r] = edges.state_h[r], border.state_f[r] = edges.state_f[r];
#endif
            }
        }
    }
}

// The highest H of a group.
STRIP_INLINE int highest_of(const Cells& cells) {
    int highest = 0;
#pragma unroll
    for (int r = 0; r < STRIP_ROWS; r++) {
#pragma unroll
        for (int c = 0; c < STRIP_COLS; c += 2) highest = max3(highest, cells.h[r][c], cells.h[r][c + 1]);
    }
    return highest;
}
