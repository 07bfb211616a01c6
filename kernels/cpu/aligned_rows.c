/* Alignments of a query with many subjects as rows in the columns of the query, and which rows of an alignment count
   for a profile. The rules are those of swgui/core/profiles/alignment.py and weights.py. */
#include "rows.h"
#include "runs.h"

/* Write `count` alignments as rows. Outputs: out [count][columns]; insertions [runs][3]: row, column before it,
   residues; inserted: the residues of all insertions; totals: how many insertions there are, and residues of them.

   begins: [count][2], where each alignment begins in the query and in its subject. */
SW_EXPORT int SW(write_rows)(const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count,
                             int64_t columns, const int64_t *begins, const uint8_t *ops, const int32_t *run_lengths,
                             const int64_t *offsets, uint8_t *out, int64_t *insertions, uint8_t *inserted,
                             int64_t *totals)
{
    int64_t some = 0, residues = 0;
    memset(out, ROW_OUTSIDE, (size_t)(count * columns));
    for (int64_t k = 0; k < count; k++, out += columns) {
        const uint8_t *subject = codes + starts[k];
        int64_t i = begins[2 * k], j = begins[2 * k + 1];
        if (i < 0 || j < 0)
            return ROWS_BAD;
        for (int64_t run = offsets[k]; run < offsets[k + 1]; run++) {
            const int64_t length = run_lengths[run];
            const int64_t i_end = ops[run] == DELETION ? i : i + length, j_end = ops[run] == INSERTION ? j : j + length;
            if (length <= 0 || i_end > columns || j_end > lengths[k])
                return ROWS_BAD;
            if (ops[run] == PAIR)
                memcpy(out + i, subject + j, (size_t)length);
            else if (ops[run] == INSERTION) /* of the query: the subject lacks these columns */
                memset(out + i, ROW_DELETION, (size_t)length);
            else {
                int64_t *one = insertions + 3 * some++;
                one[0] = k, one[1] = i - 1, one[2] = length;
                memcpy(inserted + residues, subject + j, (size_t)length);
                residues += length;
            }
            i = i_end, j = j_end;
        }
    }
    totals[0] = some, totals[1] = residues;
    return ROWS_FINE;
}

/* Number of some columns that two rows cover. */
static int64_t covered_by_both(const uint8_t *one, const uint8_t *other, int64_t first, int64_t last)
{
    int64_t count = 0;
    for (int64_t column = first; column < last; column++)
        count += (one[column] != ROW_OUTSIDE) & (other[column] != ROW_OUTSIDE);
    return count;
}

/* Cut off the ends of a row that fewer than `least` of the overlapping rows share.

   codes: of all rows, where one of them does not cover all columns between its ends; NULL otherwise.
   counts: a place for every column. */
static void cut_ends(const uint8_t *codes, const reach *all, int64_t rows, int64_t row, int64_t columns, float least,
                     int32_t *counts, reach *cut)
{
    const reach own = all[row];
    const int64_t length = own.last - own.first, most = length / 4;
    const uint8_t *of_row = codes ? codes + row * columns : NULL;
    const int64_t residues = codes ? covered_by_both(of_row, of_row, own.first, own.last) : length;
    int64_t beside = 0, first = -1, last = -1;
    int32_t cover = 0;
    memset(counts, 0, (size_t)(columns + 1) * sizeof *counts);
    for (int64_t other = 1; other < rows; other++) {
        const int64_t a = all[other].first > own.first ? all[other].first : own.first;
        const int64_t b = all[other].last < own.last ? all[other].last : own.last;
        const uint8_t *of_other = codes ? codes + other * columns : NULL;
        if (other == row || 2 * (codes ? covered_by_both(of_row, of_other, a, b) : b > a ? b - a : 0) < residues)
            continue;
        beside++;
        if (!codes) {
            counts[a]++;
            counts[b]--;
        }
        for (int64_t column = a; codes && column < b; column++)
            if (of_other[column] != ROW_OUTSIDE) {
                counts[column]++;
                counts[column + 1]--;
            }
    }
    *cut = own;
    if (beside < ROW_JUDGES)
        return;
    for (int64_t column = own.first; column < own.last; column++) {
        cover += counts[column];
        if ((float)cover / (float)beside >= least) {
            first = first < 0 ? column : first;
            last = column + 1;
        }
    }
    if (first < 0)
        return;
    cut->first = first < own.first + most ? first : own.first + most;
    cut->last = last > own.last - most ? last : own.last - most;
}

/* Cut off the ends of all rows but the first. */
static int cut_all(uint8_t *codes, int64_t rows, int64_t columns, float least)
{
    reach *all = sw_allocate((size_t)rows * sizeof *all);
    int32_t *counts = sw_allocate((size_t)(columns + 1) * sizeof *counts);
    int answer = all && counts ? ROWS_FINE : ROWS_NO_MEMORY, holes = 0;
    for (int64_t row = 1; row < rows && answer == ROWS_FINE; row++) {
        const uint8_t *one = codes + row * columns;
        all[row] = reach_of(one, columns);
        holes |= covered_by_both(one, one, all[row].first, all[row].last) < all[row].last - all[row].first;
    }
    /* the rows as they were */
    uint8_t *before = holes && answer == ROWS_FINE ? sw_allocate((size_t)(rows * columns)) : NULL;
    if (before)
        memcpy(before, codes, (size_t)(rows * columns));
    else if (holes)
        answer = ROWS_NO_MEMORY;
    for (int64_t row = 1; row < rows && answer == ROWS_FINE; row++) {
        uint8_t *one = codes + row * columns;
        reach cut;
        cut_ends(before, all, rows, row, columns, least, counts, &cut);
        while (cut.first < cut.last && one[cut.first] >= ROW_DELETION)
            cut.first++;
        while (cut.last > cut.first && one[cut.last - 1] >= ROW_DELETION)
            cut.last--;
        memset(one, ROW_OUTSIDE, (size_t)cut.first);
        memset(one + cut.last, ROW_OUTSIDE, (size_t)(columns - cut.last));
    }
    sw_free(before);
    sw_free(all);
    sw_free(counts);
    return answer;
}

static int64_t count_below(const uint8_t *codes, int64_t columns, uint8_t limit)
{
    int64_t found = 0;
    for (int64_t column = 0; column < columns;) {
        uint8_t some = 0; /* of 255 at most, so that bytes hold it */
        const int64_t end = columns - column < 255 ? columns : column + 255;
        for (; column < end; column++)
            some += codes[column] < limit;
        found += some;
    }
    return found;
}

/* Whether a row is identical to one that is kept, in so many of the columns that they share, and shares nearly all of
   its own.

   own, kept: what is no residue is `ROW_DELETION` in the one and `ROW_OUTSIDE` in the other, so that it is never the
   same. */
static int is_copy(const uint8_t *own, const uint8_t *kept, int64_t columns, int64_t residues, double identity)
{
    const double needed = identity * (ROW_SHARED * (double)residues);
    int64_t same = 0, shared = 0;
    for (int64_t column = 0; column < columns;) {
        uint8_t some = 0;
        const int64_t end = columns - column < ROW_STRIDE ? columns : column + ROW_STRIDE;
        for (; column < end; column++)
            some += own[column] == kept[column];
        same += some;
        if ((double)(same + columns - column) + 1 < needed) /* also if all that is left were the same */
            return 0;
    }
    for (int64_t column = 0; column < columns; column++)
        shared += (own[column] != ROW_DELETION) & (kept[column] != ROW_OUTSIDE);
    return (double)same >= identity * (double)(shared > 1 ? shared : 1) &&
           (double)shared >= ROW_SHARED * (double)residues;
}

/* Find the rows that are left when near copies of rows above them are taken out; the first always is. kept: [rows],
 * total: how many. */
SW_EXPORT int SW(purge_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, double identity,
                             int64_t *kept, int64_t *total)
{
    uint8_t *among = sw_allocate((size_t)(rows + 1) * (size_t)(columns + 1)), *own = among + rows * columns;
    int64_t count = 0;
    if (!among)
        return ROWS_NO_MEMORY;
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t *codes_of = codes + row * columns;
        const int64_t residues = count_below(codes_of, columns, (uint8_t)letters);
        int copy = 0;
        for (int64_t column = 0; column < columns; column++)
            own[column] = codes_of[column] < letters ? codes_of[column] : ROW_DELETION;
        for (int64_t other = 0; other < count && !copy; other++)
            copy = is_copy(own, among + other * columns, columns, residues, identity);
        if (copy)
            continue;
        for (int64_t column = 0; column < columns; column++)
            among[count * columns + column] = own[column] == ROW_DELETION ? ROW_OUTSIDE : own[column];
        kept[count++] = row;
    }
    sw_free(among);
    *total = count;
    return ROWS_FINE;
}

/* Leave the rows that count: ends that few share are cut off (above a `least` of 0), rows of less than `needed`
   residues and near copies are taken out. The rows that are left come first, in `codes` as it is; kept: their numbers,
   total: how many. */
SW_EXPORT int SW(select_rows)(uint8_t *codes, int64_t rows, int64_t columns, int64_t letters, float least,
                              int64_t needed, double identity, int64_t *kept, int64_t *total)
{
    int64_t count = 1, purged = 0;
    int64_t *numbers = sw_allocate((size_t)rows * sizeof *numbers);
    int answer = ROWS_FINE;
    if (!numbers)
        return ROWS_NO_MEMORY;
    numbers[0] = 0;
    if (least > 0 && rows > 1)
        answer = cut_all(codes, rows, columns, least);
    for (int64_t row = 1; row < rows && answer == ROWS_FINE; row++) {
        if (count_below(codes + row * columns, columns, ROW_DELETION) < needed)
            continue;
        memmove(codes + count * columns, codes + row * columns, (size_t)columns);
        numbers[count++] = row;
    }
    if (answer == ROWS_FINE)
        answer = SW(purge_rows)(codes, count, columns, letters, identity, kept, &purged);
    for (int64_t at = 0; at < purged; at++) {
        const int64_t row = kept[at];
        memmove(codes + at * columns, codes + row * columns, (size_t)columns);
        kept[at] = numbers[row];
    }
    *total = purged;
    sw_free(numbers);
    return answer;
}

/* Say of each two rows whether they have the same residue in `share` of the columns that both have one in, where these
   are `fewest` or more; found: [rows][rows]. */
SW_EXPORT int SW(alike_rows)(const uint8_t *codes, int64_t rows, int64_t columns, int64_t fewest, double share,
                             uint8_t *found)
{
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b <= a; b++) {
            const uint8_t *one = codes + a * columns, *other = codes + b * columns;
            int64_t shared = 0, same = 0;
            for (int64_t column = 0; column < columns; column++) {
                const int both = (one[column] < ROW_DELETION) & (other[column] < ROW_DELETION);
                shared += both;
                same += both & (one[column] == other[column]);
            }
            found[a * rows + b] = found[b * rows + a] = shared >= fewest && (double)same >= share * (double)shared;
        }
    return ROWS_FINE;
}
