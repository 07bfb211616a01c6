/* Scores of chunks taken in by a search, for swgui/engines/native/gathering.py: those that may be listed, or all of
   them put in their places. */
#include "level.h"

/* scores: of the subjects of a chunk, places: which these are, [count]. target: the scores of a row, where all of them
   are put; 0 otherwise. least: the score from which on subjects are taken. taken: how many there are. */
typedef struct {
    const int32_t *scores;
    const int64_t *places;
    int32_t *target;
    int64_t count, least, taken;
} gathered_chunk;

SW_EXPORT int SW(gather_count)(gathered_chunk *chunks, int64_t count)
{
    for (int64_t at = 0; at < count; at++) {
        gathered_chunk *chunk = chunks + at;
        const int32_t least = chunk->least < INT32_MIN ? INT32_MIN : (int32_t)chunk->least;
        int64_t taken = 0;
        for (int64_t first = 0; first < chunk->count; first += 1 << 20) { /* a sum of 32 bits is faster */
            const int64_t last = first + (1 << 20) < chunk->count ? first + (1 << 20) : chunk->count;
            int32_t some = 0;
            for (int64_t i = first; i < last; i++)
                some += chunk->scores[i] >= least;
            taken += some;
        }
        chunk->taken = chunk->least > INT32_MAX ? 0 : taken;
    }
    return 0;
}

/* scores, places: of the subjects that `gather_count` counted, chunk after chunk. */
SW_EXPORT int SW(gather_taken)(const gathered_chunk *chunks, int64_t count, int32_t *scores, int64_t *places)
{
    for (int64_t at = 0; at < count; at++) {
        const gathered_chunk *chunk = chunks + at;
        int64_t left = chunk->taken;
        for (int64_t i = 0; left; i++)
            if (chunk->scores[i] >= chunk->least) {
                *scores++ = chunk->scores[i];
                *places++ = chunk->places[i];
                left--;
            }
    }
    return 0;
}

/* The places are those of a row: a caller gives a target that holds them. */
SW_EXPORT int SW(gather_all)(const gathered_chunk *chunks, int64_t count)
{
    for (int64_t at = 0; at < count; at++)
        for (int64_t i = 0; i < chunks[at].count; i++)
            chunks[at].target[chunks[at].places[i]] = chunks[at].scores[i];
    return 0;
}
