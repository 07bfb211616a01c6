/* A query in two tracks against as many subjects as a vector has lanes: every residue has a second letter, and a pair
   scores the sum of two tables.

   A shuffle of bytes looks 16 scores up and gives 0 where the top bit of a code is set. So a table of up to 80 symbols
   is up to five shuffles, each with the codes of its 16 symbols, all others out of its reach. In lanes of words the
   upper byte of a code is out of reach of all of them: the look-ups are the same. */
#ifndef SW_TRACKS_H
#define SW_TRACKS_H

#include "bytes.h"
#include "query.h"

/* Scores [row][symbol] of one track. */
typedef struct {
    const int16_t *scores;
    int64_t symbols;
    int32_t lowest, highest; /* at most and at least 0 */
} track;

/* A query in two tracks, and the costs of its gaps. */
typedef struct {
    track tracks[2];
    int64_t rows;
    int32_t first, extend;
    int32_t highest, bias;
    int narrow; /* whether 16 bits can hold scores and costs */
} track_query;

static track make_track(const int16_t *scores, int64_t rows, int64_t symbols)
{
    track made = {scores, symbols, 0, 0};
    for (int64_t i = 0; i < rows * symbols; i++) {
        made.lowest = scores[i] < made.lowest ? scores[i] : made.lowest;
        made.highest = scores[i] > made.highest ? scores[i] : made.highest;
    }
    return made;
}

static track_query make_track_query(const int16_t *profile, int64_t rows, int64_t symbols, const int16_t *more,
                                    int64_t letter_symbols, int32_t first, int32_t extend)
{
    track_query query = {
        {make_track(profile, rows, symbols), make_track(more, rows, letter_symbols)}, rows, first, extend, 0, 0, 0};
    query.highest = query.tracks[0].highest + query.tracks[1].highest;
    query.bias = -query.tracks[0].lowest - query.tracks[1].lowest;
    query.narrow = first <= NARROW_MOST && query.highest + query.bias <= NARROW_MOST;
    return query;
}

/* Whether both codes of each of `length` residues from `start` on are symbols. */
static int track_codes_fit(const track_query *query, const uint8_t *const *codes, int64_t start, int64_t length)
{
    for (int t = 0; t < 2; t++) {
        uint8_t largest = 0;
        for (int64_t i = 0; i < length; i++)
            largest = codes[t][start + i] > largest ? codes[t][start + i] : largest;
        if (length && largest >= query->tracks[t].symbols)
            return 0;
    }
    return 1;
}

#if SW_BYTES >= 32

enum { TABLE = 16, TABLES_MOST = 5 };
enum { OUT_OF_REACH = 0xFF };

/* A query laid out: tables of its rows [row][table][TABLE], or, where each TABLE lanes have rows of their own,
   [row][table][BYTE_SIDE]; state of its rows, and the columns of a group of subjects. */
typedef struct {
    uint8_t *tables;
    bytes *state;
    uint8_t *columns[2];
    int64_t each[2]; /* tables of a row, by track */
} laid_tracks;

static void free_tracks(laid_tracks *laid)
{
    sw_free(laid->tables);
    sw_free(laid->state);
    sw_free(laid->columns[0]);
    sw_free(laid->columns[1]);
}

/* Tables that a track takes, at least two. */
static int64_t tables_of(const track *one)
{
    return one->symbols <= 2 * TABLE ? 2 : (one->symbols + TABLE - 1) / TABLE;
}

static int fits_tables(const track_query *query)
{
    for (int t = 0; t < 2; t++)
        if (tables_of(query->tracks + t) > TABLES_MOST || query->tracks[t].highest - query->tracks[t].lowest > 255)
            return 0;
    return tables_of(query->tracks) == 2 && query->first <= UINT16_MAX;
}

/* Whether scores and costs fit bytes. */
static int fits_track_bytes(const track_query *query)
{ return fits_tables(query) && query->first <= 255 && query->highest + query->bias <= 127; }

/* Put the scores of a row of a track into its tables, `width` bytes apart; 0 behind the last symbol. */
static void put_in_tables(uint8_t *tables, int64_t width, int64_t count, const track *one, const int16_t *scores)
{
    uint8_t row[TABLES_MOST * TABLE] = {0};
    for (int64_t a = 0; a < one->symbols; a++)
        row[a] = (uint8_t)(scores[a] - one->lowest);
    for (int64_t k = 0; k < count; k++)
        memcpy(tables + k * width, row + k * TABLE, TABLE);
}

#define WIDE_OR_NOT(name, a, b) (words ? WORD_##name(a, b) : BYTE_##name(a, b))

#define TRACK_TABLE(k) (own ? BYTE_LOAD(tables + (k) * BYTE_SIDE) : BYTE_TABLE(tables + (k) * TABLE))

/* Score the subjects whose columns are laid, with so many tables for the second track; each TABLE lanes may have their
   own. */
static inline __attribute__((always_inline)) void pass_as(const laid_tracks *laid, const track_query *query,
                                                          int64_t rows, int64_t width, const int words, const int own,
                                                          const int seconds, void *found)
{
    const bytes zero = BYTE_BROADCAST(0);
    const bytes firsts = words ? WORD_BROADCAST(query->first) : BYTE_BROADCAST(query->first);
    const bytes extends = words ? WORD_BROADCAST(query->extend) : BYTE_BROADCAST(query->extend);
    const bytes biases = words ? WORD_BROADCAST(query->bias) : BYTE_BROADCAST(query->bias);
    const int together = words ? 2 : BYTE_COLUMNS;
    bytes best = zero;
    memset(laid->state, 0, (size_t)rows * 2 * sizeof *laid->state);
    for (int64_t column = 0; column < width; column += together) {
        bytes residue[BYTE_COLUMNS][2], letter[BYTE_COLUMNS][TABLES_MOST], f[BYTE_COLUMNS], above[BYTE_COLUMNS];
        for (int c = 0; c < together; c++) {
            const bytes codes = BYTE_LOAD(laid->columns[0] + (column + c) * BYTE_SIDE);
            const bytes letters = BYTE_LOAD(laid->columns[1] + (column + c) * BYTE_SIDE);
            for (int t = 0; t < 2; t++)
                residue[c][t] = BYTE_ADD(BYTE_DIFFERENT(codes, BYTE_BROADCAST(TABLE * t)), BYTE_BROADCAST(0x70));
            for (int t = 0; t < seconds; t++)
                letter[c][t] = BYTE_ADD(BYTE_DIFFERENT(letters, BYTE_BROADCAST(TABLE * t)), BYTE_BROADCAST(0x70));
            f[c] = above[c] = zero;
        }
        const uint8_t *tables = laid->tables;
        for (int64_t row = 0; row < rows; row++, tables += (2 + seconds) * (own ? BYTE_SIDE : TABLE)) {
            bytes left = BYTE_LOAD(laid->state + 2 * row), e = BYTE_LOAD(laid->state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < together; c++) {
                bytes one = BYTE_EITHER(BYTE_PICK(TRACK_TABLE(0), residue[c][0]),
                                        BYTE_PICK(TRACK_TABLE(1), residue[c][1]));
                bytes two = BYTE_PICK(TRACK_TABLE(2), letter[c][0]);
#pragma GCC unroll 5
                for (int t = 1; t < seconds; t++)
                    two = BYTE_EITHER(two, BYTE_PICK(TRACK_TABLE(2 + t), letter[c][t]));
                bytes h = WIDE_OR_NOT(SUBTRACT, WIDE_OR_NOT(ADD, above[c], WIDE_OR_NOT(ADD, one, two)), biases);
                h = WIDE_OR_NOT(MAXIMUM, h, WIDE_OR_NOT(MAXIMUM, e, f[c]));
                best = WIDE_OR_NOT(MAXIMUM, best, h);
                above[c] = left;
                left = h;
                const bytes open = WIDE_OR_NOT(SUBTRACT, h, firsts);
                e = WIDE_OR_NOT(MAXIMUM, WIDE_OR_NOT(SUBTRACT, e, extends), open);
                f[c] = WIDE_OR_NOT(MAXIMUM, WIDE_OR_NOT(SUBTRACT, f[c], extends), open);
            }
            BYTE_STORE(laid->state + 2 * row, left);
            BYTE_STORE(laid->state + 2 * row + 1, e);
        }
    }
    BYTE_STORE(found, best);
}

#endif

#endif
