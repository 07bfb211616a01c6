/* The first terms of the series of exp(y), as NumPy adds them up. */
#include "level.h"

enum { SERIES_SIDE = 64 }; /* values that are added up side by side */

/* Add up the first terms of the series for `side` values: 1 + y + y^2 / 2! + ... */
static void from_below(const double *restrict values, int64_t side, int64_t terms, double *restrict sums)
{
    double term[SERIES_SIDE];
    for (int64_t k = 0; k < side; k++)
        term[k] = sums[k] = 1.0;
    for (int64_t i = 1; i < terms; i++)
        for (int64_t k = 0; k < side; k++) {
            term[k] *= values[k] / (double)i;
            sums[k] += term[k];
        }
}

/* Add up the same divided by the last term, which is the largest where y is large. */
static void from_above(const double *restrict values, int64_t side, int64_t terms, double *restrict sums)
{
    for (int64_t k = 0; k < side; k++)
        sums[k] = 1.0;
    for (int64_t i = 1; i < terms; i++)
        for (int64_t k = 0; k < side; k++) {
            sums[k] *= (double)i / values[k];
            sums[k] += 1.0;
        }
}

/* Add up the first terms for each of `rows` rows of `columns` values above 0.

   terms    [rows] how many, 1 or more
   top      from values above it the sums are divided by the last term
   sums     [rows][columns] out */
SW_EXPORT int SW(series)(const double *values, const int64_t *terms, int64_t rows, int64_t columns, double top, double *sums)
{
    for (int64_t row = 0; row < rows; row++, values += columns, sums += columns)
        for (int64_t at = 0, side; at < columns; at += side) {
            const int above = values[at] > top;
            for (side = 1; side < SERIES_SIDE && at + side < columns && (values[at + side] > top) == above;)
                side++;
            (above ? from_above : from_below)(values + at, side, terms[row], sums + at);
        }
    return 0;
}
