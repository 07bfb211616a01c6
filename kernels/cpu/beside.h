/* One query against as many subjects as there are lanes of 16 bits, a subject in each lane. The scores of a row for the
   symbols of all lanes are one shuffle of words (AVX-512) or two of bytes (AVX2). Other instruction sets have no such
   thing. */
#ifndef SW_BESIDE_H
#define SW_BESIDE_H

#include "query.h"
#include "vector.h"

#if SW_BYTES >= 32

enum { SIDE = SW_BYTES / 2 };  /* subjects side by side */
enum { SYMBOLS_MOST = 31 };    /* of an alphabet; a row has 32 scores, the last for columns behind the end of a subject */

#if SW_BYTES == 64

enum { COLUMNS = 4 }; /* taken together, so that H and E of a row are loaded and stored once for all */
typedef __m512i lanes;
typedef struct {
    int16_t scores[32];
} row_scores;
typedef struct {
    lanes codes;
} symbols;
#define LOAD(at) _mm512_load_si512(at)
#define STORE(at, value) _mm512_store_si512(at, value)
#define BROADCAST(value) _mm512_set1_epi16(value)
#define ADD(a, b) _mm512_adds_epi16(a, b)
#define SUBTRACT(a, b) _mm512_subs_epi16(a, b)
#define MAXIMUM(a, b) _mm512_max_epi16(a, b)
#define AND(a, b) _mm512_and_si512(a, b)
#define REACHED(a, b) (_mm512_cmpge_epi16_mask(a, b) != 0) /* in any lane */

static inline symbols symbols_of(const int16_t *codes)
{
    return (symbols){LOAD(codes)};
}

static inline lanes add_scores(lanes h, const row_scores *row, symbols wanted, lanes bias)
{
    (void)bias;
    return MAXIMUM(ADD(h, _mm512_permutexvar_epi16(wanted.codes, LOAD(row->scores))), BROADCAST(0));
}

#else

enum { COLUMNS = 2 };
typedef __m256i lanes;
typedef struct {
    uint8_t scores[32]; /* with a bias */
} row_scores;
typedef struct {
    lanes low, high;
} symbols;
#define LOAD(at) _mm256_load_si256((const __m256i *)(at))
#define STORE(at, value) _mm256_store_si256((__m256i *)(at), value)
#define BROADCAST(value) _mm256_set1_epi16(value)
#define ADD(a, b) _mm256_adds_epi16(a, b)
#define SUBTRACT(a, b) _mm256_subs_epi16(a, b)
#define MAXIMUM(a, b) _mm256_max_epi16(a, b)
#define AND(a, b) _mm256_and_si256(a, b)
#define REACHED(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi16(_mm256_max_epi16(a, b), a)) != 0) /* in any lane */

/* A shuffle of bytes gives 0 where the top bit is set: for symbols from 16 on in `low`, below 16 in `high`, and in high
 * bytes. */
static inline symbols symbols_of(const int16_t *codes)
{
    const lanes found = LOAD(codes), none = BROADCAST((int16_t)0x8000);
    return (symbols){_mm256_or_si256(_mm256_add_epi16(found, BROADCAST(0x70)), none),
                     _mm256_or_si256(_mm256_sub_epi16(found, BROADCAST(16)), none)};
}

static inline lanes add_scores(lanes h, const row_scores *row, symbols wanted, lanes bias)
{
    const lanes low = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row->scores));
    const lanes high = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(row->scores + 16)));
    const lanes both = _mm256_or_si256(_mm256_shuffle_epi8(low, wanted.low), _mm256_shuffle_epi8(high, wanted.high));
    return MAXIMUM(SUBTRACT(ADD(h, both), bias), BROADCAST(0));
}

#endif

/* A query laid out for the shuffles: scores and state of its rows, and the columns of a group of subjects. */
typedef struct {
    row_scores *rows;
    lanes *state; /* H and E of each row */
    int16_t *columns;
    int64_t room; /* columns there is memory for */
    int32_t bias;
    int32_t most; /* a score above it may have been more */
} beside_query;

/* Whether the scores of a query fit the shuffles. */
static int fits_beside(const query_profile *query)
{
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    return query->narrow && query->symbols <= SYMBOLS_MOST && lowest >= -NARROW_MOST && query->highest <= NARROW_MOST &&
           (SW_BYTES == 64 || query->highest - lowest <= 255);
}

static void free_beside(beside_query *laid)
{
    sw_free(laid->rows);
    sw_free(laid->state);
    sw_free(laid->columns);
}

/* Lay a query out for subjects of up to `longest` residues; `laid` is free again after an error. */
static int lay_beside(beside_query *laid, const query_profile *query, int64_t longest)
{
    memset(laid, 0, sizeof *laid);
    laid->rows = sw_allocate((size_t)query->rows * sizeof *laid->rows);
    laid->state = sw_allocate((size_t)query->rows * 2 * sizeof *laid->state);
    laid->columns = sw_allocate((size_t)(longest + COLUMNS) * SIDE * sizeof *laid->columns);
    if (!laid->rows || !laid->state || !laid->columns) {
        free_beside(laid);
        memset(laid, 0, sizeof *laid);
        return QUERY_NO_MEMORY;
    }
    if (SW_BYTES != 64)
        for (int64_t i = 0; i < query->rows * query->symbols; i++)
            laid->bias = -query->scores[i] > laid->bias ? -query->scores[i] : laid->bias;
    laid->most = INT16_MAX - query->highest - laid->bias;
    for (int64_t row = 0; row < query->rows; row++) {
        memset(laid->rows + row, 0, sizeof *laid->rows);
        for (int64_t a = 0; a < query->symbols; a++)
            laid->rows[row].scores[a] = query->scores[row * query->symbols + a] + laid->bias;
#if SW_BYTES == 64
        laid->rows[row].scores[query->symbols] = INT16_MIN;
#endif
    }
    return QUERY_FINE;
}

/* Lay a subject into a lane [column][SIDE]: its residues, each `step` from the last, then the symbol behind the last
 * symbol. */
static inline void lay_lane(int16_t *columns, int64_t lane, int64_t width, const sw_code *codes, int64_t length,
                            int64_t step, int64_t symbols)
{
    int16_t *at = columns + lane;
    for (int64_t k = 0; k < length; k++, at += SIDE)
        *at = (int16_t)codes[k * step];
    for (int64_t k = length; k < width; k++, at += SIDE)
        *at = (int16_t)symbols;
}

/* Score SIDE subjects whose columns are laid; `width` is a multiple of COLUMNS. */
static inline void pass_beside(const beside_query *laid, const query_profile *query, int64_t width, int16_t *found)
{
    const lanes zero = BROADCAST(0), firsts = BROADCAST((int16_t)query->first), extends = BROADCAST((int16_t)query->extend);
    const lanes biases = BROADCAST((int16_t)laid->bias);
    lanes best = zero;
    memset(laid->state, 0, (size_t)query->rows * 2 * sizeof *laid->state);
    for (int64_t column = 0; column < width && !*query->stop; column += COLUMNS) {
        symbols wanted[COLUMNS];
        lanes f[COLUMNS], above[COLUMNS]; /* H of the row above, from the column before these on */
        for (int c = 0; c < COLUMNS; c++) {
            wanted[c] = symbols_of(laid->columns + (column + c) * SIDE);
            f[c] = above[c] = zero;
        }
        for (int64_t row = 0; row < query->rows; row++) {
            lanes left = LOAD(laid->state + 2 * row), e = LOAD(laid->state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < COLUMNS; c++) {
                lanes h = add_scores(above[c], laid->rows + row, wanted[c], biases);
                h = MAXIMUM(h, MAXIMUM(e, f[c]));
                best = MAXIMUM(best, h);
                above[c] = left;
                left = h;
                const lanes open = SUBTRACT(h, firsts);
                e = MAXIMUM(SUBTRACT(e, extends), open);
                f[c] = MAXIMUM(SUBTRACT(f[c], extends), open);
            }
            STORE(laid->state + 2 * row, left);
            STORE(laid->state + 2 * row + 1, e);
        }
    }
    STORE(found, best);
}

#endif
#endif
