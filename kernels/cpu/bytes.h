/* One query against as many subjects as a vector has bytes, a subject in each lane: scores alone, and only those below
   what 8 bits hold. Values are unsigned and saturate, which is what keeps them from falling below 0. */
#ifndef SW_BYTES_H
#define SW_BYTES_H

#include "costs.h"
#include "query.h"
#include "vector.h"

#if SW_BYTES >= 32

enum { BYTE_SIDE = SW_BYTES };
enum { BYTE_SYMBOLS_MOST = 31 /* and one for where a subject has ended */ };
enum { BYTE_FEW = 16 /* symbols that one shuffle knows */, BYTE_ENDED = 0x80 /* in place of another */ };

#if SW_BYTES == 64
enum { BYTE_COLUMNS = 4 };
typedef __m512i bytes;
typedef uint64_t byte_bits; /* one for each lane */
#define BYTE_LOAD(at) _mm512_load_si512(at)
#define BYTE_STORE(at, value) _mm512_store_si512(at, value)
#define BYTE_BROADCAST(value) _mm512_set1_epi8((char)(value))
#define BYTE_ADD(a, b) _mm512_adds_epu8(a, b)
#define BYTE_SUBTRACT(a, b) _mm512_subs_epu8(a, b)
#define BYTE_MAXIMUM(a, b) _mm512_max_epu8(a, b)
#define BYTE_PICK(table, at) _mm512_shuffle_epi8(table, at)
#define BYTE_EITHER(a, b) _mm512_or_si512(a, b)
#define BYTE_DIFFERENT(a, b) _mm512_xor_si512(a, b)
#define BYTE_LOWER(a, b) _mm512_sub_epi8(a, b) /* wraps */
#define BYTE_AND(a, b) _mm512_and_si512(a, b)
#define BYTE_ABOVE(a, b) (_mm512_cmpgt_epu8_mask(a, b) != 0) /* in any lane */
#define BYTE_UP(a) _mm512_bslli_epi128(a, 1) /* each lane from the one below in its block of 16, 0 in the first */
#define BYTE_WITHOUT(a, bits) _mm512_maskz_mov_epi8((__mmask64)~(bits), a) /* 0 in some lanes */
#define BYTE_REACHED(a, b) (_mm512_cmpge_epu8_mask(a, b) != 0) /* in any lane */
#define BYTE_TABLE(at) _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(at)))
#else
enum { BYTE_COLUMNS = 2 };
typedef __m256i bytes;
typedef uint32_t byte_bits;
#define BYTE_LOAD(at) _mm256_load_si256((const __m256i *)(at))
#define BYTE_STORE(at, value) _mm256_store_si256((__m256i *)(at), value)
#define BYTE_BROADCAST(value) _mm256_set1_epi8((char)(value))
#define BYTE_ADD(a, b) _mm256_adds_epu8(a, b)
#define BYTE_SUBTRACT(a, b) _mm256_subs_epu8(a, b)
#define BYTE_MAXIMUM(a, b) _mm256_max_epu8(a, b)
#define BYTE_PICK(table, at) _mm256_shuffle_epi8(table, at)
#define BYTE_EITHER(a, b) _mm256_or_si256(a, b)
#define BYTE_DIFFERENT(a, b) _mm256_xor_si256(a, b)
#define BYTE_LOWER(a, b) _mm256_sub_epi8(a, b)
#define BYTE_AND(a, b) _mm256_and_si256(a, b)
#define BYTE_ABOVE(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), b)) != -1)
#define BYTE_UP(a) _mm256_bslli_epi128(a, 1)
#define BYTE_WITHOUT(a, bits) bytes_without(a, bits)
#define BYTE_REACHED(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a)) != 0)
#define BYTE_TABLE(at) _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(at)))
#endif

/* A block of 16 lanes from each of some places. */
static inline bytes bytes_of_blocks(const uint8_t *const *blocks, int64_t at)
{
#define BYTE_BLOCK(k) _mm_load_si128((const __m128i *)(blocks[k] + at))
#if SW_BYTES == 64
    const bytes one = _mm512_castsi128_si512(BYTE_BLOCK(0)), two = _mm512_inserti32x4(one, BYTE_BLOCK(1), 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(two, BYTE_BLOCK(2), 2), BYTE_BLOCK(3), 3);
#else
    return _mm256_inserti128_si256(_mm256_castsi128_si256(BYTE_BLOCK(0)), BYTE_BLOCK(1), 1);
#endif
#undef BYTE_BLOCK
}

#if SW_BYTES == 32
static inline bytes bytes_without(bytes a, byte_bits bits)
{
    const bytes own = _mm256_set1_epi64x((int64_t)0x8040201008040201u); /* the bit of each lane in its byte */
    const bytes of = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const bytes spread = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)bits), of), own);
    return _mm256_andnot_si256(_mm256_cmpeq_epi8(spread, own), a);
}
#endif

/* The same vectors as words. */
#if SW_BYTES == 64
#define WORD_BROADCAST(value) _mm512_set1_epi16((int16_t)(value))
#define WORD_ADD(a, b) _mm512_adds_epu16(a, b)
#define WORD_SUBTRACT(a, b) _mm512_subs_epu16(a, b)
#define WORD_MAXIMUM(a, b) _mm512_max_epu16(a, b)
#define WORD_LOW(a) _mm512_unpacklo_epi8(a, _mm512_setzero_si512())
#define WORD_HIGH(a) _mm512_unpackhi_epi8(a, _mm512_setzero_si512())
#else
#define WORD_BROADCAST(value) _mm256_set1_epi16((int16_t)(value))
#define WORD_ADD(a, b) _mm256_adds_epu16(a, b)
#define WORD_SUBTRACT(a, b) _mm256_subs_epu16(a, b)
#define WORD_MAXIMUM(a, b) _mm256_max_epu16(a, b)
#define WORD_LOW(a) _mm256_unpacklo_epi8(a, _mm256_setzero_si256())
#define WORD_HIGH(a) _mm256_unpackhi_epi8(a, _mm256_setzero_si256())
#endif

typedef uint8_t byte_scores[32]; /* of a row, with a bias */

/* A shuffle gives 0 where the top bit is set: for symbols from 16 on in `low`, below 16 in `high`. */
typedef struct {
    bytes low, high;
} byte_symbols;

static inline byte_symbols byte_symbols_of(const uint8_t *codes)
{
    const bytes wanted = BYTE_LOAD(codes);
    return (byte_symbols){BYTE_ADD(wanted, BYTE_BROADCAST(0x70)), BYTE_LOWER(wanted, BYTE_BROADCAST(16))};
}

/* H of a cell by its aligned pair, from that of the cell before both; not below 0. */
static inline bytes add_byte_scores(bytes h, const byte_scores *row, byte_symbols wanted, bytes biases)
{
    const bytes gain =
        BYTE_EITHER(BYTE_PICK(BYTE_TABLE(*row), wanted.low), BYTE_PICK(BYTE_TABLE(*row + 16), wanted.high));
    return BYTE_SUBTRACT(BYTE_ADD(h, gain), biases);
}

/* The same for codes below 16, as those of DNA, or BYTE_ENDED. */
static inline bytes add_few_scores(bytes h, const byte_scores *row, bytes codes, bytes biases)
{
    return BYTE_SUBTRACT(BYTE_ADD(h, BYTE_PICK(BYTE_TABLE(*row), codes)), biases);
}

/* A query laid out: scores of its rows, state of its rows, and the columns of a group of subjects. */
typedef struct {
    byte_scores *rows;
    bytes *state; /* H and E of each row */
    uint8_t *columns;
    int32_t bias;
    int32_t most; /* a score above it may have been more */
} byte_query;

static void free_bytes(byte_query *laid)
{
    sw_free(laid->rows);
    sw_free(laid->state);
    sw_free(laid->columns);
}

/* Whether scores and costs of a query fit 8 bits, with room for scores worth the trouble. */
static int fits_bytes(const query_profile *query)
{
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    return query->symbols <= BYTE_SYMBOLS_MOST && query->first <= 255 && query->highest - lowest <= 127;
}

static int lay_bytes(byte_query *laid, const query_profile *query, int64_t longest)
{
    memset(laid, 0, sizeof *laid);
    laid->rows = sw_allocate((size_t)query->rows * sizeof *laid->rows);
    laid->state = sw_allocate((size_t)query->rows * 2 * sizeof *laid->state);
    laid->columns = sw_allocate((size_t)(longest + BYTE_COLUMNS) * BYTE_SIDE);
    if (!laid->rows || !laid->state || !laid->columns) {
        free_bytes(laid);
        memset(laid, 0, sizeof *laid);
        return QUERY_NO_MEMORY;
    }
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        laid->bias = -query->scores[i] > laid->bias ? -query->scores[i] : laid->bias;
    laid->most = 255 - query->highest - laid->bias;
    for (int64_t row = 0; row < query->rows; row++) {
        memset(laid->rows[row], 0, sizeof laid->rows[row]);
        for (int64_t a = 0; a < query->symbols; a++)
            laid->rows[row][a] = (uint8_t)(query->scores[row * query->symbols + a] + laid->bias);
    }
    return QUERY_FINE;
}

/* Lay up to BYTE_SIDE subjects [column][BYTE_SIDE], with another code where one has ended; returns the columns. */
static inline int64_t lay_byte_columns(uint8_t *columns, const sw_code *codes, const int64_t *starts,
                                       const int64_t *lengths, const int64_t *order, int64_t some, int64_t ended)
{
    const int64_t width = (lengths[order[0]] + BYTE_COLUMNS - 1) / BYTE_COLUMNS * BYTE_COLUMNS;
    for (int64_t lane = 0; lane < BYTE_SIDE; lane++) {
        const int64_t length = lane < some ? lengths[order[lane]] : 0;
        const sw_code *subject = lane < some ? codes + starts[order[lane]] : codes;
        uint8_t *at = columns + lane;
        for (int64_t k = 0; k < length; k++, at += BYTE_SIDE)
            *at = (uint8_t)subject[k];
        for (int64_t k = length; k < width; k++, at += BYTE_SIDE)
            *at = (uint8_t)ended;
    }
    return width;
}

/* Gap costs of a row by position, each four times; what is above 255 costs as much as that. */
typedef struct {
    int32_t first, extend, gone_first, gone_extend, refund;
} byte_costs;

static inline int32_t four_times(int32_t cost)
{
    return (int32_t)((uint32_t)(cost < 255 ? cost : 255) * 0x01010101u);
}

/* Lay the costs of `rows` out for a pass. Returns whether any deletion refunds, or QUERY_NO_MEMORY. */
static inline int lay_byte_costs(byte_costs *out, const position_gaps *gaps, int64_t rows)
{
    row_costs *plain = sw_allocate((size_t)rows * sizeof *plain);
    if (!plain)
        return QUERY_NO_MEMORY;
    const int refunds = lay_costs(plain, gaps, rows, 0);
    for (int64_t i = 0; i < rows; i++)
        out[i] = (byte_costs){four_times(plain[i].first), four_times(plain[i].extend), four_times(plain[i].gone_first),
                              four_times(plain[i].gone_extend), four_times(plain[i].refund)};
    sw_free(plain);
    return refunds;
}

/* Score the subjects whose columns are laid; with the costs of each row, if there are any, refunds only if there are
 * any, and one shuffle alone for `few` symbols. */
static inline __attribute__((always_inline)) void pass_bytes(const byte_query *laid, const query_profile *query,
                                                             int64_t width, uint8_t *scores, const byte_costs *costs,
                                                             const int refunds, const int few)
{
    const bytes zero = BYTE_BROADCAST(0), plain_first = BYTE_BROADCAST(query->first), plain_extend = BYTE_BROADCAST(query->extend);
    const bytes biases = BYTE_BROADCAST(laid->bias);
    bytes best = zero;
    memset(laid->state, 0, (size_t)query->rows * 2 * sizeof *laid->state);
    for (int64_t column = 0; column < width && !*query->stop; column += BYTE_COLUMNS) {
        byte_symbols wanted[BYTE_COLUMNS];
        bytes f[BYTE_COLUMNS], above[BYTE_COLUMNS];
        for (int c = 0; c < BYTE_COLUMNS; c++) {
            const uint8_t *codes = laid->columns + (column + c) * BYTE_SIDE;
            wanted[c] = few ? (byte_symbols){BYTE_LOAD(codes), zero} : byte_symbols_of(codes);
            f[c] = above[c] = zero;
        }
        for (int64_t row = 0; row < query->rows; row++) {
            const bytes first = costs ? (bytes)set32(costs[row].first) : plain_first;
            const bytes extend = costs ? (bytes)set32(costs[row].extend) : plain_extend;
            const bytes gone_first = costs ? (bytes)set32(costs[row].gone_first) : plain_first;
            const bytes gone_extend = costs ? (bytes)set32(costs[row].gone_extend) : plain_extend;
            const bytes refund = refunds ? (bytes)set32(costs[row].refund) : zero;
            bytes left = BYTE_LOAD(laid->state + 2 * row), e = BYTE_LOAD(laid->state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < BYTE_COLUMNS; c++) {
                bytes h = few ? add_few_scores(above[c], laid->rows + row, wanted[c].low, biases)
                              : add_byte_scores(above[c], laid->rows + row, wanted[c], biases);
                h = BYTE_MAXIMUM(h, BYTE_MAXIMUM(e, refunds ? BYTE_SUBTRACT(f[c], refund) : f[c]));
                best = BYTE_MAXIMUM(best, h);
                above[c] = left;
                left = h;
                e = BYTE_MAXIMUM(BYTE_SUBTRACT(e, extend), BYTE_SUBTRACT(h, first));
                f[c] = BYTE_MAXIMUM(BYTE_SUBTRACT(f[c], gone_extend), BYTE_SUBTRACT(h, gone_first));
            }
            BYTE_STORE(laid->state + 2 * row, left);
            BYTE_STORE(laid->state + 2 * row + 1, e);
        }
    }
    BYTE_STORE(scores, best);
}

#endif
#endif
