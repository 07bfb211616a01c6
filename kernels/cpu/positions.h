/* One query with gap costs by position against as many subjects as there are lanes, a subject in each lane; included
   once for each width, with WIDTH 16 or 32. The scores of a row are found by shuffles where the instruction set has
   them and 16 bits do, else by gathering. Subjects are laid in blocks of columns, so that they may be of any length.

   In 16 bits a score above `most` may have been more: no value leaves the range before one has been above it. */

#include "width.h"

#ifndef SW_POSITIONS_H
#define SW_POSITIONS_H

enum {
    TOGETHER = SW_BYTES == 64 ? 4 : 2
}; /* columns taken together, so that a row is loaded and stored once for all */
enum { BLOCK_COLUMNS = 2048 };              /* a multiple of it */

static inline int32_t spread16(int32_t value)
{
    return (int32_t)((uint32_t)(value & 0xffff) * 0x10001u);
}

static inline int32_t spread32(int32_t value)
{
    return value;
}
#endif

/* A query laid out one way round. */
typedef struct {
    ELEMENT *scores;       /* [row][stride] */
    int64_t stride;
    int32_t (*costs)[5];   /* of each row, as often as 32 bits have room for them */
    VEC *state;            /* H and E of each row */
    ELEMENT *columns;      /* [BLOCK_COLUMNS][LANES] */
    int64_t rows, symbols;
    int32_t bias, most;
    int refunds;
    const volatile int32_t *stop; /* other than 0 gives up */
    void *memory;
} OF(laid_positions);

/* Parts that a pass may skip, for each lane: the rows before `start`, and all columns once every lane has the score
 * `enough`. */
typedef struct {
    _Alignas(64) ELEMENT start[LANES];
    _Alignas(64) ELEMENT enough[LANES];
    int64_t least; /* of `start` */
} OF(lane_limits);

/* Lay a query out forwards or backwards; free `laid->memory` whatever comes of it. */
static int OF(lay_positions)(OF(laid_positions) * laid, const query_profile *query, const position_gaps *gaps,
                             int backwards)
{
    const int64_t rows = query->rows, stride = BY_SHUFFLE ? 32 : query->symbols + 1;
    const size_t table = ((size_t)(rows * stride) * sizeof(ELEMENT) + 63) / 64 * 64;
    const size_t costs = ((size_t)rows * sizeof *laid->costs + 63) / 64 * 64, state = (size_t)rows * 2 * sizeof(VEC);
    row_costs *plain = sw_allocate((size_t)rows * sizeof *plain);
    char *memory = sw_allocate(table + costs + state + (size_t)BLOCK_COLUMNS * sizeof(VEC));
    laid->memory = memory;
    laid->stop = query->stop;
    if (!plain || !memory) {
        sw_free(plain);
        return QUERY_NO_MEMORY;
    }
    laid->scores = (ELEMENT *)memory;
    laid->costs = (int32_t(*)[5])(memory + table);
    laid->state = (VEC *)(memory + table + costs);
    laid->columns = (ELEMENT *)(memory + table + costs + state);
    laid->rows = rows, laid->symbols = query->symbols, laid->stride = stride;
    laid->refunds = lay_costs(plain, gaps, rows, backwards);
    laid->bias = 0;
    for (int64_t i = 0; BY_SHUFFLE && SW_BYTES == 32 && i < rows * query->symbols; i++)
        laid->bias = -query->scores[i] > laid->bias ? -query->scores[i] : laid->bias;
    laid->most = (WIDTH == 16 ? INT16_MAX : INT32_MAX - (1 << 24)) - query->highest - laid->bias;
    memset(laid->scores, 0, table);
    for (int64_t row = 0; row < rows; row++) {
        const int16_t *source = query->scores + (backwards ? rows - 1 - row : row) * query->symbols;
        OF(lay_row)(laid->scores + row * stride, source, query->symbols, laid->bias);
        const row_costs *at = plain + row;
        const int32_t five[5] = {at->first, at->extend, at->gone_first, at->gone_extend, at->refund};
        for (int k = 0; k < 5; k++)
            laid->costs[row][k] = OF(spread)(five[k]);
    }
    sw_free(plain);
    return QUERY_FINE;
}

/* Lay the columns `from` ... `to` of all lanes, with the symbol behind the last where a subject has ended. */
static void OF(lay_block)(OF(laid_positions) *laid, const lane_subject *subjects, int64_t from, int64_t to)
{
    for (int64_t lane = 0; lane < LANES; lane++) {
        const lane_subject *subject = subjects + lane;
        const int64_t end = subject->length < from ? from : subject->length < to ? subject->length : to;
        ELEMENT *at = laid->columns + lane;
        for (int64_t k = from; k < end; k++, at += LANES)
            *at = subject->codes[k * subject->step];
        for (int64_t k = end; k < to; k++, at += LANES)
            *at = (ELEMENT)laid->symbols;
    }
}

/* Score the subjects of all lanes, of which the longest has `width` residues. Only with `track` the place of the best
   score is found, and `limits` may be given. */
static inline __attribute__((always_inline)) void OF(pass_as)(OF(laid_positions) * laid, const lane_subject *subjects,
                                                              int64_t width, const OF(lane_limits) * limits,
                                                              OF(lanes_found) * found, const int track,
                                                              const int refunds)
{
    const VEC zero = {0}, bias = OF(set)((ELEMENT)laid->bias);
    const int64_t begin = limits ? limits->least : 0;
    VEC best = zero, best_row = zero, best_column = zero;
    memset(laid->state, 0, (size_t)laid->rows * 2 * sizeof(VEC));
    for (int64_t column = 0; column < width && !*laid->stop; column += TOGETHER) {
        if (column % BLOCK_COLUMNS == 0)
            OF(lay_block)(laid, subjects, column, column + BLOCK_COLUMNS);
        OF(letters) wanted[TOGETHER];
        VEC f[TOGETHER], above[TOGETHER], tops[TOGETHER], top_rows[TOGETHER];
        for (int c = 0; c < TOGETHER; c++) {
            wanted[c] = OF(letters_of)(laid->columns + (column % BLOCK_COLUMNS + c) * LANES);
            f[c] = above[c] = top_rows[c] = zero;
            tops[c] = best;
        }
        for (int64_t row = begin; row < laid->rows; row++) {
            const ELEMENT *scores = laid->scores + row * laid->stride;
            const int32_t *cost = laid->costs[row];
            const VEC first = (VEC)set32(cost[0]), extend = (VEC)set32(cost[1]), gone_first = (VEC)set32(cost[2]);
            const VEC gone_extend = (VEC)set32(cost[3]), refund = (VEC)set32(cost[4]), number = OF(set)((ELEMENT)row);
            VEC left = laid->state[2 * row], e = laid->state[2 * row + 1];
#pragma GCC unroll 4
            for (int c = 0; c < TOGETHER; c++) {
                VEC h = OF(max)(OF(add_row)(above[c], scores, wanted[c], bias), zero);
                h = OF(max)(h, OF(max)(e, refunds ? f[c] - refund : f[c]));
                if (track && limits)
                    h &= ~(VEC)(*(const VEC *)limits->start > number);
                if (track) {
                    const VEC better = (VEC)(h > tops[c]);
                    top_rows[c] = WHERE_(better, number, top_rows[c]);
                    tops[c] = OF(max)(tops[c], h);
                } else
                    best = OF(max)(best, h);
                above[c] = left;
                left = h;
                e = OF(max)(e - extend, h - first);
                f[c] = OF(max)(f[c] - gone_extend, h - gone_first);
            }
            laid->state[2 * row] = left;
            laid->state[2 * row + 1] = e;
        }
        for (int c = 0; track && c < TOGETHER; c++) {
            const VEC better = (VEC)(tops[c] > best);
            best_row = WHERE_(better, top_rows[c], best_row);
            best_column = WHERE_(better, OF(set)((ELEMENT)(column + c)), best_column);
            best = OF(max)(best, tops[c]);
        }
        if (track && limits && !OF(any_above)(*(const VEC *)limits->enough, best))
            break;
    }
    *(VEC *)found->score = best;
    *(VEC *)found->row = best_row;
    *(VEC *)found->column = best_column;
}

static void OF(pass_scores)(OF(laid_positions) * laid, const lane_subject *subjects, int64_t width,
                            OF(lanes_found) * found)
{
    if (laid->refunds)
        OF(pass_as)(laid, subjects, width, NULL, found, 0, 1);
    else
        OF(pass_as)(laid, subjects, width, NULL, found, 0, 0);
}

static void OF(pass_last)(OF(laid_positions) *laid, const lane_subject *subjects, int64_t width, OF(lanes_found) *found)
{
    OF(pass_as)(laid, subjects, width, NULL, found, 1, 1);
}

static void OF(pass_first)(OF(laid_positions) * laid, const lane_subject *subjects, int64_t width,
                           const OF(lane_limits) * limits, OF(lanes_found) * found)
{
    OF(pass_as)(laid, subjects, width, limits, found, 1, 1);
}

/* Score subjects, longest first; those that may be more than this width holds keep a score of -1. */
static int OF(score_group)(OF(laid_positions) * laid, const uint8_t *codes, const int64_t *starts,
                           const int64_t *lengths, const int64_t *order, int64_t some, int32_t *scores)
{
    lane_subject subjects[LANES];
    OF(lanes_found) found;
    for (int64_t lane = 0; lane < LANES; lane++)
        subjects[lane] = lane < some ? (lane_subject){codes + starts[order[lane]], lengths[order[lane]], 1}
                                     : (lane_subject){codes, 0, 1};
    OF(pass_scores)(laid, subjects, lengths[order[0]], &found);
    for (int64_t lane = 0; lane < some; lane++)
        if (found.score[lane] <= laid->most)
            scores[order[lane]] = found.score[lane];
    return QUERY_FINE;
}

/* Find the regions of subjects, longest first: the last cell is the first that has the best score, and from there the
   reversed prefixes give the first one. Those that may be more than this width holds keep a score of -1. */
static void OF(region_group)(OF(laid_positions) * forwards, OF(laid_positions) * backwards, const uint8_t *codes,
                             const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t some,
                             int32_t *found)
{
    const int64_t rows = forwards->rows;
    lane_subject subjects[LANES];
    OF(lanes_found) last, first;
    OF(lane_limits) limits;
    int64_t width = 0;
    for (int64_t lane = 0; lane < LANES; lane++)
        subjects[lane] = lane < some ? (lane_subject){codes + starts[order[lane]], lengths[order[lane]], 1}
                                     : (lane_subject){codes, 0, 1};
    OF(pass_last)(forwards, subjects, lengths[order[0]], &last);
    limits.least = rows;
    for (int64_t lane = 0; lane < LANES; lane++) {
        const int live = lane < some && last.score[lane] > 0 && last.score[lane] <= forwards->most;
        limits.enough[lane] = live ? last.score[lane] : 0;
        limits.start[lane] = (ELEMENT)(live ? rows - 1 - last.row[lane] : rows);
        limits.least = live && limits.start[lane] < limits.least ? limits.start[lane] : limits.least;
        subjects[lane] =
            (lane_subject){subjects[lane].codes + (live ? last.column[lane] : 0), live ? last.column[lane] + 1 : 0, -1};
        width = subjects[lane].length > width ? subjects[lane].length : width;
    }
    OF(pass_first)(backwards, subjects, width, &limits, &first);
    for (int64_t lane = 0; lane < some; lane++) {
        int32_t *at = found + 5 * order[lane];
        if (last.score[lane] > forwards->most)
            continue;
        memset(at, 0, 5 * sizeof *at);
        if (!limits.enough[lane])
            continue;
        at[0] = last.score[lane];
        at[1] = (int32_t)(rows - 1 - first.row[lane]);
        at[2] = (int32_t)last.row[lane] + 1;
        at[3] = (int32_t)(last.column[lane] - first.column[lane]);
        at[4] = (int32_t)last.column[lane] + 1;
    }
}

#include "width_end.h"
