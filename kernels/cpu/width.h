/* What functions of two widths are written with, WIDTH 16 or 32: names and types of that width, and the scores of a row
   for the symbols of all lanes, found by shuffles where the instruction set has them and 16 bits do, else by gathering.
   Included before each of them; `width_end.h` behind it. */

#define WIDTH_JOIN_(name, width) name##width
#define WIDTH_JOIN(name, width) WIDTH_JOIN_(name, width)
#define OF(name) WIDTH_JOIN(name, WIDTH)
#define VEC OF(vec)
#define ELEMENT WIDTH_JOIN(WIDTH_JOIN(int, WIDTH), _t)
#define LANES (SW_BYTES * 8 / WIDTH)
#define BY_SHUFFLE (WIDTH == 16 && SW_BYTES >= 32)
#define NEVER (WIDTH == 16 ? INT16_MIN : -(1 << 30))
#define WHERE_(mask, then, otherwise) (((then) & (mask)) | ((otherwise) & ~(mask)))

#ifndef SW_WIDTH_H
#define SW_WIDTH_H

enum { SHUFFLED_MOST = 31 }; /* symbols, and one for where a subject has ended */

/* The residues of a lane in the order in which a pass takes them: `codes[k * step]` for k = 0 ... length - 1. */
typedef struct {
    const uint8_t *codes;
    int64_t length, step;
} lane_subject;
#endif

/* Result of each lane: the best score, the first column that has it, and the first row of that column,
   from 0. */
typedef struct {
    _Alignas(64) ELEMENT score[LANES];
    _Alignas(64) ELEMENT row[LANES];
    _Alignas(64) ELEMENT column[LANES];
} OF(lanes_found);

/* Whether scores fit this width; costs always do. */
static int OF(fits)(const query_profile *query)
{
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    if (WIDTH == 32)
        return 1;
    return lowest >= -NARROW_MOST && query->highest <= NARROW_MOST &&
           (!BY_SHUFFLE || (query->symbols <= SHUFFLED_MOST && (SW_BYTES == 64 || query->highest - lowest <= 255)));
}

/* Lay out the scores of one row for all symbols; the one behind the last is never scored. */
static inline void OF(lay_row)(ELEMENT *to, const int16_t *source, int64_t symbols, int32_t bias)
{
    (void)bias;
    for (int64_t a = 0; a < symbols; a++) {
#if BY_SHUFFLE && SW_BYTES == 32
        ((uint8_t *)to)[a] = (uint8_t)(source[a] + bias);
#else
        to[a] = source[a];
#endif
    }
    if (!BY_SHUFFLE || SW_BYTES == 64)
        to[symbols] = NEVER;
}

/* The symbols of a column, as its scores are looked up by them. */
typedef struct {
#if BY_SHUFFLE && SW_BYTES == 32
    __m256i low, high;
#elif BY_SHUFFLE
    __m512i codes;
#else
    const ELEMENT *codes;
#endif
} OF(letters);

static inline OF(letters) OF(letters_of)(const ELEMENT *codes)
{
#if BY_SHUFFLE && SW_BYTES == 32
    /* A shuffle of bytes gives 0 where the top bit is set: for symbols from 16 on in `low`, below 16 in `high`, in high
     * bytes. */
    const __m256i found = _mm256_load_si256((const __m256i *)codes), none = _mm256_set1_epi16((int16_t)0x8000);
    return (OF(letters)){_mm256_or_si256(_mm256_add_epi16(found, _mm256_set1_epi16(0x70)), none),
                         _mm256_or_si256(_mm256_sub_epi16(found, _mm256_set1_epi16(16)), none)};
#elif BY_SHUFFLE
    return (OF(letters)){_mm512_load_si512(codes)};
#else
    return (OF(letters)){codes};
#endif
}

static inline __attribute__((always_inline)) VEC OF(add_row)(VEC h, const ELEMENT *row, OF(letters) wanted, VEC bias)
{
    (void)bias;
#if BY_SHUFFLE && SW_BYTES == 32
    const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row + 1));
    return h + (VEC)_mm256_or_si256(_mm256_shuffle_epi8(low, wanted.low), _mm256_shuffle_epi8(high, wanted.high)) -
           bias;
#elif BY_SHUFFLE
    return h + (VEC)_mm512_permutexvar_epi16(wanted.codes, _mm512_load_si512(row));
#else
    VEC scores;
    for (int lane = 0; lane < LANES; lane++)
        scores[lane] = row[wanted.codes[lane]];
    return h + scores;
#endif
}
