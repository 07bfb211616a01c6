/* Paths of local alignments with gap costs by position, inside their regions. The three values of Gotoh's recurrence
   are computed row by row, and the state that each of them came from is kept. */
#include "costs.h"
#include "query.h"
#include "runs.h"

enum { NEVER = -(1 << 30), ROOMY = 1 << 28 };
enum { STATE_BITS = 2 }; /* of a cell's byte for each state: where a pair, an insertion, a deletion came from */
enum { WINDOW = 16 };    /* of running maxima: a power of two */

/* Values of the row above and of this one, and where all came from; rooms grow and are used again. */
typedef struct {
    int32_t *pair, *insertion, *deletion, *best; /* best: of the row above, in any state */
    int32_t *run[2]; /* of running maxima, behind WINDOW places that are never the largest */
    uint8_t *origin, *from;                      /* origin: the state of `best` */
    size_t bytes;
    void *memory;
} rooms;

static int make_room(rooms *room, int64_t rows, int64_t columns)
{
    const size_t row = ((size_t)(columns + 1) * sizeof(int32_t) + 63) / 64 * 64;
    const size_t run = row + WINDOW * sizeof(int32_t), bytes = 5 * row + 2 * run + (size_t)rows * (size_t)(columns + 1);
    if (bytes > room->bytes) {
        sw_free(room->memory);
        room->memory = sw_allocate(bytes);
        room->bytes = room->memory ? bytes : 0;
        if (!room->memory)
            return QUERY_NO_MEMORY;
    }
    char *at = room->memory;
    room->pair = (int32_t *)at;
    room->insertion = (int32_t *)(at += row);
    room->deletion = (int32_t *)(at += row);
    room->best = (int32_t *)(at += row);
    for (int way = 0; way < 2; way++) {
        room->run[way] = (int32_t *)(at += way ? run : row) + WINDOW;
        for (int j = 1; j <= WINDOW; j++)
            room->run[way][-j] = INT32_MIN;
    }
    room->origin = (uint8_t *)(at += run);
    room->from = (uint8_t *)(at + row);
    return QUERY_FINE;
}

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The state of the largest value: a pair before an insertion before a deletion. */
static inline int32_t first_of(int32_t pair, int32_t insertion, int32_t deletion)
{
    const int32_t other = insertion >= deletion ? INSERTION : DELETION;
    return pair >= larger(insertion, deletion) ? PAIR : other;
}

/* Values from the cells above: the insertions of this row, and the best value for pairs. */
static void from_above(const rooms *room, int64_t columns, int32_t first, int32_t extend, uint8_t *restrict from)
{
    const int32_t *restrict pair = room->pair, *restrict deletion = room->deletion;
    int32_t *restrict insertion = room->insertion, *restrict best = room->best;
    uint8_t *restrict origin = room->origin;
    for (int64_t j = 0; j <= columns; j++) {
        const int32_t p = pair[j], a = insertion[j], d = deletion[j];
        best[j] = larger(larger(p, larger(a, d)), NEVER);
        origin[j] = (uint8_t)first_of(p, a, d);
        insertion[j] = larger(larger(larger(p, d) - first, a - extend), NEVER);
        from[j] = (uint8_t)(first_of(p - first, a - extend, d - first) << STATE_BITS);
    }
}

/* The best deletion at each column: max over k < j of open[k] - (j - 1 - k) extend, as running maxima of open[k] + k
   extend, first of WINDOW places, then of all: vectors, where going from cell to cell would wait for each. That is done
   where sums might not fit. */
static void along_row(const rooms *room, const int32_t *restrict open, int64_t columns, int32_t extend, int32_t score,
                      int32_t *restrict deletion)
{
    int32_t *from = room->run[0], *to = room->run[1];
    if (columns * llabs(extend) >= ROOMY || score >= ROOMY) {
        int32_t along = NEVER;
        for (int64_t j = 1; j <= columns; j++)
            deletion[j] = along = larger(open[j - 1], along - extend);
        return;
    }
    for (int64_t j = 0; j < columns; j++)
        from[j] = open[j] + (int32_t)j * extend;
    for (int step = 1; step < WINDOW; step *= 2) {
        const int32_t *restrict a = from;
        int32_t *restrict b = to;
        for (int64_t j = 0; j < columns; j++)
            b[j] = larger(a[j], a[j - step]);
        int32_t *turn = from;
        from = to, to = turn;
    }
    int64_t j = 0;
    for (; j + WINDOW <= columns; j += WINDOW)
        for (int64_t k = j; k < j + WINDOW; k++)
            from[k] = larger(from[k], from[k - WINDOW]);
    for (; j < columns; j++)
        from[j] = larger(from[j], from[j - WINDOW]);
    for (j = 1; j <= columns; j++)
        deletion[j] = from[j - 1] - (int32_t)(j - 1) * extend;
}

/* Compute row i of a region. */
static void next_row(const rooms *room, const query_profile *query, const position_gaps *gaps, const region *box,
                     int64_t i)
{
    const int64_t row = box->row + i, columns = box->columns;
    const int16_t *scores = query->scores + row * query->symbols;
    const int32_t first = gaps->insertion_first[row], extend = gaps->insertion_extend[row];
    int32_t *restrict pair = room->pair, *restrict insertion = room->insertion, *restrict deletion = room->deletion;
    int32_t *restrict open = room->best;
    uint8_t *restrict from = room->from + i * (columns + 1);
    const uint8_t *restrict origin = room->origin;
    from_above(room, columns, gaps->deletion_first[row], gaps->deletion_extend[row], from);
    pair[0] = deletion[0] = NEVER;
    for (int64_t j = 1; j <= columns; j++)
        pair[j] = room->best[j - 1] + scores[box->codes[j - 1]];
    for (int64_t j = 0; j <= columns; j++)
        open[j] = larger(larger(pair[j], insertion[j]) - first, NEVER);
    along_row(room, open, columns, extend, box->score, deletion);
    for (int64_t j = 1; j <= columns; j++) {
        const int32_t p = pair[j - 1] - first, a = insertion[j - 1] - first, d = deletion[j - 1] - extend;
        from[j] |= (uint8_t)(first_of(p, a, d) << 2 * STATE_BITS | origin[j - 1]);
    }
}

/* Find the path of one region: the number of its runs, TRACE_LOST, TRACE_LARGE, or QUERY_NO_MEMORY. */
static int64_t trace_region(rooms *room, const query_profile *query, const position_gaps *gaps, const region *box,
                            run_writer *runs)
{
    const int64_t width = box->columns + 1;
    if ((size_t)box->rows > MOST_BYTES / (size_t)width)
        return TRACE_LARGE;
    if (make_room(room, box->rows, box->columns) < 0)
        return QUERY_NO_MEMORY;
    for (int64_t j = 0; j < width; j++)
        room->pair[j] = room->insertion[j] = room->deletion[j] = NEVER;
    room->pair[0] = 0;
    for (int64_t i = 0; i < box->rows; i++)
        next_row(room, query, gaps, box, i);
    if (room->pair[box->columns] != box->score)
        return TRACE_LOST;
    int64_t i = box->rows, j = box->columns;
    int state = PAIR;
    while (i && j) {
        const int from = room->from[(i - 1) * width + j] >> state * STATE_BITS & 3;
        write_column(runs, state);
        i -= state != DELETION;
        j -= state != INSERTION;
        state = from;
    }
    return i || j ? TRACE_LOST : runs->count;
}

/* Find the paths of `count` regions, as `trace` does (trace.c), with the gap costs of each row. */
SW_EXPORT int SW(position_trace)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *insertion_first,
                                 const int16_t *insertion_extend, const int16_t *deletion_first,
                                 const int16_t *deletion_extend, const uint8_t *codes, const int64_t *starts,
                                 const int64_t *lengths, int64_t count, const int32_t *found, uint8_t *ops,
                                 int32_t *run_lengths, int64_t *offsets, int32_t *status)
{
    const query_profile query = make_query(profile, rows, symbols, 0, 0);
    const position_gaps gaps = {insertion_first, insertion_extend, deletion_first, deletion_extend};
    rooms room = {0};
    int answer = QUERY_FINE;
    offsets[0] = 0;
    for (int64_t k = 0; k < count && answer == QUERY_FINE; k++, found += 5) {
        const region box = {codes + starts[k] + found[3], found[1], found[2] - found[1], found[4] - found[3], found[0]};
        run_writer runs = {ops + offsets[k], run_lengths + offsets[k], 0};
        const int outside = found[1] < 0 || found[2] > rows || found[3] < 0 || found[4] > lengths[k] || box.rows <= 0 ||
                            box.columns <= 0;
        offsets[k + 1] = offsets[k];
        status[k] = box.score > 0 && outside ? TRACE_LOST : 0;
        if (box.score <= 0 || outside)
            continue;
        const int64_t made = codes_fit(&query, box.codes, box.columns) ? trace_region(&room, &query, &gaps, &box, &runs)
                                                                       : QUERY_BAD_CODE;
        if (made >= 0) {
            turn_round(&runs);
            offsets[k + 1] += made;
        } else if (made == TRACE_LOST || made == TRACE_LARGE)
            status[k] = (int32_t)made;
        else
            answer = (int)made;
    }
    sw_free(room.memory);
    return answer;
}
