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

/* Rows to put in order behind a query. Field by field `TABLES` in swgui/engines/native/rows.py. */
typedef struct {
    row_source from;
    const uint8_t *query; /* [columns] */
    const int64_t *order; /* [kept] */
    int64_t kept;
    uint8_t *codes; /* [kept + 1][columns] out, and so on */
    int64_t *insertions;
    uint8_t *inserted;
    int64_t inserts, residues;
} row_table;

/* Write the query and the chosen rows of each table in their order, and their insertions with the numbers they then have. */
SW_EXPORT int SW(order_rows)(row_table *tables, int64_t count)
{
    for (row_table *table = tables; table < tables + count; table++) {
        const row_source *from = &table->from;
        int64_t *first = sw_allocate((size_t)(from->rows + 1) * 2 * sizeof *first), *residue = first + from->rows + 1;
        int64_t at = 0, passed = 0, residues = 0, some = 0;
        if (!first)
            return ROWS_NO_MEMORY;
        for (int64_t row = 0; row <= from->rows; row++) {
            first[row] = at, residue[row] = passed;
            for (; at < from->inserts && from->insertions[3 * at] == row; at++)
                passed += from->insertions[3 * at + 2];
        }
        memcpy(table->codes, table->query, (size_t)from->columns);
        for (int64_t k = 0; k < table->kept; k++) {
            const int64_t row = table->order[k];
            const size_t length = (size_t)(residue[row + 1] - residue[row]);
            memcpy(table->codes + (k + 1) * from->columns, from->codes + row * from->columns, (size_t)from->columns);
            for (int64_t one = first[row]; one < first[row + 1]; one++) {
                int64_t *own = table->insertions + 3 * some++;
                own[0] = k + 1, own[1] = from->insertions[3 * one + 1], own[2] = from->insertions[3 * one + 2];
            }
            if (length)
                memcpy(table->inserted + residues, from->inserted + residue[row], length);
            residues += (int64_t)length;
        }
        table->inserts = some, table->residues = residues;
        sw_free(first);
    }
    return ROWS_FINE;
}

/* Whether two rows have the same residue in `share` of the columns that both have one in, where these are `fewest` or
   more. */
static int alike(const uint8_t *one, const uint8_t *other, int64_t columns, int64_t fewest, double share)
{
    int64_t shared = 0, same = 0;
    for (int64_t column = 0; column < columns; column++) {
        const int both = (one[column] < ROW_DELETION) & (other[column] < ROW_DELETION);
        shared += both;
        same += both & (one[column] == other[column]);
    }
    return shared >= fewest && (double)same >= share * (double)shared;
}

/* Members of an alignment that are left out in parts. Field by field `PARTED` in swgui/engines/native/rows.py. */
typedef struct {
    const uint8_t *codes; /* [rows][columns] */
    int64_t rows, columns;
    const int64_t *member; /* [rows] the member that each row is of, or -1 */
    int64_t members;
    int64_t *part_of;  /* [members] out: -1 of a member without rows */
    uint8_t *left_out; /* [most][rows] out, 0 before: the rows of each part */
    int64_t parts;     /* out */
} parted_members;

/* The group of a member: the largest number in it. */
static int64_t group_of(const int64_t *next, int64_t member)
{
    while (next[member] != member)
        member = next[member];
    return member;
}

static void part_one(parted_members *of, int64_t fewest, double share, int64_t most, int64_t *next)
{
    int64_t *sizes = next + of->members, *filled = sizes + of->members, groups = 0;
    for (int64_t member = 0; member < of->members; member++)
        next[member] = member, sizes[member] = 0, of->part_of[member] = -1;
    for (int64_t row = 0; row < of->rows; row++)
        for (int64_t other = of->member[row] < 0 ? row : 0; other < row; other++) {
            if (of->member[other] < 0 || of->member[other] == of->member[row])
                continue;
            const int64_t a = group_of(next, of->member[row]), b = group_of(next, of->member[other]);
            if (a != b && alike(of->codes + row * of->columns, of->codes + other * of->columns, of->columns, fewest, share))
                next[a < b ? a : b] = a < b ? b : a;
        }
    for (int64_t row = 0; row < of->rows; row++)
        if (of->member[row] >= 0)
            of->part_of[of->member[row]] = 0;
    for (int64_t member = 0; member < of->members; member++)
        if (of->part_of[member] == 0)
            groups += !sizes[group_of(next, member)]++;
    of->parts = groups < most ? groups : most;
    memset(filled, 0, (size_t)of->parts * sizeof *filled);
    for (int64_t done = 0; done < groups; done++) { /* the largest first; of equals that with the smaller number */
        int64_t group = 0, part = 0;
        for (int64_t other = 1; other < of->members; other++)
            group = sizes[other] > sizes[group] ? other : group;
        for (int64_t other = 1; other < of->parts; other++)
            part = filled[other] < filled[part] ? other : part;
        filled[part] += sizes[group];
        sizes[group] = 0;
        for (int64_t member = 0; member < of->members; member++)
            if (of->part_of[member] >= 0 && group_of(next, member) == group)
                of->part_of[member] = part;
    }
    for (int64_t row = 0; row < of->rows; row++)
        if (of->member[row] >= 0)
            of->left_out[of->part_of[of->member[row]] * of->rows + row] = 1;
}

/* Put the members of alignments into `most` parts at most. Members with rows that are alike, one to the next, are a
   group, and small groups are put together. */
SW_EXPORT int SW(part_members)(parted_members *alignments, int64_t count, int64_t fewest, double share, int64_t most)
{
    for (parted_members *of = alignments; of < alignments + count; of++) {
        int64_t *room = sw_allocate((size_t)(2 * of->members + most) * sizeof *room + 1);
        if (!room)
            return ROWS_NO_MEMORY;
        part_one(of, fewest, share, most, room);
        sw_free(room);
    }
    return ROWS_FINE;
}
