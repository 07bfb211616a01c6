/* Scores of one query against many subjects, a subject in each lane where shuffles of bytes give the scores of a row to all
   lanes at once (AVX2, AVX-512 with words), else and in 32 bits one subject after the other in stripes. */
#include "beside.h"

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

/* Score subjects side by side, those of like length together; what exceeds 16 bits once more in stripes. */
static int score_beside(striped_query *striped, const query_profile *query, const uint8_t *codes, const int64_t *starts,
                        const int64_t *lengths, const int64_t *order, int64_t count, int32_t *scores)
{
    beside_query laid;
    beside_found found;
    int status = lay_beside(&laid, query, lengths[order[0]]);
    for (int64_t start = 0; start < count && status == QUERY_FINE; start += SIDE) {
        const int64_t width = (lengths[order[start]] + COLUMNS - 1) / COLUMNS * COLUMNS;
        for (int64_t lane = 0; lane < SIDE; lane++) {
            const int64_t k = order[start + lane < count ? start + lane : start];
            lay_lane(laid.columns, lane, width, codes + starts[k], start + lane < count ? lengths[k] : 0, 1, query->symbols);
        }
        pass_beside(&laid, query, width, 0, 1, NULL, &found, 0);
        for (int64_t lane = 0; lane < SIDE && start + lane < count && status == QUERY_FINE; lane++) {
            const int64_t k = order[start + lane];
            scores[k] = found.score[lane];
            if (found.score[lane] > laid.most)
                status = score_striped(striped, query, codes + starts[k], lengths[k], scores + k);
        }
    }
    free_beside(&laid);
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
    for (int64_t k = 0; k < count; k++)
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
#if SW_BYTES >= 32
    if (count && fits_beside(&query)) {
        status = score_beside(&laid, &query, codes, starts, lengths, order, count, scores);
        count = 0;
    }
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        status = score_striped(&laid, &query, codes + starts[order[k]], lengths[order[k]], scores + order[k]);
    sw_free(laid.narrow_memory);
    sw_free(laid.wide_memory);
    return status;
}
