/* Tiles of long pairs, anti-diagonal by anti-diagonal, in 32 or 64 bits; compilers turn the loops into vectors. */
#include "level.h"

typedef struct {
    int64_t h, w, opening, extend, never, plain, match, delta, floor, asked, r0, c0, forbidden;
} pair_sizes;

#define VALUE int32_t
#define NAME(x) x##_32
#include "pair_tile.h"
#undef VALUE
#undef NAME
#define VALUE int64_t
#define NAME(x) x##_64
#include "pair_tile.h"

#define DOORS(bits)                                                                                                            \
    SW_EXPORT int SW(pair_fill##bits)(const void *tile, const void *sizes, int64_t first, int64_t end, int64_t *best)          \
    {                                                                                                                          \
        fill_##bits(tile, sizes, first, end, best);                                                                            \
        return 0;                                                                                                              \
    }                                                                                                                          \
    SW_EXPORT int SW(pair_states##bits)(const void *tile, const void *sizes, void *best, void *pair, void *insertion,          \
                                        void *deletion)                                                                        \
    {                                                                                                                          \
        states_##bits(tile, sizes, best, pair, insertion, deletion);                                                           \
        return 0;                                                                                                              \
    }

DOORS(32)
DOORS(64)
