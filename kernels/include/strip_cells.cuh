// The recurrence of a strip, written once: a thread's columns of one row, in 32 bits.
//
//              up        E'= max(E - further, G above)        a gap in the columns' sequence
//               |        F'= max(F - further, G left)         a gap in the rows' sequence
//   left G, F - H        H = max(0, G up-left + (score + first), E', F')
//                        G = H - first                        kept instead of H
//
// On a tie H comes from the diagonal, else from E', else from F'; a gap is rather opened than extended; H = 0
// always begins anew. Phases 1 and 3 decide alike since both do it here, so phase 3 walks where phase 1 said.
#pragma once
#include "strip_params.cuh"

#define STRIP_WORDS (STRIP_COLS * STRIP_BYTES / 4)

// Scores (plus first) of one row letter in a thread's columns.
struct Scores {
    word words[STRIP_WORDS];
    STRIP_INLINE int of(int column) const {
#if STRIP_BYTES == 1
        return (int)(signed char)(words[column / 4] >> 8 * (column % 4));
#elif STRIP_BYTES == 4
        return (int)words[column];
#else
        return (int)(short)(words[column / 2] >> 16 * (column % 2));
#endif
    }
};

STRIP_INLINE Scores load_scores(const char* profile, int letter) {
    Scores scores;
    const char* place = profile + ((size_t)letter * STRIP_THREADS + threadIdx.x) * (STRIP_COLS * STRIP_BYTES);
#if STRIP_WORDS >= 4
#pragma unroll
    for (int i = 0; i < STRIP_WORDS; i += 4) {
        const uint4 loaded = *(const uint4*)(place + 4 * i);
        scores.words[i] = loaded.x, scores.words[i + 1] = loaded.y, scores.words[i + 2] = loaded.z, scores.words[i + 3] = loaded.w;
    }
#elif STRIP_WORDS == 2
    const uint2 loaded = *(const uint2*)place;
    scores.words[0] = loaded.x, scores.words[1] = loaded.y;
#else
    scores.words[0] = *(const word*)place;
#endif
    return scores;
}

// What goes from column to column: the values right of a thread's columns, or of a strip.
struct Edge {
    int g, f;
#if STRIP_STATES
    word state_h, state_f;
#endif
};

// A thread's columns between two rows.
struct Columns {
    int g[STRIP_COLS], e[STRIP_COLS];
    int diagonal;  // G of the column to the left, one row up
#if STRIP_STATES
    word state_h[STRIP_COLS], state_e[STRIP_COLS], state_diagonal;
#endif
};

// Compute one row; returns the highest H. `edge` comes as the values of the column to the left and leaves as those
// of the last column; `border` receives those of the strip's last column. `fresh` is the start state of a path
// that begins in the first of the columns; `directions` receives 4 bits per cell: where H comes from (0 nowhere,
// 1 diagonal, 2 E, 3 F), 4 if E extends, 8 if F extends.
STRIP_INLINE int compute_row(Columns& columns, Edge& edge, Edge& border, const Scores& scores, word fresh, word& directions) {
    int diagonal = columns.diagonal, highest = 0;
    columns.diagonal = edge.g;
#if STRIP_STATES
    word state_diagonal = columns.state_diagonal;
    columns.state_diagonal = edge.state_h;
#endif
    directions = 0;
#pragma unroll
    for (int c = 0; c < STRIP_COLS; c++) {
        int h;
#if STRIP_STATES || defined(STRIP_DIRECTIONS)
        const int f_longer = edge.f - STRIP_FURTHER, e_longer = columns.e[c] - STRIP_FURTHER;
        const bool f_extends = f_longer > edge.g, e_extends = e_longer > columns.g[c];
        edge.f = max(f_longer, edge.g);
        columns.e[c] = max(e_longer, columns.g[c]);
        h = diagonal + scores.of(c);
        const bool e_wins = columns.e[c] > h;
        h = max(h, columns.e[c]);
        const bool f_wins = edge.f > h;
        h = max(h, edge.f);
        const bool begins = h <= 0;
        h = max(h, 0);
#if STRIP_STATES
        edge.state_f = f_extends ? edge.state_f : edge.state_h;
        columns.state_e[c] = e_extends ? columns.state_e[c] : columns.state_h[c];
        word state = e_wins ? columns.state_e[c] : state_diagonal;
        state = f_wins ? edge.state_f : state;
        state = begins ? fresh + c : state;
        state_diagonal = columns.state_h[c];
        columns.state_h[c] = state;
        edge.state_h = state;
#endif
#ifdef STRIP_DIRECTIONS
        const word from = begins ? 0 : f_wins ? 3 : e_wins ? 2 : 1;
        directions |= (from | (e_extends ? 4 : 0) | (f_extends ? 8 : 0)) << 4 * c;
#endif
#else
        edge.f = add_max(edge.f, -STRIP_FURTHER, edge.g);
        columns.e[c] = add_max(columns.e[c], -STRIP_FURTHER, columns.g[c]);
        h = max3(add_max(diagonal, scores.of(c), columns.e[c]), edge.f, 0);
#endif
        diagonal = columns.g[c];
        columns.g[c] = h - STRIP_FIRST;
        edge.g = columns.g[c];
        highest = max(highest, h);
        if (c == STRIP_EDGE_CELL) border = edge;
    }
    return highest;
}
