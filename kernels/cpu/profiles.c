/* Profiles of alignments, whole: swgui/engines/native/profiles.py says how they are made. */
#include "calls.h"
#include "logarithm.h"
#include "rows.h"

/* An alignment: rows, and of each insertion its row, the column before it and its residues. Field by field `ALIGNMENT` in
   swgui/engines/native/profiles.py, as all that tells what to make. */
typedef struct {
    const uint8_t *codes;
    int64_t rows, columns;
    const int64_t *insertions;
    int64_t inserted;
} alignment;

/* Settings of profiles: sizes, the recipe and what follows from it, and tables. Field by field `ProfileSettings` in
   swgui/engines/native/profiles.py. */
typedef struct {
    int64_t letters;
    int64_t symbols;
    int64_t needed; /* residues of a row that counts */
    int64_t low;
    int64_t coils;
    int64_t by_rows;     /* a column has as many observations as rows reach it */
    int64_t both_strands; /* the reverse complement is searched with, too */
    int64_t position_gaps;
    int64_t gap_first; /* in units */
    int64_t gap_extend;
    double end_support;
    double identity;
    double beta;
    double gap_prior;
    double gap_chance;
    double gap_scale;
    double gap_bits;
    double cheapest;
    double dearest;
    double units;
    double highest;
    double unknown;
    const double *conditional;
    const double *chance;
    const int8_t *meant; /* [symbols][letters]: what a symbol that is no letter stands for; -1 in the first place: it
                            scores as the worst */
    mask_settings mask;
} profile_settings;

/* Output. information: mean relative entropy of the columns in bits. */
typedef struct {
    int16_t *scores, *gaps; /* [columns][symbols]; [4][columns] */
    double *frequencies, *effective, *information;
} profile;

/* Rooms that are used again for each profile. */
typedef struct {
    uint8_t *codes;
    int64_t *kept, *numbers, *insertions;
    double *weights, *sums, *of_columns;
    void *memory;
} rooms;

static int make_rooms(rooms *room, const alignment *of, int64_t letters)
{
    const size_t rows = (size_t)of->rows, columns = (size_t)of->columns;
    const size_t words = 3 * rows + 2 * (size_t)of->inserted + columns * ((size_t)letters + 4);
    room->memory = sw_allocate(words * sizeof(int64_t) + rows * columns + 1);
    if (!room->memory)
        return ROWS_NO_MEMORY;
    room->kept = room->memory;
    room->numbers = room->kept + rows;
    room->insertions = room->numbers + rows;
    room->weights = (double *)(room->insertions + 2 * of->inserted);
    room->sums = room->weights + rows;
    room->of_columns = room->sums + columns * (size_t)letters;
    room->codes = (uint8_t *)(room->of_columns + 4 * columns);
    return ROWS_FINE;
}

/* The nearest whole number, the even one of two. */
static double nearest(double x)
{
    const double large = 6755399441055744.0; /* 1.5 * 2^52 */
    return (x + large) - large;
}

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Write the scores of a column with these frequencies. */
static void score_column(const profile_settings *by, const double *frequencies, int16_t *scores)
{
    double exact[256], worst = by->highest;
    for (int64_t a = 0; a < by->letters; a++) {
        exact[a] = within(by->units * log_2(frequencies[a] / by->chance[a]), -by->highest, by->highest);
        worst = exact[a] < worst ? exact[a] : worst;
        scores[a] = (int16_t)nearest(exact[a]);
    }
    for (int64_t symbol = by->letters; symbol < by->symbols; symbol++) {
        const int8_t *meant = by->meant + symbol * by->letters;
        double sum = 0;
        int64_t count = 0;
        for (int64_t a = 0; a < by->letters; a++)
            if (meant[a] > 0) {
                sum += exact[a];
                count++;
            }
        scores[symbol] = (int16_t)nearest(count ? sum / (double)count : meant[0] < 0 ? worst : by->unknown);
    }
}

/* Write the frequencies of a column; returns its relative entropy in bits. */
static double mix_column(const profile_settings *by, const double *sums, double reached, double effective,
                         double *frequencies)
{
    const int64_t letters = by->letters;
    double present = 0, total = 0, entropy = 0, observed[256], expected[256] = {0};
    for (int64_t a = 0; a < letters; a++)
        present += sums[a];
    for (int64_t a = 0; a < letters; a++) {
        observed[a] = present > 0 ? sums[a] / (present > 1e-12 ? present : 1e-12) : by->chance[a];
        for (int64_t b = 0; b < letters; b++)
            expected[b] += observed[a] * by->conditional[a * letters + b];
    }
    const double alpha = (effective > 1 ? effective - 1 : 0) * (present / (reached > 1e-12 ? reached : 1e-12));
    for (int64_t a = 0; a < letters; a++) {
        const double g = present > 0 ? expected[a] : by->chance[a];
        frequencies[a] = (alpha * observed[a] + by->beta * g) / (alpha + by->beta);
        total += frequencies[a];
    }
    for (int64_t a = 0; a < letters; a++) {
        frequencies[a] /= total;
        if (frequencies[a] > 0)
            entropy += frequencies[a] * log_2(frequencies[a] / by->chance[a]);
    }
    return entropy;
}

/* Cost of opening a gap where this share of the rows opens one, in units. */
static int16_t opening_cost(const profile_settings *by, double share, double effective)
{
    const double seen = effective > 1 ? effective - 1 : 0;
    const double chance = (seen * (share < 1 ? share : 1) + by->gap_prior * by->gap_chance) / (seen + by->gap_prior);
    const double bits =
        within(by->gap_bits - by->gap_scale * log_2(chance / by->gap_chance), by->cheapest, by->dearest);
    const int16_t cost = (int16_t)nearest(bits * by->units);
    return cost > by->gap_extend ? cost : (int16_t)by->gap_extend;
}

/* Let the costs of opening deletions differ by an extension at most from one column to the next: the cost of a deletion
   read from its other end then has no extension below 0, which the fast kernels do not take. */
static void slope_deletions(int64_t columns, int64_t extend, int16_t *first)
{
    for (int64_t i = 1; i < columns; i++)
        if (first[i] > first[i - 1] + extend)
            first[i] = (int16_t)(first[i - 1] + extend);
    for (int64_t i = columns - 1; i > 0; i--)
        if (first[i - 1] > first[i] + extend)
            first[i - 1] = (int16_t)(first[i] + extend);
}

static void cost_gaps(const profile_settings *by, int64_t columns, const double *of_columns, const double *effective,
                      int alone, int16_t *gaps)
{
    const double *both = of_columns + columns, *insertion = both + columns, *deletion = insertion + columns;
    for (int64_t i = 0; i < columns; i++) {
        gaps[i] = gaps[2 * columns + i] = (int16_t)by->gap_first;
        gaps[columns + i] = gaps[3 * columns + i] = (int16_t)by->gap_extend;
        if (alone || !by->position_gaps)
            continue;
        const double here = both[i] > 1e-9 ? both[i] : 1e-9, before = i && both[i - 1] > 1e-9 ? both[i - 1] : 1e-9;
        gaps[i] = opening_cost(by, i + 1 < columns ? insertion[i] / here : 0, effective[i]);
        gaps[2 * columns + i] = opening_cost(by, i ? deletion[i] / before : 0, effective[i]);
    }
    if (by->both_strands)
        slope_deletions(columns, by->gap_extend, gaps + 2 * columns);
}

/* Count the rows that reach each column. */
static void count_reaching(const uint8_t *codes, int64_t rows, int64_t columns, double *reaching)
{
    memset(reaching, 0, (size_t)columns * sizeof *reaching);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < columns; i++)
            reaching[i] += codes[row * columns + i] != ROW_OUTSIDE;
}

/* Make the profile of the rows of an alignment that are not `left_out` (NULL: of all). */
static int make_profile(const alignment *all, const uint8_t *left_out, const profile_settings *by, rooms *room,
                        const profile *out)
{
    const int64_t columns = all->columns, letters = by->letters;
    int64_t rows = 0, chosen, inserted = 0;
    for (int64_t row = 0; row < all->rows; row++)
        if (!left_out || !left_out[row]) {
            memcpy(room->codes + rows * columns, all->codes + row * columns, (size_t)columns);
            room->numbers[rows++] = row;
        }
    int answer = SW(select_rows)(room->codes, rows, columns, letters, (float)by->end_support, by->needed, by->identity,
                                 room->kept, &chosen);
    if (answer == ROWS_FINE && (by->low || by->coils))
        answer = SW(mask_rows)(room->codes, chosen, columns, (int32_t)by->low, (int32_t)by->coils, &by->mask);
    if (answer != ROWS_FINE)
        return answer;
    for (int64_t at = 0; at < chosen; at++) /* numbers of all rows, ascending */
        room->kept[at] = room->numbers[room->kept[at]];
    for (int64_t k = 0, at = 0; k < all->inserted; k++) {
        const int64_t *one = all->insertions + 3 * k;
        at = at < chosen && room->kept[at] <= one[0] ? at : 0;
        while (at < chosen && room->kept[at] < one[0])
            at++;
        if (at < chosen && room->kept[at] == one[0]) {
            room->insertions[2 * inserted] = at;
            room->insertions[2 * inserted++ + 1] = one[1];
        }
    }
    answer = SW(count_rows)(room->codes, chosen, columns, letters, room->insertions, inserted, room->weights,
                            out->effective, room->sums, room->of_columns);
    if (answer != ROWS_FINE)
        return answer;
    if (by->by_rows)
        count_reaching(room->codes, chosen, columns, out->effective);
    *out->information = 0;
    for (int64_t i = 0; i < columns; i++) {
        double *frequencies = out->frequencies + i * letters;
        *out->information +=
            mix_column(by, room->sums + i * letters, room->of_columns[i], out->effective[i], frequencies);
        score_column(by, frequencies, out->scores + i * by->symbols);
    }
    *out->information /= (double)columns;
    cost_gaps(by, columns, room->of_columns, out->effective, chosen == 1, out->gaps);
    return ROWS_FINE;
}

/* A profile to make. */
typedef struct {
    alignment of;
    const profile_settings *by;
    profile out;
} profile_order;

/* Make profiles. insertions: [inserted][3], rows, columns before them and residues, in the order of rows. */
SW_EXPORT int SW(build_profiles)(const profile_order *orders, int64_t count)
{
    int answer = ROWS_FINE;
    for (int64_t k = 0; k < count && answer == ROWS_FINE; k++) {
        rooms room;
        answer = make_rooms(&room, &orders[k].of, orders[k].by->letters);
        if (answer == ROWS_FINE)
            answer = make_profile(&orders[k].of, NULL, orders[k].by, &room, &orders[k].out);
        sw_free(room.memory);
    }
    return answer;
}

/* Observe the rows of an alignment that count for a profile: those that `build_profiles` would take. frequencies:
   [columns][letters]; entropies: [columns]. */
SW_EXPORT int SW(observed_columns)(const uint8_t *codes, int64_t rows, int64_t columns, const profile_settings *by,
                                   float *frequencies, double *entropies)
{
    const size_t size = (size_t)(rows * columns);
    int64_t chosen, *kept = sw_allocate((size_t)rows * sizeof *kept + size + 1);
    if (!kept)
        return ROWS_NO_MEMORY;
    uint8_t *own = (uint8_t *)(kept + rows);
    memcpy(own, codes, size);
    int answer = SW(select_rows)(own, rows, columns, by->letters, (float)by->end_support, by->needed, by->identity,
                                 kept, &chosen);
    if (answer == ROWS_FINE && (by->low || by->coils))
        answer = SW(mask_rows)(own, chosen, columns, (int32_t)by->low, (int32_t)by->coils, &by->mask);
    if (answer == ROWS_FINE)
        answer = SW(observe_rows)(own, chosen, columns, by->letters, frequencies, entropies);
    sw_free(kept);
    return answer;
}

/* Profiles to score with from which some rows are left out.

   first, last: the columns that subjects are scored with, from one to before the other. left_out: [parts][rows].
   offsets: [parts + 1], the profile of part p scores the members from offsets[p] on to before offsets[p + 1]. */
typedef struct {
    alignment of;
    const profile_settings *by;
    int64_t first, last;
    const uint8_t *left_out;
    int64_t parts;
    const int64_t *offsets;
} without_order;

/* Subjects, and the scores of those that are `members`. */
typedef struct {
    const uint8_t *residues;
    const int64_t *starts, *lengths, *members;
    int32_t *found;
} scored_members;

static int score_parts(const without_order *order, const scored_members *some)
{
    const profile_settings *by = order->by;
    const int64_t columns = order->of.columns, first = order->first, last = order->last;
    const size_t cells = (size_t)(columns * by->symbols), mixed = (size_t)(columns * (by->letters + 1) + 1);
    double *memory = sw_allocate(mixed * sizeof *memory + (cells + 4 * (size_t)columns) * sizeof(int16_t));
    rooms room = {0};
    int answer = first < 0 || last < first || last > columns ? ROWS_BAD
                 : memory                                    ? make_rooms(&room, &order->of, by->letters)
                                                             : ROWS_NO_MEMORY;
    if (answer == ROWS_FINE) {
        int16_t *scores = (int16_t *)(memory + mixed), *gaps = scores + cells;
        const profile out = {scores, gaps, memory, memory + columns * by->letters, memory + mixed - 1};
        for (int64_t part = 0; part < order->parts && answer == ROWS_FINE; part++) {
            const int64_t begin = order->offsets[part], count = order->offsets[part + 1] - begin;
            answer = make_profile(&order->of, order->left_out + part * order->of.rows, by, &room, &out);
            if (answer == ROWS_FINE)
                answer = SW(position_scores)(scores + first * by->symbols, last - first, by->symbols, gaps + first,
                                             gaps + columns + first, gaps + 2 * columns + first,
                                             gaps + 3 * columns + first, some->residues, some->starts, some->lengths,
                                             some->members + begin, count, some->found, &NEVER_STOPPED);
        }
    }
    sw_free(room.memory);
    sw_free(memory);
    return answer;
}

/* Score subjects with profiles from which some rows are left out. found: [count of the subjects]. */
SW_EXPORT int SW(score_without)(const without_order *orders, int64_t count, const uint8_t *residues,
                                const int64_t *starts, const int64_t *lengths, const int64_t *members, int32_t *found)
{
    const scored_members some = {residues, starts, lengths, members, found};
    int answer = ROWS_FINE;
    for (int64_t k = 0; k < count && answer == ROWS_FINE; k++)
        answer = score_parts(orders + k, &some);
    return answer;
}
