/* A query as the functions of this library are given it. */
#ifndef SW_QUERY_H
#define SW_QUERY_H

#include "level.h"

/* Scores [row][symbol] of a plain or position-specific query; costs of the first and of each other residue of a gap. */
typedef struct {
    const int16_t *scores;
    int64_t rows, symbols;
    int32_t first, extend;
    int32_t highest; /* of the scores, at least 0 */
    int narrow;      /* whether 16 bits can hold scores and costs */
    const volatile int32_t *stop; /* other than 0 gives up */
    /* Scores [row][letter] of a second track, added to the others; NULL without one. A symbol is residue x letters +
       letter then. */
    const int16_t *more;
    int64_t letters;
} query_profile;

enum { QUERY_FINE = 0, QUERY_NO_MEMORY = -1, QUERY_BAD_CODE = -2, QUERY_STOPPED = -5 };

enum { NARROW_MOST = 16000 }; /* scores and costs with room for their sums in 16 bits */

static const int32_t NEVER_STOPPED = 0;

static inline query_profile make_query(const int16_t *scores, int64_t rows, int64_t symbols, int32_t first, int32_t extend)
{
    query_profile query = {scores, rows, symbols, first, extend, 0, first <= NARROW_MOST, &NEVER_STOPPED, NULL, 1};
    for (int64_t i = 0; i < rows * symbols; i++)
        query.highest = scores[i] > query.highest ? scores[i] : query.highest;
    return query;
}

/* A query in two tracks, for the functions that know them. */
static inline query_profile two_track_query(const int16_t *scores, int64_t rows, int64_t symbols, const int16_t *more,
                                             int64_t letters, int32_t first, int32_t extend)
{
    query_profile query = make_query(scores, rows, symbols, first, extend);
    query.highest += make_query(more, rows, letters, first, extend).highest;
    query.more = more;
    query.letters = letters;
    return query;
}

/* The score of a symbol in a row. */
static inline int32_t score_of(const query_profile *query, int64_t row, int64_t symbol)
{
    if (!query->more)
        return query->scores[row * query->symbols + symbol];
    return query->scores[row * query->symbols + symbol / query->letters] +
           query->more[row * query->letters + symbol % query->letters];
}

/* Whether all residues of a subject have scores: a damaged file must not lead outside the profile. */
static inline int codes_fit(const query_profile *query, const sw_code *codes, int64_t length)
{
    sw_code largest = 0;
    for (int64_t k = 0; k < length; k++)
        largest = codes[k] > largest ? codes[k] : largest;
    return length == 0 || largest < query->symbols * query->letters;
}

#endif
