/* Further alignments of many subjects after their best ones: their existence, and all of them, in one call each. */
#include "bytes.h"

enum { FURTHER_NO = 0, FURTHER_YES = 1, FURTHER_UNKNOWN = 2 };

/* The best alignments of subjects, as `further_reached` is given them. */
typedef struct {
    const int64_t *corners, *places;
    const uint8_t *ops;
    const int32_t *runs;
} alignment_runs;

#if SW_BYTES >= 32

enum { BLOCK = 16 };                      /* bytes of a vector that hold one subject: no gap leads from one to the next */
enum { BLOCKS = BYTE_SIDE / BLOCK };      /* subjects side by side */
enum { LOOK = 64 };                       /* columns between two looks at the best scores */

/* A query in stripes of bytes, as in striped.h: row i is in lane i / segments of block i % segments. */
typedef struct {
    int64_t segments;
    uint8_t *scores; /* of symbol a: from a * segments * BLOCK, with the bias; behind those of all, of an ended subject */
    uint8_t *known;  /* [symbol] whether its scores are laid */
    bytes *h, *e;    /* a column of cells of each subject */
    byte_bits *gone; /* [segment] lanes in which no pair is aligned in this column */
    int32_t *places; /* [row] segment * BLOCK + lane */
    int32_t bias;
    int32_t most; /* a larger score may not fit */
} byte_stripes;

/* A subject in a block: what is left of it. Step 0 where none is left, so that it stays ended. */
typedef struct {
    const sw_code *codes;
    const int32_t *rows; /* [column] of the query, of the aligned pair; -1 where there is none */
    int64_t step, left, subject;
} block_subject;

static void free_stripes(byte_stripes *laid)
{
    sw_free(laid->scores);
    sw_free(laid->known);
    sw_free(laid->h);
    sw_free(laid->gone);
    sw_free(laid->places);
}

/* Make room for a query whose scores and costs fit; `most` is 0 for others. */
static int lay_stripes(byte_stripes *laid, const query_profile *query)
{
    int32_t lowest = 0;
    for (int64_t i = 0; i < query->rows * query->symbols; i++)
        lowest = query->scores[i] < lowest ? query->scores[i] : lowest;
    if (!query->rows || query->first > 255 || query->highest - lowest > 127 || query->symbols > (sw_code)-1)
        return QUERY_FINE;
    const int64_t segments = (query->rows + BLOCK - 1) / BLOCK, column = segments * BLOCK;
    laid->segments = segments;
    laid->bias = -lowest;
    laid->most = 255 - query->highest - laid->bias;
    laid->scores = sw_allocate((size_t)((query->symbols + 1) * column));
    laid->known = sw_allocate((size_t)query->symbols);
    laid->h = sw_allocate(2 * (size_t)segments * sizeof *laid->h);
    laid->e = laid->h + segments;
    laid->gone = sw_allocate((size_t)segments * sizeof *laid->gone);
    laid->places = sw_allocate((size_t)query->rows * sizeof *laid->places);
    if (!laid->scores || !laid->known || !laid->h || !laid->gone || !laid->places)
        return QUERY_NO_MEMORY;
    memset(laid->scores + query->symbols * column, 0, (size_t)column);
    memset(laid->known, 0, (size_t)query->symbols);
    memset(laid->gone, 0, (size_t)segments * sizeof *laid->gone);
    for (int64_t row = 0; row < query->rows; row++)
        laid->places[row] = (int32_t)(row % segments * BLOCK + row / segments);
    return QUERY_FINE;
}

/* Lay the scores of the symbols of a subject; rows behind the last score least. */
static void lay_symbols(byte_stripes *laid, const query_profile *query, const sw_code *codes, int64_t length)
{
    const int64_t column = laid->segments * BLOCK;
    for (int64_t k = 0; k < length; k++) {
        const int64_t symbol = codes[k];
        uint8_t *at = laid->scores + symbol * column;
        if (laid->known[symbol])
            continue;
        laid->known[symbol] = 1;
        memset(at, 0, (size_t)column);
        for (int64_t row = 0; row < query->rows; row++)
            at[laid->places[row]] = (uint8_t)(query->scores[row * query->symbols + symbol] + laid->bias);
    }
}

/* Find in which row each column has an aligned pair. Returns whether the alignment stays inside. */
static int lay_pairs(int32_t *rows, int64_t height, int64_t length, const alignment_runs *pairs, int64_t subject)
{
    int64_t i = pairs->corners[2 * subject], j = pairs->corners[2 * subject + 1];
    memset(rows, 0xFF, (size_t)length * sizeof *rows);
    for (int64_t run = pairs->places[subject]; run < pairs->places[subject + 1]; run++) {
        const int64_t count = pairs->runs[run], down = pairs->ops[run] == 2 ? 0 : count, across = pairs->ops[run] == 1 ? 0 : count;
        if (i < 0 || j < 0 || count < 0 || i + down > height || j + across > length)
            return 0;
        if (pairs->ops[run] == 0)
            for (int64_t n = 0; n < count; n++)
                rows[j + n] = (int32_t)(i + n);
        i += down;
        j += across;
    }
    return 1;
}

/* Compute a column of each subject in place of the one before it; returns the largest of `best` and its values in each lane. */
static inline bytes next_column(const byte_stripes *laid, const query_profile *query, const uint8_t *const *scores, bytes best)
{
    const int64_t segments = laid->segments;
    const bytes first = BYTE_BROADCAST(query->first), extend = BYTE_BROADCAST(query->extend);
    const bytes biases = BYTE_BROADCAST(laid->bias), less = BYTE_BROADCAST(query->first - query->extend);
    bytes *const restrict h_values = laid->h, *const restrict e_values = laid->e;
    bytes f = BYTE_BROADCAST(0), diagonal = BYTE_UP(h_values[segments - 1]);
    for (int64_t t = 0; t < segments; t++) {
        const bytes e = e_values[t], gain = bytes_of_blocks(scores, t * BLOCK);
        const bytes pair = BYTE_SUBTRACT(BYTE_ADD(diagonal, gain), biases);
        bytes h = BYTE_MAXIMUM(BYTE_WITHOUT(pair, laid->gone[t]), e);
        const bytes open = BYTE_SUBTRACT(h, first);
        h = BYTE_MAXIMUM(h, f);
        best = BYTE_MAXIMUM(best, h);
        diagonal = h_values[t];
        h_values[t] = h;
        e_values[t] = BYTE_MAXIMUM(BYTE_SUBTRACT(e, extend), BYTE_SUBTRACT(h, first));
        f = BYTE_MAXIMUM(BYTE_SUBTRACT(f, extend), open);
    }
    /* Gaps that run on into the next lane, as long as one changes a cell. */
    for (int lane = 1; lane < BLOCK; lane++) {
        f = BYTE_UP(f);
        for (int64_t t = 0; t < segments; t++) {
            if (t % 4 == 0 && !BYTE_ABOVE(f, BYTE_SUBTRACT(h_values[t], less)))
                return best;
            const bytes h = BYTE_MAXIMUM(h_values[t], f);
            best = BYTE_MAXIMUM(best, h);
            h_values[t] = h;
            e_values[t] = BYTE_MAXIMUM(e_values[t], BYTE_SUBTRACT(h, first));
            f = BYTE_SUBTRACT(f, extend);
        }
    }
    return best;
}

/* Compute some columns of each subject. */
static bytes next_columns(const byte_stripes *laid, const query_profile *query, block_subject *side, int64_t columns, bytes best)
{
    for (int64_t column = 0; column < columns; column++) {
        const uint8_t *scores[BLOCKS];
        int32_t gone[BLOCKS];
        for (int b = 0; b < BLOCKS; b++) {
            const int32_t row = *side[b].rows;
            scores[b] = laid->scores + *side[b].codes * laid->segments * BLOCK;
            gone[b] = row < 0 ? -1 : laid->places[row];
            if (row >= 0)
                laid->gone[gone[b] / BLOCK] |= (byte_bits)1 << (b * BLOCK + gone[b] % BLOCK);
            side[b].codes += side[b].step;
            side[b].rows += side[b].step;
        }
        best = next_column(laid, query, scores, best);
        for (int b = 0; b < BLOCKS; b++)
            if (gone[b] >= 0)
                laid->gone[gone[b] / BLOCK] = 0;
    }
    return best;
}

static uint8_t largest_of(const bytes *values, int block)
{
    uint8_t found = 0;
    for (int lane = 0; lane < BLOCK; lane++) {
        const uint8_t value = ((const uint8_t *)values)[block * BLOCK + lane];
        found = value > found ? value : found;
    }
    return found;
}

/* Begin with the columns of another subject in a block. */
static void begin_block(byte_stripes *laid, bytes *best, int block)
{
    memset((uint8_t *)best + block * BLOCK, 0, BLOCK);
    for (int64_t t = 0; t < 2 * laid->segments; t++)
        memset((uint8_t *)(laid->h + t) + block * BLOCK, 0, BLOCK);
}

/* Mark some subjects of one query, the longest first, with FURTHER_YES or FURTHER_NO as far as bytes tell. `rows` has
   room for `longest` columns of each block. */
static void mark_subjects(byte_stripes *laid, const query_profile *query, const sw_code *codes, const int64_t *starts,
                          const int64_t *lengths, const int64_t *order, int64_t count, int32_t *rows, int64_t longest,
                          const alignment_runs *pairs, const int64_t *least, uint8_t *reached)
{
    const sw_code ended = (sw_code)query->symbols;
    const int32_t none = -1, above = laid->most + 1;
    const block_subject idle = {&ended, &none, 0, 0, -1};
    block_subject side[BLOCKS];
    bytes best = BYTE_BROADCAST(0);
    int64_t next = 0;
    for (int b = 0; b < BLOCKS; b++)
        side[b] = idle;
    for (;;) {
        int64_t columns = 0;
        for (int b = 0; b < BLOCKS; b++) {
            for (; side[b].subject < 0 && next < count; next++) {
                const int64_t k = order[next];
                if (!lay_pairs(rows + b * longest, query->rows, lengths[k], pairs, k))
                    continue;
                lay_symbols(laid, query, codes + starts[k], lengths[k]);
                begin_block(laid, &best, b);
                side[b] = (block_subject){codes + starts[k], rows + b * longest, 1, lengths[k], k};
            }
            if (side[b].subject >= 0 && (!columns || side[b].left < columns))
                columns = side[b].left < LOOK ? side[b].left : LOOK;
        }
        if (!columns)
            return;
        best = next_columns(laid, query, side, columns, best);
        for (int b = 0; b < BLOCKS; b++) {
            const int64_t k = side[b].subject;
            if (k < 0)
                continue;
            const int32_t score = largest_of(&best, b);
            side[b].left -= columns;
            if (score >= (least[k] < above ? least[k] : above))
                reached[k] = least[k] <= above ? FURTHER_YES : FURTHER_UNKNOWN;
            else if (!side[b].left)
                reached[k] = FURTHER_NO;
            else
                continue;
            side[b] = idle;
        }
    }
}

#endif

/* Mark those of some subjects of one query that bytes can tell; the others keep FURTHER_UNKNOWN. */
static int reached_of_query(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                            const int64_t *order, int64_t count, const alignment_runs *pairs, const int64_t *least, uint8_t *reached)
{
#if SW_BYTES >= 32
    byte_stripes laid = {0};
    int64_t longest = 1;
    for (int64_t n = 0; n < count; n++)
        longest = lengths[order[n]] > longest ? lengths[order[n]] : longest;
    int32_t *rows = sw_allocate(BLOCKS * (size_t)longest * sizeof *rows);
    const int status = rows ? lay_stripes(&laid, query) : QUERY_NO_MEMORY;
    if (status == QUERY_FINE && laid.most > 0)
        mark_subjects(&laid, query, codes, starts, lengths, order, count, rows, longest, pairs, least, reached);
    sw_free(rows);
    free_stripes(&laid);
    return status;
#else
    (void)query, (void)codes, (void)starts, (void)lengths, (void)order, (void)count, (void)pairs, (void)least, (void)reached;
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
   least             [...] the score that is enough, at least 1
   reached           [...] out: FURTHER_NO, FURTHER_YES, or FURTHER_UNKNOWN where bytes do not tell
   Returns QUERY_FINE or what is wrong. */
SW_EXPORT int SW(further_reached)(const int16_t *profile, const int64_t *spans, int64_t symbols, int32_t first,
                                  int32_t extend, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                                  const int64_t *order, int64_t count, const int64_t *corners, const int64_t *places,
                                  const uint8_t *ops, const int32_t *runs, const int64_t *least, uint8_t *reached)
{
    const alignment_runs pairs = {corners, places, ops, runs};
    for (int64_t start = 0, end; start < count; start = end) {
        const int64_t *span = spans + 2 * order[start];
        const query_profile query = make_query(profile + span[0] * symbols, span[1], symbols, first, extend);
        for (end = start; end < count && spans[2 * order[end]] == span[0] && spans[2 * order[end] + 1] == span[1]; end++) {
            reached[order[end]] = FURTHER_UNKNOWN;
            if (!codes_fit(&query, codes + starts[order[end]], lengths[order[end]]))
                return QUERY_BAD_CODE;
        }
        const int status = reached_of_query(&query, codes, starts, lengths, order + start, end - start, &pairs, least, reached);
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
