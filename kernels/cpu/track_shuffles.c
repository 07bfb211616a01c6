/* Shuffled copies of stretches of subjects in two tracks, residue and letter of a position together, made and scored in
 * one call. */
#include "copies.h"

int SW(track_scores)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more, int64_t letter_symbols,
                     int32_t first, int32_t extend, const uint8_t *codes, const uint8_t *letters, const int64_t *starts,
                     const int64_t *lengths, const int64_t *order, int64_t count, int32_t *scores);

/* A query in two tracks, and the costs of its gaps. */
typedef struct {
    const int16_t *profiles[2];
    int64_t symbols[2];
    int32_t first, extend;
} track_query;

/* Make and score the copies of one job. */
static int score_track_copies(const track_query *query, const uint8_t *const *codes, const shuffle_job *job,
                              uint64_t seed, int32_t *scores)
{
    const uint64_t key = key_of(codes[0] + job->start, job, seed);
    const int64_t fit = ROOM / (job->length > 0 ? job->length : 1), most = fit < 1            ? 1
                                                                           : fit < job->count ? fit
                                                                                              : job->count;
    uint8_t *copies = sw_allocate((size_t)(2 * most * job->length));
    uint32_t *draws = sw_allocate(((size_t)job->length + 258) * sizeof *draws);
    int64_t *places = sw_allocate((size_t)most * 3 * sizeof *places);
    int status = copies && draws && places ? QUERY_FINE : QUERY_NO_MEMORY;
    for (int64_t done = 0; done < job->count && status == QUERY_FINE; done += most) {
        const int64_t some = job->count - done < most ? job->count - done : most;
        for (int64_t k = 0; k < some; k++) {
            for (int t = 0; t < 2; t++)
                make_copy(copies + (t * most + k) * job->length, codes[t] + job->start, job, key,
                          job->number + done + k, draws);
            places[k] = k * job->length;
            places[most + k] = job->length;
            places[2 * most + k] = k;
        }
        status = SW(track_scores)(query->profiles[0] + job->row * query->symbols[0], job->rows, query->symbols[0],
                                  query->profiles[1] + job->row * query->symbols[1], query->symbols[1], query->first,
                                  query->extend, copies, copies + most * job->length, places, places + most,
                                  places + 2 * most, some, scores + done);
    }
    sw_free(copies);
    sw_free(draws);
    sw_free(places);
    return status;
}

/* As `shuffles`, for scores that are sums of two tables: profile: [rows][symbols], more: [rows][letter_symbols]. */
SW_EXPORT int SW(track_shuffles)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                                 int64_t letter_symbols, int32_t first, int32_t extend, const uint8_t *codes,
                                 const uint8_t *letters, const int64_t *jobs, int64_t count, uint64_t seed,
                                 int32_t *scores)
{
    const track_query query = {{profile, more}, {symbols, letter_symbols}, first, extend};
    const uint8_t *const tracks[2] = {codes, letters};
    const shuffle_job *given = (const shuffle_job *)jobs;
    int status = QUERY_FINE;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        status = given[k].row + given[k].rows <= rows
                     ? score_track_copies(&query, tracks, given + k, seed, scores + given[k].out)
                     : QUERY_BAD_CODE;
    return status;
}
