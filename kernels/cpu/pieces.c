/* Alignments of queries with many subjects as rows, and of the rest around each of them in its subject, until nothing
   there scores enough: what swgui/jobs/iterate/rows.py does step by step, in one call. */
#include "calls.h"
#include "costs.h"
#include "rows.h"
#include "runs.h"

/* In position_trace.c, trace.c and aligned_rows.c. */
int SW(position_trace)(POSITIONS, SUBJECTS, int64_t, const int32_t *, uint8_t *, int32_t *, int64_t *, int32_t *);
int SW(trace)(PLAIN, SUBJECTS, int64_t, const int32_t *, uint8_t *, int32_t *, int64_t *, int32_t *);
int SW(write_rows)(SUBJECTS, int64_t, int64_t, const int64_t *, const uint8_t *, const int32_t *, const int64_t *,
                   uint8_t *, int64_t *, uint8_t *, int64_t *);

/* A query and its subjects, from number `begin` on. Field by field `QUERIES` in swgui/engines/native/pieces.py. */
typedef struct {
    const int16_t *profile;
    int64_t rows;
    position_gaps gaps;
    int64_t plain;
    double end_gain;
    int64_t begin, count;
} piece_query;

/* The rows of a query: what became of it, and where they are. Field by field `FOUND`, likewise. */
typedef struct {
    int64_t status;
    row_source rows;
    const int64_t *heads;
} piece_rows;

/* A query as it is aligned. plain: gaps cost the same everywhere, `first` and `extend`. */
typedef struct {
    const int16_t *profile;
    int64_t rows, symbols;
    position_gaps gaps;
    int32_t plain, first, extend;
    double end_gain; /* of a column, in units: ends that are worth less are cut off; 0 for none */
} job;

/* Stretches of subjects: the subject, where each begins in the codes, its residues, and its score. */
typedef struct {
    int64_t count;
    int64_t *subject, *starts, *lengths, *order;
    int32_t *scores;
    void *memory;
} stretches;

/* All rows there are. heads: subject, first residue and the one behind the last in `codes`, score. */
typedef struct {
    int64_t rows, places, residues, columns;
    int64_t rows_room, heads_room, places_room, residues_room;
    int64_t *heads, *where;
    uint8_t *codes, *inserted;
} all_rows;

/* Arrays of one step. */
typedef struct {
    int32_t *found, *runs, *status;
    int64_t *offsets, *begins, *taken; /* taken: first and behind the last residue that the row has, in its stretch */
    uint8_t *ops;
    double *sums;
    void *memory;
} step_rooms;

static int make_stretches(stretches *some, int64_t most)
{
    some->memory = sw_allocate((size_t)most * (4 * sizeof(int64_t) + sizeof(int32_t)) + 1);
    some->subject = some->memory;
    if (!some->memory)
        return 0;
    some->starts = some->subject + most, some->lengths = some->starts + most, some->order = some->lengths + most;
    some->scores = (int32_t *)(some->order + most);
    some->count = 0;
    return 1;
}

/* Order stretches by length, the longest first: by merging, so that equals stay as they are. */
static void longest_first(const int64_t *lengths, int64_t *order, int64_t *room, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        order[k] = k;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t low = 0; low < count; low += 2 * width) {
            const int64_t middle = low + width < count ? low + width : count;
            const int64_t high = low + 2 * width < count ? low + 2 * width : count;
            int64_t a = low, b = middle, at = low;
            while (a < middle || b < high)
                room[at++] =
                    b == high || (a < middle && lengths[order[a]] >= lengths[order[b]]) ? order[a++] : order[b++];
        }
        memcpy(order, room, (size_t)count * sizeof *order);
    }
}

static int make_step(step_rooms *room, int64_t count, int64_t columns, int64_t runs)
{
    const size_t n = (size_t)count, words = 5 * n + 1 + (size_t)columns + 1;
    room->memory = sw_allocate(words * sizeof(int64_t) + (6 * n + (size_t)runs) * sizeof(int32_t) + (size_t)runs + 8);
    if (!room->memory)
        return 0;
    room->offsets = room->memory;
    room->begins = room->offsets + n + 1;
    room->taken = room->begins + 2 * n;
    room->sums = (double *)(room->taken + 2 * n);
    room->found = (int32_t *)(room->sums + columns + 1);
    room->status = room->found + 5 * n;
    room->runs = room->status + n;
    room->ops = (uint8_t *)(room->runs + runs);
    return 1;
}

/* The score of an alignment, from its residues. */
static int64_t added_up(const job *of, const uint8_t *subject, int64_t i, int64_t j, const uint8_t *ops,
                        const int32_t *runs, int64_t count)
{
    int64_t score = 0;
    for (int64_t run = 0; run < count; run++) {
        const int64_t length = runs[run];
        if (ops[run] == PAIR)
            for (int64_t k = 0; k < length; k++, i++, j++)
                score += of->profile[i * of->symbols + subject[j]];
        else if (ops[run] == DELETION) {
            score -= of->gaps.insertion_first[i - 1] + (length - 1) * (int64_t)of->gaps.insertion_extend[i - 1];
            j += length;
        } else {
            score -= of->gaps.deletion_first[i];
            for (int64_t k = 1; k < length; k++)
                score -= of->gaps.deletion_extend[i + k];
            i += length;
        }
    }
    return score;
}

/* Arguments of the functions that are called here: some stretches, and a job with gap costs by position or the same everywhere. */
#define GIVEN(some) codes, (some)->starts, (some)->lengths
#define BY_POSITION(some)                                                                                             \
    of->profile, of->rows, of->symbols, of->gaps.insertion_first, of->gaps.insertion_extend, of->gaps.deletion_first, \
        of->gaps.deletion_extend, GIVEN(some)
#define BY_COST(some) of->profile, of->rows, of->symbols, of->first, of->extend, GIVEN(some)

/* Find rows and paths of some stretches; ROWS_OTHERWISE where a path is too large, or does not add up. */
static int align_step(const job *of, const uint8_t *codes, const stretches *some, step_rooms *room)
{
    const int64_t count = some->count;
    memset(room->found, 0xFF, (size_t)count * 5 * sizeof *room->found);
    for (int64_t k = 0; k < count; k++)
        room->found[5 * k] = some->scores[k];
    int status = of->plain ? SW(regions)(BY_COST(some), some->order, count, room->found, &NEVER_STOPPED)
                           : SW(position_regions)(BY_POSITION(some), some->order, count, room->found, &NEVER_STOPPED);
    if (status != QUERY_FINE)
        return status;
    status = of->plain ? SW(trace)(BY_COST(some), count, room->found, room->ops, room->runs, room->offsets, room->status)
                       : SW(position_trace)(BY_POSITION(some), count, room->found, room->ops, room->runs, room->offsets,
                                            room->status);
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++) {
        const int32_t *found = room->found + 5 * k;
        const int64_t run = room->offsets[k], runs = room->offsets[k + 1] - run;
        int64_t *begins = room->begins + 2 * k, *taken = room->taken + 2 * k;
        begins[0] = found[1], begins[1] = taken[0] = found[3], taken[1] = found[4];
        if (room->status[k] || found[0] != some->scores[k] || !runs ||
            added_up(of, codes + some->starts[k], begins[0], begins[1], room->ops + run, room->runs + run, runs) !=
                found[0])
            return ROWS_OTHERWISE;
    }
    return status;
}

/* The stretch of a row whose score, less `end_gain` a column, is the highest (swgui/engines/native/rows.py). */
static reach worthwhile(const job *of, const uint8_t *row, const int64_t *where, int64_t places, double *sums)
{
    const int64_t columns = of->rows;
    double lowest = 0, most = -1;
    int64_t last = 0, first = 0;
    sums[0] = 0;
    for (int64_t c = 0, at = 0; c < columns; c++) {
        int64_t gain = 0;
        if (row[c] == ROW_DELETION)
            gain -= c && row[c - 1] == ROW_DELETION ? of->gaps.deletion_extend[c] : of->gaps.deletion_first[c];
        else if (row[c] != ROW_OUTSIDE && row[c] < of->symbols)
            gain += of->profile[c * of->symbols + row[c]];
        for (; at < places && where[3 * at + 1] == c; at++)
            gain -= of->gaps.insertion_first[c] + (where[3 * at + 2] - 1) * (int64_t)of->gaps.insertion_extend[c];
        sums[c + 1] = sums[c] + (row[c] == ROW_OUTSIDE ? 0.0 : (double)gain - of->end_gain);
    }
    for (int64_t c = 0; c <= columns; c++) {
        lowest = sums[c] < lowest ? sums[c] : lowest;
        if (sums[c] - lowest > most)
            most = sums[c] - lowest, last = c;
    }
    for (int64_t c = 1; c < last; c++)
        first = sums[c] < sums[first] ? c : first;
    const reach all = {0, columns}, found = {first, last};
    return sums[last] > sums[first] ? found : all;
}

/* Cut off the ends of a row; `where` are its insertions. Returns how many of them are left. */
static int64_t cut_row(const reach *kept, uint8_t *row, int64_t columns, int64_t *where, int64_t places,
                       uint8_t *inserted, int64_t *residues, int64_t *taken)
{
    for (int64_t c = 0; c < columns; c++)
        if (c < kept->first || c >= kept->last) {
            taken[0] += c < kept->first && row[c] < ROW_DELETION;
            taken[1] -= c >= kept->last && row[c] < ROW_DELETION;
            row[c] = ROW_OUTSIDE;
        }
    int64_t left = 0, from = 0, to = 0;
    for (int64_t at = 0; at < places; at++) {
        const int64_t column = where[3 * at + 1], length = where[3 * at + 2];
        taken[0] += column < kept->first ? length : 0;
        taken[1] -= column >= kept->last - 1 ? length : 0;
        if (column >= kept->first && column < kept->last - 1) {
            memmove(where + 3 * left++, where + 3 * at, 3 * sizeof *where);
            memmove(inserted + to, inserted + from, (size_t)length);
            to += length;
        }
        from += length;
    }
    *residues = to;
    return left;
}

/* Cut off the ends of rows that gain less than `end_gain` a column, in place. gaps: four times [rows].

   where  [places][3], the insertions in the order of rows
   off    [2][count] out: residues that were cut off at both ends
   left   [2] out: insertions and inserted residues that are left */
SW_EXPORT int SW(cut_rows)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *gaps,
                           double end_gain, uint8_t *codes, int64_t *where, int64_t places, uint8_t *inserted,
                           int64_t *off, int64_t *left, int64_t count)
{
    const job of = {profile, rows, symbols, {gaps, gaps + rows, gaps + 2 * rows, gaps + 3 * rows}, 0, 0, 0, end_gain};
    double *sums = sw_allocate(((size_t)rows + 1) * sizeof *sums);
    int64_t at = 0, from = 0, kept = 0, residues = 0;
    if (!sums)
        return ROWS_NO_MEMORY;
    for (int64_t k = 0; k < count; k++, codes += rows) {
        int64_t own = 0, length = 0, some, taken[2] = {0, 0};
        for (; at + own < places && where[3 * (at + own)] == k; own++)
            length += where[3 * (at + own) + 2];
        memmove(where + 3 * kept, where + 3 * at, (size_t)own * 3 * sizeof *where);
        memmove(inserted + residues, inserted + from, (size_t)length);
        const reach best = worthwhile(&of, codes, where + 3 * kept, own, sums);
        kept += cut_row(&best, codes, rows, where + 3 * kept, own, inserted + residues, &some, taken);
        at += own, from += length, residues += some;
        off[k] = taken[0], off[count + k] = -taken[1];
    }
    left[0] = kept, left[1] = residues;
    sw_free(sums);
    return ROWS_FINE;
}

/* Add the rows of a step to all. */
static int keep_rows(const job *of, const uint8_t *codes, const stretches *some, step_rooms *room, all_rows *all)
{
    const int64_t count = some->count, columns = of->rows;
    int64_t spans = 0, totals[2], at = 0, from = 0, begin = all->places, residues = all->residues;
    for (int64_t k = 0; k < count; k++)
        spans += room->taken[2 * k + 1] - room->taken[2 * k];
    if (!sw_have_room((void **)&all->codes, &all->rows_room, (all->rows + count) * columns, 1) ||
        !sw_have_room((void **)&all->heads, &all->heads_room, 4 * (all->rows + count), sizeof *all->heads) ||
        !sw_have_room((void **)&all->where, &all->places_room, 3 * (all->places + room->offsets[count]),
                      sizeof *all->where) ||
        !sw_have_room((void **)&all->inserted, &all->residues_room, all->residues + spans, 1))
        return ROWS_NO_MEMORY;
    uint8_t *rows = all->codes + all->rows * columns, *inserted = all->inserted + all->residues;
    int64_t *where = all->where + 3 * begin;
    const int status = SW(write_rows)(GIVEN(some), count, columns, room->begins, room->ops, room->runs, room->offsets, rows,
                                      where, inserted, totals);
    if (status != ROWS_FINE)
        return ROWS_OTHERWISE;
    for (int64_t k = 0; k < count; k++, rows += columns) {
        int64_t *taken = room->taken + 2 * k, places = 0, length = 0;
        for (; at + places < totals[0] && where[3 * (at + places)] == k; places++)
            length += where[3 * (at + places) + 2];
        int64_t *own = all->where + 3 * all->places, left = places, kept = length;
        memmove(own, where + 3 * at, (size_t)places * 3 * sizeof *own);
        memmove(all->inserted + residues, inserted + from, (size_t)length);
        if (of->end_gain > 0) {
            const reach best = worthwhile(of, rows, own, places, room->sums);
            left = cut_row(&best, rows, columns, own, places, all->inserted + residues, &kept, taken);
        }
        for (int64_t place = 0; place < left; place++)
            own[3 * place] = all->rows;
        at += places, from += length;
        all->places += left, residues += kept;
        int64_t *head = all->heads + 4 * all->rows++;
        head[0] = some->subject[k], head[1] = some->starts[k] + taken[0], head[2] = some->starts[k] + taken[1];
        head[3] = some->scores[k];
    }
    all->residues = residues;
    return ROWS_FINE;
}

/* Rests of stretches before and behind their rows, if they are long enough and score enough. */
static int add_rests(const job *of, const uint8_t *codes, const stretches *some, const step_rooms *room,
                  const int32_t *least, int64_t shortest, stretches *next)
{
    for (int side = 0; side < 2; side++)
        for (int64_t k = 0; k < some->count; k++) {
            const int64_t *taken = room->taken + 2 * k, at = next->count;
            const int64_t length = side ? some->lengths[k] - taken[1] : taken[0];
            if (length < shortest)
                continue;
            next->subject[at] = some->subject[k];
            next->starts[at] = some->starts[k] + (side ? taken[1] : 0);
            next->lengths[at] = length;
            next->count++;
        }
    const int64_t count = next->count;
    int64_t *room_of_order = sw_allocate((size_t)count * sizeof *room_of_order + 1), kept = 0;
    if (!room_of_order)
        return ROWS_NO_MEMORY;
    longest_first(next->lengths, next->order, room_of_order, count);
    const int status = !count      ? QUERY_FINE
                       : of->plain ? SW(scores)(BY_COST(next), next->order, count, next->scores, &NEVER_STOPPED)
                                   : SW(position_scores)(BY_POSITION(next), next->order, count, next->scores, &NEVER_STOPPED);
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (next->scores[k] > 0 && next->scores[k] >= least[next->subject[k]]) {
            next->subject[kept] = next->subject[k], next->starts[kept] = next->starts[k];
            next->lengths[kept] = next->lengths[k], next->scores[kept++] = next->scores[k];
        }
    next->count = kept;
    longest_first(next->lengths, next->order, room_of_order, kept);
    sw_free(room_of_order);
    return status;
}

/* Align whole subjects of a query, and the rests around their alignments: ROWS_FINE, ROWS_OTHERWISE, or what is wrong. */
static int align_subjects(const job *of, const uint8_t *codes, const int64_t *starts, const int64_t *lengths,
                          const int32_t *scores, const int32_t *least, int64_t count, int64_t shortest, all_rows *all)
{
    stretches now = {0}, next = {0};
    int64_t *order_room = sw_allocate((size_t)count * sizeof *order_room + 1);
    int status = order_room && make_stretches(&now, count) ? ROWS_FINE : ROWS_NO_MEMORY;
    if (status == ROWS_FINE) {
        for (int64_t k = 0; k < count; k++)
            now.subject[k] = k, now.starts[k] = starts[k], now.lengths[k] = lengths[k], now.scores[k] = scores[k];
        now.count = count;
        longest_first(now.lengths, now.order, order_room, count);
    }
    sw_free(order_room);
    while (status == ROWS_FINE && now.count) {
        step_rooms room = {0};
        int64_t runs = 0;
        for (int64_t k = 0; k < now.count; k++)
            runs += 2 * (now.lengths[k] < of->rows ? now.lengths[k] : of->rows) + 1;
        status = make_step(&room, now.count, of->rows, runs) && make_stretches(&next, 2 * now.count) ? ROWS_FINE
                                                                                                     : ROWS_NO_MEMORY;
        if (status == ROWS_FINE)
            status = align_step(of, codes, &now, &room);
        if (status == ROWS_FINE)
            status = keep_rows(of, codes, &now, &room, all);
        if (status == ROWS_FINE)
            status = add_rests(of, codes, &now, &room, least, shortest, &next);
        sw_free(room.memory);
        sw_free(now.memory);
        now = next;
        memset(&next, 0, sizeof next);
    }
    sw_free(now.memory);
    return status;
}

SW_EXPORT int SW(pieces_close)(all_rows *all, int64_t count)
{
    for (int64_t query = 0; all && query < count; query++) {
        free(all[query].heads);
        free(all[query].where);
        free(all[query].codes);
        free(all[query].inserted);
    }
    free(all);
    return ROWS_FINE;
}

/* Copy the heads of all rows: subject among those of all queries, first residue of the row in the codes and the one behind
   the last, score. */
SW_EXPORT int SW(pieces_heads)(const piece_rows *found, int64_t count, int64_t *heads)
{
    for (const piece_rows *own = found; own < found + count; own++)
        if (own->status == ROWS_FINE && own->rows.rows) {
            memcpy(heads, own->heads, (size_t)own->rows.rows * 4 * sizeof *heads);
            heads += 4 * own->rows.rows;
        }
    return ROWS_FINE;
}

/* Align queries with whole subjects, and the rests around their alignments.

   starts, lengths, scores, least   of the subjects of all queries; no stretch that scores less than `least` is a row
   shortest  residues of a stretch to process
   handle    out: the rows, to close whatever this returns
   found     [count] out: the rows of each query as long as the handle is open, in the order they were found. The
             status is ROWS_OTHERWISE where this must be done step by step
   Returns ROWS_FINE or what is wrong. */
SW_EXPORT int SW(pieces_align)(const piece_query *queries, int64_t count, int64_t symbols, int32_t first, int32_t extend,
                               const uint8_t *codes, const int64_t *starts, const int64_t *lengths,
                               const int32_t *scores, const int32_t *least, int64_t shortest, void **handle,
                               piece_rows *found)
{
    all_rows *every = calloc((size_t)count + 1, sizeof *every);
    *handle = every;
    int status = every ? ROWS_FINE : ROWS_NO_MEMORY;
    for (int64_t query = 0; query < count && status == ROWS_FINE; query++) {
        const piece_query *own = queries + query;
        const int64_t from = own->begin;
        const job of = {own->profile,      own->rows, symbols, own->gaps, (int32_t)own->plain, first, extend,
                        own->end_gain};
        all_rows *all = every + query;
        status = align_subjects(&of, codes, starts + from, lengths + from, scores + from, least + from, own->count,
                                shortest, all);
        for (int64_t row = 0; row < all->rows; row++)
            all->heads[4 * row] += from;
        const piece_rows made = {
            status, {all->codes, all->rows, of.rows, all->where, all->places, all->inserted, all->residues}, all->heads};
        found[query] = made;
        status = status == ROWS_OTHERWISE ? ROWS_FINE : status;
    }
    return status;
}
