/* Gap costs by position of the query (swgui/core/score_profile.py has the recurrence), in the form that passes over rows
   take.

   A deletion may refund part of its cost of opening where it continues. The refund still possible from row i on,
   refund[i], is added to its value beforehand: D'(i) = D(i) + refund[i]. Then no cost is below 0,

       D'(i) = max(H(i-1) - (first[i] - refund[i]), D'(i-1) - max(extend[i] - refund[i], 0)),      D(i) = D'(i) -
   refund[i]

   and a value of 0 or below can never rise again: lanes may store it as 0. */
#ifndef SW_COSTS_H
#define SW_COSTS_H

#include "level.h"

/* As Python hands them over: [rows] each. */
typedef struct {
    const int16_t *insertion_first, *insertion_extend, *deletion_first, *deletion_extend;
} position_gaps;

/* Costs of one row: its insertions, the deletions on the way to the next row, and the refund of those that
   are here. */
typedef struct {
    int32_t first, extend, gone_first, gone_extend, refund;
} row_costs;

/* Lay the costs of rows out, or those of the same gaps with query and subject read from the end. Returns whether any
 * refunds. */
static inline int lay_costs(row_costs *out, const position_gaps *gaps, int64_t rows, int backwards)
{
    int32_t refund = 0, refunds = 0;
    for (int64_t row = rows - 1; row >= 0; row--) {
        const int64_t p = backwards ? rows - 1 - row : row;
        const int64_t behind = backwards && p ? p - 1 : p; /* the position that insertions of this row are behind */
        int32_t first = gaps->deletion_first[p], extend = gaps->deletion_extend[p];
        if (backwards) /* opened at its other end */
            extend = p + 1 < rows ? first - gaps->deletion_first[p + 1] + gaps->deletion_extend[p + 1] : first;
        out[row].first = gaps->insertion_first[behind];
        out[row].extend = gaps->insertion_extend[behind];
        out[row].refund = refund;
        refunds |= refund > 0;
        if (row == rows - 1)
            out[row].gone_first = out[row].gone_extend = 0;
        if (row > 0) {
            out[row - 1].gone_first = first - refund;
            out[row - 1].gone_extend = extend > refund ? extend - refund : 0;
        }
        refund = refund > extend ? refund - extend : 0;
    }
    return refunds;
}

#endif
