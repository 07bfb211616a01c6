/* The fit of statistics, as swgui/core/statistics/regression.py makes it in NumPy, to the last bit: scores are added up by
   bin of length in the order of the subjects, and sums over bins are formed as NumPy forms them. */
#include "level.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

enum { FIT_FINE = 0, FIT_SCATTERED = 1, FIT_ALIKE = 2, FIT_NO_MEMORY = -1 };
enum { BLOCK = 128 }; /* numbers that NumPy adds up without halving them first */

/* Sums of the scores of each bin. */
typedef struct {
    int64_t size;
    double *count, *total, *squares;
} score_bins;

/* What a bin brings to a line, for the bins that have two scores or more. */
typedef struct {
    int64_t size;
    double *count, *total, *squares, *center, *value, *weight, *made;
} used_bins;

typedef struct {
    double slope, intercept, variance;
} score_line;

static double root(double value)
{
#if defined(__SSE2__)
    const __m128d given = _mm_set_sd(value);
    return _mm_cvtsd_f64(_mm_sqrt_sd(given, given));
#elif defined(__ARM_NEON)
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(value)), 0);
#else
#error "the root of a number"
#endif
}

/* The sum of numbers in the order of NumPy: in eight columns, and of many the sums of both halves. */
static double sum_of(const double *values, int64_t count)
{
    if (count < 8) {
        double sum = 0;
        for (int64_t k = 0; k < count; k++)
            sum += values[k];
        return sum;
    }
    if (count > BLOCK) {
        const int64_t half = count / 2 - count / 2 % 8;
        return sum_of(values, half) + sum_of(values + half, count - half);
    }
    double columns[8];
    memcpy(columns, values, sizeof columns);
    int64_t k = 8;
    for (; k < count - count % 8; k += 8)
        for (int c = 0; c < 8; c++)
            columns[c] += values[k + c];
    double sum = ((columns[0] + columns[1]) + (columns[2] + columns[3])) +
                 ((columns[4] + columns[5]) + (columns[6] + columns[7]));
    for (; k < count; k++)
        sum += values[k];
    return sum;
}

/* Add up the scores of `count` subjects, or groups of them.

   times     how many subjects are of each group; NULL for one each
   line      a line with the standard deviation around it instead of the variance; NULL if no subject is left out
   Returns how many subjects have a z' below `lowest` or above `highest` and are left out. */
static int64_t add_up(score_bins *sums, const int32_t *scores, const double *logarithms, const int64_t *bins,
                      const int64_t *times, int64_t count, double cap, const score_line *line, double lowest,
                      double highest)
{
    int64_t left_out = 0;
    memset(sums->count, 0, 3 * (size_t)sums->size * sizeof *sums->count);
    for (int64_t k = 0; k < count; k++) {
        const double score = scores[k], capped = score < cap ? score : cap;
        if (line) {
            const double z =
                50.0 + 10.0 * (score - (line->slope * logarithms[k] + line->intercept)) / line->variance;
            if (z < lowest || z > highest) {
                left_out += times ? times[k] : 1;
                continue;
            }
        }
        const int64_t bin = bins[k];
        for (int64_t left = times ? times[k] : 1; left; left--) {
            sums->count[bin] += 1.0;
            sums->total[bin] += capped;
            sums->squares[bin] += capped * capped;
        }
    }
    return left_out;
}

/* Choose the bins that have two scores or more. */
static void choose(used_bins *used, const score_bins *sums)
{
    used->size = 0;
    for (int64_t bin = 0; bin < sums->size; bin++)
        if (sums->count[bin] > 1) {
            used->count[used->size] = sums->count[bin];
            used->total[used->size] = sums->total[bin];
            used->squares[used->size] = sums->squares[bin];
            used->center[used->size++] = (double)bin + 0.5;
        }
}

/* Weighted least squares through `value`; a flat line if there is one center alone. */
static score_line line_through(const used_bins *used, const double *weight)
{
    const int64_t size = used->size;
    double *made = used->made;
    const double total = sum_of(weight, size);
    for (int64_t k = 0; k < size; k++)
        made[k] = weight[k] * used->center[k];
    const double mean_x = sum_of(made, size) / total;
    for (int64_t k = 0; k < size; k++)
        made[k] = weight[k] * used->value[k];
    const double mean_y = sum_of(made, size) / total;
    for (int64_t k = 0; k < size; k++)
        made[k] = weight[k] * ((used->center[k] - mean_x) * (used->center[k] - mean_x));
    const double spread = sum_of(made, size);
    for (int64_t k = 0; k < size; k++)
        made[k] = weight[k] * (used->center[k] - mean_x) * (used->value[k] - mean_y);
    const double slope = spread > 0 ? sum_of(made, size) / spread : 0.0;
    return (score_line){slope, mean_y - slope * mean_x, 0};
}

/* The squared distances of the scores of a bin from a line, summed. */
static double residual(const used_bins *used, int64_t k, const score_line *line)
{
    const double height = line->slope * used->center[k] + line->intercept;
    return used->squares[k] - 2.0 * height * used->total[k] + used->count[k] * height * height;
}

/* Fit a line through the means of bins, and pool the variance around it. */
static int regress(used_bins *used, const score_bins *sums, double least_variance, score_line *found)
{
    choose(used, sums);
    if (!used->size)
        return FIT_SCATTERED;
    for (int64_t k = 0; k < used->size; k++) {
        const double count = used->count[k], mean = used->total[k] / count;
        const double spread = (used->squares[k] / count - mean * mean) / (count - 1.0);
        used->value[k] = mean;
        used->weight[k] = count / (spread > least_variance ? spread : least_variance);
    }
    *found = line_through(used, used->weight);
    for (int64_t k = 0; k < used->size; k++)
        used->made[k] = residual(used, k, found);
    found->variance = sum_of(used->made, used->size) / sum_of(used->count, used->size);
    return found->variance > 0 ? FIT_FINE : FIT_ALIKE;
}

/* Clear the bins whose variance is more than three times as far from its own line as is usual. Returns how many; adds
   up their scores. The bins that have two scores or more are chosen. */
static int64_t leave_odd(used_bins *used, score_bins *sums, const score_line *line, double *scores)
{
    for (int64_t k = 0; k < used->size; k++)
        used->value[k] = residual(used, k, line) / (used->count[k] - 1.0);
    const score_line usual = line_through(used, used->count);
    for (int64_t k = 0; k < used->size; k++) {
        used->value[k] = (used->value[k] - (usual.slope * used->center[k] + usual.intercept)) * root(used->count[k] - 1.0);
        used->made[k] = used->value[k] * used->value[k];
    }
    const double most = 3.0 * root(sum_of(used->made, used->size) / (double)used->size);
    int64_t odd = 0;
    for (int64_t k = 0; k < used->size; k++)
        if (used->value[k] > most || used->value[k] < -most) {
            const int64_t bin = (int64_t)used->center[k];
            *scores += sums->count[bin];
            sums->count[bin] = sums->total[bin] = sums->squares[bin] = 0;
            odd++;
        }
    return odd;
}

/* Fit a line to the scores of `count` subjects, or groups of them, and again without those far from it and without odd
   bins.

   logarithms, bins   of their lengths
   times     how many subjects are of each group; NULL for one each
   figures   the cap of scores, the least variance of a bin, lowest and highest z', bins for each unit of a logarithm
   trims     whether subjects and bins are left out
   size      bins
   found     [8] out: slope, intercept, variance, scores used, subjects left out, odd bins, bins with two scores or
             more, scores in odd bins
   Returns FIT_FINE or what is wrong. */
SW_EXPORT int SW(fit_scores)(const int32_t *scores, const double *logarithms, const int64_t *bins,
                             const int64_t *times, int64_t count, const double *figures, int32_t trims, int64_t size,
                             double *found)
{
    double *room = sw_allocate((size_t)(10 * size + 1) * sizeof *room);
    if (!room)
        return FIT_NO_MEMORY;
    score_bins sums = {size, room, room + size, room + 2 * size};
    used_bins used = {0,
                      room + 3 * size,
                      room + 4 * size,
                      room + 5 * size,
                      room + 6 * size,
                      room + 7 * size,
                      room + 8 * size,
                      room + 9 * size};
    score_line line;
    double in_odd = 0;
    int64_t related = 0, odd = 0, all = 0;
    add_up(&sums, scores, logarithms, bins, times, count, figures[0], NULL, 0, 0);
    int status = regress(&used, &sums, figures[1], &line);
    if (status == FIT_FINE && trims) {
        const score_line first = {line.slope * figures[4], line.intercept, root(line.variance)};
        related = add_up(&sums, scores, logarithms, bins, times, count, figures[0], &first, figures[2], figures[3]);
        status = regress(&used, &sums, figures[1], &line);
    }
    all = used.size;
    if (status == FIT_FINE && trims) {
        odd = leave_odd(&used, &sums, &line, &in_odd);
        status = regress(&used, &sums, figures[1], &line);
    }
    const double made[8] = {line.slope,    line.intercept, line.variance, sum_of(sums.count, size),
                            (double)related, (double)odd,    (double)all,   in_odd};
    memcpy(found, made, sizeof made);
    sw_free(room);
    return status;
}

/* A fit of scores, and what is counted by it. Field by field `COUNTED` in swgui/engines/native/fitting.py. */
typedef struct {
    const int32_t *scores; /* [count] */
    double rho, mu, deviation;
    const int64_t *listed; /* [listed_count] subjects that do not count */
    int64_t listed_count;
    int64_t *found; /* [limits] out */
} counted_scores;

/* Count subjects that score above 0 and have at least each of some z'; lengths below `shortest` count as that. */
SW_EXPORT int SW(count_beyond)(const counted_scores *fits, int64_t fit_count, const double *logarithms, int64_t count,
                               double shortest, const double *limits, int64_t limit_count)
{
    double lowest = limits[0];
    for (int64_t at = 1; at < limit_count; at++)
        lowest = limits[at] < lowest ? limits[at] : lowest;
    for (const counted_scores *of = fits; of < fits + fit_count; of++) {
        memset(of->found, 0, (size_t)limit_count * sizeof *of->found);
        for (int64_t k = 0; k < count + of->listed_count; k++) {
            const int64_t subject = k < count ? k : of->listed[k - count];
            const double logarithm = logarithms[subject] > shortest ? logarithms[subject] : shortest;
            const double mean = of->rho * logarithm + of->mu;
            const double z = 50.0 + 10.0 * (((double)of->scores[subject] - mean) / of->deviation);
            if (of->scores[subject] > 0 && z >= lowest)
                for (int64_t at = 0; at < limit_count; at++)
                    of->found[at] += z >= limits[at] ? k < count ? 1 : -1 : 0;
        }
    }
    return 0;
}
