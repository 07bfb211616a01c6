/* Paths of local alignments inside their regions, and what alignments add up to. */
#include "query.h"
#include "runs.h"
#include "vector.h"

#define BLOCK_BYTES ((size_t)4 << 20) /* kept whole up to here: stays in a core's cache */

#define WIDTH 16
#include "striped.h"
#include "trace.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#include "trace.h"

/* Find the paths of `count` regions, as `regions` found them, in subjects of `lengths[k]` residues from
   `codes[starts[k]]`.

   found: [count][5], score and half-open ranges in query and subject. ops, run_lengths: the runs of all one behind the
   other, with room for 2 x the shorter side of each region. offsets: [count + 1], where the runs of each begin; regions
   without score have none. status: [count], 0; TRACE_LOST if no path in a region has its score; TRACE_LARGE if it would
   take too much memory. Reading from the end to the start a pair goes before a gap, and a residue of the query against
   a gap before the other. */
static int trace_regions(const query_profile *query, const sw_code *codes, const int64_t *starts,
                         const int64_t *lengths, int64_t count, const int32_t *found, uint8_t *ops,
                         int32_t *run_lengths, int64_t *offsets, int32_t *status)
{
    trace_rooms16 narrow = {0};
    trace_rooms32 wide = {0};
    int answer = QUERY_FINE;
    offsets[0] = 0;
    for (int64_t k = 0; k < count && answer == QUERY_FINE; k++, found += 5) {
        const region box = {codes + starts[k] + found[3], found[1], found[2] - found[1], found[4] - found[3], found[0]};
        run_writer runs = {ops + offsets[k], run_lengths + offsets[k], 0};
        offsets[k + 1] = offsets[k];
        status[k] = 0;
        if (found[1] < 0 || found[2] > query->rows || found[3] < 0 || found[4] > lengths[k] || box.score <= 0 ||
            box.rows <= 0 || box.columns <= 0) {
            status[k] = box.score > 0 ? TRACE_LOST : 0;
            continue;
        }
        if (!codes_fit(query, box.codes, box.columns)) {
            answer = QUERY_BAD_CODE;
            break;
        }
        const int64_t made = query->narrow && box.score <= INT16_MAX - query->highest
                                 ? trace_region16(&narrow, query, &box, &runs)
                                 : trace_region32(&wide, query, &box, &runs);
        if (made == QUERY_NO_MEMORY)
            answer = QUERY_NO_MEMORY;
        else if (made < 0)
            status[k] = (int32_t)made;
        else {
            turn_round(&runs);
            offsets[k + 1] += made;
        }
    }
    sw_free(narrow.memory);
    sw_free(wide.memory);
    return answer;
}

SW_EXPORT int SW(trace)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                        const sw_code *codes, const int64_t *starts, const int64_t *lengths, int64_t count,
                        const int32_t *found, uint8_t *ops, int32_t *run_lengths, int64_t *offsets, int32_t *status)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    return trace_regions(&query, codes, starts, lengths, count, found, ops, run_lengths, offsets, status);
}

/* Do as `trace` for a query in two tracks: `more` has its scores [row][letter], `codes` symbols of both. */
SW_EXPORT int SW(track_trace)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                              int64_t letters, int32_t first, int32_t extend, const sw_code *codes,
                              const int64_t *starts, const int64_t *lengths, int64_t count, const int32_t *found,
                              uint8_t *ops, int32_t *run_lengths, int64_t *offsets, int32_t *status)
{
    const query_profile query = two_track_query(profile, rows, symbols, more, letters, first, extend);
    return trace_regions(&query, codes, starts, lengths, count, found, ops, run_lengths, offsets, status);
}

/* Add up `count` alignments from their residues, apart from what found them.

   begins: [count][2], where each begins in the query and in its subject. query: its codes. alike: for each symbol the
   one it counts as. sums: [count][3], score, identities and pairs with a score above 0. An alignment that leaves its
   sequences has none of them, and the lowest score there is. */
static int add_up(const query_profile *profile, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                  int64_t count, const sw_code *query, const uint8_t *alike, const int64_t *begins,
                  const uint8_t *ops, const int32_t *run_lengths, const int64_t *offsets, int64_t *sums)
{
    const int64_t rows = profile->rows, symbols = profile->symbols * profile->letters;
    const int32_t first = profile->first, extend = profile->extend;
    for (int64_t k = 0; k < count; k++, begins += 2, sums += 3) {
        const sw_code *subject = codes + starts[k];
        int64_t i = begins[0], j = begins[1], score = 0, same = 0, positive = 0, outside = i < 0 || j < 0;
        for (int64_t run = offsets[k]; run < offsets[k + 1] && !outside; run++) {
            const int64_t length = run_lengths[run];
            const int64_t i_end = ops[run] == DELETION ? i : i + length, j_end = ops[run] == INSERTION ? j : j + length;
            outside = length <= 0 || i_end > rows || j_end > lengths[k];
            if (!outside && ops[run] == PAIR)
                for (; i < i_end && !outside; i++, j++) {
                    outside = subject[j] >= symbols || query[i] >= symbols;
                    if (outside)
                        break;
                    const int32_t gain = score_of(profile, i, subject[j]);
                    score += gain;
                    positive += gain > 0;
                    same += alike[query[i]] == alike[subject[j]];
                }
            else
                score -= first + (length - 1) * (int64_t)extend;
            i = i_end, j = j_end;
        }
        sums[0] = outside ? INT64_MIN : score;
        sums[1] = outside ? 0 : same;
        sums[2] = outside ? 0 : positive;
    }
    return QUERY_FINE;
}

SW_EXPORT int SW(tally)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                        const sw_code *codes, const int64_t *starts, const int64_t *lengths, int64_t count,
                        const sw_code *query, const uint8_t *alike, const int64_t *begins, const uint8_t *ops,
                        const int32_t *run_lengths, const int64_t *offsets, int64_t *sums)
{
    const query_profile given = {profile, rows, symbols, first, extend, 0, 0, &NEVER_STOPPED, NULL, 1};
    return add_up(&given, codes, starts, lengths, count, query, alike, begins, ops, run_lengths, offsets, sums);
}

/* Do as `tally` for a query in two tracks. */
SW_EXPORT int SW(track_tally)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                              int64_t letters, int32_t first, int32_t extend, const sw_code *codes,
                              const int64_t *starts, const int64_t *lengths, int64_t count, const sw_code *query,
                              const uint8_t *alike, const int64_t *begins, const uint8_t *ops,
                              const int32_t *run_lengths, const int64_t *offsets, int64_t *sums)
{
    const query_profile given = {profile, rows, symbols, first, extend, 0, 0, &NEVER_STOPPED, more, letters};
    return add_up(&given, codes, starts, lengths, count, query, alike, begins, ops, run_lengths, offsets, sums);
}
