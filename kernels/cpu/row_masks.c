/* Stretches of rows that say little of descent: SEG's, and coiled coils. The rules, and where they come from, are in
   swgui/core/masking.py and swgui/engines/native/rows.py, which give the tables: there is no logarithm here. */
#include "rows.h"

enum { PLAIN = 20, MOST_TRIM = 128, HEPTAD = 7, COIL = 28 };
#define SAME 1e-9 /* between logarithms of probabilities that are equal */

/* A row as a sequence: its residues, their columns, which of them are hidden, and in which windows stretches begin and
 * go on. */
typedef struct {
    uint8_t *residues, *hidden, *begins, *extends;
    int64_t *columns, *having; /* having: how many residues occur so many times in a part of a stretch */
    int64_t length;
} sequence;

static void judge_windows(const mask_settings *by, sequence *one)
{
    int64_t counts[256] = {0}, total = 0;
    double sum = 0;
    for (int64_t last = 0; last < one->length; last++) {
        const int64_t first = last + 1 - by->window;
        const uint8_t in = one->residues[last], out = first > 0 ? one->residues[first - 1] : ROW_OUTSIDE;
        if (out < PLAIN) {
            sum += by->c_log2[counts[out] - 1] - by->c_log2[counts[out]];
            counts[out]--;
            total--;
        }
        if (in < PLAIN) {
            sum += by->c_log2[counts[in] + 1] - by->c_log2[counts[in]];
            counts[in]++;
            total++;
        }
        if (first < 0)
            continue;
        const int known = by->window - total <= by->most_odd;
        const double entropy = total ? by->log2[total] - sum / (double)total : 0;
        one->begins[first] = known && entropy <= by->low + SAME;
        one->extends[first] = known && entropy <= by->high + SAME;
    }
}

/* Composition of a part of a stretch, with the parts of its probability that depend on it. */
typedef struct {
    int64_t counts[PLAIN], total, *having;
    double ln_counts, ln_arrangements; /* of the product of n!, and of r! for the r residues that occur equally often */
} composition;

static inline void recount(composition *part, const mask_settings *by, uint8_t residue, int64_t change)
{
    if (residue >= PLAIN)
        return;
    const int64_t before = part->counts[residue], after = before + change;
    part->ln_counts += change > 0 ? by->ln[after] : -by->ln[before];
    part->ln_arrangements -= by->ln[part->having[before]--];
    part->ln_arrangements += by->ln[++part->having[after]];
    part->counts[residue] = after;
    part->total += change;
}

/* Find the part of the stretch from `first` to `last` whose composition is least probable, the longest and leftmost of
 * equals. */
static void least_probable(const mask_settings *by, const sequence *one, int64_t *first, int64_t *last)
{
    const uint8_t *residues = one->residues + *first;
    const int64_t n = *last - *first, shortest = n - by->most_trim > 1 ? n - by->most_trim + 1 : 2;
    composition part = {.having = one->having};
    double ln_p[MOST_TRIM + 1], least = 0;
    int64_t best = n, at = 0, found = 0;
    memset(part.having, 0, (size_t)(n + 1) * sizeof *part.having);
    part.having[0] = PLAIN;
    part.ln_arrangements = by->ln_factorial[PLAIN];
    for (int64_t i = 0; i < n; i++)
        recount(&part, by, residues[i], 1);
    for (int64_t length = n, start = 0; length >= shortest; length--) {
        const int64_t places = n - length + 1, step = start ? -1 : 1;
        for (int64_t place = 0;; place++) { /* to the right, then to the left, and so on */
            ln_p[start] =
                by->ln_factorial[part.total] - part.ln_counts - part.ln_arrangements - (double)length * by->ln[PLAIN];
            if (place == places - 1)
                break;
            recount(&part, by, residues[step > 0 ? start : start + length - 1], -1);
            start += step;
            recount(&part, by, residues[step > 0 ? start + length - 1 : start], 1);
        }
        for (int64_t i = 0; i < places; i++)
            if (!found || ln_p[i] < least - SAME) {
                found = 1, least = ln_p[i];
                best = length, at = i;
            }
        if (start) /* on the right: the next part ends here too */
            recount(&part, by, residues[start++], -1);
        else
            recount(&part, by, residues[length - 1], -1);
    }
    *last = *first + at + best;
    *first += at;
}

/* Hide the stretches of low complexity of the residues from `start` to `end`. */
static void hide_low(const mask_settings *by, sequence *one, int64_t start, int64_t end)
{
    const int64_t windows = end - by->window + 1;
    for (int64_t at = start, lowest = start; at < windows; at++, lowest = at) {
        while (at < windows && !one->begins[at])
            at++;
        if (at >= windows)
            return;
        int64_t first = at, last = at;
        while (first > lowest && one->extends[first - 1])
            first--;
        while (last + 1 < windows && one->extends[last + 1])
            last++;
        int64_t left = first, right = last + by->window;
        least_probable(by, one, &left, &right);
        memset(one->hidden + left, 1, (size_t)(right - left));
        if (at + by->window - 1 < left)
            hide_low(by, one, first, left);
        const int64_t passed = last < right - 1 ? last : right - 1;
        at = at > passed ? at : passed;
    }
}

/* Sums along all rows as if they were one sequence, one for each position that the first residue may have in
   a heptad. */
typedef struct {
    double sums[COIL + 1][HEPTAD];
    int64_t known[COIL + 1], place;
} coil_sums;

/* Hide the coiled coils of a row. */
static void hide_coils(const mask_settings *by, coil_sums *so, sequence *one)
{
    int64_t hidden = 0; /* up to here */
    for (int64_t i = 0; i < one->length; i++) {
        const uint8_t residue = one->residues[i];
        const int64_t now = so->place % (COIL + 1), next = (so->place + 1) % (COIL + 1);
        for (int64_t frame = 0; frame < HEPTAD; frame++) {
            const int64_t position = (so->place + HEPTAD - frame) % HEPTAD;
            so->sums[next][frame] =
                so->sums[now][frame] + (residue < PLAIN ? by->heptads[residue * HEPTAD + position] : 0);
        }
        so->known[next] = so->known[now] + (residue < PLAIN);
        so->place++;
        if (i + 1 < COIL)
            continue;
        const int64_t begin = so->place - COIL, slot = begin % (COIL + 1), frame = begin % HEPTAD;
        const int64_t total = so->known[next] - so->known[slot];
        if ((so->sums[next][frame] - so->sums[slot][frame]) / (double)(total > 1 ? total : 1) < by->coil)
            continue;
        const int64_t from = i + 1 - COIL > hidden ? i + 1 - COIL : hidden;
        memset(one->hidden + from, 1, (size_t)(i + 1 - from));
        hidden = i + 1;
    }
}

/* Mask rows in place: stretches of low complexity of all of them (`low`), coiled coils of all but the
   first (`coils`). */
SW_EXPORT int SW(mask_rows)(uint8_t *codes, int64_t rows, int64_t columns, int32_t low, int32_t coils,
                            const mask_settings *by)
{
    if (by->most_trim > MOST_TRIM)
        return ROWS_BAD;
    const size_t longest = (size_t)columns + PLAIN + 1;
    char *memory = sw_allocate(longest * (4 + 2 * sizeof(int64_t)));
    coil_sums so = {.place = 0};
    if (!memory)
        return ROWS_NO_MEMORY;
    int64_t *numbers = (int64_t *)memory;
    uint8_t *bytes = (uint8_t *)(numbers + 2 * longest);
    sequence one = {bytes, bytes + longest, bytes + 2 * longest, bytes + 3 * longest, numbers, numbers + longest, 0};
    for (int64_t row = 0; row < rows; row++, codes += columns) {
        one.length = 0;
        for (int64_t column = 0; column < columns; column++)
            if (codes[column] < ROW_DELETION) {
                one.columns[one.length] = column;
                one.residues[one.length++] = codes[column];
            }
        memset(one.hidden, 0, (size_t)one.length);
        if (low && one.length >= by->window) {
            judge_windows(by, &one);
            hide_low(by, &one, 0, one.length);
        }
        if (coils && row)
            hide_coils(by, &so, &one);
        for (int64_t i = 0; i < one.length; i++)
            if (one.hidden[i])
                codes[one.columns[i]] = ROW_MASKED;
    }
    sw_free(memory);
    return ROWS_FINE;
}
