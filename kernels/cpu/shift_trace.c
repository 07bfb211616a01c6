/* Paths of a protein through DNA whose reading shifts, and where they end if that is not known. The recurrence is computed row by row, and what
   each cell came from is kept, of as many rows at a time as there is room for; rows between are computed again. */
#include "query.h"
#include "runs.h"
#include "vector.h"

enum { SKIP = 3, AGAIN = 4 };                                        /* runs in addition to runs.h */
enum { STARTS = 3, MOVED_BIT = 2, OPENS_RESIDUE = 32, OPENS_CODON = 64 }; /* of a cell's byte: STARTS masks what H came from */
enum { MARGIN = 5 };                                                 /* columns before the first, where H is 0 */
enum { STOP_ROWS = 256 };                                            /* between two looks for a stop */

static const int moves[] = {0, 1, -1, 2, -2}; /* in the order in which a path prefers them */

typedef struct {
    const query_profile *query;
    int32_t shift;
    int by_codons;
    const uint8_t *letters; /* of the subject */
    const uint8_t *own;     /* of the query, whose scores are by letter then and not by row; or NULL */
    int64_t from;           /* the first codon */
    int64_t rows, columns;  /* up to the end of the path */
    const volatile int32_t *stop;
} shift_problem;

/* A cell of a path, and the state in which the path leaves it. */
typedef struct {
    int64_t row, column;
    int state;
} shift_cell;

static inline void write_many(run_writer *runs, int op, int32_t length)
{
    runs->ops[runs->count] = (uint8_t)op;
    runs->lengths[runs->count++] = length;
}

#define WIDTH 16
#include "shift_rows.h"
#define WIDTH 32
#include "shift_rows.h"

/* Whether 16 bits hold the scores of a problem. */
static int in_16_bits(const shift_problem *p)
{
    const query_profile *query = p->query;
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    const int64_t pairs = p->rows < p->columns ? p->rows : p->columns;
    return query->narrow && p->shift <= NARROW_MOST && lowest >= -NARROW_MOST && (pairs + 1) * query->highest <= INT16_MAX;
}

/* Find the path of one problem, of which `residues` and `codons` there are; see `shift_trace`. Returns its runs, TRACE_LOST, or the
   reason to give up. */
static int64_t one_path(shift_problem *p, int64_t residues, int64_t codons, size_t most, int32_t *ends, run_writer *runs,
                        int64_t *starts)
{
    const int unknown = ends[0] < 0;
    p->rows = unknown ? residues : ends[1], p->columns = (unknown ? codons : ends[2] - 2) - p->from;
    if (p->from < 0 || p->rows <= 0 || p->columns <= 0 || p->rows > residues || p->from + p->columns > codons)
        return TRACE_LOST;
    if (!codes_fit(p->query, p->letters, p->by_codons ? residues : codons) || (p->own && !codes_fit(p->query, p->own, residues)))
        return QUERY_BAD_CODE;
    return in_16_bits(p) ? trace_shifts16(p, most, ends, runs, starts) : trace_shifts32(p, most, ends, runs, starts);
}

/* Find the path of subject `k` where results begin at `offsets[k]`; arguments as of `shift_trace`. */
static int put_path(shift_problem *p, int64_t residues, int64_t codons, int64_t k, int32_t *ends, int64_t *starts, uint8_t *ops,
                    int32_t *run_lengths, int64_t *offsets, int32_t *status, int64_t most)
{
    run_writer runs = {ops + offsets[k], run_lengths + offsets[k], 0};
    offsets[k + 1] = offsets[k];
    status[k] = starts[2 * k] = starts[2 * k + 1] = 0;
    if (ends[3 * k] == 0)
        return QUERY_FINE;
    const int64_t made = one_path(p, residues, codons, (size_t)most, ends + 3 * k, &runs, starts + 2 * k);
    if (made == QUERY_NO_MEMORY || made == QUERY_STOPPED || made == QUERY_BAD_CODE)
        return (int)made;
    status[k] = made < 0 ? TRACE_LOST : 0;
    if (made > 0) {
        turn_round(&runs);
        offsets[k + 1] += made;
    }
    return QUERY_FINE;
}

/* Find the paths of `count` subjects.

   ends     [count][3] as of `shift_ends`; with a score below 0 the end is found, too
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
                              int64_t count, int32_t *ends, const int64_t *froms, int64_t *starts, uint8_t *ops,
                              int32_t *run_lengths, int64_t *offsets, int32_t *status, int64_t most,
                              const volatile int32_t *stop)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    int made = QUERY_FINE;
    offsets[0] = 0;
    for (int64_t k = 0; k < count && made == QUERY_FINE; k++) {
        shift_problem p = {&query, shift, by_codons, codes + places[k], NULL, froms[k], 0, 0, stop};
        made = put_path(&p, by_codons ? lengths[k] : rows, by_codons ? rows : lengths[k], k, ends, starts, ops, run_lengths,
                        offsets, status, most);
    }
    return made;
}

/* Find the same of pairs of a protein and a strand.

   table      [symbols][symbols] score of a residue with what a codon is translated to
   proteins   residues; that of each pair from `protein_starts` on, so many as `protein_lengths` says
   strands    codons, one from each base on; likewise
   Other arguments and what is returned as of `shift_trace`. */
SW_EXPORT int SW(shift_trace_each)(const int16_t *table, int64_t symbols, int32_t first, int32_t extend, int32_t shift,
                                   const uint8_t *proteins, const int64_t *protein_starts, const int64_t *protein_lengths,
                                   const uint8_t *strands, const int64_t *strand_starts, const int64_t *strand_lengths,
                                   int64_t count, int32_t *ends, const int64_t *froms, int64_t *starts, uint8_t *ops,
                                   int32_t *run_lengths, int64_t *offsets, int32_t *status, int64_t most,
                                   const volatile int32_t *stop)
{
    const query_profile query = make_query(table, symbols, symbols, first, extend);
    int made = QUERY_FINE;
    offsets[0] = 0;
    for (int64_t k = 0; k < count && made == QUERY_FINE; k++) {
        shift_problem p = {&query, shift, 0, strands + strand_starts[k], proteins + protein_starts[k], froms[k], 0, 0, stop};
        made = put_path(&p, protein_lengths[k], strand_lengths[k], k, ends, starts, ops, run_lengths, offsets, status, most);
    }
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
