/* Proteins with DNA whose reading may shift: where the best alignment of a query with each of many subjects ends, in lanes of 16
   bits, in 32 what they cannot hold. */
#include "query.h"
#include "vector.h"

#define WIDTH 16
#include "shifts.h"
#undef WIDTH
#define WIDTH 32
#include "shifts.h"
#undef WIDTH

enum { NUMBERED_MOST = 32000 }; /* rows and columns that 16 bits number */

/* Score some subjects, longest first, in either width; what has a result is left out. */
#define SHIFT_WIDTH(width)                                                                                                     \
    static int shift_ends_in_##width(const query_profile *query, const shift_costs *costs, int by_codons, int with_ends,   \
                                     const uint8_t *codes, const int64_t *starts, const int64_t *lengths, const int64_t *rest, int64_t left,         \
                                     int32_t *ends)                                                                            \
    {                                                                                                                          \
        const int64_t lanes = SW_BYTES * 8 / (width);                                                                          \
        shift_room##width room = {0};                                                                                          \
        if (!left)                                                                                                             \
            return QUERY_FINE;                                                                                                 \
        const int status = lay_shifts##width(&room, query, lengths[rest[0]], by_codons);                                       \
        for (int64_t at = 0; at < left && status == QUERY_FINE; at += lanes)                                                   \
            shift_group##width(&room, query, costs, by_codons, with_ends, codes, starts, lengths, rest + at,                              \
                               left - at < lanes ? left - at : lanes, ends);                                                   \
        sw_free(room.memory);                                                                                                  \
        return status;                                                                                                         \
    }
SHIFT_WIDTH(16)
SHIFT_WIDTH(32)

/* Find where the best alignment of a query with each of `count` subjects ends: the first column with the best score, and its first
   row.

   profile    [rows][symbols] scores of the query's residues, or of its codons, one from each base on
   by_codons  whether they are codons: then subjects are proteins, else codons of strands
   with_ends  whether ends are asked for; scores alone take less time, and pieces of strands may be longer
   order      [count] the subjects, longest first
   ends       [...][3] out: score, residues and bases before the end; all 0 if nothing scores
   Returns QUERY_FINE, QUERY_NO_MEMORY or QUERY_BAD_CODE. */
SW_EXPORT int SW(shift_ends)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                             int32_t by_codons, int32_t with_ends, const uint8_t *codes, const int64_t *starts,
                             const int64_t *lengths, const int64_t *order, int64_t count, int32_t *ends)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    const shift_costs costs = {first, extend, shift};
    int64_t *rest = sw_allocate((size_t)(count ? count : 1) * sizeof *rest), left = 0;
    int status = rest ? QUERY_FINE : QUERY_NO_MEMORY;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++) {
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            status = QUERY_BAD_CODE;
        ends[3 * order[k]] = -1;
        if (!with_ends || lengths[order[k]] <= NUMBERED_MOST)
            rest[left++] = order[k];
    }
    if (status == QUERY_FINE && query.narrow && shift <= NARROW_MOST && (!with_ends || rows <= NUMBERED_MOST) && fits16(&query))
        status = shift_ends_in_16(&query, &costs, by_codons, with_ends, codes, starts, lengths, rest, left, ends);
    left = 0;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (ends[3 * order[k]] < 0)
            rest[left++] = order[k];
    if (status == QUERY_FINE)
        status = shift_ends_in_32(&query, &costs, by_codons, with_ends, codes, starts, lengths, rest, left, ends);
    sw_free(rest);
    return status;
}
