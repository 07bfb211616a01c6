/* The scaled tail of the normal distribution: exp(x * x) erfc(x), as swgui/core/statistics/evalue.py has it.

   The same sums and products in the same order, so that no bit differs from those of NumPy. */
#include "level.h"

enum { ABREAST = 64 }; /* values in one go: they stay in the first cache */

/* values, tails: [count]; series: [terms], of which the first is added last. */
SW_EXPORT int SW(scaled_tails)(const double *values, int64_t count, const double *series, int64_t terms, double middle,
                               double *tails)
{
    for (int64_t start = 0; start < count; start += ABREAST, values += ABREAST, tails += ABREAST) {
        const int64_t some = count - start < ABREAST ? count - start : ABREAST;
        double twice[ABREAST] = {0}, last[ABREAST] = {0}, before[ABREAST] = {0}, next[ABREAST];
        for (int64_t k = 0; k < some; k++)
            twice[k] = 2.0 - 4.0 * middle / (values[k] + middle);
        for (int64_t term = terms - 1; term > 0; term--) { /* Clenshaw's recurrence */
            for (int64_t k = 0; k < ABREAST; k++) {
                next[k] = twice[k] * last[k] + series[term] - before[k];
                before[k] = last[k];
            }
            memcpy(last, next, sizeof last);
        }
        for (int64_t k = 0; k < some; k++)
            tails[k] = (series[0] + 0.5 * twice[k] * last[k] - before[k]) / (1.0 + 2.0 * values[k]);
    }
    return 0;
}
