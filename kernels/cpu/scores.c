/* Scores of one query against many subjects: in lanes of bytes, those that may exceed them in lanes of words, and what
   is alone, long or larger still in stripes. Instruction sets without shuffles take stripes for all. */
#include "beside.h"
#include "bytes.h"
#include "calls.h"

#define WIDTH 16
#include "striped.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#undef WIDTH

/* One query laid out in stripes of either width, when it is first needed. */
typedef struct {
    stripes16 narrow;
    stripes32 wide;
    rooms16 narrow_rooms;
    rooms32 wide_rooms;
    void *narrow_memory, *wide_memory;
} striped_query;

#define LAY_OUT(width)                                                                                      \
    static int lay_striped##width(const query_profile *query, stripes##width *stripes, rooms##width *rooms, \
                                  void **memory)                                                            \
    {                                                                                                       \
        const size_t column = column_bytes##width(query->rows);                                             \
        uint8_t wanted[SW_SYMBOLS];                                                                         \
        memset(wanted, 1, sizeof wanted);                                                                   \
        char *room = sw_allocate(column * (size_t)(query->symbols + 4));                                    \
        if (!room)                                                                                          \
            return QUERY_NO_MEMORY;                                                                         \
        *memory = room;                                                                                     \
        stripes->scores = (vec##width *)room;                                                               \
        rooms->e = (vec##width *)(room + column * (size_t)query->symbols);                                  \
        for (int i = 0; i < 3; i++)                                                                         \
            rooms->columns[i] = (vec##width *)(room + column * (size_t)(query->symbols + 1 + i));           \
        lay_out##width(stripes, query->scores, query->symbols, 0, 1, query->rows, wanted, query->highest);  \
        return QUERY_FINE;                                                                                  \
    }

LAY_OUT(16)
LAY_OUT(32)

static int score_striped(striped_query *laid, const query_profile *query, const sw_code *codes, int64_t length,
                         int32_t *score)
{
    const stretch whole = {codes, length, 1, NULL};
    peak found;
    if (query->narrow) {
        if (!laid->narrow_memory && lay_striped16(query, &laid->narrow, &laid->narrow_rooms, &laid->narrow_memory) < 0)
            return QUERY_NO_MEMORY;
        const int status =
            find_peak16(&laid->narrow, &whole, query->first, query->extend, INT32_MAX, query->stop,
                        &laid->narrow_rooms, &found);
        *score = found.score;
        if (status == STRIPED_FINE)
            return QUERY_FINE;
    }
    if (!laid->wide_memory && lay_striped32(query, &laid->wide, &laid->wide_rooms, &laid->wide_memory) < 0)
        return QUERY_NO_MEMORY;
    find_peak32(&laid->wide, &whole, query->first, query->extend, INT32_MAX, query->stop, &laid->wide_rooms, &found);
    *score = found.score;
    return QUERY_FINE;
}

#if SW_BYTES >= 32

enum { STRIPED_SLOWER = SW_BYTES / 16 }; /* a subject alone takes as long as so many lanes of words */
enum { LONGEST_IN_LANES = 1 << 18 }; /* what is longer would take too much memory, for all lanes are as long */

/* Whether a group of subjects, longest first, is scored sooner in `side` lanes than one after the other. */
static int lanes_pay(const int64_t *lengths, const int64_t *order, int64_t some, int64_t side)
{
    int64_t residues = 0;
    for (int64_t lane = 0; lane < some; lane++)
        residues += lengths[order[lane]];
    return lengths[order[0]] <= LONGEST_IN_LANES &&
           lengths[order[0]] * side <= residues * STRIPED_SLOWER * (side / SIDE);
}

/* Score in lanes of bytes what fits them; the others keep a score of -1. */
static int score_bytes(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                       const int64_t *order, int64_t count, int32_t *scores)
{
    byte_query laid = {0};
    _Alignas(64) uint8_t found[BYTE_SIDE];
    for (int64_t start = 0; start < count && !*query->stop; start += BYTE_SIDE) {
        const int64_t some = count - start < BYTE_SIDE ? count - start : BYTE_SIDE;
        if (!lanes_pay(lengths, order + start, some, BYTE_SIDE))
            continue;
        if (!laid.rows && lay_bytes(&laid, query, lengths[order[start]]) < 0)
            return QUERY_NO_MEMORY;
        const int few = query->symbols <= BYTE_FEW;
        const int64_t width = lay_byte_columns(laid.columns, codes, starts, lengths, order + start, some,
                                               few ? BYTE_ENDED : query->symbols);
        if (few)
            pass_bytes(&laid, query, width, found, NULL, 0, 1);
        else
            pass_bytes(&laid, query, width, found, NULL, 0, 0);
        for (int64_t lane = 0; lane < some; lane++)
            if (found[lane] <= laid.most)
                scores[order[start + lane]] = found[lane];
    }
    free_bytes(&laid);
    return QUERY_FINE;
}

/* Score in lanes of words what has no score yet and fits them; `rest` has room for `count`. */
static int score_beside(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                        const int64_t *order, int64_t count, int64_t *rest, int32_t *scores)
{
    beside_query laid = {0};
    _Alignas(64) int16_t found[SIDE];
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++)
        if (scores[order[k]] < 0)
            rest[left++] = order[k];
    for (int64_t start = 0; start < left && !*query->stop; start += SIDE) {
        const int64_t some = left - start < SIDE ? left - start : SIDE;
        const int64_t width = (lengths[rest[start]] + COLUMNS - 1) / COLUMNS * COLUMNS;
        if (!lanes_pay(lengths, rest + start, some, SIDE))
            continue;
        if (!laid.rows && lay_beside(&laid, query, lengths[rest[start]]) < 0)
            return QUERY_NO_MEMORY;
        for (int64_t lane = 0; lane < SIDE; lane++) {
            const int64_t k = rest[start + (lane < some ? lane : 0)];
            lay_lane(laid.columns, lane, width, codes + starts[k], lane < some ? lengths[k] : 0, 1, query->symbols);
        }
        pass_beside(&laid, query, width, found);
        for (int64_t lane = 0; lane < some; lane++)
            if (found[lane] <= laid.most)
                scores[rest[start + lane]] = found[lane];
    }
    free_beside(&laid);
    return QUERY_FINE;
}

#endif

/* Score `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]`.

   profile: [rows][symbols]. order: the subjects by length, longest first. scores: [count]. stop: other than 0 gives up.
   Returns QUERY_FINE or what is wrong. No score may reach 2^31 - 2^25. */
SW_EXPORT int SW(scores)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                         const sw_code *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order,
                         int64_t count, int32_t *scores, const volatile int32_t *stop)
{
    query_profile query = make_query(profile, rows, symbols, first, extend);
    striped_query laid;
    int status = QUERY_FINE;
    memset(&laid, 0, sizeof laid);
    query.stop = stop;
    for (int64_t k = 0; k < count; k++) {
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        scores[order[k]] = -1;
    }
#if SW_BYTES >= 32
    if (count && fits_bytes(&query))
        status = score_bytes(&query, codes, starts, lengths, order, count, scores);
    if (count && fits_beside(&query) && status == QUERY_FINE) {
        int64_t *rest = sw_allocate((size_t)count * sizeof *rest);
        status = rest ? score_beside(&query, codes, starts, lengths, order, count, rest, scores) : QUERY_NO_MEMORY;
        sw_free(rest);
    }
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE && !*stop; k++)
        if (scores[order[k]] < 0)
            status = score_striped(&laid, &query, codes + starts[order[k]], lengths[order[k]], scores + order[k]);
    sw_free(laid.narrow_memory);
    sw_free(laid.wide_memory);
    return *stop ? QUERY_STOPPED : status;
}
