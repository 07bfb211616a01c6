/* Profiles against profiles: scores of the best local alignments (swgui/core/profiles/pairs.py defines them). A vector
   holds a column of as many targets as it has lanes of 32 bits; two columns are read together, row by row. */
#include "vector.h"

enum {
    CODES = 20,          /* of a column */
    WORDS = CODES / 2,   /* pairs of codes, 16 bits each, that one instruction multiplies and adds */
    SHIFT = 20,          /* of the bits of the fourth power of a sum as a float; as in pairs.py */
    OFFSET = 8 * 127 - 1,
    PADDING_SCALE = 512, /* of columns behind the end of a target: they score below 0 with every column */
    STRIP = 1024,        /* columns of a query whose values stay near */
    LANES = SW_BYTES / 4
};

typedef float vecf __attribute__((vector_size(SW_BYTES)));

/* Sum over pairs of 16-bit lanes of their products. */
static inline vec32 products(vec32 a, vec32 b)
{
#if SW_BYTES == 64
    return (vec32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif SW_BYTES == 32
    return (vec32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (vec32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    return (vec32)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
#endif
}

/* Queries: of each column its codes as 16-bit words and its scale; `begins` says where each begins. */
typedef struct {
    const int32_t *words, *scales; /* [columns][WORDS], [columns] */
    const int64_t *begins;
    int64_t count;
} pair_queries;

/* As many targets as there are lanes, side by side; an even number of columns. */
typedef struct {
    vec32 *words, *scales; /* [columns][WORDS], [columns] */
    vec32 *border, *down;  /* [columns]: H of the last column of a query so far, and the gap below it */
    int64_t columns;
} pair_targets;

typedef struct {
    int32_t first, further;
    vec32 *h, *along; /* [STRIP] */
    const volatile int32_t *stop;
} pair_work;

/* Score of two columns but for the scale of the target's. */
static inline vec32 logarithm(const int32_t *query, vec32 less, const vec32 *target)
{
    vec32 sum = set32(1);
    for (int p = 0; p < WORDS; p++)
        sum += products(set32(query[p]), target[p]);
    vecf power = __builtin_convertvector(sum, vecf);
    power *= power;
    power *= power;
    return ((vec32)power >> SHIFT) - less;
}

/* Score a strip of a query against a group, and note what leaves below it. Returns whether it was stopped. */
static int score_strip(const int32_t *words, const int32_t *scales, int64_t rows, const pair_targets *targets,
                       const pair_work *work, vec32 *best)
{
    const vec32 zero = {0}, open = set32(work->first), extend = set32(work->further);
    vec32 *restrict h = work->h, *restrict e = work->along, last = zero, highest = *best;
    for (int64_t i = 0; i < rows; i++)
        h[i] = e[i] = zero;
    for (int64_t j = 0; j < targets->columns; j += 2) {
        const vec32 *left = targets->words + j * WORDS, *right = left + WORDS;
        const vec32 left_scale = targets->scales[j] + OFFSET, right_scale = targets->scales[j + 1] + OFFSET;
        vec32 left_down = targets->down[j], right_down = targets->down[j + 1];
        vec32 corner = last, above = targets->border[j], now = zero;
        last = targets->border[j + 1];
        for (int64_t i = 0; i < rows; i++) {
            const vec32 scale = set32(scales[i]), before = h[i];
            const vec32 pair = corner + logarithm(words + i * WORDS, scale + left_scale, left);
            vec32 along = e[i];
            now = max32(max32(pair, along), max32(left_down, zero));
            vec32 gap = now - open;
            along = max32(along - extend, gap);
            left_down = max32(left_down - extend, gap);
            const vec32 next = above + logarithm(words + i * WORDS, scale + right_scale, right);
            above = now;
            corner = before;
            now = max32(max32(next, along), max32(right_down, zero));
            gap = now - open;
            h[i] = now;
            e[i] = max32(along - extend, gap);
            right_down = max32(right_down - extend, gap);
            highest = max32(highest, max32(pair, next));
        }
        targets->border[j] = above;
        targets->border[j + 1] = now;
        targets->down[j] = left_down;
        targets->down[j + 1] = right_down;
        if (*work->stop)
            return 1;
    }
    *best = highest;
    return 0;
}

/* Score one query against a group. Returns whether it was stopped. */
static int score_group(const int32_t *words, const int32_t *scales, int64_t rows, const pair_targets *targets,
                       const pair_work *work, vec32 *best)
{
    *best = set32(0);
    memset(targets->border, 0, (size_t)targets->columns * sizeof(vec32));
    memset(targets->down, 0, (size_t)targets->columns * sizeof(vec32));
    for (int64_t top = 0; top < rows; top += STRIP) {
        const int64_t some = rows - top < STRIP ? rows - top : STRIP;
        if (score_strip(words + top * WORDS, scales + top, some, targets, work, best))
            return 1;
    }
    return 0;
}

/* Lay out the targets of a group side by side; lanes without one stay empty. */
static void lay_out(const uint8_t *codes, const int16_t *scales, const int64_t *offsets, const int64_t *numbers,
                    int64_t lanes, pair_targets *to)
{
    memset(to->words, 0, (size_t)to->columns * WORDS * sizeof(vec32));
    for (int64_t j = 0; j < to->columns; j++)
        to->scales[j] = set32(PADDING_SCALE);
    for (int64_t lane = 0; lane < lanes; lane++) {
        const int64_t begin = offsets[numbers[lane]], length = offsets[numbers[lane] + 1] - begin;
        int32_t *words = (int32_t *)to->words + lane, *scale = (int32_t *)to->scales + lane;
        for (int64_t j = 0; j < length; j++, scale += LANES) {
            const uint8_t *from = codes + (begin + j) * CODES;
            for (int p = 0; p < WORDS; p++, words += LANES)
                *words = from[2 * p] | from[2 * p + 1] << 16;
            *scale = scales[begin + j];
        }
    }
}

/* Score queries against the targets `numbers`, which are of about the same length where they are neighbours.

   offsets  where each target begins in `codes` and `scales`, and where it ends
   scores   [queries][stride], filled at the numbers of the targets
   Returns 0, -1 without memory, or -5 once `*stop` is not 0. */
SW_EXPORT int SW(profile_pairs)(const int32_t *words, const int32_t *query_scales, const int64_t *begins, int64_t queries,
                                const uint8_t *codes, const int16_t *scales, const int64_t *offsets,
                                const int64_t *numbers, int64_t count, int32_t first, int32_t further, int64_t stride,
                                int32_t *scores, const int32_t *stop)
{
    int64_t columns = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = offsets[numbers[k] + 1] - offsets[numbers[k]];
        columns = length > columns ? length : columns;
    }
    const int64_t room = columns + 1;
    vec32 *memory = sw_allocate((size_t)(room * (WORDS + 3) + 2 * STRIP) * sizeof(vec32));
    if (!memory)
        return -1;
    vec32 *scale = memory + room * WORDS;
    pair_targets group = {memory, scale, scale + room, scale + 2 * room, 0};
    vec32 *h = scale + 3 * room;
    const pair_work work = {first, further, h, h + STRIP, stop};
    int status = 0;
    for (int64_t k = 0; k < count && !status; k += LANES) {
        const int64_t lanes = count - k < LANES ? count - k : LANES;
        group.columns = 0;
        for (int64_t lane = 0; lane < lanes; lane++) {
            const int64_t length = offsets[numbers[k + lane] + 1] - offsets[numbers[k + lane]];
            group.columns = length > group.columns ? length : group.columns;
        }
        group.columns += group.columns & 1;
        lay_out(codes, scales, offsets, numbers + k, lanes, &group);
        for (int64_t q = 0; q < queries && !status; q++) {
            vec32 best;
            const int64_t begin = begins[q];
            const int64_t rows = begins[q + 1] - begin;
            status = score_group(words + begin * WORDS, query_scales + begin, rows, &group, &work, &best) ? -5 : 0;
            for (int64_t lane = 0; lane < lanes && !status; lane++)
                scores[q * stride + numbers[k + lane]] = best[lane];
        }
    }
    sw_free(memory);
    return status;
}
