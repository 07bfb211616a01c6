/* A protein with a strand of DNA whose reading may shift (swgui/core/frameshift/__init__.py has the recurrence), against as many
   subjects as there are lanes; included once for each width, with WIDTH 16 or 32.

   Rows are residues and columns codons, one from each base on. Either may be the query: with `by_codons` its codons are the columns
   of all lanes and each lane has a protein, else its residues are the rows and each lane has a strand. Three columns are
   taken together; of a row the state is H of the five columns before them and E of the last three.

   In 16 bits a score above `most` may have been more: no value leaves the range before one has been above it. */

#include "width.h"

#ifndef SW_SHIFTS_H
#define SW_SHIFTS_H

enum { FRAMES = 3, ROW_STATE = 3 * FRAMES };
enum { SHIFT_BLOCK = 3 * 512 }; /* columns of lanes that are laid at a time */
enum { WANT_REACHED = 2, WANT_ENDS = 1 }; /* with scores; ends only with WANT_REACHED */

typedef struct {
    int32_t first, extend, shift;
} shift_costs;
#endif

/* The first and the last block of FRAMES columns in which each lane has more than `below`, from 0; -1 if none has. */
typedef struct {
    _Alignas(64) ELEMENT below[LANES];
    _Alignas(64) ELEMENT first[LANES];
    _Alignas(64) ELEMENT last[LANES];
} OF(lanes_reached);

/* A query laid out, and the lanes. */
typedef struct {
    ELEMENT *scores;  /* [row][stride]; of three columns alone where they are codons */
    ELEMENT *letters; /* [column of a block, or row][LANES] */
    VEC *state;       /* [row][H of the block of columns before these, of this block, E] */
    int64_t stride;
    int32_t bias, most;
    void *memory;
} OF(shift_room);

/* Lay a query out for subjects of up to `longest` residues or codons; free `room->memory` whatever comes of it. */
static int OF(lay_shifts)(OF(shift_room) *room, const query_profile *query, int64_t longest, int by_codons)
{
    const int64_t rows = by_codons ? longest : query->rows, lettered = by_codons ? longest : SHIFT_BLOCK;
    room->stride = BY_SHUFFLE ? 32 : query->symbols + 1;
    const size_t table = ((size_t)((by_codons ? FRAMES : rows) * room->stride) * sizeof(ELEMENT) + 63) / 64 * 64;
    char *memory = sw_allocate(table + (size_t)(lettered + rows * ROW_STATE) * sizeof(VEC));
    room->memory = memory;
    if (!memory)
        return QUERY_NO_MEMORY;
    room->scores = (ELEMENT *)memory;
    room->letters = (ELEMENT *)(memory + table);
    room->state = (VEC *)(memory + table) + lettered;
    room->bias = 0;
    for (int64_t i = 0; BY_SHUFFLE && SW_BYTES == 32 && i < query->rows * query->symbols; i++)
        room->bias = -query->scores[i] > room->bias ? -query->scores[i] : room->bias;
    room->most = (WIDTH == 16 ? INT16_MAX : INT32_MAX - (1 << 24)) - query->highest - room->bias;
    memset(room->scores, 0, table);
    for (int64_t row = 0; !by_codons && row < rows; row++)
        OF(lay_row)(room->scores + row * room->stride, query->scores + row * query->symbols, query->symbols, room->bias);
    return QUERY_FINE;
}

/* Lay the residues or codons `from` ... `to` of all lanes, with the symbol behind the last where a subject has ended. */
static void OF(lay_letters)(OF(shift_room) *room, const lane_subject *subjects, int64_t from, int64_t to, int64_t symbols)
{
    for (int64_t lane = 0; lane < LANES; lane++) {
        ELEMENT *at = room->letters + lane;
        for (int64_t k = from; k < to; k++, at += LANES)
            *at = (ELEMENT)(k < subjects[lane].length ? subjects[lane].codes[k * subjects[lane].step] : symbols);
    }
}

/* Lay the scores of three codons of a query; a column behind the last scores nothing above 0. */
static void OF(lay_codons)(OF(shift_room) *room, const query_profile *query, int64_t column)
{
    for (int64_t c = 0; c < FRAMES; c++) {
        ELEMENT *to = room->scores + c * room->stride;
        if (column + c < query->rows)
            OF(lay_row)(to, query->scores + (column + c) * query->symbols, query->symbols, room->bias);
        else
            for (int64_t a = 0; a < room->stride; a++)
                to[a] = BY_SHUFFLE && SW_BYTES == 32 ? 0 : NEVER;
    }
}

/* The best H before a codon: in its own frame, or in one of the others at the cost of a shift. */
static inline __attribute__((always_inline)) VEC OF(best_before)(VEC own, VEC second, VEC third, VEC shift)
{
    return OF(max)(own, OF(max)(second, third) - shift);
}

/* Find the best score of all lanes, whose longest subject has `longest` letters, and what else is wanted. */
static inline __attribute__((always_inline)) void OF(shift_pass)(OF(shift_room) *room, const query_profile *query,
                                                                 const shift_costs *costs, const lane_subject *subjects,
                                                                 int64_t longest, OF(lanes_found) *found,
                                                                 OF(lanes_reached) *reached, const volatile int32_t *stop,
                                                                 const int by_codons, const int wanted_too)
{
    const int with_ends = wanted_too & WANT_ENDS, with_reached = wanted_too & WANT_REACHED;
    const VEC below = with_reached ? *(VEC *)reached->below : (VEC){0};
    VEC first_reached = OF(set)(-1), last_reached = OF(set)(-1);
    const VEC zero = {0}, bias = OF(set)((ELEMENT)room->bias), first = OF(set)((ELEMENT)costs->first);
    const VEC extend = OF(set)((ELEMENT)costs->extend), shift = OF(set)((ELEMENT)costs->shift);
    const int64_t rows = by_codons ? longest : query->rows, columns = by_codons ? query->rows : longest;
    VEC best = zero, best_row = zero, best_column = zero;
    memset(room->state, 0, (size_t)(rows * ROW_STATE) * sizeof(VEC));
    if (by_codons)
        OF(lay_letters)(room, subjects, 0, longest, query->symbols);
    for (int64_t column = 0; column < columns && !(column % SHIFT_BLOCK == 0 && *stop); column += FRAMES) {
        if (by_codons)
            OF(lay_codons)(room, query, column);
        else if (column % SHIFT_BLOCK == 0)
            OF(lay_letters)(room, subjects, column, column + SHIFT_BLOCK, query->symbols);
        const int64_t before = column / FRAMES % 2 ? FRAMES : 0; /* H of the block before the last; these replace it */
        OF(letters) wanted[FRAMES];
        VEC f[FRAMES], tops[FRAMES], top_rows[FRAMES];
        VEC seen = zero;
        /* H of the row above: of the five columns before these, and of the first two of these. */
        VEC a0 = zero, a1 = zero, a2 = zero, a3 = zero, a4 = zero, n0 = zero, n1 = zero;
        for (int c = 0; c < FRAMES; c++) {
            if (!by_codons)
                wanted[c] = OF(letters_of)(room->letters + (column % SHIFT_BLOCK + c) * LANES);
            f[c] = top_rows[c] = zero;
            tops[c] = best;
        }
        for (int64_t row = 0; row < rows; row++) {
            VEC *state = room->state + row * ROW_STATE, *replaced = state + before, *last = state + (FRAMES - before);
            const VEC o0 = replaced[1], o1 = replaced[2], o2 = last[0], o3 = last[1], o4 = last[2], number = OF(set)((ELEMENT)row);
            const VEC middle = OF(max)(a1, a4), right = OF(max)(a2, n0);
            const VEC from[FRAMES] = {OF(best_before)(a2, OF(max)(a0, a3), middle, shift), OF(best_before)(a3, middle, right, shift),
                                      OF(best_before)(a4, right, OF(max)(a3, n1), shift)};
            VEC h[FRAMES];
#pragma GCC unroll 3
            for (int c = 0; c < FRAMES; c++) {
                const ELEMENT *scores = room->scores + (by_codons ? c : row) * room->stride;
                if (by_codons)
                    wanted[c] = OF(letters_of)(room->letters + row * LANES);
                const VEC e = state[2 * FRAMES + c];
                h[c] = OF(max)(OF(max)(OF(add_row)(from[c], scores, wanted[c], bias), zero), OF(max)(e, f[c]));
                const VEC better = (VEC)(h[c] > tops[c]), open = h[c] - first;
                if (with_ends)
                    top_rows[c] = WHERE_(better, number, top_rows[c]);
                tops[c] = OF(max)(tops[c], h[c]);
                if (with_reached)
                    seen = OF(max)(seen, h[c]);
                state[2 * FRAMES + c] = OF(max)(e - extend, open);
                f[c] = OF(max)(f[c] - extend, open);
                replaced[c] = h[c];
            }
            a0 = o0, a1 = o1, a2 = o2, a3 = o3, a4 = o4, n0 = h[0], n1 = h[1];
        }
        if (with_reached) {
            const VEC more = (VEC)(seen > below), number = OF(set)((ELEMENT)(column / FRAMES));
            last_reached = WHERE_(more, number, last_reached);
            first_reached = WHERE_(more & (VEC)(first_reached < zero), number, first_reached);
        }
        for (int c = 0; c < FRAMES; c++) {
            const VEC better = (VEC)(tops[c] > best);
            if (with_ends) {
                best_row = WHERE_(better, top_rows[c], best_row);
                best_column = WHERE_(better, OF(set)((ELEMENT)(column + c)), best_column);
            }
            best = OF(max)(best, tops[c]);
        }
    }
    *(VEC *)found->score = best;
    *(VEC *)found->row = best_row;
    *(VEC *)found->column = best_column;
    if (with_reached) {
        *(VEC *)reached->first = first_reached;
        *(VEC *)reached->last = last_reached;
    }
}

/* Input and output of many subjects: as for `shift_ends`. */
#ifndef SW_SHIFTS_ASKED
#define SW_SHIFTS_ASKED
typedef struct {
    const uint8_t *codes;
    const int64_t *starts, *lengths, *least;
    int32_t *ends;
    int64_t *reached;
    const volatile int32_t *stop;
    int by_codons, wanted;
    int64_t step;
} shifts_asked;
#endif

/* Find the scores of `some` subjects, longest first, and what else is wanted; those that may score more than this width holds
   keep a score of -1. */
static void OF(shift_group)(OF(shift_room) *room, const query_profile *query, const shift_costs *costs, const shifts_asked *asked,
                            const int64_t *order, int64_t some)
{
    lane_subject subjects[LANES];
    OF(lanes_found) found;
    OF(lanes_reached) reached;
    const int64_t longest = asked->lengths[order[0]], columns = asked->by_codons ? query->rows : 0;
    for (int64_t lane = 0; lane < LANES; lane++) {
        const int64_t number = order[lane < some ? lane : 0], length = lane < some ? asked->lengths[number] : 0;
        const int64_t least = asked->least && lane < some ? asked->least[number] : INT32_MAX;
        const uint8_t *codes = asked->codes + asked->starts[number];
        subjects[lane] = (lane_subject){asked->step < 0 && length ? codes + length - 1 : codes, length, asked->step};
        reached.below[lane] = (ELEMENT)((least < (WIDTH == 16 ? INT16_MAX : INT32_MAX) ? least
                                                                                       : (WIDTH == 16 ? INT16_MAX : INT32_MAX)) - 1);
    }
#define SHIFT_PASS(by_codons, wanted) \
    OF(shift_pass)(room, query, costs, subjects, longest, &found, &reached, asked->stop, by_codons, wanted)
    if (asked->by_codons && asked->wanted & WANT_ENDS)
        SHIFT_PASS(1, WANT_ENDS | WANT_REACHED);
    else if (asked->by_codons && asked->wanted)
        SHIFT_PASS(1, WANT_REACHED);
    else if (asked->by_codons)
        SHIFT_PASS(1, 0);
    else if (asked->wanted & WANT_ENDS)
        SHIFT_PASS(0, WANT_ENDS | WANT_REACHED);
    else if (asked->wanted)
        SHIFT_PASS(0, WANT_REACHED);
    else
        SHIFT_PASS(0, 0);
#undef SHIFT_PASS
    for (int64_t lane = 0; lane < some; lane++) {
        int32_t *at = asked->ends + 3 * order[lane];
        if (found.score[lane] > room->most)
            continue;
        memset(at, 0, 3 * sizeof *at);
        at[0] = found.score[lane];
        if (asked->wanted && reached.first[lane] >= 0) {
            const int64_t most = asked->by_codons ? columns : asked->lengths[order[lane]];
            const int64_t end = FRAMES * ((int64_t)reached.last[lane] + 1);
            asked->reached[2 * order[lane]] = FRAMES * (int64_t)reached.first[lane];
            asked->reached[2 * order[lane] + 1] = end < most ? end : most;
        }
        if (!found.score[lane] || !(asked->wanted & WANT_ENDS))
            continue;
        at[1] = (int32_t)found.row[lane] + 1;
        at[2] = (int32_t)found.column[lane] + FRAMES;
    }
}

#include "width_end.h"
