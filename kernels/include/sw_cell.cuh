// The recurrence, written once for two 16-bit scores or one 32-bit score per register.
//
//   H(i,j) = max(0, H(i-1,j-1) + s(i,j), E(i,j), F(i,j))
//   E(i,j+1) = max(E(i,j) - further, H(i,j) - first)        along the subject
//   F(i+1,j) = max(F(i,j) - further, H(i,j) - first)        along the query
//
// Frames. Everything is stored with an offset that grows by `further` with every row and every column:
//
//   offset(i, c) = FLOOR + further * (i mod PERIOD + phase(c)),      phase of columns 0 1 2 3 of a block: 1 2 3 0
//
// Then "- further" costs nothing, and one G = H - first serves both gaps. Per cell there remain
//
//   H = max3(D, E, F)            D is the diagonal sum, made one column earlier
//   G = H - first                one add for both halves
//   D' = G above + s             `first` and the change of frame are part of the stored profile
//   E' = max3(E, G, floor)       the floor is the "max(0, ...)": H >= E >= floor
//   F' = max(F, G)
//
// and half a maximum for the best score. The offset is taken back once every PERIOD rows (one add to F)
// and once every four columns (one add to E, on the way from column 2 to column 3).
//
// D' of the next column is made in the same pass over the rows, in place: row i's is no longer needed once
// H(i) is known. So the multiplier pipe, which adds, and the maximum pipe work side by side.
//
// The best score is tracked on diagonal sums, since an optimal alignment ends in a pair of residues: two rows
// of equal frame share one three-way maximum. There are as many running maxima as there are frames.
//
// 16 bits suffice while best < SW_LIMIT: the first sum above TOP, the largest value that maxima compare rightly
// (31743 as binary16, 32767 as integers), would come from an H above TOP - (largest offset) - (largest score),
// and that H was itself a diagonal sum, tracked exactly.
#pragma once
#include "sw_positions.cuh"  // it has the differences with costs by position
#include "sw_profile.cuh"

#define SW_FRAMES (SW_PERIOD + SW_COLUMNS - 1)
#define SW_TAKEN_BACK (SW_COLUMNS * SW_FURTHER)  // from column 2 to column 3

// How far the frame of a column is above that of column 3.
SW_INLINE constexpr int phase(int column) { return (column + 1) % SW_COLUMNS; }

// G (H with costs by position) and F above the first row of a query, where H is 0; G in the frame that a thread hands
// to the next.
SW_INLINE constexpr word top_g(int column) {
    const int steps = column == 2 ? SW_PERIOD - 1 : SW_PERIOD + phase(column);
    return SW_BOTH(SW_POSITIONS ? SW_FLOOR + SW_FURTHER * (steps - 1) : SW_FLOOR - SW_FIRST + SW_FURTHER * steps);
}
SW_INLINE constexpr word top_f(int column) { return SW_BOTH(SW_FLOOR - SW_FIRST + SW_FURTHER * phase(column)); }

// One thread's part of the matrix: SW_ROWS rows, one column at a time.
struct Cells {
    word diagonal[SW_ROWS];     // D of the column to come
    word e[SW_ROWS];            // E of the column to come
    word g[SW_COLUMNS];         // per column of a block: G above the first row, then G of the last row
    word f[SW_COLUMNS];         // F of the first row, then F below the last row
    word best[SW_FRAMES];       // best diagonal sum of the block so far, per frame
    RowCosts costs[SW_ROWS];    // with costs by position
};

SW_INLINE void clear_cells(Cells& cells) {
#pragma unroll
    for (int i = 0; i < SW_ROWS; i++) {
        cells.diagonal[i] = cells.e[i] = SW_BOTH(SW_FLOOR + SW_FURTHER * (i % SW_PERIOD + 1));
    }
#pragma unroll
    for (int c = 0; c < SW_COLUMNS; c++) {
        cells.g[c] = top_g(c);
        cells.f[c] = top_f(c);
    }
}

// Take the diagonal sum of row i, and of the row PERIOD above it, into the running maximum of their frame.
SW_INLINE void track_best(Cells& cells, int i, int column) {
    word& best = cells.best[i % SW_PERIOD + phase(column)];
    if (i / SW_PERIOD % 2) best = max3(best, cells.diagonal[i - SW_PERIOD], cells.diagonal[i]);
    else if (i + SW_PERIOD >= SW_ROWS) best = max2(best, cells.diagonal[i]);
}

// Letters of four columns for both halves, and those of a second track.
struct FourLetters {
    word lower, upper, beside_lower, beside_upper;
};

// One column on its way down the rows.
struct Column {
    word above;                 // G of the row above
    word f;                     // F of the row to come
    int lower, upper;           // where the scores of the next column's letters begin
    Scores scores;
    int beside_lower, beside_upper;  // the same of the second track
    Scores beside;
};

template <int c>
SW_INLINE Column open_column(const Cells& cells, const FourLetters& letters, int base) {
    Column column;
    column.above = cells.g[c];
    column.f = cells.f[c];
    const int upper_stride = SW_PACKED ? SW_UPPER_STRIDE : SW_LOWER_STRIDE;
    column.lower = score_offset<c>(letters.lower, SW_LOWER_STRIDE, base);
    column.upper = score_offset<c>(letters.upper, upper_stride, base);
    if constexpr (SW_TRACKS) {
        column.beside_lower = score_offset<c>(letters.beside_lower, SW_LOWER_STRIDE, base);
        column.beside_upper = score_offset<c>(letters.beside_upper, upper_stride, base);
    }
    return column;
}

// Row i of column c. `drop` and `cut` are used on column 2: the loss of E there, and that from H to G.
// Both are larger than any score if column 3 ends the subject: column 3, against letters that store 0, then has
// nothing but floors, and the next subject starts in column 0 of the next block as if nothing had been there.
template <int c>
SW_INLINE void advance_row(Cells& cells, Column& column, const char* tables, int i, word drop, word cut) {
    if (i % 4 == 0) load_scores<false>(column.scores, tables, column.lower, column.upper, i);
    if (SW_TRACKS && i % 4 == 0) load_scores<true>(column.beside, tables, column.beside_lower, column.beside_upper, i);
    const word h = max3(cells.diagonal[i], cells.e[i], column.f);
    cells.diagonal[i] = add_scores(column.above, column.scores, i);
    if constexpr (SW_TRACKS) cells.diagonal[i] = add_scores(cells.diagonal[i], column.beside, i);
    if (c != 3) track_best(cells, i, c + 1);
    const word floor = SW_BOTH(SW_FLOOR + SW_FURTHER * (i % SW_PERIOD + (c == 2 ? 0 : phase(c) + 1)));
    const RowCosts& cost = cells.costs[i];
    if constexpr (SW_BY_OPENING) {
        const word open = h - cost.first;
        column.above = c == 2 ? h - cut : h;
        cells.e[i] = c == 2 ? max3(cells.e[i] - drop, open - cut, floor) : max3(cells.e[i], open, floor);
        column.f = add_max_of(open, cost.other, column.f);
    } else if constexpr (SW_BY_COSTS) {
        column.above = c == 2 ? h - cut : h;
        const word further = cells.e[i] - cost.extend - (c == 2 ? drop : 0);
        cells.e[i] = max3(further, column.above - cost.first, floor);
        column.f = add_max_of(column.f, cost.gone_extended, column.above - cost.gone_first);
    } else if (c == 2) {
        column.above = h - cut;
        cells.e[i] = max3(cells.e[i] - drop, column.above, floor);
        column.f = add_max(column.above, SW_TAKEN_BACK, column.f);
    } else {
        column.above = h - SW_BOTH(SW_FIRST - SW_FURTHER);
        cells.e[i] = max3(cells.e[i], column.above, floor);
        column.f = max2(column.f, column.above);
    }
    if ((i + 1) % SW_PERIOD == 0 || i + 1 == SW_ROWS) column.f -= SW_BOTH(SW_FURTHER * (i % SW_PERIOD + 1));
}

template <int c>
SW_INLINE void close_column(Cells& cells, const Column& column) {
    // Into the frame in which the thread below expects the row above its own.
    cells.g[c] = column.above + SW_BOTH(SW_FURTHER * (SW_PERIOD - 1 - (SW_ROWS - 1) % SW_PERIOD));
    cells.f[c] = column.f;
}

// Row i of column c, if there is one.
template <int c>
SW_INLINE void step_down(Cells& cells, Column& column, const char* tables, int i, word drop, word cut) {
    if (0 <= i && i < SW_ROWS) advance_row<c>(cells, column, tables, i, drop, cut);
}

// SW_ABREAST columns from c on, each SW_SKEW rows behind the one before: each is one long chain of dependent
// instructions, and several of them keep a warp busier. None must overtake the reads of track_best.
template <int c>
SW_INLINE void advance_columns(Cells& cells, const char* tables, int base, const FourLetters& letters, word drop,
                               word cut) {
    Column first = open_column<c>(cells, letters, base), second = open_column<c + 1>(cells, letters, base);
    Column third = {}, fourth = {};
    if constexpr (SW_ABREAST == 4) third = open_column<c + 2>(cells, letters, base);
    if constexpr (SW_ABREAST == 4) fourth = open_column<c + 3>(cells, letters, base);
#pragma unroll
    for (int i = 0; i < SW_ROWS + (SW_ABREAST - 1) * SW_SKEW; i++) {
        step_down<c>(cells, first, tables, i, drop, cut);
        step_down<c + 1>(cells, second, tables, i - SW_SKEW, drop, cut);
        if constexpr (SW_ABREAST == 4) step_down<c + 2>(cells, third, tables, i - 2 * SW_SKEW, drop, cut);
        if constexpr (SW_ABREAST == 4) step_down<c + 3>(cells, fourth, tables, i - 3 * SW_SKEW, drop, cut);
    }
    close_column<c>(cells, first);
    close_column<c + 1>(cells, second);
    if constexpr (SW_ABREAST == 4) close_column<c + 2>(cells, third);
    if constexpr (SW_ABREAST == 4) close_column<c + 3>(cells, fourth);
}

// One block of four columns. `letters` are those of columns 1, 2, 3 and of column 0 of the
// next block, `base` the thread's place in the tables. Returns the best score so far, SW_FLOOR added.
SW_INLINE word advance_block(Cells& cells, const char* tables, int base, const FourLetters& letters, bool ends,
                             word best) {
    const word drop = ends ? SW_HUGE : SW_BOTH(SW_TAKEN_BACK);
    const word cut = ends ? SW_HUGE : SW_BOTH((SW_POSITIONS ? 0 : SW_FIRST - SW_FURTHER) + SW_TAKEN_BACK);
    cells.best[0] = best;
#pragma unroll
    for (int k = 1; k < SW_FRAMES; k++) cells.best[k] = 0;
    // Sums of column 0 were made with the block before, but belong to this one's subject.
#pragma unroll
    for (int i = 0; i < SW_ROWS; i++) track_best(cells, i, 0);
    advance_columns<0>(cells, tables, base, letters, drop, cut);
    if constexpr (SW_ABREAST == 2) advance_columns<2>(cells, tables, base, letters, drop, cut);
    best = cells.best[0];
#pragma unroll
    for (int k = 1; k < SW_FRAMES; k++) best = add_max(cells.best[k], -k * SW_FURTHER, best);
    return best;
}
