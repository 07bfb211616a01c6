/* Sums over all local alignments of a profile with subjects: Forward probabilities without a scale of their own, for
   swgui/engines/native/sums.py. Subjects of like length are computed abreast, one in each lane of a vector. */
#include "level.h"

enum { LANES = 8, SUMS_FINE = 0, SUMS_NO_MEMORY = -1, SUMS_STOPPED = -5, SUMS_BAD = -2 };

typedef struct {
    double match[LANES], insertion[LANES], all[LANES];
} cell;

/* odds: [columns][symbols]; gaps: weights of the first residue of an insertion, of each other one, and the same of
   deletions, [4][columns]. members: of the subjects, by length. found: [subjects], sums over all alignments. */
SW_EXPORT int SW(alignment_sums)(const double *odds, int64_t columns, int64_t symbols, const double *gaps,
                                 const uint8_t *residues, const int64_t *starts, const int64_t *lengths,
                                 const int64_t *members, int64_t count, double *found, const volatile int32_t *stop)
{
    const double *opened = gaps, *extended = gaps + columns, *left = gaps + 2 * columns, *more = gaps + 3 * columns;
    cell *before = sw_allocate((size_t)(columns + 1) * sizeof *before);
    double *unknown = sw_allocate((size_t)(columns + 1) * sizeof *unknown);
    int answer = before && unknown ? SUMS_FINE : SUMS_NO_MEMORY;
    for (int64_t j = 0; j < columns && answer == SUMS_FINE; j++)
        unknown[j] = 0.0;
    for (int64_t start = 0; start < count && answer == SUMS_FINE; start += LANES) {
        const int64_t some = count - start < LANES ? count - start : LANES;
        double sums[LANES] = {0};
        int64_t longest = 0;
        for (int64_t k = 0; k < some; k++)
            longest = lengths[members[start + k]] > longest ? lengths[members[start + k]] : longest;
        memset(before, 0, (size_t)(columns + 1) * sizeof *before);
        for (int64_t at = 0; at < longest; at++) {
            const double *of[LANES];
            int64_t step[LANES];
            for (int64_t k = 0; k < LANES; k++) { /* behind its end a subject adds nothing */
                const int64_t member = members[start + (k < some ? k : 0)];
                const int inside = k < some && at < lengths[member];
                const uint8_t code = inside ? residues[starts[member] + at] : 0;
                if (code >= symbols)
                    answer = SUMS_BAD;
                of[k] = inside && code < symbols ? odds + code : unknown;
                step[k] = inside && code < symbols ? symbols : 1;
            }
            double diagonal[LANES] = {0}, matched[LANES] = {0}, deletion[LANES] = {0};
            for (int64_t j = 0; j < columns; j++) {
                cell *here = before + j;
                double weights[LANES], match[LANES];
                for (int64_t k = 0; k < LANES; k++)
                    weights[k] = of[k][j * step[k]];
                for (int64_t k = 0; k < LANES; k++)
                    match[k] = weights[k] * (1.0 + diagonal[k]);
                for (int64_t k = 0; k < LANES; k++)
                    here->insertion[k] = here->match[k] * opened[j] + here->insertion[k] * extended[j];
                for (int64_t k = 0; k < LANES; k++)
                    deletion[k] = matched[k] * left[j] + deletion[k] * more[j];
                for (int64_t k = 0; k < LANES; k++) {
                    diagonal[k] = here->all[k];
                    matched[k] = here->match[k] = match[k];
                    here->all[k] = match[k] + here->insertion[k] + deletion[k];
                    sums[k] += match[k];
                }
            }
        }
        for (int64_t k = 0; k < some; k++)
            found[members[start + k]] = sums[k];
        if (*stop)
            answer = SUMS_STOPPED;
    }
    sw_free(before);
    sw_free(unknown);
    return answer;
}
