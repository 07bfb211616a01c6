/* Compositions of many stretches: residues, what comes again after a period, and the scale of scores (lambda). The sums of floating
   numbers go in the order in which swgui/core/statistics/composition.py adds them up, so that both are equal to the last bit. */
#include "level.h"

/* Count the residues of `count` stretches, [count][symbols]; codes from `symbols` on are left out. */
SW_EXPORT int SW(count_residues)(const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count, int64_t symbols,
                                 int64_t *counts)
{
    for (int64_t k = 0; k < count; k++) {
        uint32_t found[4][256] = {{0}}; /* several, for equal residues one after the other */
        const uint8_t *at = codes + starts[k];
        int64_t i = 0;
        for (; i + 4 <= lengths[k]; i += 4)
            for (int part = 0; part < 4; part++)
                found[part][at[i + part]]++;
        for (; i < lengths[k]; i++)
            found[0][at[i]]++;
        for (int64_t a = 0; a < symbols; a++)
            counts[k * symbols + a] = (int64_t)found[0][a] + found[1][a] + found[2][a] + found[3][a];
    }
    return 0;
}

/* Count the residues that come again after p = 0 ... `longest` positions, [count][longest + 1]. */
SW_EXPORT int SW(count_repeats)(const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count, int64_t longest,
                                int64_t *counts)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t p = 0; p <= longest; p++) {
            const uint8_t *at = codes + starts[k];
            int64_t same = 0;
            for (int64_t i = p; i < lengths[k]; i++)
                same += at[i] == at[i - p];
            counts[k * (longest + 1) + p] = same;
        }
    return 0;
}

/* A power, n >= 0. */
static double raised(double base, int64_t n)
{
    double power = 1;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1)
            power *= base;
    return power;
}

/* Newton's steps for `sum over values of weight * base^value = 1`; `positive` is the number of the first value above 0. */
static double solved(const double *weights, const int64_t *values, int64_t different, int64_t positive, double base, int64_t steps)
{
    for (int64_t step = 0; step < steps; step++) {
        double power = 1, sum = 0, slope = 0;
        for (int64_t v = positive; v < different; v++) {
            power *= raised(base, values[v] - (v > positive ? values[v - 1] : 0));
            sum += weights[v] * power;
            slope += weights[v] * power * (double)values[v];
        }
        power = 1;
        for (int64_t v = positive - 1; v >= 0; v--) {
            power *= raised(1 / base, (v < positive - 1 ? values[v + 1] : 0) - values[v]);
            sum += weights[v] * power;
            slope += weights[v] * power * (double)values[v];
        }
        if (!(sum > 1 && slope > 0))
            break;
        const double share = (sum - 1) / slope, next = base - base * share;
        base = next > 1 ? next : 1;
        if (!(share > 1e-9))
            break;
    }
    return base;
}

/* Solve `sum over pairs of frequency * frequency * base^score = 1` for base > 1 from above; 1 where the mean score is not below 0.

   queries, subjects: compositions [count][residues], the first with one row for all where `query_step` is 0. groups: which of
   `values` (ascending) each pair of residues scores, [residues][residues]. bases: [count], where it begins, then what it found. */
SW_EXPORT int SW(solve_bases)(const double *queries, int64_t query_step, const double *subjects, int64_t count, int64_t residues,
                              const int64_t *groups, const int64_t *values, int64_t different, int64_t steps, double *bases)
{
    double *weights = sw_allocate((size_t)different * sizeof *weights);
    int64_t positive = 0;
    if (!weights)
        return -1;
    while (positive < different && values[positive] <= 0)
        positive++;
    for (int64_t k = 0; k < count; k++) {
        const double *query = queries + k * query_step, *subject = subjects + k * residues;
        double mean = 0;
        for (int64_t v = 0; v < different; v++)
            weights[v] = 0;
        for (int64_t a = 0; a < residues; a++)
            for (int64_t b = 0; b < residues; b++)
                weights[groups[a * residues + b]] += query[a] * subject[b];
        for (int64_t v = 0; v < different; v++)
            mean += weights[v] * (double)values[v];
        bases[k] = mean < 0 ? solved(weights, values, different, positive, bases[k], steps) : 1;
    }
    sw_free(weights);
    return 0;
}
