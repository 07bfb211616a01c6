/* Scores of one query in two tracks against many subjects: every residue has a second letter, and a pair scores the
   sum of two tables. In lanes of bytes, those that may exceed them in lanes of words, and what is alone, long or larger
   still in stripes. */
#include "tracks.h"

#define WIDTH 16
#include "striped.h"
#undef WIDTH
#define WIDTH 32
#include "striped.h"
#undef WIDTH

/* Subjects: residues and letters from `starts[k]`, `lengths[k]` of them. */
typedef struct {
    const uint8_t *codes[2];
    const int64_t *starts, *lengths, *order;
} track_subjects;

/* A query laid out in stripes of either width, when it is first needed. */
typedef struct {
    stripes16 narrow;
    stripes32 wide;
    rooms16 narrow_rooms;
    rooms32 wide_rooms;
    void *narrow_memory, *wide_memory;
} striped_tracks;

/* Rows behind the query lose enough by the first track alone. */
#define CLEAR_PADDING(width)                                                                                    \
    static void clear_padding##width(stripes##width *stripes, int64_t letters)                                  \
    {                                                                                                           \
        const int64_t lanes = SW_BYTES * 8 / width, all = stripes->segments * lanes;                            \
        for (int64_t row = stripes->rows; row < all; row++)                                                     \
            for (int64_t a = 0; a < letters; a++)                                                               \
                ((int##width##_t *)(stripes->scores + a * stripes->segments))[row % stripes->segments * lanes + \
                                                                              row / stripes->segments] = 0;     \
    }

#define LAY_OUT(width)                                                                                        \
    static int lay_tracks##width(const track_query *query, stripes##width *stripes, rooms##width *rooms,      \
                                 void **memory)                                                               \
    {                                                                                                         \
        const size_t column = column_bytes##width(query->rows);                                               \
        const int64_t symbols = query->tracks[0].symbols, letters = query->tracks[1].symbols;                 \
        uint8_t wanted[SW_SYMBOLS];                                                                           \
        stripes##width more;                                                                                  \
        memset(wanted, 1, sizeof wanted);                                                                     \
        char *room = sw_allocate(column * (size_t)(symbols + letters + 4));                                   \
        if (!room)                                                                                            \
            return QUERY_NO_MEMORY;                                                                           \
        *memory = room;                                                                                       \
        stripes->scores = (vec##width *)room;                                                                 \
        more.scores = (vec##width *)(room + column * (size_t)symbols);                                        \
        room += column * (size_t)(symbols + letters);                                                         \
        rooms->e = (vec##width *)room;                                                                        \
        for (int i = 0; i < 3; i++)                                                                           \
            rooms->columns[i] = (vec##width *)(room + column * (size_t)(1 + i));                              \
        lay_out##width(stripes, query->tracks[0].scores, symbols, 0, 1, query->rows, wanted, query->highest); \
        lay_out##width(&more, query->tracks[1].scores, letters, 0, 1, query->rows, wanted, query->highest);   \
        stripes->more = more.scores;                                                                          \
        clear_padding##width(&more, letters);                                                                 \
        return QUERY_FINE;                                                                                    \
    }

CLEAR_PADDING(16)
CLEAR_PADDING(32)
LAY_OUT(16)
LAY_OUT(32)

static int score_tracks_striped(striped_tracks *laid, const track_query *query, const track_subjects *subjects,
                                int64_t k, int32_t *score)
{
    const int64_t start = subjects->starts[k];
    const stretch whole = {subjects->codes[0] + start, subjects->lengths[k], 1, subjects->codes[1] + start};
    peak found;
    if (query->narrow) {
        if (!laid->narrow_memory && lay_tracks16(query, &laid->narrow, &laid->narrow_rooms, &laid->narrow_memory) < 0)
            return QUERY_NO_MEMORY;
        const int status =
            find_peak16(&laid->narrow, &whole, query->first, query->extend, INT32_MAX, &NEVER_STOPPED,
                        &laid->narrow_rooms, &found);
        *score = found.score;
        if (status == STRIPED_FINE)
            return QUERY_FINE;
    }
    if (!laid->wide_memory && lay_tracks32(query, &laid->wide, &laid->wide_rooms, &laid->wide_memory) < 0)
        return QUERY_NO_MEMORY;
    find_peak32(&laid->wide, &whole, query->first, query->extend, INT32_MAX, &NEVER_STOPPED, &laid->wide_rooms, &found);
    *score = found.score;
    return QUERY_FINE;
}

#if SW_BYTES >= 32

enum { STRIPED_SLOWER = 5 };         /* a subject alone takes as long as so many lanes */
enum { LONGEST_IN_LANES = 1 << 17 }; /* what is longer would take too much memory, for all lanes are as long */

static int lay_tracks(laid_tracks *laid, const track_query *query, int64_t longest)
{
    memset(laid, 0, sizeof *laid);
    for (int t = 0; t < 2; t++) {
        laid->each[t] = tables_of(query->tracks + t);
        laid->columns[t] = sw_allocate((size_t)(longest + BYTE_COLUMNS) * BYTE_SIDE);
    }
    const int64_t width = (laid->each[0] + laid->each[1]) * TABLE;
    laid->tables = sw_allocate((size_t)(query->rows * width));
    laid->state = sw_allocate((size_t)query->rows * 2 * sizeof *laid->state);
    if (!laid->tables || !laid->state || !laid->columns[0] || !laid->columns[1]) {
        free_tracks(laid);
        return QUERY_NO_MEMORY;
    }
    for (int64_t row = 0; row < query->rows; row++)
        for (int t = 0; t < 2; t++) {
            const track *one = query->tracks + t;
            uint8_t *at = laid->tables + row * width + (t ? laid->each[0] * TABLE : 0);
            put_in_tables(at, TABLE, laid->each[t], one, one->scores + row * one->symbols);
        }
    return QUERY_FINE;
}

/* Lay up to `side` subjects: a lane is 1 byte, or 2 of which the upper is out of reach. Returns the columns. */
static int64_t lay_track_columns(laid_tracks *laid, const track_subjects *subjects, const int64_t *order, int64_t some,
                                 int64_t side)
{
    const int64_t wide = BYTE_SIDE / side, longest = subjects->lengths[order[0]];
    const int64_t width = (longest + BYTE_COLUMNS - 1) / BYTE_COLUMNS * BYTE_COLUMNS;
    for (int t = 0; t < 2; t++) {
        memset(laid->columns[t], OUT_OF_REACH, (size_t)width * BYTE_SIDE);
        for (int64_t lane = 0; lane < some; lane++) {
            const uint8_t *subject = subjects->codes[t] + subjects->starts[order[lane]];
            uint8_t *at = laid->columns[t] + lane * wide;
            for (int64_t k = 0; k < subjects->lengths[order[lane]]; k++, at += BYTE_SIDE)
                *at = subject[k];
        }
    }
    return width;
}

#define PASS(seconds)                                                                                               \
    static void pass_bytes_##seconds(const laid_tracks *laid, const track_query *query, int64_t width, void *found) \
    { pass_as(laid, query, query->rows, width, 0, 0, seconds, found); }                                                             \
    static void pass_words_##seconds(const laid_tracks *laid, const track_query *query, int64_t width, void *found) \
    { pass_as(laid, query, query->rows, width, 1, 0, seconds, found); }

PASS(2)
PASS(3)
PASS(4)
PASS(5)

typedef void track_pass(const laid_tracks *, const track_query *, int64_t, void *);
static track_pass *const passes[2][TABLES_MOST - 1] = {{pass_bytes_2, pass_bytes_3, pass_bytes_4, pass_bytes_5},
                                                       {pass_words_2, pass_words_3, pass_words_4, pass_words_5}};

/* Score in lanes what has no score yet and fits them; the others keep a score of -1. `rest` has room for `count`. */
static int score_track_lanes(const track_query *query, const track_subjects *subjects, int64_t count, int words,
                             int64_t *rest, int32_t *scores)
{
    const int64_t side = words ? BYTE_SIDE / 2 : BYTE_SIDE;
    const int32_t most =
        (words ? UINT16_MAX : UINT8_MAX) - query->highest - query->bias; /* what is above it may have been more */
    _Alignas(64) uint16_t found[BYTE_SIDE];
    laid_tracks laid = {0};
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++)
        if (scores[subjects->order[k]] < 0)
            rest[left++] = subjects->order[k];
    for (int64_t start = 0; start < left; start += side) {
        const int64_t some = left - start < side ? left - start : side, longest = subjects->lengths[rest[start]];
        int64_t residues = 0;
        for (int64_t lane = 0; lane < some; lane++)
            residues += subjects->lengths[rest[start + lane]];
        if (longest > LONGEST_IN_LANES || longest * side > residues * STRIPED_SLOWER * (words ? 1 : 2))
            continue;
        if (!laid.tables && lay_tracks(&laid, query, longest) < 0)
            return QUERY_NO_MEMORY;
        const int64_t width = lay_track_columns(&laid, subjects, rest + start, some, side);
        passes[words][laid.each[1] - 2](&laid, query, width, found);
        for (int64_t lane = 0; lane < some; lane++) {
            const int32_t score = words ? found[lane] : ((uint8_t *)found)[lane];
            if (score <= most)
                scores[rest[start + lane]] = score;
        }
    }
    free_tracks(&laid);
    return QUERY_FINE;
}

#endif

/* Score `count` subjects; subject k has the `lengths[k]` residues from `codes[starts[k]]` and the letters from
   `letters[starts[k]]`.

   profile: [rows][symbols], more: [rows][letter_symbols], scores of residues and of letters, whose sums score. order:
   the subjects by length, longest first. scores: [count]. Returns QUERY_FINE or what is wrong. No score may reach 2^31
   - 2^25. */
SW_EXPORT int SW(track_scores)(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                               int64_t letter_symbols, int32_t first, int32_t extend, const uint8_t *codes,
                               const uint8_t *letters, const int64_t *starts, const int64_t *lengths,
                               const int64_t *order, int64_t count, int32_t *scores)
{
    const track_query query = make_track_query(profile, rows, symbols, more, letter_symbols, first, extend);
    const track_subjects subjects = {{codes, letters}, starts, lengths, order};
    striped_tracks laid;
    int status = QUERY_FINE;
    memset(&laid, 0, sizeof laid);
    if (symbols > SW_SYMBOLS || letter_symbols > SW_SYMBOLS)
        return QUERY_BAD_CODE;
    for (int64_t k = 0; k < count; k++) {
        if (!track_codes_fit(&query, subjects.codes, starts[order[k]], lengths[order[k]]))
            return QUERY_BAD_CODE;
        scores[order[k]] = -1;
    }
#if SW_BYTES >= 32
    if (count && fits_tables(&query)) {
        int64_t *rest = sw_allocate((size_t)count * sizeof *rest);
        status = rest ? QUERY_FINE : QUERY_NO_MEMORY;
        if (status == QUERY_FINE && fits_track_bytes(&query))
            status = score_track_lanes(&query, &subjects, count, 0, rest, scores);
        if (status == QUERY_FINE)
            status = score_track_lanes(&query, &subjects, count, 1, rest, scores);
        sw_free(rest);
    }
#endif
    for (int64_t k = 0; k < count && status == QUERY_FINE; k++)
        if (scores[order[k]] < 0)
            status = score_tracks_striped(&laid, &query, &subjects, order[k], scores + order[k]);
    sw_free(laid.narrow_memory);
    sw_free(laid.wide_memory);
    return status;
}
