/* Tiles and bands of long pairs, anti-diagonal by anti-diagonal, in 32 or 64 bits; compilers turn the loops into
 * vectors. */
#include "level.h"

typedef struct {
    int64_t h, w, opening, extend, never, plain, match, delta, floor, asked, r0, c0, forbidden;
} pair_sizes;

/* Starts and ends of alignments (swgui/engines/pair/sweep.py). */
enum { BAND_ANYWHERE, BAND_BORDER, BAND_CORNER };
typedef struct {
    int64_t start, end, bound, positive, step, cut_every;
} band_rules;
/* The window, what was computed, and the best vertex so far. */
typedef struct {
    int64_t at, low, high, ended, cells, score, column, row;
} band_state;

#define VALUE int32_t
#define NAME(x) x##_32
#include "pair_tile.h"
#include "pair_band.h"
#undef VALUE
#undef NAME
#define VALUE int64_t
#define NAME(x) x##_64
#include "pair_tile.h"
#include "pair_band.h"

#define DOORS(bits)                                                                                                   \
    SW_EXPORT int SW(pair_fill##bits)(const void *tile, const void *sizes, int64_t first, int64_t end, int64_t *best) \
    {                                                                                                                 \
        fill_##bits(tile, sizes, first, end, best);                                                                   \
        return 0;                                                                                                     \
    }                                                                                                                 \
    SW_EXPORT int SW(pair_states##bits)(const void *tile, const void *sizes, void *best, void *pair, void *insertion, \
                                        void *deletion)                                                               \
    {                                                                                                                 \
        states_##bits(tile, sizes, best, pair, insertion, deletion);                                                  \
        return 0;                                                                                                     \
    }                                                                                                                 \
    SW_EXPORT int SW(pair_band##bits)(const void *tile, const void *sizes, const void *rules, void *state,            \
                                      int64_t end, int64_t most_cells, const void *kept)                              \
    {                                                                                                                 \
        band_##bits(tile, sizes, rules, state, end, most_cells, kept);                                                \
        return 0;                                                                                                     \
    }

DOORS(32)
DOORS(64)
