/* Rows of an alignment in the columns of its query: a code for each column, below `ROW_DELETION` a residue. */
#ifndef SW_ROWS_H
#define SW_ROWS_H

#include "level.h"

enum { ROW_MASKED = 250, ROW_DELETION = 254, ROW_OUTSIDE = 255 };
enum { ROW_JUDGES = 10 };  /* overlapping rows needed to judge the ends of a row */
enum { ROW_STRIDE = 96 };   /* columns compared between two looks whether two rows can still be alike; below 256 */
#define ROW_SHARED 0.9     /* of a row's residues that lie in columns of another one, before the two are compared */
enum { ROWS_FINE = 0, ROWS_NO_MEMORY = -1, ROWS_BAD = -2, ROWS_OTHERWISE = 1 }; /* the last: do it step by step */

/* Settings that mask rows: SEG's settings, from which score on a window is a coiled coil, and tables: c log2 c and log2 c
   up to the window of SEG; ln c! and ln c up to the columns or the residues, of which ln 0 is never looked at; for each
   residue its logarithm at the positions a ... g of heptads. Field by field `MaskSettings` in
   swgui/engines/native/rows.py. */
typedef struct {
    int64_t window;
    int64_t most_trim;
    int64_t most_odd;
    double low;
    double high;
    double coil;
    const double *c_log2;
    const double *log2;
    const double *ln_factorial;
    const double *ln;
    const double *heptads;
} mask_settings;

/* Rows as they were found, and their insertions in the order of rows: the row, the column before it, residues. Field by
   field `SOURCES` in swgui/engines/native/rows.py. */
typedef struct {
    const uint8_t *codes; /* [rows][columns] */
    int64_t rows, columns;
    const int64_t *insertions; /* [inserts][3] */
    int64_t inserts;
    const uint8_t *inserted; /* [residues] of all insertions */
    int64_t residues;
} row_source;

/* The first column that a row reaches, and the one behind its last; all columns where it reaches none. */
typedef struct {
    int64_t first, last;
} reach;

static inline reach reach_of(const uint8_t *row, int64_t columns)
{
    reach found = {0, columns};
    while (found.first < columns && row[found.first] == ROW_OUTSIDE)
        found.first++;
    if (found.first == columns) {
        found.first = 0;
        return found;
    }
    while (row[found.last - 1] == ROW_OUTSIDE)
        found.last--;
    return found;
}

/* In aligned_rows.c, row_masks.c, row_counts.c and observed.c. */
int SW(select_rows)(uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, float least, int64_t needed,
                    double identity, int64_t *kept, int64_t *total);
int SW(mask_rows)(uint8_t *codes, int64_t rows, int64_t columns, int32_t low, int32_t coils, const mask_settings *by);
int SW(count_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, const int64_t *insertions,
                   int64_t inserted, double *weights, double *effective, double *sums, double *of_columns);
int SW(observe_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, float *frequencies,
                     double *entropies);

#endif
