/* Compositions of many stretches: residues, what comes again after a period, and the scale of scores (lambda). Sums of
   floating numbers go in one order, each pair for itself, so that every instruction set gives the same to the
   last bit. */
#include "level.h"

/* Count the residues of `count` stretches, [count][symbols]; codes from `symbols` on are left out. */
SW_EXPORT int SW(count_residues)(const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count,
                                 int64_t symbols, int64_t *counts)
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
SW_EXPORT int SW(count_repeats)(const uint8_t *codes, const int64_t *starts, const int64_t *lengths, int64_t count,
                                int64_t longest, int64_t *counts)
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

/* Newton's steps for `sum over values of weight * base^value = 1`; `positive` is the number of the first value
   above 0. */
static double solved(const double *weights, const int64_t *values, int64_t different, int64_t positive, double base,
                     int64_t steps)
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

/* Add up how often each score occurs: `weights` of the groups, cleared first. */
static void weigh(const double *query, const double *subject, const int64_t *groups, int64_t symbols, double *weights,
                  int64_t different)
{
    for (int64_t v = 0; v < different; v++)
        weights[v] = 0;
    for (int64_t a = 0; a < symbols; a++)
        for (int64_t b = 0; b < symbols; b++)
            weights[groups[a * symbols + b]] += query[a] * subject[b];
}

/* Solve from above for base > 1; 1 where the mean score is not below 0. */
static double solved_below(const double *weights, const int64_t *values, int64_t different, double base, int64_t steps)
{
    int64_t positive = 0;
    double mean = 0;
    while (positive < different && values[positive] <= 0)
        positive++;
    for (int64_t v = 0; v < different; v++)
        mean += weights[v] * (double)values[v];
    return mean < 0 ? solved(weights, values, different, positive, base, steps) : 1;
}

/* Solve `sum over pairs of frequency * frequency * base^score = 1` for base > 1 from above; 1 where the mean score is
   not below 0. In two tracks symbols are independent of each other, and scores add up.

   queries, subjects: compositions [count][symbols + letters], the first with one row for all where `query_step` is 0.
   groups, more: which of its scores each pair of a track has, [symbols][symbols] and [letters][letters]; letters is 0
   without a second track. one, other: how many different scores each track has (other is 1 without a second one).
   values: [one + other - 1], ascending; that of two groups is at the sum of both. bases: [count], where it begins, then
   what it found. */
SW_EXPORT int SW(solve_bases)(const double *queries, int64_t query_step, const double *subjects, int64_t count,
                              int64_t symbols, int64_t letters, const int64_t *groups, const int64_t *more, int64_t one,
                              int64_t other, const int64_t *values, int64_t steps, double *bases)
{
    const int64_t width = symbols + letters, different = one + other - 1;
    double *weights = sw_allocate((size_t)(one + other + different) * sizeof *weights);
    if (!weights)
        return -1;
    double *beside = weights + one, *sums = letters ? beside + other : weights;
    for (int64_t k = 0; k < count; k++) {
        const double *query = queries + k * query_step, *subject = subjects + k * width;
        weigh(query, subject, groups, symbols, weights, one);
        if (letters) {
            weigh(query + symbols, subject + symbols, more, letters, beside, other);
            for (int64_t v = 0; v < different; v++)
                sums[v] = 0;
            for (int64_t u = 0; u < one; u++)
                for (int64_t v = 0; v < other; v++)
                    sums[u + v] += weights[u] * beside[v];
        }
        bases[k] = solved_below(sums, values, different, bases[k], steps);
    }
    sw_free(weights);
    return 0;
}
