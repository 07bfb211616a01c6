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
    static int shift_ends_in_##width(const query_profile *query, const shift_costs *costs, const shifts_asked *asked,          \
                                     const int64_t *rest, int64_t left)                                                        \
    {                                                                                                                          \
        const int64_t lanes = SW_BYTES * 8 / (width);                                                                          \
        shift_room##width room = {0};                                                                                          \
        if (!left)                                                                                                             \
            return QUERY_FINE;                                                                                                 \
        int status = lay_shifts##width(&room, query, asked->lengths[rest[0]], asked->by_codons);                               \
        for (int64_t at = 0; at < left && status == QUERY_FINE; at += lanes) {                                                 \
            shift_group##width(&room, query, costs, asked, rest + at, left - at < lanes ? left - at : lanes);                  \
            status = *asked->stop ? QUERY_STOPPED : QUERY_FINE;                                                                \
        }                                                                                                                      \
        sw_free(room.memory);                                                                                                  \
        return status;                                                                                                         \
    }
SHIFT_WIDTH(16)
SHIFT_WIDTH(32)

/* Find where the best alignment of a query with each of `count` subjects ends: the first column with the best score, and its first
   row.

   profile    [rows][symbols] scores of the query's residues, or of its codons, one from each base on
   by_codons  whether they are codons: then subjects are proteins, else codons of strands
   wanted     in addition to scores: WANT_REACHED, or that and WANT_ENDS; without ends pieces of strands may be longer
   step       1, or -1 where subjects are read from their ends
   order      [count] the subjects, longest first
   least      [...] the score to find, at least 1; or NULL
   ends       [...][3] out: score, residues and bases before the end; all 0 if nothing scores
   reached    [...][2] out: the first codon that an alignment with the score looked for can end with, and behind the last, or
              somewhat wider; 0 if there is none
   stop       other than 0 gives up
   Returns QUERY_FINE, QUERY_STOPPED, QUERY_NO_MEMORY or QUERY_BAD_CODE. */
SW_EXPORT int SW(shift_ends)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                             int32_t by_codons, int32_t wanted, int64_t step, const uint8_t *codes, const int64_t *starts,
                             const int64_t *lengths, const int64_t *order, int64_t count, const int64_t *least, int32_t *ends,
                             int64_t *reached, const volatile int32_t *stop)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    const shift_costs costs = {first, extend, shift};
    const shifts_asked asked = {codes, starts, lengths, least, ends, reached, stop, by_codons, wanted, step};
    const int with_ends = wanted & WANT_ENDS, most = with_ends ? NUMBERED_MOST : wanted ? NUMBERED_MOST * FRAMES : INT32_MAX;
    const int columns_fit = !by_codons || rows <= most;
    int64_t *rest = sw_allocate((size_t)(count ? count : 1) * sizeof *rest), left = 0;
    int status = rest ? QUERY_FINE : QUERY_NO_MEMORY;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++) {
        if (!codes_fit(&query, codes + starts[order[k]], lengths[order[k]]))
            status = QUERY_BAD_CODE;
        ends[3 * order[k]] = -1;
        reached[2 * order[k]] = reached[2 * order[k] + 1] = 0;
        if (lengths[order[k]] <= most)
            rest[left++] = order[k];
    }
    if (status == QUERY_FINE && query.narrow && shift <= NARROW_MOST && columns_fit && (!with_ends || rows <= NUMBERED_MOST) &&
        fits16(&query))
        status = shift_ends_in_16(&query, &costs, &asked, rest, left);
    left = 0;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (ends[3 * order[k]] < 0)
            rest[left++] = order[k];
    if (status == QUERY_FINE)
        status = shift_ends_in_32(&query, &costs, &asked, rest, left);
    sw_free(rest);
    return status;
}

/* Find the same of pairs of a protein and a strand, where each of `count` groups of them has one sequence in common, its query.

   table      [symbols][symbols] score of a residue with what a codon is translated to
   own        codes of what groups have in common: that of each begins at `own_starts` and has `own_lengths`
   groups     [count] the groups to process
   begins     [...] where the pairs of each group begin in `order`; those of the next one are behind them
   Other arguments and what is returned as of `shift_ends`; with a step of -1 queries are read from their ends, too. */
SW_EXPORT int SW(shift_ends_each)(const int16_t *table, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                                  int32_t by_codons, int32_t wanted, int64_t step, const uint8_t *own, const int64_t *own_starts,
                                  const int64_t *own_lengths, const int64_t *groups, int64_t count, const int64_t *begins,
                                  const uint8_t *codes, const int64_t *starts, const int64_t *lengths, const int64_t *order,
                                  const int64_t *least, int32_t *ends, int64_t *reached, const volatile int32_t *stop)
{
    int64_t longest = 1;
    for (int64_t k = 0; k < count; k++)
        longest = own_lengths[groups[k]] > longest ? own_lengths[groups[k]] : longest;
    int16_t *profile = sw_allocate((size_t)(longest * symbols) * sizeof *profile);
    int status = profile ? QUERY_FINE : QUERY_NO_MEMORY;
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++) {
        const int64_t group = groups[k], rows = own_lengths[group];
        const uint8_t *at = own + own_starts[group] + (step < 0 ? rows - 1 : 0);
        int16_t *to = profile;
        for (int64_t row = 0; row < rows && status == QUERY_FINE; row++, at += step, to += symbols) {
            status = *at < symbols ? QUERY_FINE : QUERY_BAD_CODE;
            for (int64_t a = 0; a < symbols && status == QUERY_FINE; a++)
                to[a] = by_codons ? table[a * symbols + *at] : table[*at * symbols + a];
        }
        if (status == QUERY_FINE)
            status = SW(shift_ends)(profile, rows, symbols, first, extend, shift, by_codons, wanted, step, codes, starts, lengths,
                                    order + begins[group], begins[group + 1] - begins[group], least, ends, reached, stop);
    }
    sw_free(profile);
    return status;
}
