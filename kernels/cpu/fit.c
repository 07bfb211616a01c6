/* Input of the fit of statistics: sums of scores by bin of length, as `collect_bins` in swgui/core/statistics/lengths.py
   makes them in NumPy. They are added up in the order of the subjects, so that they are the same to the last bit. */
#include "level.h"

/* Add up the scores of `count` subjects, or groups of them.

   logarithms, bins   of their lengths
   times     how many subjects are of each group; NULL for one each
   figures   the cap of scores; then of a line its slope, its intercept, the standard deviation, lowest and highest z'
   line      whether subjects beyond these z' are left out
   sums      [3][size] zero before; how many scores, their sum and that of their squares
   Returns how many subjects were left out. */
SW_EXPORT int SW(fit_bins)(const int32_t *scores, const double *logarithms, const int64_t *bins,
                           const int64_t *times, int64_t count, const double *figures, int32_t line, int64_t size,
                           double *sums)
{
    const double cap = figures[0], slope = figures[1], intercept = figures[2], deviation = figures[3];
    const double lowest = figures[4], highest = figures[5];
    int left_out = 0;
    for (int64_t k = 0; k < count; k++) {
        const double score = scores[k], capped = score < cap ? score : cap;
        const double z = line ? 50.0 + 10.0 * (score - (slope * logarithms[k] + intercept)) / deviation : 0.0;
        if (line && (z < lowest || z > highest)) {
            left_out += times ? (int)times[k] : 1;
            continue;
        }
        double *own = sums + bins[k];
        for (int64_t left = times ? times[k] : 1; left; left--) {
            own[0] += 1.0;
            own[size] += capped;
            own[2 * size] += capped * capped;
        }
    }
    return left_out;
}

/* Find the subjects that score at least the value of a line through the logarithms of lengths; lengths below `shortest`
   count as that.

   found   [count] out: their places, ascending
   Returns how many they are. */
SW_EXPORT int SW(above_line)(const int32_t *scores, const double *logarithms, int64_t count, double slope,
                             double intercept, double shortest, int64_t *found)
{
    int64_t some = 0;
    for (int64_t k = 0; k < count; k++) {
        const double logarithm = logarithms[k] > shortest ? logarithms[k] : shortest;
        found[some] = k;
        some += (double)scores[k] >= slope * logarithm + intercept;
    }
    return (int)some;
}
