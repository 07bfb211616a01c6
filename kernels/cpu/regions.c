/* Where the best local alignment of a query with each of many subjects begins and ends, and what it scores. */
#include "beside.h"

enum { REGIONS_WIDE = 1 };

#define WIDTH 16
#include "striped.h"
#include "regions.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#include "regions.h"

/* A query in stripes of either width, laid out when it is first needed. */
typedef struct {
    laid_query16 narrow;
    laid_query32 wide;
    uint8_t wanted[256];
} striped_query;

static int region_striped(striped_query *laid, const query_profile *query, const uint8_t *codes, int64_t length, int32_t *found)
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

#if SW_BYTES >= 32

enum { MOST_SIDES = 32000 };  /* rows and columns that 16 bits number */
enum { STRIPED_SLOWER = 5 };  /* a subject alone takes as long as so many lanes */

/* Whether a group of subjects, the longest of which has `longest` residues, is found sooner side by side. */
static int beside_pays(const query_profile *query, const int64_t *lengths, const int64_t *order, int64_t some)
{
    int64_t residues = 0;
    for (int64_t lane = 0; lane < some; lane++)
        residues += lengths[order[lane]];
    return query->rows <= MOST_SIDES && lengths[order[0]] <= MOST_SIDES && lengths[order[0]] * SIDE <= residues * STRIPED_SLOWER;
}

/* Find the regions of up to SIDE subjects, longest first, as `find_region` does. Those beyond 16 bits get a score of -1. */
static void regions_beside(beside_query *laid, const query_profile *query, const uint8_t *codes, const int64_t *starts,
                           const int64_t *lengths, const int64_t *order, int64_t some, int32_t *found)
{
    beside_found last, first;
    beside_limits limits;
    int64_t width = (lengths[order[0]] + COLUMNS - 1) / COLUMNS * COLUMNS;
    for (int64_t lane = 0; lane < SIDE; lane++) {
        const int64_t k = order[lane < some ? lane : 0];
        lay_lane(laid->columns, lane, width, codes + starts[k], lane < some ? lengths[k] : 0, 1, query->symbols);
    }
    pass_beside(laid, query, width, 0, 1, NULL, &last, 1);
    width = 0;
    limits.least = query->rows;
    for (int64_t lane = 0; lane < SIDE; lane++) {
        const int live = lane < some && last.score[lane] > 0 && last.score[lane] <= laid->most;
        limits.enough[lane] = live ? last.score[lane] : 0;
        limits.start[lane] = (int16_t)(live ? query->rows - 1 - last.row[lane] : query->rows);
        limits.least = live && limits.start[lane] < limits.least ? limits.start[lane] : limits.least;
        width = live && last.column[lane] >= width ? last.column[lane] + 1 : width;
    }
    width = (width + COLUMNS - 1) / COLUMNS * COLUMNS;
    for (int64_t lane = 0; lane < SIDE; lane++) {
        const int64_t k = order[lane < some ? lane : 0], length = limits.enough[lane] ? last.column[lane] + 1 : 0;
        lay_lane(laid->columns, lane, width, codes + starts[k] + length - 1, length, -1, query->symbols);
    }
    pass_beside(laid, query, width, query->rows - 1, -1, &limits, &first, 1);
    for (int64_t lane = 0; lane < some; lane++) {
        int32_t *at = found + 5 * order[lane];
        memset(at, 0, 5 * sizeof *at);
        if (last.score[lane] > laid->most)
            at[0] = -1;
        if (!limits.enough[lane])
            continue;
        at[0] = last.score[lane];
        at[1] = (int32_t)query->rows - 1 - first.row[lane];
        at[2] = last.row[lane] + 1;
        at[3] = last.column[lane] - first.column[lane];
        at[4] = last.column[lane] + 1;
    }
}

#endif

/* Find the regions of `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]`.

   profile: [rows][symbols]. order: the subjects by length, longest first. found: [...][5], score and half-open ranges in query
   and subject; zeros where nothing scores. Of all best alignments the one that ends first in the subject, then in the query; of
   these the one that starts last in the subject, then in the query. Returns QUERY_FINE or what is wrong. No score may reach
   2^31 - 2^25. */
SW_EXPORT int SW(regions)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                          const uint8_t *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count,
                          int32_t *found)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    striped_query striped = {0};
    int status = QUERY_FINE;
    memset(striped.wanted, 1, sizeof striped.wanted);
    for (int64_t k = 0; k < count; k++) {
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        found[5 * order[k]] = -1;
    }
#if SW_BYTES >= 32
    beside_query laid = {0};
    const int fits = count && fits_beside(&query);
    for (int64_t start = 0; start < count && fits && status == QUERY_FINE; start += SIDE) {
        const int64_t some = count - start < SIDE ? count - start : SIDE;
        if (!beside_pays(&query, lengths, order + start, some))
            continue;
        if (!laid.rows)
            status = lay_beside(&laid, &query, lengths[order[start]]);
        if (status == QUERY_FINE)
            regions_beside(&laid, &query, codes, starts, lengths, order + start, some, found);
    }
    free_beside(&laid);
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (found[5 * order[k]] < 0)
            status = region_striped(&striped, &query, codes + starts[order[k]], lengths[order[k]], found + 5 * order[k]);
    sw_free(striped.narrow.memory);
    sw_free(striped.wide.memory);
    return status < 0 ? status : QUERY_FINE;
}
