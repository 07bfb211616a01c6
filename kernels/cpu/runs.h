/* A path inside the region of its alignment, as runs of equal columns. */
#ifndef SW_RUNS_H
#define SW_RUNS_H

#include "level.h"

enum { PAIR = 0, INSERTION = 1, DELETION = 2 };
enum { TRACE_LOST = -3, TRACE_LARGE = -4 };
#define MOST_BYTES ((size_t)256 << 20) /* of a thread */

/* A region: the rows of the query from `row` against `codes`. */
typedef struct {
    const sw_code *codes;
    int64_t row, rows, columns;
    int32_t score;
} region;

/* Runs of equal columns, written from the end of an alignment to its start. */
typedef struct {
    uint8_t *ops;
    int32_t *lengths;
    int64_t count;
} run_writer;

static inline void write_column(run_writer *runs, int op)
{
    if (runs->count && runs->ops[runs->count - 1] == op) {
        runs->lengths[runs->count - 1]++;
        return;
    }
    runs->ops[runs->count] = (uint8_t)op;
    runs->lengths[runs->count++] = 1;
}

static inline void turn_round(run_writer *runs)
{
    for (int64_t a = 0, b = runs->count - 1; a < b; a++, b--) {
        const uint8_t op = runs->ops[a];
        const int32_t length = runs->lengths[a];
        runs->ops[a] = runs->ops[b], runs->lengths[a] = runs->lengths[b];
        runs->ops[b] = op, runs->lengths[b] = length;
    }
}

#endif
