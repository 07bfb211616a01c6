/* Scores of one query against many subjects, a subject in each lane where shuffles of bytes give the scores of a row to all
   lanes at once (AVX2, AVX-512 with words), else and in 32 bits one subject after the other in stripes. */
#include "query.h"
#include "vector.h"

#define WIDTH 16
#include "striped.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#undef WIDTH

enum { SYMBOLS_MOST = 31 /* and one for where a subject has ended */ };

/* One query laid out in stripes of either width, when it is first needed. */
typedef struct {
    stripes16 narrow;
    stripes32 wide;
    rooms16 narrow_rooms;
    rooms32 wide_rooms;
    void *narrow_memory, *wide_memory;
} striped_query;

#define LAY_OUT(width)                                                                                                         \
    static int lay_striped##width(const query_profile *query, stripes##width *stripes, rooms##width *rooms, void **memory)     \
    {                                                                                                                          \
        const size_t column = column_bytes##width(query->rows);                                                                \
        uint8_t wanted[256];                                                                                                   \
        memset(wanted, 1, sizeof wanted);                                                                                      \
        char *room = sw_allocate(column * (size_t)(query->symbols + 4));                                                       \
        if (!room)                                                                                                             \
            return QUERY_NO_MEMORY;                                                                                           \
        *memory = room;                                                                                                        \
        stripes->scores = (vec##width *)room;                                                                                  \
        rooms->e = (vec##width *)(room + column * (size_t)query->symbols);                                                     \
        for (int i = 0; i < 3; i++)                                                                                            \
            rooms->columns[i] = (vec##width *)(room + column * (size_t)(query->symbols + 1 + i));                              \
        lay_out##width(stripes, query->scores, query->symbols, 0, 1, query->rows, wanted, query->highest);                     \
        return QUERY_FINE;                                                                                                    \
    }

LAY_OUT(16)
LAY_OUT(32)

static int score_striped(striped_query *laid, const query_profile *query, const uint8_t *codes, int64_t length, int32_t *score)
{
    const stretch whole = {codes, length, 1};
    peak found;
    if (query->narrow) {
        if (!laid->narrow_memory && lay_striped16(query, &laid->narrow, &laid->narrow_rooms, &laid->narrow_memory) < 0)
            return QUERY_NO_MEMORY;
        const int status = find_peak16(&laid->narrow, &whole, query->first, query->extend, INT32_MAX, &laid->narrow_rooms, &found);
        *score = found.score;
        if (status == STRIPED_FINE)
            return QUERY_FINE;
    }
    if (!laid->wide_memory && lay_striped32(query, &laid->wide, &laid->wide_rooms, &laid->wide_memory) < 0)
        return QUERY_NO_MEMORY;
    find_peak32(&laid->wide, &whole, query->first, query->extend, INT32_MAX, &laid->wide_rooms, &found);
    *score = found.score;
    return QUERY_FINE;
}

#if SW_BYTES >= 32

enum { SIDE = SW_BYTES / 2 }; /* subjects side by side */

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
#define EVERY(value) _mm512_set1_epi16(value)
#define ADD(a, b) _mm512_adds_epi16(a, b)
#define TAKE(a, b) _mm512_subs_epi16(a, b)
#define LARGER(a, b) _mm512_max_epi16(a, b)

static inline symbols symbols_of(const int16_t *codes)
{
    return (symbols){LOAD(codes)};
}

static inline lanes add_scores(lanes h, const row_scores *row, symbols wanted, lanes bias)
{
    (void)bias;
    return ADD(h, _mm512_permutexvar_epi16(wanted.codes, LOAD(row->scores)));
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
#define EVERY(value) _mm256_set1_epi16(value)
#define ADD(a, b) _mm256_adds_epi16(a, b)
#define TAKE(a, b) _mm256_subs_epi16(a, b)
#define LARGER(a, b) _mm256_max_epi16(a, b)

/* A shuffle of bytes gives 0 where the top bit is set: for symbols from 16 on in `low`, below 16 in `high`, and in high bytes. */
static inline symbols symbols_of(const int16_t *codes)
{
    const lanes found = LOAD(codes), none = EVERY((int16_t)0x8000);
    return (symbols){_mm256_or_si256(_mm256_add_epi16(found, EVERY(0x70)), none),
                     _mm256_or_si256(_mm256_sub_epi16(found, EVERY(16)), none)};
}

static inline lanes add_scores(lanes h, const row_scores *row, symbols wanted, lanes bias)
{
    const lanes low = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row->scores));
    const lanes high = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(row->scores + 16)));
    const lanes both = _mm256_or_si256(_mm256_shuffle_epi8(low, wanted.low), _mm256_shuffle_epi8(high, wanted.high));
    return TAKE(ADD(h, both), bias);
}

#endif

/* Score SIDE subjects; `codes` [columns][SIDE] with a multiple of COLUMNS columns; `state` has two vectors for each row. */
static void score_side_by_side(const row_scores *rows, int64_t count, int32_t first, int32_t extend, int32_t bias,
                               const int16_t *codes, int64_t columns, lanes *state, int16_t *scores)
{
    const lanes zero = EVERY(0), firsts = EVERY((int16_t)first), extends = EVERY((int16_t)extend), biases = EVERY((int16_t)bias);
    lanes best = zero;
    memset(state, 0, (size_t)count * 2 * sizeof *state);
    for (int64_t column = 0; column < columns; column += COLUMNS) {
        symbols wanted[COLUMNS];
        lanes f[COLUMNS], above[COLUMNS]; /* H of the row above, from the column before these on */
        for (int c = 0; c < COLUMNS; c++) {
            wanted[c] = symbols_of(codes + (column + c) * SIDE);
            f[c] = zero;
            above[c] = zero;
        }
        for (int64_t row = 0; row < count; row++) {
            lanes left = LOAD(state + 2 * row), e = LOAD(state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < COLUMNS; c++) {
                lanes h = LARGER(add_scores(above[c], rows + row, wanted[c], biases), zero);
                h = LARGER(h, LARGER(e, f[c]));
                best = LARGER(best, h);
                above[c] = left;
                left = h;
                const lanes open = TAKE(h, firsts);
                e = LARGER(TAKE(e, extends), open);
                f[c] = LARGER(TAKE(f[c], extends), open);
            }
            STORE(state + 2 * row, left);
            STORE(state + 2 * row + 1, e);
        }
    }
    STORE(scores, best);
}

/* Whether the scores fit the shuffles, and by how much they are lifted. */
static int can_shuffle(const query_profile *query, int32_t *bias)
{
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    *bias = -lowest;
    return query->narrow && query->symbols <= SYMBOLS_MOST && lowest >= -NARROW_MOST && query->highest <= NARROW_MOST &&
           (SW_BYTES == 64 || query->highest - lowest <= 255);
}

static void lay_rows(row_scores *rows, const query_profile *query, int32_t bias)
{
    for (int64_t row = 0; row < query->rows; row++) {
        memset(rows + row, 0, sizeof *rows);
        for (int64_t a = 0; a < query->symbols; a++)
            rows[row].scores[a] = query->scores[row * query->symbols + a] + (SW_BYTES == 64 ? 0 : bias);
#if SW_BYTES == 64
        rows[row].scores[query->symbols] = INT16_MIN;
#endif
    }
}

/* Lay subjects out [column][SIDE], with the symbol behind the last where one has ended; returns the columns. */
static int64_t lay_columns(int16_t *out, const uint8_t *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order,
                           int64_t count, int64_t symbols)
{
    const int64_t longest = (lengths[order[0]] + COLUMNS - 1) / COLUMNS * COLUMNS;
    for (int64_t lane = 0; lane < SIDE; lane++) {
        const int64_t length = lane < count ? lengths[order[lane]] : 0;
        const uint8_t *subject = lane < count ? codes + starts[order[lane]] : codes;
        for (int64_t k = 0; k < length; k++)
            out[k * SIDE + lane] = subject[k];
        for (int64_t k = length; k < longest; k++)
            out[k * SIDE + lane] = (int16_t)symbols;
    }
    return longest;
}

static int score_shuffled(striped_query *laid, const query_profile *query, int32_t bias, const uint8_t *codes,
                          const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count, int32_t *scores)
{
    row_scores *rows = sw_allocate((size_t)query->rows * sizeof *rows);
    lanes *state = sw_allocate((size_t)query->rows * 2 * sizeof *state);
    int16_t *columns = sw_allocate((size_t)(lengths[order[0]] + COLUMNS) * SIDE * sizeof *columns);
    int status = rows && state && columns ? QUERY_FINE : QUERY_NO_MEMORY;
    if (status == QUERY_FINE)
        lay_rows(rows, query, bias);
    for (int64_t start = 0; start < count && status == QUERY_FINE; start += SIDE) {
        _Alignas(64) int16_t found[SIDE];
        const int64_t some = count - start < SIDE ? count - start : SIDE;
        const int64_t width = lay_columns(columns, codes, starts, lengths, order + start, some, query->symbols);
        score_side_by_side(rows, query->rows, query->first, query->extend, bias, columns, width, state, found);
        for (int64_t lane = 0; lane < some && status == QUERY_FINE; lane++) {
            const int64_t k = order[start + lane];
            scores[k] = found[lane];
            if (found[lane] > INT16_MAX - query->highest - (SW_BYTES == 64 ? 0 : bias))
                status = score_striped(laid, query, codes + starts[k], lengths[k], scores + k);
        }
    }
    sw_free(rows);
    sw_free(state);
    sw_free(columns);
    return status;
}

#endif

/* Score `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]`.

   profile: [rows][symbols]. order: the subjects by length, longest first. scores: [count]. Returns QUERY_FINE or what is wrong. No
   score may reach 2^31 - 2^25. */
SW_EXPORT int SW(scores)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                         const uint8_t *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count,
                         int32_t *scores)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    striped_query laid;
    int status = QUERY_FINE;
    memset(&laid, 0, sizeof laid);
    int32_t bias = 0;
    (void)bias;
    for (int64_t k = 0; k < count; k++)
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
#if SW_BYTES >= 32
    if (count && can_shuffle(&query, &bias)) {
        status = score_shuffled(&laid, &query, bias, codes, starts, lengths, order, count, scores);
        count = 0;
    }
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        status = score_striped(&laid, &query, codes + starts[order[k]], lengths[order[k]], scores + order[k]);
    sw_free(laid.narrow_memory);
    sw_free(laid.wide_memory);
    return status;
}
