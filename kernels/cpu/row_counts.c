/* Statistics of the rows of an alignment for each column: weights, frequencies, effective numbers, how often gaps open. The
   rules, and where they come from, are in swgui/engines/native/profiles.py. */
#include "rows.h"

/* For each residue of each column: how many rows have it, and how far these reach. */
typedef struct {
    int64_t *counts, *first, *last;
} by_residue;

static void look_through(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, by_residue *of)
{
    for (int64_t place = 0; place < columns * letters; place++) {
        of->counts[place] = of->last[place] = 0;
        of->first[place] = columns;
    }
    for (int64_t row = 0; row < rows; row++, codes += columns) {
        const reach own = reach_of(codes, columns);
        for (int64_t column = own.first; column < own.last; column++) {
            const int64_t place = column * letters + codes[column];
            if (codes[column] >= letters)
                continue;
            of->counts[place]++;
            of->first[place] = own.first < of->first[place] ? own.first : of->first[place];
            of->last[place] = own.last > of->last[place] ? own.last : of->last[place];
        }
    }
}

/* Position-based weights, which add up to 1; `each`: room for columns * letters. */
static void weigh(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, const by_residue *of,
                  double *each, double *weights)
{
    double total = 0;
    for (int64_t column = 0; column < columns; column++) {
        int64_t different = 0;
        for (int64_t letter = 0; letter < letters; letter++)
            different += of->counts[column * letters + letter] > 0;
        for (int64_t letter = 0; letter < letters; letter++) {
            const int64_t beside = of->counts[column * letters + letter] * different;
            each[column * letters + letter] = 1.0 / (double)(beside > 1 ? beside : 1);
        }
    }
    for (int64_t row = 0; row < rows; row++, codes += columns) {
        double sum = 0;
        int64_t residues = 0;
        for (int64_t column = 0; column < columns; column++)
            if (codes[column] < letters) {
                sum += each[column * letters + codes[column]];
                residues++;
            }
        weights[row] = sum / (double)(residues > 1 ? residues : 1);
        total += weights[row];
    }
    for (int64_t row = 0; row < rows; row++)
        weights[row] = total > 0 ? weights[row] / total : 1.0 / (double)rows;
}

/* Mean number of different residues in the columns of the rows that reach a column; seen, over: room for columns + 1
 * each. */
static void count_effective(int64_t columns, int64_t letters, const by_residue *of, int64_t *seen, int64_t *over,
                            double *effective)
{
    memset(seen, 0, (size_t)(columns + 1) * sizeof *seen);
    memset(over, 0, (size_t)(columns + 1) * sizeof *over);
    for (int64_t column = 0; column < columns; column++) {
        int64_t first = columns, last = 0;
        for (int64_t place = column * letters; place < (column + 1) * letters; place++) {
            const int64_t begin = of->first[place], end = of->last[place];
            if (begin < end) {
                seen[begin]++;
                seen[end]--;
            }
            first = begin < first ? begin : first;
            last = end > last ? end : last;
        }
        if (first < last) {
            over[first]++;
            over[last]--;
        }
    }
    for (int64_t column = 0, a = 0, b = 0; column < columns; column++) {
        a += seen[column];
        b += over[column];
        effective[column] = (double)a / (double)(b > 1 ? b : 1);
    }
}

/* Count what `rows` rows say of `columns` columns.

   insertions: [inserted][2], rows and the columns before them. Outputs: weights [rows]; effective [columns]; sums
   [columns][letters], the weight of the rows with each residue; of columns: [4][columns], the weight of the rows that
   reach a column, that reach it and the next one, that have an insertion between these two, and that open a deletion at
   a column. */
SW_EXPORT int SW(count_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters,
                             const int64_t *insertions, int64_t inserted, double *weights, double *effective,
                             double *sums, double *of_columns)
{
    const size_t places = (size_t)(columns * letters);
    int64_t *memory = sw_allocate((4 * places + 2 * (size_t)(columns + 1)) * sizeof *memory);
    double *reached = of_columns, *both = reached + columns, *insertion = both + columns,
           *deletion = insertion + columns;
    if (!memory)
        return ROWS_NO_MEMORY;
    by_residue of = {memory, memory + places, memory + 2 * places};
    int64_t *seen = memory + 4 * places;
    look_through(codes, rows, columns, letters, &of);
    weigh(codes, rows, columns, letters, &of, (double *)(memory + 3 * places), weights);
    count_effective(columns, letters, &of, seen, seen + columns + 1, effective);
    memset(sums, 0, places * sizeof *sums);
    memset(of_columns, 0, 4 * (size_t)columns * sizeof *of_columns);
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t *one = codes + row * columns;
        const double weight = weights[row];
        for (int64_t column = 0; column < columns; column++) {
            const int next = column + 1 < columns && one[column + 1] != ROW_OUTSIDE;
            if (one[column] < letters)
                sums[column * letters + one[column]] += weight;
            if (next && one[column + 1] == ROW_DELETION && one[column] != ROW_DELETION)
                deletion[column + 1] += weight;
            if (one[column] == ROW_OUTSIDE)
                continue;
            reached[column] += weight;
            if (next)
                both[column] += weight;
        }
    }
    for (int64_t at = 0; at < inserted; at++, insertions += 2) {
        const int64_t row = insertions[0], column = insertions[1];
        const uint8_t *one = codes + row * columns;
        if (row < 0 || row >= rows || column < 0 || column >= columns)
            continue;
        if (column + 1 < columns && one[column] != ROW_OUTSIDE && one[column + 1] != ROW_OUTSIDE)
            insertion[column] += weights[row];
    }
    sw_free(memory);
    return ROWS_FINE;
}
