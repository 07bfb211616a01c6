/* Frequencies of residues in the columns of an alignment without pseudocounts, and how diverse the rows around each
   column are: swgui/engines/native/observed.py says how both are defined. */
#include "logarithm.h"
#include "rows.h"

#define COVERED 0.9f /* of the rows of a column, so many must reach another one for it to count */

/* The rows that have a residue in a column, and sums over them. */
typedef struct {
    const uint8_t *codes;
    int64_t columns, letters;
    int64_t size, *members;    /* how many rows, and which */
    int64_t first, last;       /* the columns that any of them reaches, and the one behind */
    int32_t *counts, *covered; /* [columns][letters], rows with each residue; [columns], rows that reach the column */
    float *each, *weights;     /* [columns][letters]; of each of `members` */
} neighbours;

/* Add a row to the sums, or take it away. */
static void change_row(neighbours *of, int64_t row, reach own, int32_t change)
{
    const uint8_t *codes = of->codes + row * of->columns;
    for (int64_t column = own.first; column < own.last; column++) {
        of->covered[column] += codes[column] != ROW_OUTSIDE ? change : 0;
        if (codes[column] < of->letters)
            of->counts[column * of->letters + codes[column]] += change;
    }
}

static int counts(const neighbours *of, int64_t column)
{
    return (float)of->covered[column] >= COVERED * (float)of->size;
}

/* Weigh the rows by the residues that few others have, in the columns that nearly all of them reach. */
static void weigh(neighbours *of)
{
    const int64_t letters = of->letters;
    float total = 0;
    for (int64_t column = of->first; column < of->last; column++) {
        const int32_t *beside = of->counts + column * letters;
        float *each = of->each + column * letters;
        int32_t different = 0;
        for (int64_t a = 0; a < letters; a++)
            different += beside[a] > 0;
        for (int64_t a = 0; a < letters; a++)
            each[a] = counts(of, column) && beside[a] ? 1.0f / (float)(beside[a] * different) : 0.0f;
    }
    for (int64_t k = 0; k < of->size; k++) {
        const uint8_t *codes = of->codes + of->members[k] * of->columns;
        float sum = 0;
        int64_t residues = 0;
        for (int64_t column = of->first; column < of->last; column++)
            if (codes[column] < letters) {
                sum += of->each[column * letters + codes[column]];
                residues++;
            }
        of->weights[k] = sum / (float)residues;
        total += of->weights[k];
    }
    for (int64_t k = 0; k < of->size; k++)
        of->weights[k] /= total;
}

/* Mean entropy, in bits, of the columns that nearly all of the rows reach. */
static double mean_entropy(neighbours *of)
{
    const int64_t letters = of->letters;
    double sum = 0;
    int64_t counted = 0;
    memset(of->each + of->first * letters, 0, (size_t)((of->last - of->first) * letters) * sizeof *of->each);
    for (int64_t k = 0; k < of->size; k++) {
        const uint8_t *codes = of->codes + of->members[k] * of->columns;
        for (int64_t column = of->first; column < of->last; column++)
            if (codes[column] < letters)
                of->each[column * letters + codes[column]] += of->weights[k];
    }
    for (int64_t column = of->first; column < of->last; column++) {
        const float *shares = of->each + column * letters;
        float present = 0;
        for (int64_t a = 0; a < letters; a++)
            present += shares[a];
        if (!counts(of, column) || !(present > 0))
            continue;
        for (int64_t a = 0; a < letters; a++)
            if (shares[a] > 0)
                sum -= shares[a] / present * log_2((double)(shares[a] / present));
        counted++;
    }
    return sum / (double)counted;
}

/* Have the rows with a residue in a column; returns whether they are others than before. */
static int gather(neighbours *of, const reach *reaches, int64_t rows, int64_t column, uint8_t *inside)
{
    int changed = 0;
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t here = of->codes[row * of->columns + column] < of->letters;
        if (here == inside[row])
            continue;
        change_row(of, row, reaches[row], here ? 1 : -1);
        inside[row] = here;
        changed = 1;
    }
    if (!changed)
        return 0;
    of->size = 0;
    of->first = of->columns;
    of->last = 0;
    for (int64_t row = 0; row < rows; row++)
        if (inside[row]) {
            of->members[of->size++] = row;
            of->first = reaches[row].first < of->first ? reaches[row].first : of->first;
            of->last = reaches[row].last > of->last ? reaches[row].last : of->last;
        }
    return 1;
}

/* Observe rows. frequencies: [columns][letters], 0 in a column without residues; entropies: [columns]. */
int SW(observe_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, float *frequencies,
                     double *entropies)
{
    const size_t places = (size_t)(columns * letters), n = (size_t)rows;
    const size_t bytes = n * (sizeof(reach) + sizeof(int64_t) + sizeof(float) + 1) + places * 8 + (size_t)columns * 4;
    reach *reaches = sw_allocate(bytes);
    if (!reaches)
        return ROWS_NO_MEMORY;
    memset(reaches, 0, bytes);
    neighbours of = {.codes = codes, .columns = columns, .letters = letters};
    of.members = (int64_t *)(reaches + n);
    of.counts = (int32_t *)(of.members + n);
    of.covered = of.counts + places;
    of.each = (float *)(of.covered + columns);
    of.weights = of.each + places;
    uint8_t *inside = (uint8_t *)(of.weights + n);
    for (int64_t row = 0; row < rows; row++)
        reaches[row] = reach_of(codes + row * columns, columns);
    double entropy = 0;
    memset(frequencies, 0, places * sizeof *frequencies);
    for (int64_t column = 0; column < columns; column++) {
        if (gather(&of, reaches, rows, column, inside) && of.size) {
            weigh(&of);
            entropy = mean_entropy(&of);
        }
        float *own = frequencies + column * letters, total = 0;
        for (int64_t k = 0; k < of.size; k++)
            own[codes[of.members[k] * columns + column]] += of.weights[k];
        for (int64_t a = 0; a < letters; a++)
            total += own[a];
        for (int64_t a = 0; a < letters && of.size; a++)
            own[a] /= total;
        entropies[column] = of.size ? entropy : 0.0;
    }
    sw_free(reaches);
    return ROWS_FINE;
}
