/* Probabilities of the residue at each position, given those around it, by a library of contexts: a state k weighs
   `exp(bias[k] + sum of weight[j][a][k] counts[i + j - half][a])` over the window of position i, which is cut at the
   ends of its sequence, and a column is the mean of those of the states. The result is the same to the last bit with
   every instruction set: each sum is made in the order of the places of the window, or of the states. */
#include "level.h"

enum {
    RESIDUES = 20,
    COLUMN = 24,    /* floats of a column of a state: probabilities, then 1, which adds up the weights; the rest 0 */
    TILE = 256,     /* states whose weights stay near while a block of positions is read */
    BLOCK = 1024,   /* positions */
    TOGETHER = 4,   /* vectors of states that are summed at a time */
    MAX_WINDOW = 63 /* positions; as in swgui/core/profiles/context.py */
};

#define LANES (SW_BYTES / 4)
#define SMALLEST 1e-7f /* of the largest weight so far: states below it do not count */
#define LOWEST -87.0f  /* exponents below it count as it */

typedef float vecf __attribute__((vector_size(SW_BYTES)));
typedef float vecf_anywhere __attribute__((vector_size(SW_BYTES), aligned(4)));
typedef int32_t veci __attribute__((vector_size(SW_BYTES)));

static inline vecf setf(float value)
{
    return value - (vecf){0};
}

static inline vecf where(veci mask, vecf then, vecf otherwise)
{
    return (vecf)(((veci)then & mask) | ((veci)otherwise & ~mask));
}

/* Exponentials of values of 0 or less (polynomial and reduction of Cephes). */
static inline vecf exponential(vecf x)
{
    const vecf magic = setf(12582912.0f);
    x = where(x > setf(LOWEST), x, setf(LOWEST));
    const vecf whole = (x * 1.44269504088896341f + magic) - magic;
    const vecf r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
    vecf y = setf(1.9875691500e-4f);
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    return y * (vecf)((__builtin_convertvector(whole, veci) + 127) << 23);
}

static float exponential_of(float x)
{
    return exponential(setf(x))[0];
}

/* Input; `counts` has a row of each position of all sequences, `offsets` where each sequence begins. */
typedef struct {
    const float *weights, *bias, *columns; /* [tiles][window][RESIDUES][TILE], [tiles][TILE], [tiles][TILE][COLUMN] */
    int64_t tiles, window;
    const float *counts;
} contexts;

/* Counts other than 0 of some positions: those of position `first + k` are `begins[k]` to `begins[k + 1]`. */
typedef struct {
    int64_t first;
    int32_t *begins;
    uint8_t *residues;
    float *counts;
} observed;

/* A block of positions: sums over states, and the largest exponent so far, by position. */
typedef struct {
    _Alignas(64) float sums[BLOCK][COLUMN];
    float highest[BLOCK];
    int64_t low[BLOCK], high[BLOCK]; /* ends of the sequence of each */
} block;

static void observe(observed *some, const float *counts, int64_t first, int64_t last)
{
    int32_t found = 0;
    some->first = first;
    for (int64_t i = first; i < last; i++) {
        some->begins[i - first] = found;
        for (int a = 0; a < RESIDUES; a++) {
            some->residues[found] = (uint8_t)a;
            some->counts[found] = counts[i * RESIDUES + a];
            found += some->counts[found] != 0.0f;
        }
    }
    some->begins[last - first] = found;
}

/* Exponents of a tile of states at one position; returns the largest. */
static float exponents(const float *bias, const float *const *rows, const float *times, int64_t count, float *to)
{
    vecf highest = setf(-3e38f);
    int plain = 1;
    for (int64_t r = 0; r < count; r++)
        plain &= times[r] == 1.0f;
    for (int k = 0; k < TILE; k += TOGETHER * LANES) {
        vecf sums[TOGETHER];
        for (int v = 0; v < TOGETHER; v++)
            sums[v] = ((const vecf_anywhere *)(bias + k))[v];
        if (plain)
            for (int64_t r = 0; r < count; r++)
                for (int v = 0; v < TOGETHER; v++)
                    sums[v] += ((const vecf_anywhere *)(rows[r] + k))[v];
        else
            for (int64_t r = 0; r < count; r++)
                for (int v = 0; v < TOGETHER; v++)
                    sums[v] += times[r] * ((const vecf_anywhere *)(rows[r] + k))[v];
        for (int v = 0; v < TOGETHER; v++) {
            highest = where(highest > sums[v], highest, sums[v]);
            ((vecf *)(to + k))[v] = sums[v];
        }
    }
    float most = highest[0];
    for (int lane = 1; lane < LANES; lane++)
        most = highest[lane] > most ? highest[lane] : most;
    return most;
}

/* Add the columns of a tile of states to a position, each by its weight. */
static void add_columns(float *sums, float *highest, float most, const float *found, const float *columns)
{
    _Alignas(64) float weights[TILE];
    if (most > *highest) {
        const float scale = exponential_of(*highest - most);
        for (int a = 0; a < COLUMN; a++)
            sums[a] *= scale;
        *highest = most;
    }
    for (int k = 0; k < TILE; k += LANES)
        *(vecf *)(weights + k) = exponential(*(const vecf *)(found + k) - *highest);
    for (int k = 0; k < TILE; k++) {
        if (weights[k] < SMALLEST)
            continue;
        for (int a = 0; a < COLUMN; a++)
            sums[a] += weights[k] * columns[k * COLUMN + a];
    }
}

/* Add a tile of states to all positions of a block. */
static void add_tile(const contexts *of, int64_t tile, const observed *some, block *to, int64_t first, int64_t count)
{
    _Alignas(64) float found[TILE];
    const float *rows[MAX_WINDOW * RESIDUES];
    float times[MAX_WINDOW * RESIDUES];
    const float *weights = of->weights + tile * of->window * RESIDUES * TILE;
    for (int64_t at = 0; at < count; at++) {
        int64_t used = 0;
        for (int64_t j = 0; j < of->window; j++) {
            const int64_t i = first + at + j - of->window / 2;
            if (i < to->low[at] || i >= to->high[at])
                continue;
            for (int32_t e = some->begins[i - some->first]; e < some->begins[i - some->first + 1]; e++) {
                rows[used] = weights + (j * RESIDUES + some->residues[e]) * TILE;
                times[used++] = some->counts[e];
            }
        }
        const float most = exponents(of->bias + tile * TILE, rows, times, used, found);
        add_columns(to->sums[at], &to->highest[at], most, found, of->columns + tile * TILE * COLUMN);
    }
}

/* Probabilities of all residues at positions `first` to `last - 1` of sequences one behind the other.

   offsets  [sequences + 1] where each begins, and where the last one ends
   out      [positions][RESIDUES]
   Returns 0, -1 without memory, or -5 once `*stop` is not 0. */
SW_EXPORT int SW(context_columns)(const float *weights, const float *bias, const float *columns, int64_t tiles,
                                  int64_t window, const float *counts, const int64_t *offsets, int64_t first,
                                  int64_t last, const int32_t *stop, float *out)
{
    const contexts of = {weights, bias, columns, tiles, window, counts};
    const int64_t half = window / 2, most = BLOCK + 2 * half;
    block *to = sw_allocate(sizeof *to);
    observed some = {0, malloc((size_t)(most + 1) * sizeof(int32_t)), malloc((size_t)most * RESIDUES + 1),
                     malloc((size_t)(most * RESIDUES + 1) * sizeof(float))};
    int status = to && some.begins && some.residues && some.counts ? 0 : -1;
    int64_t sequence = 0;
    for (int64_t begin = first; begin < last && !status; begin += BLOCK) {
        const int64_t count = last - begin < BLOCK ? last - begin : BLOCK;
        for (int64_t at = 0; at < count; at++) {
            while (begin + at >= offsets[sequence + 1])
                sequence++;
            to->low[at] = offsets[sequence];
            to->high[at] = offsets[sequence + 1];
            to->highest[at] = -3e38f;
            memset(to->sums[at], 0, sizeof to->sums[at]);
        }
        const int64_t low = begin - half > to->low[0] ? begin - half : to->low[0];
        const int64_t end = begin + count + half, high = end < to->high[count - 1] ? end : to->high[count - 1];
        observe(&some, counts, low, high);
        for (int64_t tile = 0; tile < tiles && !status; tile++) {
            add_tile(&of, tile, &some, to, begin, count);
            status = *(const volatile int32_t *)stop ? -5 : 0;
        }
        for (int64_t at = 0; at < count && !status; at++)
            for (int a = 0; a < RESIDUES; a++)
                out[(begin + at) * RESIDUES + a] = to->sums[at][a] / to->sums[at][RESIDUES];
    }
    sw_free(to);
    free(some.begins);
    free(some.residues);
    free(some.counts);
    return status;
}
