/* All local alignments of one pair that share no aligned pair of residues, best first (Waterman and Eggert 1987).

   Of equals the one that ends first in the subject, then in the query; of these the one that starts last in the
   subject, then in the query; of these, read from the end, an aligned pair before an insertion before a deletion. An
   alignment costs the tiles that it runs through and those that change without it, not the matrix. */
#include "level.h"

enum { DONE, NO_MEMORY, STOPPED, OVERFLOWN };
enum { PAIR, INSERTION, DELETION };
enum { ACROSS_FIRST, ACROSS_EXTEND, DOWN_FIRST, DOWN_EXTEND }; /* gaps along a row, and on the way to the next row */
enum { /* of one cell: the state with its score; the continuation of gaps; visits of a trace */
    FROM_PAIR = 1,
    FROM_INSERTION = 2,
    FROM_DELETION = 4,
    OPENS_INSERTION = 8,
    KEEPS_INSERTION = 16,
    OPENS_DELETION = 32,
    KEEPS_DELETION = 64,
    SEEN = 128, /* << state */
    DEAD = 1024,
};

/* Asked about once a tile row; other than 0 gives up. */
typedef int (*check_function)(void);

typedef struct {
    int64_t count, room;
    int64_t *values;
} list;

typedef struct {
    int64_t i, j;
    int state;
} node;

typedef struct {
    const int16_t *profile; /* [rows][letters] */
    const sw_code *subject;
    int64_t rows, columns;
    int letters, first, extend, tall, wide;
    const int16_t *costs; /* [4][rows], 0 or more, in place of `first` and `extend`; or NULL */
} problem;

typedef struct {
    int64_t row, column, runs; /* the first aligned pair */
    const uint8_t *ops;
    const int32_t *lengths;
} route;

static int append(list *to, int64_t value)
{
    if (to->count == to->room) {
        int64_t room = to->room ? 2 * to->room : 1024;
        int64_t *values = realloc(to->values, (size_t)room * sizeof *values);
        if (!values)
            return NO_MEMORY;
        to->values = values;
        to->room = room;
    }
    to->values[to->count++] = value;
    return DONE;
}

static inline int64_t packed(node n, int64_t columns)
{
    return (n.i * columns + n.j) * 3 + n.state;
}

static inline node unpacked(int64_t value, int64_t columns)
{
    const int64_t cell = value / 3;
    return (node){cell / columns, cell % columns, (int)(value % 3)};
}

/* Every lane of a vector from the one before it. */
#if defined(__clang__) || __GNUC__ >= 12
#define MOVE_4(a) __builtin_shufflevector(a, a, 0, 0, 1, 2)
#define MOVE_8(a) __builtin_shufflevector(a, a, 0, 0, 1, 2, 3, 4, 5, 6)
#define MOVE_16(a) __builtin_shufflevector(a, a, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
#define MOVE_32(a)                                                                                                     \
    __builtin_shufflevector(a, a, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
                            23, 24, 25, 26, 27, 28, 29, 30)
#if SW_BYTES == 16
#define SHUFFLE_16 MOVE_8
#define SHUFFLE_32 MOVE_4
#elif SW_BYTES == 32
#define SHUFFLE_16 MOVE_16
#define SHUFFLE_32 MOVE_8
#else
#define SHUFFLE_16 MOVE_32
#define SHUFFLE_32 MOVE_16
#endif
#endif

#define CELL int16_t
#define NAME(x) x##_16
#define SHUFFLE SHUFFLE_16
#include "all_local_tiles.h"
#undef CELL
#undef NAME

#define CELL int32_t
#define NAME(x) x##_32
#undef SHUFFLE
#define SHUFFLE SHUFFLE_32
#include "all_local_tiles.h"
#undef CELL
#undef NAME

/* Begin with a pair: one pass over its matrix. `like` is what this gave for another pair of the same query and costs, which
   is closed later, or NULL; other arguments as of `sw_all_open`. */
int SW(sw_all_open_like)(void **handle, const void *like, const int16_t *profile, int64_t rows, int letters,
                         const sw_code *subject, int64_t columns, int first, int extend, const int16_t *costs, int tall,
                         int wide, check_function check)
{
    const problem p = {profile, subject, rows, columns, letters, first, extend, tall, wide, costs};
    const int fits = like && *(const int *)like == sizeof(int16_t) && ((const grid_16 *)like)->tall == tall;
    grid_16 *narrow = NULL;
    int status = open_16(&narrow, p, fits ? like : NULL, check);
    *handle = narrow;
    if (status != OVERFLOWN)
        return status;
    close_16(narrow);
    grid_32 *broad = NULL;
    status = open_32(&broad, p, NULL, check);
    *handle = broad;
    return status;
}

/* Begin with a pair: one pass over its matrix.

   handle   out: what the other functions take; close it whatever this returns
   profile  [rows][letters], values of 16,000 at most; the sum of what rows can add to a score is below 2^30
   costs    [4][rows] costs of gaps by row, none below 0: along it, first and extend, and on the way to the next; or
   NULL tall     rows of a tile, a multiple of 64 wide     columns of a tile, a multiple of 64 Returns DONE, NO_MEMORY
   or STOPPED. */
SW_EXPORT int SW(sw_all_open)(void **handle, const int16_t *profile, int64_t rows, int letters, const sw_code *subject,
                              int64_t columns, int first, int extend, const int16_t *costs, int tall, int wide,
                              check_function check)
{
    return SW(sw_all_open_like)(handle, NULL, profile, rows, letters, subject, columns, first, extend, costs, tall, wide,
                                check);
}

/* Find the next alignment with a score of `least` or more.

   head  out: score, first query and subject residue from 0, number of runs; all 0 if there is none
   Returns DONE, NO_MEMORY or STOPPED. */
SW_EXPORT int SW(sw_all_next)(void *handle, int64_t least, int64_t *head, check_function check)
{
    return *(int *)handle == sizeof(int32_t) ? next_32(handle, least, head, check)
                                             : next_16(handle, least, head, check);
}

/* Copy the runs of the alignment found last: state (0 pair, 1 insertion, 2 deletion) and length of each. */
SW_EXPORT int SW(sw_all_runs)(void *handle, int64_t *runs)
{
    const list *found = *(int *)handle == sizeof(int32_t) ? &((grid_32 *)handle)->runs : &((grid_16 *)handle)->runs;
    memcpy(runs, found->values, (size_t)found->count * sizeof *runs);
    return DONE;
}

SW_EXPORT int SW(sw_all_close)(void *handle)
{
    if (!handle)
        return DONE;
    if (*(int *)handle == sizeof(int32_t))
        close_32(handle);
    else
        close_16(handle);
    return DONE;
}

/* The best score of each of many pairs without the aligned pairs of its best alignment.

   profile           [...][letters], the rows of one or more queries
   spans             [count][2] the first row of the query of each subject, and its rows
   starts, lengths   [count] of the subjects in `codes`, none empty
   corners           [count][2] first query and first subject residue of the alignments, from 0
   places            [count + 1] where the runs of each begin in `ops` and `runs`
   costs             NULL, or as for `sw_all_open`: the four rows of each query together, in the order of `profile`
   tiles             [count][2] rows and columns of the tiles of each pair
   best              [count] out
   Returns DONE or NO_MEMORY. */
SW_EXPORT int SW(sw_all_rest)(const int16_t *profile, const int64_t *spans, int letters, const sw_code *codes,
                              const int64_t *starts, const int64_t *lengths, int64_t count, const int64_t *corners,
                              const int64_t *places, const uint8_t *ops, const int32_t *runs, int first, int extend,
                              const int16_t *costs, const int64_t *tiles, int32_t *best)
{
    grid_16 *narrow = NULL;
    grid_32 *broad = NULL;
    int status = DONE;
    for (int64_t k = 0; k < count && !status; k++) {
        const int64_t *span = spans + 2 * k;
        if (k && (span[0] != span[-2] || span[1] != span[-1])) { /* the profile of a grid serves its query alone */
            close_16(narrow);
            close_32(broad);
            narrow = NULL;
            broad = NULL;
        }
        const problem p = {profile + span[0] * letters, codes + starts[k], span[1], lengths[k], letters, first, extend,
                           (int)tiles[2 * k], (int)tiles[2 * k + 1], costs ? costs + 4 * span[0] : NULL};
        const route path = {corners[2 * k], corners[2 * k + 1], places[k + 1] - places[k], ops + places[k],
                            runs + places[k]};
        best[k] = 0;
        status = rest_of_16(&narrow, p, path, best + k);
        if (status != OVERFLOWN)
            continue;
        best[k] = 0;
        status = rest_of_32(&broad, p, path, best + k);
    }
    close_16(narrow);
    close_32(broad);
    return status;
}
