/* The rows behind shift_trace.c, for one width of cells, which holds any score of the problem, and any cost below it; included
   once for each WIDTH, 16 or 32. */
#include "width.h"

#define LEAST ((ELEMENT)(-((ELEMENT)1 << (sizeof(ELEMENT) * 8 - 2))))

typedef struct {
    ELEMENT *h, *f, *next; /* [row_room]: of the row above, and H of this one; codon c is at MARGIN + c */
    ELEMENT *e, *moved;    /* the same of this row: E, 0 where it is less, and which move a pair follows */
    int16_t *scores;       /* [columns] of a row's pairs; where they are the same for each letter, of those that have come by */
    uint8_t laid[SW_SYMBOLS];
    ELEMENT *kept;         /* h and f above each block of rows */
    uint8_t *from;         /* [rows of a block][columns] */
    int64_t block;
    void *memory;
} OF(shift_rows);

/* Values of a row: those that vectors read behind the last column are any. */
static inline size_t OF(row_room)(const shift_problem *p)
{
    return (size_t)(MARGIN + p->columns + LANES);
}

/* Return the scores of a row's pairs. */
static const int16_t *OF(scores_of)(const shift_problem *p, OF(shift_rows) *at, int64_t row)
{
    const int64_t symbols = p->query->symbols, letter = p->by_codons ? p->letters[row] : p->own ? p->own[row] : 0;
    const int16_t *by_row = p->query->scores + (p->own ? letter : row) * symbols;
    const int16_t *by_column = p->query->scores + p->from * symbols + letter;
    int16_t *scores = at->scores + letter * p->columns;
    if (at->laid[letter])
        return scores;
    for (int64_t c = 0; c < p->columns; c++)
        scores[c] = p->by_codons ? by_column[c * symbols] : by_row[p->letters[p->from + c]];
    at->laid[letter] = p->by_codons || p->own;
    return scores;
}

/* Compute F of a row, and H but for E, into `h`; which of the moves is best, into `moved`. Columns do not depend on each other. */
static void OF(reach)(int64_t columns, ELEMENT first, ELEMENT extend, ELEMENT shift, const int16_t *restrict scores,
                      const ELEMENT *restrict above, ELEMENT *restrict f, ELEMENT *restrict h, ELEMENT *restrict moved)
{
    for (int64_t c = 0; c < columns; c++) {
        ELEMENT reached = above[c], by = 0;
#pragma GCC unroll 4
        for (int k = 1; k < 5; k++) {
            const ELEMENT other = (ELEMENT)(above[c - moves[k]] - shift);
            by = other > reached ? (ELEMENT)(k << MOVED_BIT) : by;
            reached = other > reached ? other : reached;
        }
        const ELEMENT pair = (ELEMENT)(reached + scores[c]), opened = (ELEMENT)(above[c + 3] - first);
        const ELEMENT extended = (ELEMENT)(f[c] - extend);
        const ELEMENT down = opened > extended ? opened : extended, best = pair > down ? pair : down;
        moved[c] = (ELEMENT)(by | (opened >= extended ? OPENS_RESIDUE : 0) | (pair >= down ? PAIR : INSERTION));
        f[c] = down;
        h[c] = best > 0 ? best : 0;
    }
}

/* Compute E of a row from H without it: what a gap opens with is never E itself. Where it is not above 0, it changes nothing, and
   that is most of a row. */
static void OF(run_along)(int64_t columns, ELEMENT first, ELEMENT extend, const ELEMENT *restrict h, ELEMENT *restrict e)
{
    const VEC zero = {0}, opening = OF(set)(first), longer = OF(set)(extend);
    VEC made = zero;
    for (int64_t c = 0; c < columns; c += LANES) {
        VEC opened;
        memcpy(&opened, h + c - 3, sizeof opened);
        const VEC some = OF(max)(opened - opening, OF(last)(made) - longer);
        made = OF(any_above)(some, zero) ? OF(carried_by_three)(some, extend) : zero;
        memcpy(e + c, &made, sizeof made);
    }
}

/* Take E into H of a row, and into what it came from; returns the best score of the row. */
static ELEMENT OF(finish)(int64_t columns, const ELEMENT *restrict e, ELEMENT *restrict h, ELEMENT *restrict moved)
{
    ELEMENT best = 0;
    for (int64_t c = 0; c < columns; c++) {
        moved[c] = e[c] > h[c] ? (ELEMENT)((moved[c] & ~STARTS) | DELETION) : moved[c];
        h[c] = e[c] > h[c] ? e[c] : h[c];
        best = h[c] > best ? h[c] : best;
    }
    return best;
}

/* Record the origins of the cells of a row. */
static void OF(note)(int64_t columns, ELEMENT first, ELEMENT extend, const ELEMENT *restrict e, const ELEMENT *restrict h,
                     const ELEMENT *restrict moved, uint8_t *restrict from)
{
    for (int64_t c = 0; c < columns; c++) {
        const ELEMENT opened = (ELEMENT)(h[c - 3] - first), extended = (ELEMENT)(e[c - 3] - extend);
        from[c] = (uint8_t)(moved[c] | (opened >= extended ? OPENS_CODON : 0) | (h[c] <= 0 ? STARTS : 0));
    }
}

/* Compute row `row`, and return its best score; `from` may be NULL. What depends on the columns before is only E. */
static ELEMENT OF(next_shift_row)(const shift_problem *p, OF(shift_rows) *at, int64_t row, uint8_t *from)
{
    const ELEMENT first = (ELEMENT)p->query->first, extend = (ELEMENT)p->query->extend, shift = (ELEMENT)p->shift;
    ELEMENT *h = at->next + MARGIN, *e = at->e + MARGIN;
    OF(reach)(p->columns, first, extend, shift, OF(scores_of)(p, at, row), at->h + MARGIN - 3, at->f + MARGIN, h, at->moved);
    OF(run_along)(p->columns, first, extend, h, e);
    const ELEMENT best = OF(finish)(p->columns, e, h, at->moved);
    if (from)
        OF(note)(p->columns, first, extend, e, h, at->moved, from);
    at->next = at->h, at->h = h - MARGIN;
    return best;
}

static int OF(make_shift_rows)(OF(shift_rows) *at, const shift_problem *p, size_t most)
{
    const size_t row = OF(row_room)(p), bytes = (size_t)p->columns;
    at->block = bytes * (size_t)p->rows <= most ? p->rows : (int64_t)(most / bytes) + 1;
    const size_t blocks = (size_t)((p->rows + at->block - 1) / at->block), letters = p->by_codons || p->own ? (size_t)p->query->symbols : 1;
    at->memory = sw_allocate((5 + 2 * blocks) * row * sizeof(ELEMENT) + letters * bytes * sizeof(int16_t) +
                             (size_t)at->block * bytes);
    if (!at->memory)
        return QUERY_NO_MEMORY;
    at->h = at->memory;
    at->f = at->h + row;
    at->next = at->f + row;
    at->e = at->next + row;
    at->moved = at->e + row;
    at->kept = at->moved + row;
    at->scores = (int16_t *)(at->kept + 2 * blocks * row);
    at->from = (uint8_t *)(at->scores + letters * bytes);
    memset(at->h, 0, 3 * row * sizeof(ELEMENT));
    for (size_t c = 0; c < row; c++)
        at->f[c] = at->e[c] = LEAST;
    return QUERY_FINE;
}

/* Follow the path from its last cell in the rows from `top` on; returns whether its first cell is among them. */
static int OF(follow_rows)(const OF(shift_rows) *at, int64_t stride, int64_t top, shift_cell *cell, run_writer *runs)
{
    while (cell->row >= top && cell->column >= 0) {
        const int noted = at->from[(cell->row - top) * stride + cell->column];
        if (cell->state == PAIR && (noted & STARTS) != PAIR) {
            if ((noted & STARTS) == STARTS)
                return 1;
            cell->state = noted & STARTS;
        }
        if (cell->state == PAIR) {
            const int moved = moves[noted >> MOVED_BIT & 7];
            write_column(runs, PAIR);
            if (moved)
                write_many(runs, moved > 0 ? SKIP : AGAIN, moved > 0 ? moved : -moved);
            cell->row--, cell->column -= 3 + moved;
        } else if (cell->state == INSERTION) {
            write_column(runs, INSERTION);
            cell->state = noted & OPENS_RESIDUE ? PAIR : INSERTION;
            cell->row--;
        } else {
            write_column(runs, DELETION);
            cell->state = noted & OPENS_CODON ? PAIR : DELETION;
            cell->column -= 3;
        }
    }
    return cell->row < 0 || cell->column < 0;
}

/* Follow the path from its last cell, block after block; returns 0, TRACE_LOST or QUERY_STOPPED. */
static int OF(follow_shifts)(const shift_problem *p, OF(shift_rows) *at, int32_t score, shift_cell *cell, run_writer *runs)
{
    const size_t row = OF(row_room)(p);
    for (int64_t block = (p->rows - 1) / at->block;; block--) {
        const int64_t top = block * at->block;
        memcpy(at->h, at->kept + 2 * (size_t)block * row, row * sizeof(ELEMENT));
        memcpy(at->f, at->kept + (2 * (size_t)block + 1) * row, row * sizeof(ELEMENT));
        if (*p->stop)
            return QUERY_STOPPED;
        for (int64_t r = top; r <= cell->row; r++)
            OF(next_shift_row)(p, at, r, at->from + (r - top) * p->columns);
        if (cell->row == p->rows - 1 && at->h[MARGIN + p->columns - 1] != score)
            return TRACE_LOST;
        if (OF(follow_rows)(at, p->columns, top, cell, runs))
            return 0;
    }
}

/* Find the best score, in the first column that has it, and its first row, and with one block of rows what all came from; the
   rows and columns of the problem end there then. Returns QUERY_FINE, QUERY_STOPPED. */
static int OF(find_end)(shift_problem *p, OF(shift_rows) *at, int32_t *score)
{
    int64_t end_row = -1, end_column = -1;
    const int alone = at->block >= p->rows;
    *score = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        const ELEMENT best = OF(next_shift_row)(p, at, i, alone ? at->from + i * p->columns : NULL);
        if (i % STOP_ROWS == 0 && *p->stop)
            return QUERY_STOPPED;
        if (!best || best < *score)
            continue;
        int64_t column = 0;
        while (at->h[MARGIN + column] != best)
            column++;
        if (best > *score || column < end_column)
            end_row = i, end_column = column;
        *score = best;
    }
    p->rows = end_row + 1, p->columns = end_column + 1;
    return QUERY_FINE;
}

static int64_t OF(trace_shifts)(shift_problem *p, size_t most, int32_t *end, run_writer *runs, int64_t *start)
{
    OF(shift_rows) at = {0};
    if (OF(make_shift_rows)(&at, p, most) < 0)
        return QUERY_NO_MEMORY;
    const int64_t stride = p->columns;
    const int unknown = end[0] < 0, alone = at.block >= p->rows;
    int64_t made = 0;
    if (unknown) {
        made = OF(find_end)(p, &at, end);
        end[1] = (int32_t)p->rows, end[2] = end[0] ? (int32_t)(p->from + p->columns + 2) : 0;
        if (made < 0 || !end[0] || !alone)
            sw_free(at.memory);
        if (made < 0 || !end[0])
            return made;
        if (!alone)
            return OF(trace_shifts)(p, most, end, runs, start);
    }
    shift_cell cell = {p->rows - 1, p->columns - 1, PAIR};
    if (unknown)
        made = OF(follow_rows)(&at, stride, 0, &cell, runs) ? 0 : TRACE_LOST;
    else {
        const size_t row = OF(row_room)(p);
        const int64_t last = (p->rows - 1) / at.block * at.block;
        for (int64_t i = 0; i <= last && !*p->stop; i++) {
            if (i % at.block == 0) {
                ELEMENT *kept = at.kept + 2 * (size_t)(i / at.block) * row;
                memcpy(kept, at.h, row * sizeof(ELEMENT));
                memcpy(kept + row, at.f, row * sizeof(ELEMENT));
            }
            if (i < last)
                OF(next_shift_row)(p, &at, i, NULL);
        }
        made = *p->stop ? QUERY_STOPPED : OF(follow_shifts)(p, &at, end[0], &cell, runs);
    }
    sw_free(at.memory);
    start[0] = cell.row + 1;
    start[1] = p->from + cell.column + 3;
    return made < 0 ? made : cell.state == PAIR ? runs->count : TRACE_LOST;
}

#undef LEAST
#include "width_end.h"
