/* Shuffled copies of stretches of subjects in two tracks, residue and letter of a position together, made and scored in
   one call. As of one track, 16 copies of one job stand beside 16 of others, each against its own rows of the query
   (`shuffles.c`); jobs with a copy whose score exceeds a byte, or all where there are no such vectors, are scored by
   `track_scores`. */
#include "calls.h"
#include "copies.h"
#include "tracks.h"

int SW(track_scores)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more, int64_t letter_symbols,
                     int32_t first, int32_t extend, const uint8_t *codes, const uint8_t *letters, const int64_t *starts,
                     const int64_t *lengths, const int64_t *order, int64_t count, int32_t *scores);

#if SW_BYTES >= 32

enum { UNITS = BYTE_SIDE / TABLE };
enum { LONGEST_IN_TABLES = 1 << 16 };

/* Rooms to make the copies of a unit in, `longest` apart, those of the second track behind those of the first. */
typedef struct {
    uint8_t *copies;
    uint32_t *draws;
    int64_t longest;
} track_rooms;

static void lay_track_unit(const laid_tracks *laid, const track_query *query, const uint8_t *const *codes,
                           const shuffle_unit *unit, int64_t at, int64_t rows, int64_t width, const track_rooms *rooms)
{
    const shuffle_job *job = unit->job;
    const int64_t tables = laid->each[0] + laid->each[1];
    for (int64_t row = 0; row < rows; row++) {
        uint8_t *own = laid->tables + row * tables * BYTE_SIDE + TABLE * at;
        for (int64_t k = 0; k < tables && row >= job->rows; k++)
            memset(own + k * BYTE_SIDE, 0, TABLE);
        for (int t = 0; t < 2 && row < job->rows; t++) {
            const track *one = query->tracks + t;
            put_in_tables(own + (t ? laid->each[0] * BYTE_SIDE : 0), BYTE_SIDE, laid->each[t], one,
                          one->scores + (job->row + row) * one->symbols);
        }
    }
    for (int64_t lane = 0; lane < unit->some; lane++) {
        const int64_t number = job->number + unit->first + lane;
        draw(job, unit->key, number, rooms->draws);
        for (int t = 0; t < 2; t++)
            make_drawn(rooms->copies + (t * TABLE + lane) * rooms->longest, codes[t] + job->start, job, number,
                       rooms->draws);
    }
    for (int t = 0; t < 2; t++) {
        const uint8_t *copies = rooms->copies + t * TABLE * rooms->longest;
        uint8_t *column = laid->columns[t] + TABLE * at;
        for (int64_t k = 0; k < width; k++, column += BYTE_SIDE) {
            uint8_t made[TABLE];
            memset(made, OUT_OF_REACH, TABLE);
            for (int64_t lane = 0; k < job->length && lane < unit->some; lane++)
                made[lane] = copies[lane * rooms->longest + k];
            memcpy(column, made, TABLE);
        }
    }
}

#define OWN_PASS(seconds)                                                                                    \
    static void pass_own_##seconds(const laid_tracks *laid, const track_query *query, int64_t rows,          \
                                   int64_t width, void *found)                                               \
    { pass_as(laid, query, rows, width, 0, 1, seconds, found); }

OWN_PASS(2)
OWN_PASS(3)
OWN_PASS(4)
OWN_PASS(5)

typedef void own_pass(const laid_tracks *, const track_query *, int64_t, int64_t, void *);
static own_pass *const own_passes[TABLES_MOST - 1] = {pass_own_2, pass_own_3, pass_own_4, pass_own_5};

static void score_track_units(const laid_tracks *laid, const track_query *query, const uint8_t *const *codes,
                              const shuffle_unit *units, int64_t count, const track_rooms *rooms, int32_t *scores)
{
    _Alignas(64) uint8_t found[BYTE_SIDE];
    const int32_t most = UINT8_MAX - query->highest - query->bias; /* what is above it may have been more */
    int64_t rows = 0, width = 0;
    for (int64_t at = 0; at < count; at++) {
        rows = units[at].job->rows > rows ? units[at].job->rows : rows;
        width = units[at].job->length > width ? units[at].job->length : width;
    }
    width = (width + BYTE_COLUMNS - 1) / BYTE_COLUMNS * BYTE_COLUMNS;
    for (int64_t at = 0; at < UNITS; at++) {
        shuffle_unit unit = units[at < count ? at : 0];
        unit.some = at < count ? unit.some : 0;
        lay_track_unit(laid, query, codes, &unit, at, rows, width, rooms);
    }
    own_passes[laid->each[1] - 2](laid, query, rows, width, found);
    for (int64_t at = 0; at < count; at++)
        for (int64_t lane = 0; lane < units[at].some; lane++) {
            const int32_t score = found[TABLE * at + lane];
            scores[units[at].job->out + units[at].first + lane] = score <= most ? score : -1;
        }
}

/* Score in tables what fits their bytes; the others keep a score of -1. */
static int score_in_tables(const track_query *query, const uint8_t *const *codes, const shuffle_job *jobs,
                           int64_t count, uint64_t seed, int32_t *scores)
{
    shuffle_unit units[UNITS];
    laid_tracks laid = {0};
    track_rooms rooms = {0};
    int64_t waiting = 0, rows = 0;
    for (int64_t k = 0; k < count; k++)
        if (jobs[k].length <= LONGEST_IN_TABLES) {
            rows = jobs[k].rows > rows ? jobs[k].rows : rows;
            rooms.longest = jobs[k].length > rooms.longest ? jobs[k].length : rooms.longest;
        }
    for (int t = 0; t < 2; t++) {
        laid.each[t] = tables_of(query->tracks + t);
        laid.columns[t] = sw_allocate((size_t)(rooms.longest + BYTE_COLUMNS) * BYTE_SIDE);
    }
    laid.tables = sw_allocate((size_t)(rows * (laid.each[0] + laid.each[1])) * BYTE_SIDE);
    laid.state = sw_allocate((size_t)rows * 2 * sizeof *laid.state);
    rooms.copies = sw_allocate((size_t)(2 * TABLE * rooms.longest));
    rooms.draws = sw_allocate(((size_t)rooms.longest + 258) * sizeof *rooms.draws);
    const int fine =
        laid.tables && laid.state && laid.columns[0] && laid.columns[1] && rooms.copies && rooms.draws;
    for (int64_t k = 0; k < count && fine; k++) {
        if (jobs[k].length > LONGEST_IN_TABLES)
            continue;
        const uint64_t key = key_of(codes[0] + jobs[k].start, jobs + k, seed);
        for (int64_t first = 0; first < jobs[k].count; first += TABLE) {
            const int64_t some = jobs[k].count - first < TABLE ? jobs[k].count - first : TABLE;
            units[waiting++] = (shuffle_unit){jobs + k, key, first, some};
            if (waiting == UNITS) {
                score_track_units(&laid, query, codes, units, waiting, &rooms, scores);
                waiting = 0;
            }
        }
    }
    if (waiting)
        score_track_units(&laid, query, codes, units, waiting, &rooms, scores);
    free_tracks(&laid);
    sw_free(rooms.copies);
    sw_free(rooms.draws);
    return fine ? QUERY_FINE : QUERY_NO_MEMORY;
}

#endif

/* Make and score all copies of one job. */
static int score_track_copies(const track_query *query, const uint8_t *const *codes, const shuffle_job *job,
                              uint64_t seed, int32_t *scores)
{
    const track *tracks = query->tracks;
    const uint64_t key = key_of(codes[0] + job->start, job, seed);
    const int64_t fit = ROOM / (job->length > 0 ? job->length : 1), most = fit < 1            ? 1
                                                                           : fit < job->count ? fit
                                                                                              : job->count;
    uint8_t *copies = sw_allocate((size_t)(2 * most * job->length));
    uint32_t *draws = sw_allocate(((size_t)job->length + 258) * sizeof *draws);
    int64_t *places = sw_allocate((size_t)most * 3 * sizeof *places);
    int status = copies && draws && places ? QUERY_FINE : QUERY_NO_MEMORY;
    for (int64_t done = 0; done < job->count && status == QUERY_FINE; done += most) {
        const int64_t some = job->count - done < most ? job->count - done : most;
        for (int64_t k = 0; k < some; k++) {
            draw(job, key, job->number + done + k, draws);
            for (int t = 0; t < 2; t++)
                make_drawn(copies + (t * most + k) * job->length, codes[t] + job->start, job, job->number + done + k,
                           draws);
            places[k] = k * job->length;
            places[most + k] = job->length;
            places[2 * most + k] = k;
        }
        status = SW(track_scores)(tracks[0].scores + job->row * tracks[0].symbols, job->rows, tracks[0].symbols,
                                  tracks[1].scores + job->row * tracks[1].symbols, tracks[1].symbols, query->first,
                                  query->extend, copies, copies + most * job->length, places, places + most,
                                  places + 2 * most, some, scores + done);
    }
    sw_free(copies);
    sw_free(draws);
    sw_free(places);
    return status;
}

/* As `shuffles`, for scores that are sums of two tables: profile: [rows][symbols], more: [rows][letter_symbols]. */
SW_EXPORT int SW(track_shuffles)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                                 int64_t letter_symbols, int32_t first, int32_t extend, const uint8_t *codes,
                                 const uint8_t *letters, const int64_t *jobs, int64_t count, uint64_t seed,
                                 int32_t *scores)
{
    const track_query query = make_track_query(profile, rows, symbols, more, letter_symbols, first, extend);
    const uint8_t *const tracks[2] = {codes, letters};
    const shuffle_job *given = (const shuffle_job *)jobs;
    int status = QUERY_FINE;
    for (int64_t k = 0; k < count; k++) {
        if (given[k].row + given[k].rows > rows ||
            !track_codes_fit(&query, tracks, given[k].start, given[k].length))
            return QUERY_BAD_CODE;
        for (int64_t at = 0; at < given[k].count; at++)
            scores[given[k].out + at] = -1;
    }
#if SW_BYTES >= 32
    if (count && fits_track_bytes(&query))
        status = score_in_tables(&query, tracks, given, count, seed, scores);
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (any_without_score(scores + given[k].out, given[k].count))
            status = score_track_copies(&query, tracks, given + k, seed, scores + given[k].out);
    return status;
}
