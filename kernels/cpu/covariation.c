/* Covariation of aligned rows of bases: rows without near copies, the tree that joins each row to its nearest one, and
   how often each pair of bases stands in each pair of columns. Bases are planes of bits. */
#include "level.h"
#include "query.h"

/* Groups of columns of one weight, each in words of its own: [levels + 1] words where they begin, [levels] weights. */
typedef struct {
    const int64_t *begins;
    const double *weights;
    int64_t levels;
} Groups;

/* Share of columns, by weight, with bases in both rows that hold different ones; 1 without such columns.
   A row is three planes, one bit a column: the two bits of its base, and whether it has one. */
static inline double apart(const uint64_t *one, const uint64_t *other, int64_t words, Groups columns)
{
    double shared = 0, different = 0;
    for (int64_t level = 0; level < columns.levels; level++) {
        int64_t both = 0, unlike = 0;
        for (int64_t w = columns.begins[level]; w < columns.begins[level + 1]; w++) {
            const uint64_t bases = one[2 * words + w] & other[2 * words + w];
            both += __builtin_popcountll(bases);
            unlike += __builtin_popcountll(((one[w] ^ other[w]) | (one[words + w] ^ other[words + w])) & bases);
        }
        shared += columns.weights[level] * (double)both;
        different += columns.weights[level] * (double)unlike;
    }
    return shared > 0 ? different / shared : 1;
}

/* Keep rows that are farther than `close` from each kept row above them, at most `most`. rows: [count][3][words];
   kept: room for `most`; *total: how many there are. Returns QUERY_FINE, or QUERY_STOPPED once `*stop` is not 0. */
SW_EXPORT int SW(distinct_rows)(const uint64_t *rows, int64_t count, int64_t words, double close, int64_t most,
                                int64_t *kept, int64_t *total, const volatile int32_t *stop)
{
    const int64_t whole[2] = {0, words};
    const double even = 1;
    const Groups columns = {whole, &even, 1};
    int64_t left = 0;
    for (int64_t row = 0; row < count && left < most && !*stop; row++) {
        int64_t k = 0;
        while (k < left && apart(rows + row * 3 * words, rows + kept[k] * 3 * words, words, columns) > close)
            k++;
        if (k == left)
            kept[left++] = row;
    }
    *total = left;
    return *stop ? QUERY_STOPPED : QUERY_FINE;
}

/* Join rows, [count][3][words], from the first one on: a minimum spanning tree (Prim 1957, Bell Syst. Tech. J.
   36:1389) of the shares of columns, by weight, in which two rows differ.

   begins, weights, levels: groups of columns of one weight, as of `Groups`. close: rows that are at most so far apart are neighbours. order: rows as they were joined, the first one first;
   parents: the row that each was joined to, -1 for the first; distances: to it; neighbours: how many rows are close to
   each, itself included; all [count]. Returns QUERY_FINE, QUERY_NO_MEMORY, or QUERY_STOPPED once `*stop` is not 0. */
SW_EXPORT int SW(join_rows)(const uint64_t *rows, int64_t count, int64_t words, const int64_t *begins,
                            const double *weights, int64_t levels, double close, int64_t *order, int64_t *parents,
                            double *distances, int64_t *neighbours, const volatile int32_t *stop)
{
    const Groups columns = {begins, weights, levels};
    uint8_t *joined = calloc((size_t)(count > 0 ? count : 1), 1);
    if (!joined)
        return QUERY_NO_MEMORY;
    for (int64_t row = 0; row < count; row++) {
        parents[row] = -1;
        distances[row] = 2; /* farther than any */
        neighbours[row] = 1;
    }
    int64_t now = 0;
    for (int64_t step = 0; step < count && !*stop; step++) {
        int64_t next = -1;
        joined[now] = 1;
        order[step] = now;
        for (int64_t row = 0; row < count; row++) {
            if (joined[row])
                continue;
            const double far = apart(rows + now * 3 * words, rows + row * 3 * words, words, columns);
            if (far <= close) {
                neighbours[now]++;
                neighbours[row]++;
            }
            if (far < distances[row]) {
                distances[row] = far;
                parents[row] = now;
            }
            if (next < 0 || distances[row] < distances[next])
                next = row;
        }
        now = next;
    }
    if (count > 0)
        distances[0] = 0;
    free(joined);
    return *stop ? QUERY_STOPPED : QUERY_FINE;
}

/* Count pairs of bases in columns `start` to `stop` and all columns from `start` on.

   columns: [count][4][words], one bit a row. levels: [levels + 1], the words where rows of one weight begin; weights:
   [levels]. counts: [stop - start][4][count - start][4], the weight of rows with the base of the left column and that
   of the right one. */
SW_EXPORT int SW(count_pairs)(const uint64_t *columns, int64_t count, int64_t words, const int64_t *begins,
                              const double *weights, int64_t levels, int64_t start, int64_t stop, double *counts)
{
    const int64_t wide = 4 * (count - start);
    for (int64_t i = start; i < stop; i++)
        for (int64_t j = start; j < count; j++) {
            const uint64_t *left = columns + i * 4 * words, *right = columns + j * 4 * words;
            double sums[16] = {0};
            for (int64_t level = 0; level < levels; level++) {
                int64_t found[16] = {0};
                for (int64_t w = begins[level]; w < begins[level + 1]; w++)
                    for (int a = 0; a < 4; a++)
                        for (int b = 0; b < 4; b++)
                            found[4 * a + b] += __builtin_popcountll(left[a * words + w] & right[b * words + w]);
                for (int k = 0; k < 16; k++)
                    sums[k] += weights[level] * (double)found[k];
            }
            double *at = counts + (i - start) * 4 * wide + 4 * (j - start);
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    at[a * wide + b] = sums[4 * a + b];
        }
    return 0;
}
