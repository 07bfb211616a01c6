/* Queries with gap costs by position: scores and regions of one against many subjects, in lanes of bytes (scores
   alone), of 16 and of 32 bits, each for what the one before cannot hold. */
#include "bytes.h"
#include "calls.h"
#include "costs.h"
#include "query.h"
#include "vector.h"

#define WIDTH 16
#include "positions.h"
#undef WIDTH
#define WIDTH 32
#include "positions.h"
#undef WIDTH

enum { MOST_SIDES = 32000 }; /* rows and columns that 16 bits number */

/* A query laid out in either width, forwards and backwards, when it is first needed. */
typedef struct {
    laid_positions16 narrow[2];
    laid_positions32 wide[2];
} position_query;

static void free_positions(position_query *laid)
{
    for (int way = 0; way < 2; way++) {
        sw_free(laid->narrow[way].memory);
        sw_free(laid->wide[way].memory);
    }
}

/* Take what has no result yet to the front of `rest`, in the order given; returns how many. A result is every `step`
 * numbers. */
static int64_t without_result(const int32_t *results, int64_t step, const int64_t *order, int64_t count, int64_t *rest)
{
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++)
        if (results[step * order[k]] < 0)
            rest[left++] = order[k];
    return left;
}

/* Check the residues of all subjects, and note that none has a result. */
static int begin_results(const query_profile *query, const uint8_t *codes, const int64_t *starts,
                         const int64_t *lengths, const int64_t *order, int64_t count, int64_t step, int32_t *results)
{
    for (int64_t k = 0; k < count; k++) {
        if (!codes_fit(query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        results[step * order[k]] = -1;
    }
    return QUERY_FINE;
}

#if SW_BYTES >= 32

enum { LONGEST_IN_BYTES = 1 << 18 }; /* what is longer would take too much memory */
enum { WITHOUT_BYTES = 3 };          /* groups, once half of one has left the range of bytes; then one is tried again */

/* Score in lanes of bytes what fits them; the others keep a score of -1. */
static int score_position_bytes(const query_profile *query, const position_gaps *gaps, const uint8_t *codes,
                                const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count,
                                int32_t *scores)
{
    byte_query laid = {0};
    _Alignas(64) uint8_t found[BYTE_SIDE];
    byte_costs *costs = sw_allocate((size_t)query->rows * sizeof *costs);
    int refunds = costs ? lay_byte_costs(costs, gaps, query->rows) : QUERY_NO_MEMORY, without = 0;
    for (int64_t start = 0; start < count && refunds >= 0; start += BYTE_SIDE) {
        const int64_t some = count - start < BYTE_SIDE ? count - start : BYTE_SIDE;
        if (lengths[order[start]] > LONGEST_IN_BYTES || without-- > 0)
            continue;
        if (!laid.rows && lay_bytes(&laid, query, lengths[order[start]]) < 0) {
            refunds = QUERY_NO_MEMORY;
            break;
        }
        const int64_t width =
            lay_byte_columns(laid.columns, codes, starts, lengths, order + start, some, query->symbols);
        if (refunds)
            pass_bytes(&laid, query, width, found, costs, 1, 0);
        else
            pass_bytes(&laid, query, width, found, costs, 0, 0);
        int64_t held = 0;
        for (int64_t lane = 0; lane < some; lane++)
            if (found[lane] <= laid.most) {
                scores[order[start + lane]] = found[lane];
                held++;
            }
        without = 2 * held < some ? WITHOUT_BYTES : 0;
    }
    free_bytes(&laid);
    sw_free(costs);
    return refunds < 0 ? refunds : QUERY_FINE;
}

#endif

#define IN_GROUPS(width, left, longest, call)                                               \
    for (int64_t at = 0, some; at < (left) && status == QUERY_FINE && !*stop; at += some) { \
        some = (left) - at < SW_BYTES * 8 / (width) ? (left) - at : SW_BYTES * 8 / (width); \
        if (lengths[rest[at]] <= (longest))                                                 \
            call;                                                                           \
    }

/* Score `count` subjects, as `scores` does (scores.c), with the gap costs of each row. */
SW_EXPORT int SW(position_scores)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *insertion_first,
                                  const int16_t *insertion_extend, const int16_t *deletion_first,
                                  const int16_t *deletion_extend, const uint8_t *codes, const int64_t *starts,
                                  const int64_t *lengths, const int64_t *order, int64_t count, int32_t *scores,
                                  const volatile int32_t *stop)
{
    query_profile query = make_query(profile, rows, symbols, 0, 0);
    const position_gaps gaps = {insertion_first, insertion_extend, deletion_first, deletion_extend};
    position_query laid = {0};
    query.stop = stop;
    int status = begin_results(&query, codes, starts, lengths, order, count, 1, scores);
    int64_t *rest = sw_allocate((size_t)count * sizeof *rest), left;
    if (status == QUERY_FINE && !rest)
        status = QUERY_NO_MEMORY;
#if SW_BYTES >= 32
    if (status == QUERY_FINE && count && fits_bytes(&query))
        status = score_position_bytes(&query, &gaps, codes, starts, lengths, order, count, scores);
#endif
    left = status == QUERY_FINE ? without_result(scores, 1, order, count, rest) : 0;
    if (left && fits16(&query)) {
        status = lay_positions16(&laid.narrow[0], &query, &gaps, 0);
        IN_GROUPS(16, left, INT64_MAX, score_group16(&laid.narrow[0], codes, starts, lengths, rest + at, some, scores))
        left = status == QUERY_FINE ? without_result(scores, 1, order, count, rest) : 0;
    }
    if (left)
        status = lay_positions32(&laid.wide[0], &query, &gaps, 0);
    IN_GROUPS(32, left, INT64_MAX, score_group32(&laid.wide[0], codes, starts, lengths, rest + at, some, scores))
    free_positions(&laid);
    sw_free(rest);
    return *stop ? QUERY_STOPPED : status;
}

/* Find the regions of `count` subjects, as `regions` does (regions.c), with the gap costs of each row. */
SW_EXPORT int SW(position_regions)(const int16_t *profile, int64_t rows, int64_t symbols,
                                   const int16_t *insertion_first, const int16_t *insertion_extend,
                                   const int16_t *deletion_first, const int16_t *deletion_extend, const uint8_t *codes,
                                   const int64_t *starts, const int64_t *lengths, const int64_t *order, int64_t count,
                                   int32_t *found, const volatile int32_t *stop)
{
    query_profile query = make_query(profile, rows, symbols, 0, 0);
    const position_gaps gaps = {insertion_first, insertion_extend, deletion_first, deletion_extend};
    position_query laid = {0};
    query.stop = stop;
    int status = begin_results(&query, codes, starts, lengths, order, count, 5, found);
    int64_t *rest = sw_allocate((size_t)count * sizeof *rest), left;
    if (status == QUERY_FINE && !rest)
        status = QUERY_NO_MEMORY;
    left = status == QUERY_FINE ? without_result(found, 5, order, count, rest) : 0;
    if (left && rows <= MOST_SIDES && fits16(&query)) {
        for (int way = 0; way < 2 && status == QUERY_FINE; way++)
            status = lay_positions16(&laid.narrow[way], &query, &gaps, way);
        IN_GROUPS(16, left, MOST_SIDES,
                  region_group16(&laid.narrow[0], &laid.narrow[1], codes, starts, lengths, rest + at, some, found))
        left = status == QUERY_FINE ? without_result(found, 5, order, count, rest) : 0;
    }
    for (int way = 0; way < 2 && left && status == QUERY_FINE; way++)
        status = lay_positions32(&laid.wide[way], &query, &gaps, way);
    IN_GROUPS(32, left, INT64_MAX,
              region_group32(&laid.wide[0], &laid.wide[1], codes, starts, lengths, rest + at, some, found))
    free_positions(&laid);
    sw_free(rest);
    return *stop ? QUERY_STOPPED : status;
}
