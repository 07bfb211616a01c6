/* Start, end and score of the best local alignment of a query with each of many subjects. */
#include "beside.h"
#include "bytes.h"
#include "calls.h"

enum { REGIONS_WIDE = 1 };

#define WIDTH 16
#include "striped.h"
#include "regions.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#include "regions.h"
#undef WIDTH

#if SW_BYTES >= 32
#define WIDTH 8
#include "lanes.h"
#undef WIDTH
#define WIDTH 16
#include "lanes.h"
#undef WIDTH
#endif

/* A query in stripes of either width, laid out when it is first needed. */
typedef struct {
    laid_query16 narrow;
    laid_query32 wide;
    uint8_t wanted[SW_SYMBOLS];
} striped_query;

static int region_striped(striped_query *laid, const query_profile *query, const sw_code *codes, int64_t length, int32_t *found)
{
    int status = REGIONS_WIDE;
    if (query->narrow) {
        status = laid->narrow.memory ? QUERY_FINE : prepare16(&laid->narrow, query, laid->wanted);
        if (status == QUERY_FINE)
            status = find_region16(&laid->narrow, query, codes, length, found);
    }
    if (status != REGIONS_WIDE)
        return status;
    status = laid->wide.memory ? QUERY_FINE : prepare32(&laid->wide, query, laid->wanted);
    return status == QUERY_FINE ? find_region32(&laid->wide, query, codes, length, found) : status;
}

static int reached_striped(striped_query *laid, const query_profile *query, const sw_code *codes, int64_t length, int64_t least,
                           int backwards, int64_t *reached, const volatile int32_t *stop)
{
    int status = REGIONS_WIDE;
    if (query->narrow) {
        status = laid->narrow.memory ? QUERY_FINE : prepare16(&laid->narrow, query, laid->wanted);
        if (status == QUERY_FINE)
            status = find_reached16(&laid->narrow, query, codes, length, least, backwards, reached, stop);
    }
    if (status != REGIONS_WIDE)
        return status;
    status = laid->wide.memory ? QUERY_FINE : prepare32(&laid->wide, query, laid->wanted);
    return status == QUERY_FINE ? find_reached32(&laid->wide, query, codes, length, least, backwards, reached, stop) : status;
}

/* Find the regions of `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]`.

   profile: [rows][symbols]. order: the subjects by length, longest first. found: [...][5], score and half-open ranges in query
   and subject; zeros where nothing scores. On entry the score where it is known, else -1: too high a one gives the region of the
   best, too low a one may give one that scores as little. Of all best alignments the one that ends first in the subject, then in
   the query; of these the one that starts last in the subject, then in the query. stop: other than 0 gives up. Returns
   QUERY_FINE or what is wrong. No score may reach 2^31 - 2^25. */
SW_EXPORT int SW(regions)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                          const sw_code *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count,
                          int32_t *found, const volatile int32_t *stop)
{
    query_profile query = make_query(profile, rows, symbols, first, extend);
    striped_query striped = {0};
    int status = QUERY_FINE;
    query.stop = stop;
    memset(striped.wanted, 1, sizeof striped.wanted);
    for (int64_t k = 0; k < count; k++) {
        int32_t *at = found + 5 * order[k];
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        at[1] = at[0] ? -1 : 0; /* settled where nothing scores */
        at[2] = at[3] = at[4] = 0;
    }
#if SW_BYTES >= 32
    lane_task *tasks = sw_allocate((size_t)count * sizeof *tasks);
    lane_place *places = sw_allocate((size_t)count * sizeof *places);
    status = tasks && places ? QUERY_FINE : QUERY_NO_MEMORY;
    if (status == QUERY_FINE)
        status = find_in_lanes8(&query, codes, starts, lengths, order, count, tasks, places, found);
    if (status == QUERY_FINE)
        status = find_in_lanes16(&query, codes, starts, lengths, order, count, tasks, places, found);
    sw_free(tasks);
    sw_free(places);
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (found[5 * order[k] + 1] < 0)
            status = region_striped(&striped, &query, codes + starts[order[k]], lengths[order[k]], found + 5 * order[k]);
    sw_free(striped.narrow.memory);
    sw_free(striped.wide.memory);
    return *stop ? QUERY_STOPPED : status < 0 ? status : QUERY_FINE;
}

/* The same for pairs of several queries: query q has the rows of the profile from begins[q] on, to before begins[q + 1], and the
   pairs order[pairs[q]] to before order[pairs[q + 1]], of which the longest subject comes first. Ranges in a query are counted from
   its first row. */
SW_EXPORT int SW(regions_each)(const int16_t *profile, const int64_t *begins, const int64_t *pairs, int64_t queries,
                               int64_t symbols, int32_t first, int32_t extend, const sw_code *codes, const int64_t *starts,
                               const int64_t *lengths, const int64_t *order, int32_t *found, const volatile int32_t *stop)
{
    int status = QUERY_FINE;
    for (int64_t q = 0; q < queries && status == QUERY_FINE; q++)
        if (pairs[q] < pairs[q + 1])
            status = SW(regions)(profile + begins[q] * symbols, begins[q + 1] - begins[q], symbols, first, extend, codes, starts,
                                 lengths, order + pairs[q], pairs[q + 1] - pairs[q], found, stop);
    return status;
}

/* Find which columns of many subjects hold a score: every alignment with as much ends in one of them, and read backwards, begins
   in one.

   order      [count] the subjects, longest first
   least      [...] the score, at least 1
   backwards  whether query and subjects are read from their ends, and columns are counted from there
   reached    [...][2] out: the first of the columns and behind the last, or somewhat wider; 0 twice where there is none
   stop       other than 0 gives up
   Other arguments as of `regions`. Returns QUERY_FINE, QUERY_STOPPED or what is wrong. */
SW_EXPORT int SW(reached_columns)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                                  const sw_code *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order,
                                  int64_t count, const int64_t *least, int32_t backwards, int64_t *reached,
                                  const volatile int32_t *stop)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    striped_query striped = {0};
    int status = QUERY_FINE;
    memset(striped.wanted, 1, sizeof striped.wanted);
    for (int64_t k = 0; k < count; k++) {
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        reached[2 * order[k]] = -1;
    }
#if SW_BYTES >= 32
    lane_task *tasks = sw_allocate((size_t)count * sizeof *tasks);
    int64_t *found = sw_allocate((size_t)count * 2 * sizeof *found);
    status = tasks && found ? QUERY_FINE : QUERY_NO_MEMORY;
    if (status == QUERY_FINE)
        status = reach_in_lanes8(&query, codes, starts, lengths, order, count, least, backwards, tasks, found, reached, stop);
    if (status == QUERY_FINE)
        status = reach_in_lanes16(&query, codes, starts, lengths, order, count, least, backwards, tasks, found, reached, stop);
    sw_free(tasks);
    sw_free(found);
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (reached[2 * order[k]] < 0)
            status = reached_striped(&striped, &query, codes + starts[order[k]], lengths[order[k]], least[order[k]], backwards,
                                     reached + 2 * order[k], stop);
    sw_free(striped.narrow.memory);
    sw_free(striped.wide.memory);
    return status < 0 ? status : QUERY_FINE;
}
