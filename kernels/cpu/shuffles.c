/* Shuffled copies of stretches of subjects, made and scored against stretches of one query in one call.

   A shuffle of bytes looks up 16 lanes in a table, and each 16 lanes of a vector may have a table of their own: so 16
   copies of one stretch, of one job, stand beside 16 of others, each against its own rows of the query. Copies whose
   scores exceed a byte are scored again in words, and those that exceed these, or all where there are no such vectors,
   by `scores`. */
#include "bytes.h"
#include "calls.h"
#include "copies.h"
#include "costs.h"

enum { TABLE = 16 };               /* lanes that share a table */
enum { LONGEST_IN_TABLES = 1 << 16 };

/* Rooms to make copies in. */
typedef struct {
    uint8_t *copies; /* TABLE of them, `longest` apart */
    uint32_t *draws;
    int64_t longest;
} copy_rooms;

static int open_rooms(copy_rooms *rooms, int64_t longest)
{
    rooms->longest = longest;
    rooms->copies = sw_allocate((size_t)TABLE * (size_t)longest);
    rooms->draws = sw_allocate(((size_t)longest + 258) * sizeof *rooms->draws);
    return rooms->copies && rooms->draws ? QUERY_FINE : QUERY_NO_MEMORY;
}

static void make_copy(uint8_t *copy, const uint8_t *codes, const shuffle_job *job, uint64_t key, int64_t number,
                      uint32_t *draws)
{
    draw(job, key, number, draws);
    make_drawn(copy, codes, job, number, draws);
}

#if SW_BYTES >= 32

enum { TABLES = BYTE_SIDE / TABLE };

/* Rooms of a pass over TABLES units: scores of the rows for symbols below 16 and above, H and E of the rows (in words
   two vectors each), columns. */
typedef struct {
    uint8_t (*scores)[2][BYTE_SIDE];
    bytes *state;
    uint8_t *columns;
    int32_t bias, highest;
} table_rooms;

enum { WORD_COLUMNS = BYTE_COLUMNS / 2 };

static void lay_unit(const table_rooms *rooms, const query_profile *query, const uint8_t *codes,
                     const shuffle_unit *unit, int64_t at, int64_t rows, int64_t width, copy_rooms *copies)
{
    const shuffle_job *job = unit->job;
    const int16_t *scores = query->scores + job->row * query->symbols;
    for (int64_t row = 0; row < job->rows; row++, scores += query->symbols) {
        uint8_t table[32] = {0};
        for (int64_t a = 0; a < query->symbols; a++)
            table[a] = (uint8_t)(scores[a] + rooms->bias);
        memcpy(rooms->scores[row][0] + TABLE * at, table, TABLE);
        memcpy(rooms->scores[row][1] + TABLE * at, table + 16, TABLE);
    }
    for (int64_t row = job->rows; row < rows; row++) {
        memset(rooms->scores[row][0] + TABLE * at, 0, TABLE);
        memset(rooms->scores[row][1] + TABLE * at, 0, TABLE);
    }
    for (int64_t lane = 0; lane < unit->some; lane++)
        make_copy(copies->copies + lane * copies->longest, codes + job->start, job, unit->key,
                  job->number + unit->first + lane, copies->draws);
    uint8_t *column = rooms->columns + TABLE * at;
    for (int64_t k = 0; k < width; k++, column += BYTE_SIDE) {
        uint8_t laid[TABLE];
        memset(laid, (uint8_t)query->symbols, TABLE);
        for (int64_t lane = 0; k < job->length && lane < unit->some; lane++)
            laid[lane] = copies->copies[lane * copies->longest + k];
        memcpy(column, laid, TABLE);
    }
}

/* The recurrence of `pass_bytes`, with a table for each TABLE lanes. */
static void pass_tables(const table_rooms *rooms, const query_profile *query, int64_t rows, int64_t width,
                        uint8_t *scores)
{
    const bytes zero = BYTE_BROADCAST(0), firsts = BYTE_BROADCAST(query->first), extends = BYTE_BROADCAST(query->extend);
    const bytes biases = BYTE_BROADCAST(rooms->bias);
    bytes best = zero;
    memset(rooms->state, 0, (size_t)rows * 2 * sizeof *rooms->state);
    for (int64_t column = 0; column < width; column += BYTE_COLUMNS) {
        bytes low[BYTE_COLUMNS], high[BYTE_COLUMNS], f[BYTE_COLUMNS], above[BYTE_COLUMNS];
        for (int c = 0; c < BYTE_COLUMNS; c++) {
            const bytes wanted = BYTE_LOAD(rooms->columns + (column + c) * BYTE_SIDE);
            low[c] = BYTE_ADD(wanted, BYTE_BROADCAST(0x70)); /* a shuffle gives 0 where the top bit is set */
            high[c] = BYTE_LOWER(wanted, BYTE_BROADCAST(16));
            f[c] = above[c] = zero;
        }
        for (int64_t row = 0; row < rows; row++) {
            const bytes first_half = BYTE_LOAD(rooms->scores[row][0]), second_half = BYTE_LOAD(rooms->scores[row][1]);
            bytes left = BYTE_LOAD(rooms->state + 2 * row), e = BYTE_LOAD(rooms->state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < BYTE_COLUMNS; c++) {
                const bytes gain = BYTE_EITHER(BYTE_PICK(first_half, low[c]), BYTE_PICK(second_half, high[c]));
                bytes h = BYTE_SUBTRACT(BYTE_ADD(above[c], gain), biases);
                h = BYTE_MAXIMUM(h, BYTE_MAXIMUM(e, f[c]));
                best = BYTE_MAXIMUM(best, h);
                above[c] = left;
                left = h;
                const bytes open = BYTE_SUBTRACT(h, firsts);
                e = BYTE_MAXIMUM(BYTE_SUBTRACT(e, extends), open);
                f[c] = BYTE_MAXIMUM(BYTE_SUBTRACT(f[c], extends), open);
            }
            BYTE_STORE(rooms->state + 2 * row, left);
            BYTE_STORE(rooms->state + 2 * row + 1, e);
        }
    }
    BYTE_STORE(scores, best);
}

/* The same in words, looked up as bytes: of each table's lanes the first half is in one vector, the second
   in another. */
static void pass_word_tables(const table_rooms *rooms, const query_profile *query, int64_t rows, int64_t width,
                             uint16_t *scores)
{
    const bytes zero = WORD_BROADCAST(0), firsts = WORD_BROADCAST(query->first), extends = WORD_BROADCAST(query->extend);
    const bytes biases = WORD_BROADCAST(rooms->bias);
    bytes best[2] = {zero, zero};
    memset(rooms->state, 0, (size_t)rows * 4 * sizeof *rooms->state);
    for (int64_t column = 0; column < width; column += WORD_COLUMNS) {
        bytes low[WORD_COLUMNS], high[WORD_COLUMNS], f[WORD_COLUMNS][2], above[WORD_COLUMNS][2];
        for (int c = 0; c < WORD_COLUMNS; c++) {
            const bytes wanted = BYTE_LOAD(rooms->columns + (column + c) * BYTE_SIDE);
            low[c] = BYTE_ADD(wanted, BYTE_BROADCAST(0x70));
            high[c] = BYTE_LOWER(wanted, BYTE_BROADCAST(16));
            f[c][0] = f[c][1] = above[c][0] = above[c][1] = zero;
        }
        for (int64_t row = 0; row < rows; row++) {
            const bytes first_half = BYTE_LOAD(rooms->scores[row][0]), second_half = BYTE_LOAD(rooms->scores[row][1]);
            bytes *state = rooms->state + 4 * row, left[2] = {BYTE_LOAD(state), BYTE_LOAD(state + 1)};
            bytes e[2] = {BYTE_LOAD(state + 2), BYTE_LOAD(state + 3)};
#pragma GCC unroll 2
            for (int c = 0; c < WORD_COLUMNS; c++) {
                const bytes gain = BYTE_EITHER(BYTE_PICK(first_half, low[c]), BYTE_PICK(second_half, high[c]));
                const bytes gains[2] = {WORD_LOW(gain), WORD_HIGH(gain)};
#pragma GCC unroll 2
                for (int half = 0; half < 2; half++) {
                    bytes h = WORD_SUBTRACT(WORD_ADD(above[c][half], gains[half]), biases);
                    h = WORD_MAXIMUM(h, WORD_MAXIMUM(e[half], f[c][half]));
                    best[half] = WORD_MAXIMUM(best[half], h);
                    above[c][half] = left[half];
                    left[half] = h;
                    const bytes open = WORD_SUBTRACT(h, firsts);
                    e[half] = WORD_MAXIMUM(WORD_SUBTRACT(e[half], extends), open);
                    f[c][half] = WORD_MAXIMUM(WORD_SUBTRACT(f[c][half], extends), open);
                }
            }
            for (int half = 0; half < 2; half++) {
                BYTE_STORE(state + half, left[half]);
                BYTE_STORE(state + 2 + half, e[half]);
            }
        }
    }
    _Alignas(64) uint16_t found[2][BYTE_SIDE / 2];
    BYTE_STORE(found[0], best[0]);
    BYTE_STORE(found[1], best[1]);
    for (int64_t lane = 0; lane < BYTE_SIDE; lane++)
        scores[lane] = found[lane % TABLE / 8][lane / TABLE * 8 + lane % 8];
}

static void score_units(const table_rooms *rooms, const query_profile *query, const uint8_t *codes,
                        const shuffle_unit *units, int64_t count, int words, copy_rooms *copies, int32_t *scores)
{
    _Alignas(64) uint8_t narrow[BYTE_SIDE];
    uint16_t found[BYTE_SIDE];
    const int32_t most =
        (words ? UINT16_MAX : UINT8_MAX) - rooms->highest - rooms->bias; /* what is above it may have been more */
    int64_t rows = 0, width = 0;
    for (int64_t at = 0; at < count; at++) {
        rows = units[at].job->rows > rows ? units[at].job->rows : rows;
        width = units[at].job->length > width ? units[at].job->length : width;
    }
    width = (width + BYTE_COLUMNS - 1) / BYTE_COLUMNS * BYTE_COLUMNS;
    for (int64_t at = 0; at < TABLES; at++) {
        shuffle_unit unit = units[at < count ? at : 0];
        unit.some = at < count ? unit.some : 0;
        lay_unit(rooms, query, codes, &unit, at, rows, width, copies);
    }
    if (words)
        pass_word_tables(rooms, query, rows, width, found);
    else {
        pass_tables(rooms, query, rows, width, narrow);
        for (int64_t lane = 0; lane < BYTE_SIDE; lane++)
            found[lane] = narrow[lane];
    }
    for (int64_t at = 0; at < count; at++)
        for (int64_t lane = 0; lane < units[at].some; lane++) {
            const uint16_t score = found[TABLE * at + lane];
            scores[units[at].job->out + units[at].first + lane] = score <= most ? score : -1;
        }
}

/* Score in tables what fits their bytes or words; the others keep a score of -1. Only units that have one are looked
 * at. */
static void score_tables(const table_rooms *rooms, const query_profile *query, const uint8_t *codes,
                         const shuffle_job *jobs, int64_t count, uint64_t seed, int words, copy_rooms *copies,
                         int32_t *scores)
{
    shuffle_unit units[TABLES];
    int64_t waiting = 0;
    for (int64_t k = 0; k < count; k++) {
        if (jobs[k].length > LONGEST_IN_TABLES || !any_without_score(scores + jobs[k].out, jobs[k].count))
            continue;
        const uint64_t key = key_of(codes + jobs[k].start, jobs + k, seed);
        for (int64_t first = 0; first < jobs[k].count; first += TABLE) {
            const int64_t some = jobs[k].count - first < TABLE ? jobs[k].count - first : TABLE;
            if (!any_without_score(scores + jobs[k].out + first, some))
                continue;
            units[waiting++] = (shuffle_unit){jobs + k, key, first, some};
            if (waiting == TABLES) {
                score_units(rooms, query, codes, units, waiting, words, copies, scores);
                waiting = 0;
            }
        }
    }
    if (waiting)
        score_units(rooms, query, codes, units, waiting, words, copies, scores);
}

static int open_tables(table_rooms *rooms, const query_profile *query, const shuffle_job *jobs, int64_t count)
{
    int64_t rows = 0, longest = 0;
    memset(rooms, 0, sizeof *rooms);
    rooms->highest = query->highest;
    for (int64_t k = 0; k < query->rows * query->symbols; k++)
        rooms->bias = -query->scores[k] > rooms->bias ? -query->scores[k] : rooms->bias;
    for (int64_t k = 0; k < count; k++)
        if (jobs[k].length <= LONGEST_IN_TABLES) {
            rows = jobs[k].rows > rows ? jobs[k].rows : rows;
            longest = jobs[k].length > longest ? jobs[k].length : longest;
        }
    rooms->scores = sw_allocate((size_t)rows * sizeof *rooms->scores);
    rooms->state = sw_allocate((size_t)rows * 4 * sizeof *rooms->state);
    rooms->columns = sw_allocate((size_t)(longest + BYTE_COLUMNS) * BYTE_SIDE);
    return rooms->scores && rooms->state && rooms->columns ? QUERY_FINE : QUERY_NO_MEMORY;
}

#endif

/* Score copies against the rows of a job. */
static int score_copies(const query_profile *query, const position_gaps *gaps, const shuffle_job *job,
                        const uint8_t *copies, const int64_t *starts, const int64_t *lengths, const int64_t *order,
                        int64_t count, int32_t *scores)
{
    const int16_t *profile = query->scores + job->row * query->symbols;
    if (!gaps)
        return SW(scores)(profile, job->rows, query->symbols, query->first, query->extend, copies, starts, lengths,
                          order, count, scores, query->stop);
    return SW(position_scores)(profile, job->rows, query->symbols, gaps->insertion_first + job->row,
                               gaps->insertion_extend + job->row, gaps->deletion_first + job->row,
                               gaps->deletion_extend + job->row, copies, starts, lengths, order, count, scores,
                               query->stop);
}

/* Score the copies of a job that have a score of -1. */
static int score_others(const query_profile *query, const position_gaps *gaps, const uint8_t *codes,
                        const shuffle_job *job, uint64_t seed, copy_rooms *rooms, int32_t *scores)
{
    const uint64_t key = key_of(codes + job->start, job, seed);
    const int64_t fit = ROOM / (job->length > 0 ? job->length : 1), most = fit < 1            ? 1
                                                                           : fit < job->count ? fit
                                                                                              : job->count;
    uint8_t *copies = sw_allocate((size_t)(most * job->length));
    int64_t *numbers = sw_allocate((size_t)most * 4 * sizeof *numbers);
    int32_t *found = sw_allocate((size_t)most * sizeof *found);
    int status = copies && numbers && found ? QUERY_FINE : QUERY_NO_MEMORY;
    int64_t *starts = numbers + most, *lengths = numbers + 2 * most, *order = numbers + 3 * most;
    for (int64_t k = 0; k < job->count && status == QUERY_FINE;) {
        int64_t some = 0;
        for (; k < job->count && some < most; k++) {
            if (scores[k] >= 0)
                continue;
            make_copy(copies + some * job->length, codes + job->start, job, key, job->number + k, rooms->draws);
            numbers[some] = k;
            starts[some] = some * job->length;
            lengths[some] = job->length;
            order[some] = some;
            some++;
        }
        if (some)
            status = score_copies(query, gaps, job, copies, starts, lengths, order, some, found);
        for (int64_t at = 0; at < some && status == QUERY_FINE; at++)
            scores[numbers[at]] = found[at];
    }
    sw_free(copies);
    sw_free(numbers);
    sw_free(found);
    return status;
}

static int score_jobs(const query_profile *query, const position_gaps *gaps, const uint8_t *codes,
                      const shuffle_job *jobs, int64_t count, uint64_t seed, int32_t *scores)
{
    copy_rooms rooms = {0};
    int64_t longest = 0;
    for (int64_t k = 0; k < count; k++) {
        longest = jobs[k].length > longest ? jobs[k].length : longest;
        if (!codes_fit(query, codes + jobs[k].start, jobs[k].length))
            return QUERY_BAD_CODE;
        for (int64_t at = 0; at < jobs[k].count; at++)
            scores[jobs[k].out + at] = -1;
    }
    int status = open_rooms(&rooms, longest);
#if SW_BYTES >= 32
    if (status == QUERY_FINE && !gaps && fits_bytes(query)) {
        table_rooms tables;
        status = open_tables(&tables, query, jobs, count);
        for (int words = 0; words < 2 && status == QUERY_FINE; words++)
            score_tables(&tables, query, codes, jobs, count, seed, words, &rooms, scores);
        sw_free(tables.scores);
        sw_free(tables.state);
        sw_free(tables.columns);
    }
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (any_without_score(scores + jobs[k].out, jobs[k].count))
            status = score_others(query, gaps, codes, jobs + k, seed, &rooms, scores + jobs[k].out);
    sw_free(rooms.copies);
    sw_free(rooms.draws);
    return status;
}

/* Make and score the copies of `count` jobs, of like size one after the other.

   profile: [rows][symbols]. jobs: row and rows of the query, start and length of the subject's stretch, kind of copies
   (0 as a whole, 1 in windows, 2 by periods), width (of whole copies the length; a period is at most 255), number of
   the first copy (-1: from behind) and how many copies, and where their scores go. Returns QUERY_FINE or what is wrong.
   No score may reach 2^31 - 2^25. */
SW_EXPORT int SW(shuffles)(const int16_t *profile, int64_t rows, int64_t symbols, int32_t first, int32_t extend,
                           const uint8_t *codes, const int64_t *jobs, int64_t count, uint64_t seed, int32_t *scores)
{
    const query_profile query = make_query(profile, rows, symbols, first, extend);
    return score_jobs(&query, NULL, codes, (const shuffle_job *)jobs, count, seed, scores);
}

/* The same with the gap costs of each row, of `positions.c`. */
SW_EXPORT int SW(position_shuffles)(const int16_t *profile, int64_t rows, int64_t symbols,
                                    const int16_t *insertion_first, const int16_t *insertion_extend,
                                    const int16_t *deletion_first, const int16_t *deletion_extend, const uint8_t *codes,
                                    const int64_t *jobs, int64_t count, uint64_t seed, int32_t *scores)
{
    const query_profile query = make_query(profile, rows, symbols, 0, 0);
    const position_gaps gaps = {insertion_first, insertion_extend, deletion_first, deletion_extend};
    return score_jobs(&query, &gaps, codes, (const shuffle_job *)jobs, count, seed, scores);
}
