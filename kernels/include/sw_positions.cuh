// Gap costs by position of the query (SW_POSITIONS; swgui/core/score_profile.py has the recurrence).
//
// Where all extensions cost the same (SW_OPENINGS) there are frames, as for plain queries, but H travels from row to
// row, and G = H - first is lowered or raised to the cost of a deletion in the maximum for F.
//
// Else each thread keeps four costs of its rows in registers. There are no frames, for an extension costs something
// else in every row: SW_PERIOD is 1 and SW_FURTHER 0 everywhere else. H itself travels from row to row, and per
// cell there remain
//
//   H = max3(D, E, F)
//   D' = H above + s
//   E' = max3(E - extend, H - first, floor)            three adds run parallel to the maxima; F's has the fourth
//   F' = max(F - gone_extend, H - gone_first)          of the row below: costs of deletions are shifted by one row
//
// SW_FLOOR is at least the dearest first residue and the dearest extension together, so that no half is ever negative
// where a plain add follows. An extension may be below 0: F only grows then, and never above its origin.
#pragma once
#include "sw_lanes.cuh"

// Costs of one row, for both halves.
struct RowCosts {
    word first;          // an insertion behind the row; with SW_BY_OPENING less SW_FURTHER
    word other;          // SW_BY_OPENING: that less a deletion below the row, to be added
    word extend;         // SW_BY_COSTS: another residue of an insertion behind the row
    word gone_first;     // SW_BY_COSTS: a deletion that begins with the next row
    word gone_extended;  // SW_BY_COSTS: one that continues to it, to be added
};

// max2(a + b, c) with `b` from extended().
SW_INLINE word add_max_of(word a, word b, word c) {
    if constexpr (SW_DPX && !SW_WIDE) return __viaddmax_s16x2(a, b, c);
    else return max2(a + b, c);
}

// A cost as it is subtracted from both halves by one plain subtraction.
SW_INLINE word cost_of(int lower, int upper) {
    return SW_WIDE ? (word)lower : (word)lower + ((word)upper << 16);
}

// Minus a cost of either sign, as add_max_of adds it: half by half with DPX.
SW_INLINE word extended(int lower, int upper) {
    return SW_DPX && !SW_WIDE ? ((word)-lower & 0xffff) | (word)-upper << 16 : cost_of(-lower, -upper);
}

// gaps is int16[4][length]: insertions' first and other residues, then deletions'.
SW_INLINE int gap_cost(const short* gaps, int length, int kind, int row) {
    return row < length ? (int)gaps[(size_t)kind * length + row] : SW_FURTHER;
}

// The costs of the rows first_row + lane * SW_ROWS ... of one query, or of two.
SW_INLINE void load_costs(RowCosts (&costs)[SW_ROWS], const short* gaps, int length, const short* gaps2, int length2,
                          int first_row) {
    const short* upper = SW_TWO_QUERIES ? gaps2 : gaps;
    const int rows = SW_TWO_QUERIES ? length2 : length;
#pragma unroll
    for (int i = 0; i < SW_ROWS; i++) {
        const int row = first_row + threadIdx.x % SW_LANES * SW_ROWS + i;
        if constexpr (SW_BY_OPENING) {
            const int open = gap_cost(gaps, length, 0, row), open2 = gap_cost(upper, rows, 0, row);
            costs[i].first = cost_of(open - SW_FURTHER, open2 - SW_FURTHER);
            costs[i].other = extended(gap_cost(gaps, length, 2, row + 1) - open,
                                      gap_cost(upper, rows, 2, row + 1) - open2);
        } else {
            costs[i].first = cost_of(gap_cost(gaps, length, 0, row), gap_cost(upper, rows, 0, row));
            costs[i].extend = cost_of(gap_cost(gaps, length, 1, row), gap_cost(upper, rows, 1, row));
            costs[i].gone_first = cost_of(gap_cost(gaps, length, 2, row + 1), gap_cost(upper, rows, 2, row + 1));
            costs[i].gone_extended = extended(gap_cost(gaps, length, 3, row + 1), gap_cost(upper, rows, 3, row + 1));
        }
    }
}
