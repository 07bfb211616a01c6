/* Stretches of rows that say little of descent: SEG's, and coiled coils. The rules, and where they come from, are in
   swgui/core/masking.py and swgui/core/profiles/masking.py, which give the tables: there is no logarithm here. */
#include "rows.h"

enum { PLAIN = 20, MOST_TRIM = 128, HEPTAD = 7, COIL = 28 };
#define SAME 1e-9 /* between logarithms of probabilities that are equal */

/* Tables: c log2 c and log2 c up to the window of SEG; ln c! and ln c up to the columns or `PLAIN`, of which ln 0 is never looked at; for
   each residue its logarithm at the positions a ... g of heptads. */
typedef struct {
    const double *c_log2, *log2, *ln_factorial, *ln, *heptads;
} tables;

/* SEG's settings, and from which score on a window is a coiled coil. */
typedef struct {
    int64_t window, most_trim, most_odd;
    double low, high, coil;
} limits;

/* A row as a sequence: its residues, their columns, which of them are hidden, and in which windows stretches begin and go on. */
typedef struct {
    uint8_t *residues, *hidden, *begins, *extends;
    int64_t *columns, *having; /* having: how many residues occur so many times in a part of a stretch */
    int64_t length;
} sequence;

static void judge_windows(const tables *of, const limits *seg, sequence *one)
{
    int64_t counts[256] = {0}, total = 0;
    double sum = 0;
    for (int64_t last = 0; last < one->length; last++) {
        const int64_t first = last + 1 - seg->window;
        const uint8_t in = one->residues[last], out = first > 0 ? one->residues[first - 1] : ROW_OUTSIDE;
        if (out < PLAIN) {
            sum += of->c_log2[counts[out] - 1] - of->c_log2[counts[out]];
            counts[out]--;
            total--;
        }
        if (in < PLAIN) {
            sum += of->c_log2[counts[in] + 1] - of->c_log2[counts[in]];
            counts[in]++;
            total++;
        }
        if (first < 0)
            continue;
        const int known = seg->window - total <= seg->most_odd;
        const double entropy = total ? of->log2[total] - sum / (double)total : 0;
        one->begins[first] = known && entropy <= seg->low + SAME;
        one->extends[first] = known && entropy <= seg->high + SAME;
    }
}

/* What a part of a stretch is made of, with the parts of its probability that depend on it. */
typedef struct {
    int64_t counts[PLAIN], total, *having;
    double ln_counts, ln_arrangements; /* of the product of n!, and of r! for the r residues that occur equally often */
} composition;

static inline void recount(composition *part, const tables *of, uint8_t residue, int64_t change)
{
    if (residue >= PLAIN)
        return;
    const int64_t before = part->counts[residue], after = before + change;
    part->ln_counts += change > 0 ? of->ln[after] : -of->ln[before];
    part->ln_arrangements -= of->ln[part->having[before]--];
    part->ln_arrangements += of->ln[++part->having[after]];
    part->counts[residue] = after;
    part->total += change;
}

/* Find the part of the stretch from `first` to `last` whose composition is least probable, the longest and leftmost of equals. */
static void least_probable(const tables *of, const limits *seg, const sequence *one, int64_t *first, int64_t *last)
{
    const uint8_t *residues = one->residues + *first;
    const int64_t n = *last - *first, shortest = n - seg->most_trim > 1 ? n - seg->most_trim + 1 : 2;
    composition part = {.having = one->having};
    double ln_p[MOST_TRIM + 1], least = 0;
    int64_t best = n, at = 0, found = 0;
    memset(part.having, 0, (size_t)(n + 1) * sizeof *part.having);
    part.having[0] = PLAIN;
    part.ln_arrangements = of->ln_factorial[PLAIN];
    for (int64_t i = 0; i < n; i++)
        recount(&part, of, residues[i], 1);
    for (int64_t length = n, start = 0; length >= shortest; length--) {
        const int64_t places = n - length + 1, step = start ? -1 : 1;
        for (int64_t place = 0;; place++) { /* to the right, then to the left, and so on */
            ln_p[start] = of->ln_factorial[part.total] - part.ln_counts - part.ln_arrangements - (double)length * of->ln[PLAIN];
            if (place == places - 1)
                break;
            recount(&part, of, residues[step > 0 ? start : start + length - 1], -1);
            start += step;
            recount(&part, of, residues[step > 0 ? start + length - 1 : start], 1);
        }
        for (int64_t i = 0; i < places; i++)
            if (!found || ln_p[i] < least - SAME) {
                found = 1, least = ln_p[i];
                best = length, at = i;
            }
        if (start) /* on the right: the next part ends here too */
            recount(&part, of, residues[start++], -1);
        else
            recount(&part, of, residues[length - 1], -1);
    }
    *last = *first + at + best;
    *first += at;
}

/* Hide the stretches of low complexity of the residues from `start` to `end`. */
static void hide_low(const tables *of, const limits *seg, sequence *one, int64_t start, int64_t end)
{
    const int64_t windows = end - seg->window + 1;
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
        int64_t left = first, right = last + seg->window;
        least_probable(of, seg, one, &left, &right);
        memset(one->hidden + left, 1, (size_t)(right - left));
        if (at + seg->window - 1 < left)
            hide_low(of, seg, one, first, left);
        const int64_t passed = last < right - 1 ? last : right - 1;
        at = at > passed ? at : passed;
    }
}

/* Sums along all rows as if they were one sequence, one for each position that the first residue may have in a heptad. */
typedef struct {
    double sums[COIL + 1][HEPTAD];
    int64_t known[COIL + 1], place;
} coil_sums;

/* Hide the coiled coils of a row. */
static void hide_coils(const tables *of, const limits *coil, coil_sums *so, sequence *one)
{
    int64_t hidden = 0; /* up to here */
    for (int64_t i = 0; i < one->length; i++) {
        const uint8_t residue = one->residues[i];
        const int64_t now = so->place % (COIL + 1), next = (so->place + 1) % (COIL + 1);
        for (int64_t frame = 0; frame < HEPTAD; frame++) {
            const int64_t position = (so->place + HEPTAD - frame) % HEPTAD;
            so->sums[next][frame] = so->sums[now][frame] + (residue < PLAIN ? of->heptads[residue * HEPTAD + position] : 0);
        }
        so->known[next] = so->known[now] + (residue < PLAIN);
        so->place++;
        if (i + 1 < COIL)
            continue;
        const int64_t begin = so->place - COIL, slot = begin % (COIL + 1), frame = begin % HEPTAD;
        const int64_t total = so->known[next] - so->known[slot];
        if ((so->sums[next][frame] - so->sums[slot][frame]) / (double)(total > 1 ? total : 1) < coil->coil)
            continue;
        const int64_t from = i + 1 - COIL > hidden ? i + 1 - COIL : hidden;
        memset(one->hidden + from, 1, (size_t)(i + 1 - from));
        hidden = i + 1;
    }
}

/* Mask rows in place: stretches of low complexity of all of them (`low`), coiled coils of all but the first (`coils`).

   settings: window, most trimmed, most odd letters; thresholds: SEG's two, and the score of a coiled coil. */
SW_EXPORT int SW(mask_rows)(uint8_t *codes, int64_t rows, int64_t columns, int32_t low, int32_t coils, const int64_t *settings,
                            const double *thresholds, const double *c_log2, const double *log2, const double *ln_factorial,
                            const double *ln, const double *heptads)
{
    const tables of = {c_log2, log2, ln_factorial, ln, heptads};
    const limits by = {settings[0], settings[1], settings[2], thresholds[0], thresholds[1], thresholds[2]};
    const size_t longest = (size_t)columns + PLAIN + 1;
    char *memory = sw_allocate(longest * (4 + 2 * sizeof(int64_t)));
    coil_sums so = {.place = 0};
    if (!memory)
        return ROWS_NO_MEMORY;
    if (by.most_trim > MOST_TRIM) {
        sw_free(memory);
        return ROWS_OTHERWISE;
    }
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
        if (low && one.length >= by.window) {
            judge_windows(&of, &by, &one);
            hide_low(&of, &by, &one, 0, one.length);
        }
        if (coils && row)
            hide_coils(&of, &by, &so, &one);
        for (int64_t i = 0; i < one.length; i++)
            if (one.hidden[i])
                codes[one.columns[i]] = ROW_MASKED;
    }
    sw_free(memory);
    return ROWS_FINE;
}
