/* Paths of a protein through DNA whose reading shifts, back from where they end. The recurrence is computed row by row, and what
   each cell came from is kept, of as many rows at a time as there is room for; rows between are computed again. */
#include "query.h"
#include "runs.h"

enum { SKIP = 3, AGAIN = 4 };                                        /* runs in addition to runs.h */
enum { STARTS = 3, MOVED_BIT = 2, OPENS_RESIDUE = 32, OPENS_CODON = 64 }; /* of a cell's byte: STARTS masks what H came from */
enum { MARGIN = 5 };                                                 /* columns before the first, where H is 0 */
enum { LEAST = -(1 << 30) };

static const int moves[] = {0, 1, -1, 2, -2}; /* in the order in which a path prefers them */

typedef struct {
    const query_profile *query;
    int32_t shift;
    int by_codons;
    const uint8_t *letters; /* of the subject */
    int64_t from;           /* the first codon */
    int64_t rows, columns;  /* up to the end of the path */
    const volatile int32_t *stop;
} shift_problem;

typedef struct {
    int32_t *h, *f, *next; /* [MARGIN + columns + 2]: of the row above, and H of this one; codon c is at MARGIN + c */
    int32_t *e, *moved;    /* the same of this row: E, and which move a pair follows */
    int16_t *scores;       /* [columns] of a row's pairs; of codons as the query of each letter, where it has come by */
    uint8_t laid[SW_SYMBOLS];
    int32_t *kept;         /* h and f above each block of rows */
    uint8_t *from;         /* [rows of a block][columns] */
    int64_t block;
    void *memory;
} shift_rows;

/* Return the scores of a row's pairs. */
static const int16_t *scores_of(const shift_problem *p, shift_rows *at, int64_t row)
{
    const int64_t symbols = p->query->symbols, letter = p->by_codons ? p->letters[row] : 0;
    const int16_t *by_row = p->query->scores + row * symbols, *by_column = p->query->scores + p->from * symbols + letter;
    int16_t *scores = at->scores + letter * p->columns;
    if (!p->by_codons)
        for (int64_t c = 0; c < p->columns; c++)
            scores[c] = by_row[p->letters[p->from + c]];
    else if (!at->laid[letter])
        for (int64_t c = 0; c < p->columns; c++)
            scores[c] = by_column[c * symbols];
    at->laid[letter] = 1;
    return scores;
}

/* Compute F of a row, and H but for E, into `h`; which of the moves is best, into `moved`. Columns do not depend on each other. */
static void reach(int64_t columns, int32_t first, int32_t extend, int32_t shift, const int16_t *restrict scores,
                  const int32_t *restrict above, int32_t *restrict f, int32_t *restrict h, int32_t *restrict moved)
{
    for (int64_t c = 0; c < columns; c++) {
        int32_t reached = above[c], by = 0;
#pragma GCC unroll 4
        for (int k = 1; k < 5; k++) {
            const int32_t other = above[c - moves[k]] - shift;
            by = other > reached ? k << MOVED_BIT : by;
            reached = other > reached ? other : reached;
        }
        const int32_t pair = reached + scores[c], opened = above[c + 3] - first, extended = f[c] - extend;
        const int32_t down = opened > extended ? opened : extended, best = pair > down ? pair : down;
        moved[c] = by | (opened >= extended ? OPENS_RESIDUE : 0) | (pair >= down ? PAIR : INSERTION);
        f[c] = down;
        h[c] = best > 0 ? best : 0;
    }
}

/* Compute E of a row from H without it: what a gap opens with is never E itself. */
static void run_along(int64_t columns, int32_t first, int32_t extend, const int32_t *restrict h, int32_t *restrict e)
{
    int32_t one = LEAST, two = LEAST, three = LEAST;
    for (int64_t c = 0; c < columns; c += 3) { /* there is room for two columns more */
        const int32_t opened[] = {h[c - 3] - first, h[c - 2] - first, h[c - 1] - first};
        one = opened[0] > one - extend ? opened[0] : one - extend;
        two = opened[1] > two - extend ? opened[1] : two - extend;
        three = opened[2] > three - extend ? opened[2] : three - extend;
        e[c] = one, e[c + 1] = two, e[c + 2] = three;
    }
}

/* Take E into H of a row, and into what it came from. */
static void finish(int64_t columns, const int32_t *restrict e, int32_t *restrict h, int32_t *restrict moved)
{
    for (int64_t c = 0; c < columns; c++) {
        moved[c] = e[c] > h[c] ? (moved[c] & ~STARTS) | DELETION : moved[c];
        h[c] = e[c] > h[c] ? e[c] : h[c];
    }
}

/* Record the origins of the cells of a row. */
static void note(int64_t columns, int32_t first, int32_t extend, const int32_t *restrict e, const int32_t *restrict h,
                 const int32_t *restrict moved, uint8_t *restrict from)
{
    for (int64_t c = 0; c < columns; c++)
        from[c] = (uint8_t)(moved[c] | (h[c - 3] - first >= e[c - 3] - extend ? OPENS_CODON : 0) | (h[c] <= 0 ? STARTS : 0));
}

/* Compute row `row`; `from` may be NULL. What depends on the columns before is only E. */
static void next_shift_row(const shift_problem *p, shift_rows *at, int64_t row, uint8_t *from)
{
    const int32_t first = p->query->first, extend = p->query->extend;
    int32_t *h = at->next + MARGIN, *e = at->e + MARGIN;
    reach(p->columns, first, extend, p->shift, scores_of(p, at, row), at->h + MARGIN - 3, at->f + MARGIN, h, at->moved);
    run_along(p->columns, first, extend, h, e);
    finish(p->columns, e, h, at->moved);
    if (from)
        note(p->columns, first, extend, e, h, at->moved, from);
    at->next = at->h, at->h = h - MARGIN;
}

static int make_shift_rows(shift_rows *at, const shift_problem *p, size_t most)
{
    const size_t row = (size_t)(MARGIN + p->columns + 2), bytes = (size_t)p->columns;
    at->block = bytes * (size_t)p->rows <= most ? p->rows : (int64_t)(most / bytes) + 1;
    const size_t blocks = (size_t)((p->rows + at->block - 1) / at->block), letters = p->by_codons ? (size_t)p->query->symbols : 1;
    at->memory = sw_allocate((5 + 2 * blocks) * row * sizeof(int32_t) + letters * bytes * sizeof(int16_t) +
                               (size_t)at->block * bytes);
    if (!at->memory)
        return QUERY_NO_MEMORY;
    at->h = at->memory;
    at->f = at->h + row;
    at->next = at->f + row;
    at->e = at->next + row;
    at->moved = at->e + row;
    at->kept = at->moved + row;
    at->scores = (int16_t *)(at->kept + 2 * blocks * row);
    at->from = (uint8_t *)(at->scores + letters * bytes);
    memset(at->h, 0, 3 * row * sizeof(int32_t));
    for (size_t c = 0; c < row; c++)
        at->f[c] = at->e[c] = LEAST;
    return QUERY_FINE;
}

static inline void write_many(run_writer *runs, int op, int32_t length)
{
    runs->ops[runs->count] = (uint8_t)op;
    runs->lengths[runs->count++] = length;
}

/* Follow the path from its last cell; returns its runs, or TRACE_LOST. */
static int64_t follow_shifts(const shift_problem *p, shift_rows *at, int32_t score, run_writer *runs, int64_t *start)
{
    const size_t row = (size_t)(MARGIN + p->columns + 2);
    int64_t i = p->rows - 1, c = p->columns - 1, block = i / at->block;
    int state = PAIR;
    for (;; block--) {
        const int64_t top = block * at->block;
        memcpy(at->h, at->kept + 2 * (size_t)block * row, row * sizeof(int32_t));
        memcpy(at->f, at->kept + (2 * (size_t)block + 1) * row, row * sizeof(int32_t));
        if (*p->stop)
            return QUERY_STOPPED;
        for (int64_t r = top; r <= i; r++)
            next_shift_row(p, at, r, at->from + (r - top) * p->columns);
        if (i == p->rows - 1 && at->h[MARGIN + p->columns - 1] != score)
            return TRACE_LOST;
        while (i >= top && c >= 0) {
            const int cell = at->from[(i - top) * p->columns + c];
            if (state == PAIR && (cell & 3) != PAIR) {
                if ((cell & 3) == STARTS)
                    goto done;
                state = cell & 3;
            }
            if (state == PAIR) {
                const int moved = moves[cell >> MOVED_BIT & 7];
                write_column(runs, PAIR);
                if (moved)
                    write_many(runs, moved > 0 ? SKIP : AGAIN, moved > 0 ? moved : -moved);
                i--, c -= 3 + moved;
            } else if (state == INSERTION) {
                write_column(runs, INSERTION);
                state = cell & OPENS_RESIDUE ? PAIR : INSERTION;
                i--;
            } else {
                write_column(runs, DELETION);
                state = cell & OPENS_CODON ? PAIR : DELETION;
                c -= 3;
            }
        }
        if (i < 0 || c < 0)
            break;
    }
done:
    start[0] = i + 1;
    start[1] = p->from + c + 3;
    return state == PAIR ? runs->count : TRACE_LOST;
}

static int64_t trace_shifts(const shift_problem *p, size_t most, int32_t score, run_writer *runs, int64_t *start)
{
    shift_rows at = {0};
    const size_t row = (size_t)(MARGIN + p->columns + 2);
    if (make_shift_rows(&at, p, most) < 0)
        return QUERY_NO_MEMORY;
    const int64_t last = (p->rows - 1) / at.block * at.block;
    for (int64_t i = 0; i <= last && !*p->stop; i++) {
        if (i % at.block == 0) {
            int32_t *kept = at.kept + 2 * (size_t)(i / at.block) * row;
            memcpy(kept, at.h, row * sizeof(int32_t));
            memcpy(kept + row, at.f, row * sizeof(int32_t));
        }
        if (i < last)
            next_shift_row(p, &at, i, NULL);
    }
    const int64_t made = *p->stop ? QUERY_STOPPED : follow_shifts(p, &at, score, runs, start);
    sw_free(at.memory);
    return made;
}

/* Find the paths of `count` subjects whose ends are known (shift_ends).

   froms    [count] the first codon that a path may begin with, of the query or of the subject
   starts   [count][2] out: residues and bases before the path
   ops      runs of each path from its first column on, as many as residues and codons of its rectangle together at most
   offsets  [count + 1] out: where the runs of each begin
   status   [count] out: 0, or TRACE_LOST where no path has the score
   most     bytes for what cells came from; if more are needed, rows are computed twice
   stop     other than 0 gives up
   Other arguments and what is returned as of `shift_ends`. */
SW_EXPORT int SW(shift_trace)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                              int32_t by_codons, const uint8_t *codes, const int64_t *places, const int64_t *lengths,
                              int64_t count, const int32_t *ends, const int64_t *froms, int64_t *starts, uint8_t *ops,
                              int32_t *run_lengths, int64_t *offsets, int32_t *status, int64_t most,
                              const volatile int32_t *stop)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    offsets[0] = 0;
    for (int64_t k = 0; k < count; k++, ends += 3) {
        const shift_problem p = {&query, shift, by_codons, codes + places[k], froms[k], ends[1], ends[2] - 2 - froms[k], stop};
        const int64_t residues = by_codons ? lengths[k] : rows, codons = by_codons ? rows : lengths[k];
        run_writer runs = {ops + offsets[k], run_lengths + offsets[k], 0};
        offsets[k + 1] = offsets[k];
        status[k] = starts[2 * k] = starts[2 * k + 1] = 0;
        if (ends[0] <= 0)
            continue;
        status[k] = TRACE_LOST;
        if (p.from < 0 || p.rows <= 0 || p.columns <= 0 || p.rows > residues || ends[2] - 2 > codons)
            continue;
        if (!codes_fit(&query, p.letters, lengths[k]))
            return QUERY_BAD_CODE;
        const int64_t made = trace_shifts(&p, (size_t)most, ends[0], &runs, starts + 2 * k);
        if (made == QUERY_NO_MEMORY || made == QUERY_STOPPED)
            return (int)made;
        if (made < 0)
            continue;
        turn_round(&runs);
        offsets[k + 1] += made;
        status[k] = 0;
    }
    return QUERY_FINE;
}

/* Find the same of pairs of a protein and a strand.

   table      [symbols][symbols] score of a residue with what a codon is translated to
   proteins   residues; that of each pair from `protein_starts` on, so many as `protein_lengths` says
   strands    codons, one from each base on; likewise
   Other arguments and what is returned as of `shift_trace`. */
SW_EXPORT int SW(shift_trace_each)(const int16_t *table, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                                   const uint8_t *proteins, const int64_t *protein_starts, const int64_t *protein_lengths,
                                   const uint8_t *strands, const int64_t *strand_starts, const int64_t *strand_lengths,
                                   int64_t count, const int32_t *ends, const int64_t *froms, int64_t *starts, uint8_t *ops,
                                   int32_t *run_lengths, int64_t *offsets, int32_t *status, int64_t most,
                                   const volatile int32_t *stop)
{
    int64_t longest = 1;
    for (int64_t k = 0; k < count; k++)
        longest = protein_lengths[k] > longest ? protein_lengths[k] : longest;
    int16_t *profile = sw_allocate((size_t)(longest * symbols) * sizeof *profile);
    int made = profile ? QUERY_FINE : QUERY_NO_MEMORY;
    offsets[0] = 0;
    for (int64_t k = 0; k < count && made == QUERY_FINE; k++) {
        const uint8_t *protein = proteins + protein_starts[k];
        const int64_t rows = ends[3 * k + 1] > 0 && ends[3 * k + 1] < protein_lengths[k] ? ends[3 * k + 1] : protein_lengths[k];
        for (int64_t row = 0; row < rows && made == QUERY_FINE; row++)
            if (protein[row] < symbols)
                memcpy(profile + row * symbols, table + protein[row] * symbols, (size_t)symbols * sizeof *profile);
            else
                made = QUERY_BAD_CODE;
        int64_t own[2] = {0, 0};
        if (made == QUERY_FINE)
            made = SW(shift_trace)(profile, rows, symbols, first, extend, shift, 0, strands, strand_starts + k,
                                   strand_lengths + k, 1, ends + 3 * k, froms + k, starts + 2 * k, ops + offsets[k],
                                   run_lengths + offsets[k], own, status + k, most, stop);
        offsets[k + 1] = offsets[k] + own[1];
    }
    sw_free(profile);
    return made;
}

/* Add up `count` alignments from their residues, apart from what found them, and note the codons that they read.

   table        [symbols][symbols] score of a residue with what a codon is translated to
   proteins     residues; that of each alignment from `protein_starts` on, so many as `protein_lengths` says
   strands      codons, one from each base on; likewise
   begins       [count][2], where each begins in its protein and in its strand
   ops, run_lengths, offsets
                runs as of `shift_trace`
   alike        for each symbol the one it counts as
   sums         [count][3] out: score, identities and pairs with a score above 0; of one that leaves its sequences none, and the
                lowest score there is
   read         out: the codons of all pairs and gaps, one alignment behind the other */
SW_EXPORT int SW(shift_sums)(const int16_t *table, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                             const uint8_t *proteins, const int64_t *protein_starts, const int64_t *protein_lengths,
                             const uint8_t *strands, const int64_t *strand_starts, const int64_t *strand_lengths, int64_t count,
                             const int64_t *begins, const uint8_t *ops, const int32_t *run_lengths, const int64_t *offsets,
                             const uint8_t *alike, int64_t *sums, uint8_t *read)
{
    for (int64_t k = 0; k < count; k++, begins += 2, sums += 3) {
        const uint8_t *protein = proteins + protein_starts[k], *strand = strands + strand_starts[k];
        int64_t i = begins[0], j = begins[1], score = 0, same = 0, positive = 0, outside = i < 0 || j < 0;
        for (int64_t run = offsets[k]; run < offsets[k + 1]; run++) {
            const int64_t length = run_lengths[run];
            const int op = ops[run];
            if (op == SKIP || op == AGAIN) {
                score -= shift;
                j += op == SKIP ? length : -length;
                continue;
            }
            score -= op == PAIR ? 0 : first + (length - 1) * (int64_t)extend;
            for (int64_t n = 0; n < length; n++) {
                const int residue = op != DELETION, codon = op != INSERTION;
                outside |= i + residue > protein_lengths[k] || j < 0 || j + codon > strand_lengths[k];
                outside = outside || (residue && protein[i] >= symbols) || (codon && strand[j] >= symbols);
                if (codon)
                    *read++ = outside ? 0 : strand[j];
                if (op == PAIR && !outside) {
                    const int16_t gain = table[protein[i] * symbols + strand[j]];
                    score += gain;
                    positive += gain > 0;
                    same += alike[protein[i]] == alike[strand[j]];
                }
                i += residue;
                j += 3 * codon;
            }
        }
        sums[0] = outside ? INT64_MIN : score;
        sums[1] = outside ? 0 : same;
        sums[2] = outside ? 0 : positive;
    }
    return QUERY_FINE;
}
