/* Further alignments of many subjects after their best ones: their existence, and all of them, in one call each. */
#include "bytes.h"

enum { FURTHER_NO = 0, FURTHER_YES = 1, FURTHER_UNKNOWN = 2 };

#if SW_BYTES >= 32

enum { WIDEST = 1 << 16 }; /* columns of a group at most */
enum { ROOMY = 20 };       /* a group takes lanes if all, as long as the longest, are at most so many times its residues */

/* The aligned pairs of the best alignments of a group: for each column and lane the row, or -1. */
typedef struct {
    int32_t *rows;  /* [column][BYTE_SIDE] */
    int32_t *first; /* [row] of the query: number of the first pair of these columns + 1, or 0 */
    int32_t next[BYTE_COLUMNS * BYTE_SIDE];
    _Alignas(64) uint8_t kept[BYTE_COLUMNS][BYTE_SIDE]; /* all bits but those of pairs that are left out */
} best_pairs;

/* Lay the alignment of a lane: where its pairs lie. Returns whether it stays inside. */
static int lay_pairs(int32_t *rows, int64_t height, int64_t length, int64_t i, int64_t j, const uint8_t *ops, const int32_t *runs,
                     int64_t count)
{
    for (int64_t run = 0; run < count; run++) {
        const int64_t down = ops[run] == 2 ? 0 : runs[run], across = ops[run] == 1 ? 0 : runs[run];
        if (i < 0 || j < 0 || runs[run] < 0 || i + down > height || j + across > length)
            return 0;
        if (ops[run] == 0)
            for (int64_t n = 0; n < runs[run]; n++)
                rows[(j + n) * BYTE_SIDE] = (int32_t)(i + n);
        i += down;
        j += across;
    }
    return 1;
}

/* Begin with a group of columns: which pairs of each row of the query are left out. */
static inline void begin_columns(best_pairs *pairs, const int32_t *rows)
{
    for (int at = 0; at < BYTE_COLUMNS * BYTE_SIDE; at++)
        if (rows[at] >= 0) {
            pairs->next[at] = pairs->first[rows[at]];
            pairs->first[rows[at]] = at + 1;
        }
}

static inline void leave_out(best_pairs *pairs, int64_t row, uint8_t bits)
{
    uint8_t *kept = &pairs->kept[0][0];
    for (int32_t at = pairs->first[row]; at; at = pairs->next[at - 1])
        kept[at - 1] = bits;
}

/* As `pass_bytes`, but no alignment may have the pairs. */
static void pass_without(const byte_query *laid, const query_profile *query, int64_t width, best_pairs *pairs, uint8_t *scores)
{
    const bytes zero = BYTE_BROADCAST(0), first = BYTE_BROADCAST(query->first), extend = BYTE_BROADCAST(query->extend);
    const bytes biases = BYTE_BROADCAST(laid->bias);
    bytes best = zero;
    memset(laid->state, 0, (size_t)query->rows * 2 * sizeof *laid->state);
    for (int64_t column = 0; column < width; column += BYTE_COLUMNS) {
        byte_symbols wanted[BYTE_COLUMNS];
        bytes f[BYTE_COLUMNS], above[BYTE_COLUMNS];
        begin_columns(pairs, pairs->rows + column * BYTE_SIDE);
        for (int c = 0; c < BYTE_COLUMNS; c++) {
            wanted[c] = byte_symbols_of(laid->columns + (column + c) * BYTE_SIDE);
            f[c] = above[c] = zero;
        }
        for (int64_t row = 0; row < query->rows; row++) {
            const int some = pairs->first[row] != 0;
            bytes left = BYTE_LOAD(laid->state + 2 * row), e = BYTE_LOAD(laid->state + 2 * row + 1);
            if (some)
                leave_out(pairs, row, 0);
#pragma GCC unroll 4
            for (int c = 0; c < BYTE_COLUMNS; c++) {
                bytes h = add_byte_scores(above[c], laid->rows + row, wanted[c], biases);
                if (some)
                    h = BYTE_AND(h, BYTE_LOAD(pairs->kept[c]));
                h = BYTE_MAXIMUM(h, BYTE_MAXIMUM(e, f[c]));
                best = BYTE_MAXIMUM(best, h);
                above[c] = left;
                left = h;
                const bytes open = BYTE_SUBTRACT(h, first);
                e = BYTE_MAXIMUM(BYTE_SUBTRACT(e, extend), open);
                f[c] = BYTE_MAXIMUM(BYTE_SUBTRACT(f[c], extend), open);
            }
            BYTE_STORE(laid->state + 2 * row, left);
            BYTE_STORE(laid->state + 2 * row + 1, e);
            if (some) {
                leave_out(pairs, row, 0xFF);
                pairs->first[row] = 0;
            }
        }
    }
    BYTE_STORE(scores, best);
}

#endif

/* Mark those of some subjects of one query, longest first, that lanes of bytes can tell; the others keep FURTHER_UNKNOWN. */
static int reached_of_query(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                            const int64_t *order, int64_t count, const int64_t *corners, const int64_t *places,
                            const uint8_t *ops, const int32_t *runs, const int64_t *least, uint8_t *reached)
{
#if SW_BYTES >= 32
    if (!count || !fits_bytes(query))
        return QUERY_FINE;
    _Alignas(64) uint8_t found[BYTE_SIDE];
    byte_query laid = {0};
    best_pairs pairs;
    const int64_t widest = lengths[order[0]] < WIDEST ? lengths[order[0]] : WIDEST;
    int status = lay_bytes(&laid, query, widest);
    pairs.rows = sw_allocate((size_t)(widest + BYTE_COLUMNS) * BYTE_SIDE * sizeof *pairs.rows);
    pairs.first = sw_allocate((size_t)query->rows * sizeof *pairs.first);
    if (!pairs.rows || !pairs.first)
        status = QUERY_NO_MEMORY;
    memset(pairs.kept, 0xFF, sizeof pairs.kept);
    if (pairs.first)
        memset(pairs.first, 0, (size_t)query->rows * sizeof *pairs.first);
    for (int64_t start = 0; start < count && status == QUERY_FINE;) {
        const int64_t longest = lengths[order[start]];
        int64_t some = 0, residues = 0;
        while (some < BYTE_SIDE && start + some < count)
            residues += lengths[order[start + some++]];
        if (longest > WIDEST || longest * BYTE_SIDE > residues * ROOMY) {
            start++; /* the caller looks at it alone */
            continue;
        }
        const int64_t width = lay_byte_columns(laid.columns, codes, starts, lengths, order + start, some, query->symbols);
        memset(pairs.rows, 0xFF, (size_t)width * BYTE_SIDE * sizeof *pairs.rows);
        int inside[BYTE_SIDE];
        for (int64_t lane = 0; lane < some; lane++) {
            const int64_t k = order[start + lane];
            inside[lane] = lay_pairs(pairs.rows + lane, query->rows, lengths[k], corners[2 * k], corners[2 * k + 1],
                                     ops + places[k], runs + places[k], places[k + 1] - places[k]);
        }
        pass_without(&laid, query, width, &pairs, found);
        for (int64_t lane = 0; lane < some; lane++) {
            const int64_t k = order[start + lane], known = found[lane] <= laid.most ? found[lane] : laid.most + 1;
            if (inside[lane] && (known <= laid.most || least[k] <= known))
                reached[k] = known >= least[k] ? FURTHER_YES : FURTHER_NO;
        }
        start += some;
    }
    free_bytes(&laid);
    sw_free(pairs.rows);
    sw_free(pairs.first);
    return status;
#else
    (void)query, (void)codes, (void)starts, (void)lengths, (void)order, (void)count, (void)corners, (void)places, (void)ops;
    (void)runs, (void)least, (void)reached;
    return QUERY_FINE;
#endif
}

/* Mark the subjects that score enough without the aligned pairs of their best alignment.

   profile           [...][symbols], the rows of one or more queries
   spans             [...][2] the first row of the query of each subject, and its rows
   starts, lengths   [...] of the subjects in `codes`
   order             [count] which of them, those of a query together, longest first
   corners           [...][2] first query and first subject residue of the alignments, from 0
   places            [... + 1] where the runs of each begin in `ops` and `runs`
   least             [...] the score that is enough
   reached           [...] out: FURTHER_NO, FURTHER_YES, or FURTHER_UNKNOWN where lanes of bytes do not tell
   Returns QUERY_FINE or what is wrong. */
SW_EXPORT int SW(further_reached)(const int16_t *profile, const int64_t *spans, int64_t symbols, int32_t first,
                                  int32_t extend, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                                  const int64_t *order, int64_t count, const int64_t *corners, const int64_t *places,
                                  const uint8_t *ops, const int32_t *runs, const int64_t *least, uint8_t *reached)
{
    for (int64_t start = 0, end; start < count; start = end) {
        const int64_t *span = spans + 2 * order[start];
        const query_profile query = make_query(profile + span[0] * symbols, span[1], symbols, first, extend);
        for (end = start; end < count && spans[2 * order[end]] == span[0] && spans[2 * order[end] + 1] == span[1]; end++) {
            reached[order[end]] = FURTHER_UNKNOWN;
            if (!codes_fit(&query, codes + starts[order[end]], lengths[order[end]]))
                return QUERY_BAD_CODE;
        }
        const int status = reached_of_query(&query, codes, starts, lengths, order + start, end - start, corners, places, ops,
                                            runs, least, reached);
        if (status != QUERY_FINE)
            return status;
    }
    return QUERY_FINE;
}

/* In all_local.c. */
int SW(sw_all_open_like)(void **handle, const void *like, const int16_t *profile, int64_t rows, int letters,
                         const sw_code *subject, int64_t columns, int first, int extend, const int16_t *costs, int tall,
                         int wide, int (*check)(void));
int SW(sw_all_next)(void *handle, int64_t least, int64_t *head, int (*check)(void));
int SW(sw_all_runs)(void *handle, int64_t *runs);
int SW(sw_all_close)(void *handle);

/* Other than 0 ends what this thread computes. */
static _Thread_local const volatile int32_t *stopping;

static int stopped(void)
{
    return *stopping != 0;
}

typedef struct {
    int64_t count, room, runs, runs_room;
    int64_t *heads; /* [count][5]: subject, score, first query and subject residue, runs */
    int32_t *lengths;
    uint8_t *ops;
    int64_t *own; /* runs of one alignment as they come */
    int64_t own_room;
} alignments;

static int keep_alignment(alignments *all, int64_t subject, const int64_t *head, void *handle)
{
    const int64_t count = head[3];
    int64_t ops_room = all->runs_room;
    if (!sw_have_room((void **)&all->own, &all->own_room, 2 * count, sizeof *all->own) ||
        !sw_have_room((void **)&all->heads, &all->room, all->count + 1, 5 * sizeof *all->heads) ||
        !sw_have_room((void **)&all->ops, &ops_room, all->runs + count, sizeof *all->ops) ||
        !sw_have_room((void **)&all->lengths, &all->runs_room, all->runs + count, sizeof *all->lengths))
        return 0;
    SW(sw_all_runs)(handle, all->own);
    const int64_t begin = all->runs;
    for (int64_t run = 0; run < count; run++) {
        const int64_t op = all->own[2 * run], length = all->own[2 * run + 1];
        if (length <= 0)
            continue;
        if (all->runs > begin && all->ops[all->runs - 1] == op) {
            all->lengths[all->runs - 1] += (int32_t)length;
            continue;
        }
        all->ops[all->runs] = (uint8_t)op;
        all->lengths[all->runs++] = (int32_t)length;
    }
    const int64_t made[5] = {subject, head[0], head[1], head[2], all->runs - begin};
    memcpy(all->heads + 5 * all->count++, made, sizeof made);
    return 1;
}

SW_EXPORT int SW(further_close)(alignments *all)
{
    if (all) {
        free(all->heads);
        free(all->lengths);
        free(all->ops);
        free(all->own);
        free(all);
    }
    return QUERY_FINE;
}

/* Find all alignments of subjects, each subject's best first, as `sw_all_next` does. Several threads share one call's work:
   each calls this with the same arguments, and takes portions until none is left.

   profile   [...][letters], the rows of one or more queries
   spans     [...][2] the first row of the query of each subject, and its rows
   numbers   [...] of the subjects, those of a query together
   begins    [portions + 1] where each portion begins in `numbers`
   taken     [1] how many portions were taken, by all threads
   costs     NULL, or as for `sw_all_open`: the four rows of each query together, in the order of `profile`
   tiles     [...][2] rows and columns of the tiles of each subject
   least     [...] the lowest score that is wanted
   most      alignments of a subject
   stop      other than 0 gives up
   handle    out: what `further_take` takes; close it whatever this returns
   sizes     [2] out: alignments, and runs of all
   Returns QUERY_FINE, QUERY_STOPPED or QUERY_NO_MEMORY. */
SW_EXPORT int SW(further_find)(const int16_t *profile, const int64_t *spans, int64_t letters, const sw_code *codes,
                               const int64_t *starts, const int64_t *lengths, const int64_t *numbers,
                               const int64_t *begins, int64_t portions, int64_t *taken, int32_t first, int32_t extend,
                               const int16_t *costs, const int64_t *tiles, const int64_t *least, int64_t most,
                               const volatile int32_t *stop, void **handle, int64_t *sizes)
{
    alignments *all = calloc(1, sizeof *all);
    void *like = NULL; /* the last grid that laid its query out, which others of the query borrow */
    const int64_t *laid = NULL;
    *handle = all;
    int fine = all != NULL;
    stopping = stop;
    int64_t portion;
    while (fine && !*stop && (portion = __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED)) < portions)
        for (int64_t at = begins[portion]; at < begins[portion + 1] && fine && !*stop; at++) {
            const int64_t k = numbers[at];
            void *grid = NULL;
            const int16_t *own = profile + spans[2 * k] * letters;
            int64_t head[4];
            if (laid && (laid[0] != spans[2 * k] || laid[1] != spans[2 * k + 1])) {
                SW(sw_all_close)(like);
                like = NULL;
            }
            laid = spans + 2 * k;
            fine = !SW(sw_all_open_like)(&grid, like, own, spans[2 * k + 1], (int)letters, codes + starts[k], lengths[k],
                                         first, extend, costs ? costs + 4 * spans[2 * k] : NULL, (int)tiles[2 * k],
                                         (int)tiles[2 * k + 1], stopped);
            for (int64_t number = 0; number < most && fine && !*stop; number++) {
                fine = !SW(sw_all_next)(grid, least[k], head, stopped);
                if (fine && !head[0])
                    break;
                fine = fine && keep_alignment(all, k, head, grid);
            }
            if (like)
                SW(sw_all_close)(grid);
            else
                like = grid;
        }
    SW(sw_all_close)(like);
    sizes[0] = fine ? all->count : 0;
    sizes[1] = fine ? all->runs : 0;
    return *stop ? QUERY_STOPPED : fine ? QUERY_FINE : QUERY_NO_MEMORY;
}

/* Copy what was found: heads [n][5], subject, score, first query and first subject residue, runs; ops and lengths of all runs. */
SW_EXPORT int SW(further_take)(const alignments *all, int64_t *heads, uint8_t *ops, int32_t *lengths)
{
    if (all->count)
        memcpy(heads, all->heads, (size_t)all->count * 5 * sizeof *heads);
    if (all->runs) {
        memcpy(ops, all->ops, (size_t)all->runs * sizeof *ops);
        memcpy(lengths, all->lengths, (size_t)all->runs * sizeof *lengths);
    }
    return QUERY_FINE;
}
