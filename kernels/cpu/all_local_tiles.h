/* The grid of tiles behind all_local.c, for one width of cells; included once for each.

   CELL    int16_t or int32_t
   NAME(x) the name of a thing for this width

   The matrix of a pair is cut into tiles. Kept are only their borders: the last row of each tile row (H, and the
   insertion that enters the row below) and the last column of each tile column (H, and the deletion that enters the
   next column); so any tile can be computed again by itself. Inside a tile the query's rows are striped over the lanes
   of a vector (Farrar 2007): row `lane * segments + segment`. Gaps below 0 count as 0: no best local alignment
   has one. */

#define LANES ((int)(SW_BYTES / sizeof(CELL)))
#define LOWEST ((CELL)((CELL)1 << (sizeof(CELL) * 8 - 2)) * -2)

typedef CELL NAME(vector) __attribute__((vector_size(SW_BYTES)));

typedef struct {
    int width; /* of cells, in bytes: which of both the handle is */
    int64_t rows, columns, high, broad; /* residues, and tiles */
    int letters, tall, wide, segments; /* rows and columns of a tile, rows of a lane */
    int first, extend;
    CELL
        *costs; /* of gaps by row, four times [high * tall], striped: ACROSS and DOWN, each first and extend; or NULL */
    int32_t *lane_costs; /* [high][LANES]: of an insertion that goes through all rows of a lane */
    int limit; /* a tile with a higher score may have overflown */
    int overflown, borrowed; /* the profile belongs to another grid */
    int16_t *profile; /* [rows][letters] */
    CELL *striped;    /* [high][letters][tall] */
    sw_code *subject;
    CELL *row_h, *row_i;    /* [high + 1][columns + 1]; column j at j + 1 */
    CELL *column_h, *column_d; /* [broad + 1][high * tall], striped */
    CELL *fresh; /* of the tile just computed: last column of H, of deletions, a column of scores; last row of H, of
                    insertions */
    int32_t *best;
    int64_t *best_column; /* of each tile, the first column with its best score */
    uint8_t *dirty;
    uint64_t **taken; /* of each tile, the aligned pairs that are used up: [wide][tall / 64]; or NULL */
    uint16_t **steps; /* of each tile, its steps [wide][tall], striped, while an alignment is traced; or NULL */
    list loaded, spare, nodes, runs;
} NAME(grid);

static inline NAME(vector) NAME(maximum)(NAME(vector) a, NAME(vector) b)
{
    NAME(vector) r;
    for (int k = 0; k < LANES; k++)
        r[k] = a[k] > b[k] ? a[k] : b[k];
    return r;
}

static inline NAME(vector) NAME(all)(CELL value)
{
    NAME(vector) r;
    for (int k = 0; k < LANES; k++)
        r[k] = value;
    return r;
}

/* Every lane takes the value of the one before it, the first one `value`. */
static inline NAME(vector) NAME(shift)(NAME(vector) a, CELL value)
{
#ifdef SHUFFLE_16
    NAME(vector) r = SHUFFLE(a);
    r[0] = value;
    return r;
#else
    typedef CELL anywhere __attribute__((vector_size(SW_BYTES), aligned(sizeof(CELL))));
    CELL room[2 * LANES] __attribute__((aligned(SW_BYTES)));
    *(anywhere *)(room + 1) = a;
    room[0] = value;
    return *(NAME(vector) *)room;
#endif
}

static inline int NAME(any_above)(NAME(vector) a, NAME(vector) b)
{
    typedef uint64_t words __attribute__((vector_size(SW_BYTES)));
    words above = (words)(a > b);
    uint64_t found = 0;
    for (int k = 0; k < SW_BYTES / 8; k++)
        found |= above[k];
    return found != 0;
}

static inline int64_t NAME(columns_of)(const NAME(grid) *g, int64_t c)
{
    int64_t left = g->columns - c * g->wide;
    return left < g->wide ? left : g->wide;
}

static inline int64_t NAME(rows_of)(const NAME(grid) *g, int64_t r)
{
    int64_t left = g->rows - r * g->tall;
    return left < g->tall ? left : g->tall;
}

/* Place of a row of a tile among its striped rows. */
static inline int64_t NAME(lane_of)(const NAME(grid) *g, int64_t row)
{
    return row % g->segments * LANES + row / g->segments;
}

/* The scores of one column without the pairs that are used up. */
static const CELL *NAME(spared)(const NAME(grid) *g, const CELL *scores, const uint64_t *used)
{
    const int words = g->tall / 64;
    uint64_t some = 0;
    for (int w = 0; w < words; w++)
        some |= used[w];
    if (!some)
        return scores;
    CELL *copy = g->fresh + 2 * g->tall;
    memcpy(copy, scores, g->tall * sizeof(CELL));
    for (int w = 0; w < words; w++)
        for (uint64_t bits = used[w]; bits; bits &= bits - 1)
            copy[NAME(lane_of)(g, 64 * w + __builtin_ctzll(bits))] = LOWEST;
    return copy;
}

/* Let the insertions that enter each lane, which are those of the lane before it, continue through whole lanes; returns
   the one that leaves the last lane. */
static inline CELL NAME(enter)(NAME(vector) *entering, CELL below, int32_t lane_cost, const int32_t *lane_costs)
{
    CELL lanes[LANES];
    int32_t through = 0;
    memcpy(lanes, entering, sizeof lanes);
    for (int k = 0; k < LANES; k++) {
        if (through > lanes[k])
            lanes[k] = (CELL)through;
        if (lane_costs)
            lane_cost = lane_costs[k];
        through = lanes[k] > lane_cost ? lanes[k] - lane_cost : 0;
    }
    memcpy(entering, lanes, sizeof lanes);
    return through > below ? (CELL)through : below;
}

/* Compute one tile from its upper and left borders into `fresh`: last row of H and of insertions, last column of H and
   of deletions; and its best score. With `varying` costs they are those of each row. */
static inline __attribute__((always_inline)) void NAME(compute_with)(NAME(grid) * g, int64_t r, int64_t c,
                                                                     const int varying)
{
    typedef NAME(vector) vector;
    const int tall = g->tall, segments = g->segments;
    const int64_t left = c * g->wide, wide = NAME(columns_of)(g, c), at = r * g->broad + c;
    const CELL *up_h = g->row_h + r * (g->columns + 1) + left, *up_i = g->row_i + r * (g->columns + 1) + left + 1;
    const int64_t column = (c * g->high + r) * tall;
    CELL *low_h = g->fresh + 3 * tall, *low_i = low_h + g->wide;
    vector *h = (vector *)g->fresh, *d = (vector *)(g->fresh + tall);
    const sw_code *subject = g->subject + left;
    const CELL *striped = g->striped + r * g->letters * tall;
    const uint64_t *taken = g->taken[at];
    const vector first = NAME(all)((CELL)g->first), extend = NAME(all)((CELL)g->extend), zero = NAME(all)(0);
    const int32_t lane_cost = (int64_t)segments * g->extend < INT32_MAX ? segments * g->extend : INT32_MAX;
    const int32_t *lane_costs = varying ? g->lane_costs + r * LANES : NULL;
    const vector *costs[4];
    for (int kind = 0; kind < 4; kind++)
        costs[kind] = varying ? (const vector *)(g->costs + (kind * g->high + r) * tall) : NULL;
    vector best = zero;
    int32_t best_score = 0;
    int64_t best_column = 0;

    memcpy(h, g->column_h + column, tall * sizeof(CELL));
    memcpy(d, g->column_d + column, tall * sizeof(CELL));
    for (int64_t j = 0; j < wide; j++) {
        const CELL *scores = striped + subject[j] * tall;
        if (taken)
            scores = NAME(spared)(g, scores, taken + j * (tall / 64));
        vector diagonal = NAME(shift)(h[segments - 1], up_h[j]);
        vector i = zero, top = zero;
        i[0] = up_i[j];
        for (int s = 0; s < segments; s++) {
            vector cell = diagonal + ((const vector *)scores)[s];
            vector across = d[s];
            cell = NAME(maximum)(NAME(maximum)(cell, across), i);
            diagonal = h[s];
            h[s] = cell;
            top = NAME(maximum)(top, cell);
            vector opened = NAME(maximum)(cell - (varying ? costs[ACROSS_FIRST][s] : first), zero);
            d[s] = NAME(maximum)(across - (varying ? costs[ACROSS_EXTEND][s] : extend), opened);
            if (varying)
                opened = NAME(maximum)(cell - costs[DOWN_FIRST][s], zero);
            i = NAME(maximum)(i - (varying ? costs[DOWN_EXTEND][s] : extend), opened);
        }
        CELL below = i[LANES - 1];
        i = NAME(shift)(i, 0);
        if (NAME(any_above)(i, NAME(maximum)(h[0] - (varying ? costs[DOWN_FIRST][0] : first), zero))) {
            below = NAME(enter)(&i, below, lane_cost, lane_costs);
            for (int s = 0; s < segments; s++) {
                if (s % 4 == 0 &&
                    !NAME(any_above)(i, NAME(maximum)(h[s] - (varying ? costs[DOWN_FIRST][s] : first), zero)))
                    break;
                h[s] = NAME(maximum)(h[s], i);
                d[s] = NAME(maximum)(d[s], h[s] - (varying ? costs[ACROSS_FIRST][s] : first));
                i = NAME(maximum)(i - (varying ? costs[DOWN_EXTEND][s] : extend), zero);
            }
        }
        low_h[j] = h[segments - 1][LANES - 1];
        low_i[j] = below;
        if (NAME(any_above)(top, best)) {
            for (int k = 0; k < LANES; k++)
                if (top[k] > best_score)
                    best_score = top[k];
            best = NAME(all)((CELL)best_score);
            best_column = left + j;
        }
    }
    g->best[at] = best_score;
    g->best_column[at] = best_column;
    g->overflown |= best_score > g->limit;
}

static void NAME(compute)(NAME(grid) *g, int64_t r, int64_t c)
{
    if (g->costs)
        NAME(compute_with)(g, r, c, 1);
    else
        NAME(compute_with)(g, r, c, 0);
}

/* Take over the borders of the tile just computed; marks the tiles that they change. */
static void NAME(keep)(NAME(grid) *g, int64_t r, int64_t c, int mark)
{
    const int tall = g->tall;
    const int64_t wide = NAME(columns_of)(g, c), at = r * g->broad + c;
    const int64_t line = (r + 1) * (g->columns + 1) + c * g->wide + 1, column = ((c + 1) * g->high + r) * tall;
    const CELL *right_h = g->fresh, *right_d = g->fresh + tall, *low_h = g->fresh + 3 * tall, *low_i = low_h + g->wide;
    const size_t row_bytes = wide * sizeof(CELL), column_bytes = tall * sizeof(CELL);
    if (mark) {
        const int below = r + 1 < g->high, beside = c + 1 < g->broad;
        if (below && (memcmp(g->row_h + line, low_h, row_bytes) || memcmp(g->row_i + line, low_i, row_bytes)))
            g->dirty[at + g->broad] = 1;
        if (beside && (memcmp(g->column_h + column, right_h, column_bytes) ||
                       memcmp(g->column_d + column, right_d, column_bytes)))
            g->dirty[at + 1] = 1;
        if (below && beside && g->row_h[line + wide - 1] != low_h[wide - 1])
            g->dirty[at + g->broad + 1] = 1;
    }
    memcpy(g->row_h + line, low_h, row_bytes);
    memcpy(g->row_i + line, low_i, row_bytes);
    memcpy(g->column_h + column, right_h, column_bytes);
    memcpy(g->column_d + column, right_d, column_bytes);
}

/* Compute the tiles that are marked, and those that they change. */
static int NAME(update)(NAME(grid) *g, check_function check, int mark)
{
    for (int64_t r = 0; r < g->high; r++) {
        int looked = 0;
        for (int64_t c = 0; c < g->broad; c++) {
            if (!g->dirty[r * g->broad + c])
                continue;
            if (!looked++ && check && check())
                return STOPPED;
            NAME(compute)(g, r, c);
            NAME(keep)(g, r, c, mark);
            g->dirty[r * g->broad + c] = 0;
        }
        if (g->overflown)
            return OVERFLOWN;
    }
    return DONE;
}

/* Compute the steps of a tile, striped as its scores are, column by column; returns the first row whose cell in column
   `watched` has the score `value`. A first pass over a column finds what insertions enter each lane, a second one has
   all that its cells need. */
static inline __attribute__((always_inline)) int64_t NAME(trace_with)(NAME(grid) * g, int64_t r, int64_t c,
                                                                      uint16_t *steps, int64_t watched, int32_t value,
                                                                      const int varying)
{
    typedef NAME(vector) vector;
    const int tall = g->tall, segments = g->segments;
    const int64_t left = c * g->wide, wide = NAME(columns_of)(g, c);
    const CELL *up_h = g->row_h + r * (g->columns + 1) + left, *up_i = g->row_i + r * (g->columns + 1) + left + 1;
    const int64_t column = (c * g->high + r) * tall;
    vector *h = (vector *)g->fresh, *d = (vector *)(g->fresh + tall);
    const CELL *striped = g->striped + r * g->letters * tall;
    const uint64_t *taken = g->taken[r * g->broad + c];
    const vector first = NAME(all)((CELL)g->first), extend = NAME(all)((CELL)g->extend), zero = NAME(all)(0);
    const int32_t lane_cost = (int64_t)segments * g->extend < INT32_MAX ? segments * g->extend : INT32_MAX;
    const int32_t *lane_costs = varying ? g->lane_costs + r * LANES : NULL;
    const vector *costs[4];
    for (int kind = 0; kind < 4; kind++)
        costs[kind] = varying ? (const vector *)(g->costs + (kind * g->high + r) * tall) : NULL;
    int64_t found = -1;

    memcpy(h, g->column_h + column, tall * sizeof(CELL));
    memcpy(d, g->column_d + column, tall * sizeof(CELL));
    for (int64_t j = 0; j < wide; j++) {
        const CELL *scores = striped + g->subject[left + j] * tall;
        if (taken)
            scores = NAME(spared)(g, scores, taken + j * (tall / 64));
        const vector corner = NAME(shift)(h[segments - 1], up_h[j]);
        vector diagonal = corner, i = zero;
        i[0] = up_i[j];
        for (int s = 0; s < segments; s++) {
            vector cell = NAME(maximum)(NAME(maximum)(diagonal + ((const vector *)scores)[s], d[s]), i);
            diagonal = h[s];
            i = NAME(maximum)(i - (varying ? costs[DOWN_EXTEND][s] : extend),
                              NAME(maximum)(cell - (varying ? costs[DOWN_FIRST][s] : first), zero));
        }
        i = NAME(shift)(i, 0);
        NAME(enter)(&i, 0, lane_cost, lane_costs);
        i[0] = up_i[j];
        diagonal = corner;
        for (int s = 0; s < segments; s++) {
            const vector pair = diagonal + ((const vector *)scores)[s], across = d[s], in = i;
            const vector cell = NAME(maximum)(NAME(maximum)(pair, across), in);
            diagonal = h[s];
            h[s] = cell;
            const vector opened = cell - (varying ? costs[DOWN_FIRST][s] : first);
            const vector longer = in - (varying ? costs[DOWN_EXTEND][s] : extend);
            const vector beside = cell - (varying ? costs[ACROSS_FIRST][s] : first);
            const vector further = across - (varying ? costs[ACROSS_EXTEND][s] : extend);
            i = NAME(maximum)(NAME(maximum)(opened, longer), zero);
            d[s] = NAME(maximum)(NAME(maximum)(beside, further), zero);
            const vector from = ((vector)(pair == cell) & FROM_PAIR) | ((vector)(in == cell) & FROM_INSERTION) |
                                ((vector)(across == cell) & FROM_DELETION);
            const vector how =
                ((vector)(opened >= longer) & OPENS_INSERTION) | ((vector)(longer >= opened) & KEEPS_INSERTION) |
                ((vector)(beside >= further) & OPENS_DELETION) | ((vector)(further >= beside) & KEEPS_DELETION);
            const vector step = (from & (vector)(cell > zero)) | how;
            uint16_t *out = steps + j * tall + s * LANES;
            for (int k = 0; k < LANES; k++)
                out[k] = (uint16_t)step[k];
        }
        for (int64_t row = 0; j == watched && found < 0 && row < tall; row++)
            if (((const CELL *)h)[NAME(lane_of)(g, row)] == value)
                found = row;
    }
    return found;
}

static int64_t NAME(trace_tile)(NAME(grid) *g, int64_t at, uint16_t *steps, int64_t watched, int32_t value)
{
    if (g->costs)
        return NAME(trace_with)(g, at / g->broad, at % g->broad, steps, watched, value, 1);
    return NAME(trace_with)(g, at / g->broad, at % g->broad, steps, watched, value, 0);
}

/* Compute the steps of a tile that has none yet; returns what `trace_tile` does, or -2 if there is no memory. */
static int64_t NAME(load)(NAME(grid) *g, int64_t at, int64_t watched, int32_t value)
{
    uint16_t *room = NULL;
    if (g->spare.count)
        room = (uint16_t *)(intptr_t)g->spare.values[--g->spare.count];
    else
        room = malloc((size_t)g->tall * g->wide * sizeof *room);
    if (!room)
        return -2;
    if (append(&g->loaded, at)) {
        free(room);
        return -2;
    }
    g->steps[at] = room;
    return NAME(trace_tile)(g, at, room, watched, value);
}

/* Place of the steps of a cell; NULL if there is no memory. */
static inline uint16_t *NAME(cell)(NAME(grid) *g, int64_t i, int64_t j)
{
    const int64_t at = i / g->tall * g->broad + j / g->wide;
    if (!g->steps[at] && NAME(load)(g, at, -1, 0) == -2)
        return NULL;
    return g->steps[at] + j % g->wide * g->tall + NAME(lane_of)(g, i % g->tall);
}

/* States that lead to a node, as bits 1 << state; 0 if the alignment begins there, -1 without memory. */
static int NAME(before)(NAME(grid) *g, node here, node *from)
{
    from->i = here.i - (here.state != DELETION);
    from->j = here.j - (here.state != INSERTION);
    if (from->i < 0 || from->j < 0)
        return 0;
    const uint16_t *found = NAME(cell)(g, from->i, from->j);
    if (!found)
        return -1;
    const int steps = *found, best = steps & (FROM_PAIR | FROM_INSERTION | FROM_DELETION);
    if (here.state == PAIR)
        return best;
    if (here.state == INSERTION)
        return (steps & OPENS_INSERTION ? best & (FROM_PAIR | FROM_DELETION) : 0) |
               (steps & KEEPS_INSERTION ? FROM_INSERTION : 0);
    return (steps & OPENS_DELETION ? best & (FROM_PAIR | FROM_INSERTION) : 0) |
           (steps & KEEPS_DELETION ? FROM_DELETION : 0);
}

/* Follow every best alignment that ends at a node; finds the pair that begins last in the subject, then in
   the query. */
static int NAME(last_start)(NAME(grid) *g, node end, node *start)
{
    start->i = start->j = -1;
    g->nodes.count = 0;
    if (append(&g->nodes, packed(end, g->columns)))
        return NO_MEMORY;
    while (g->nodes.count) {
        node here = unpacked(g->nodes.values[--g->nodes.count], g->columns), from;
        int states = NAME(before)(g, here, &from);
        if (states < 0)
            return NO_MEMORY;
        if (!states && (here.j > start->j || (here.j == start->j && here.i > start->i)))
            *start = here;
        if (!states)
            continue;
        uint16_t *cell = NAME(cell)(g, from.i, from.j);
        for (from.state = 0; from.state < 3; from.state++)
            if (states >> from.state & 1 && !(*cell & SEEN << from.state)) {
                *cell |= SEEN << from.state;
                if (append(&g->nodes, packed(from, g->columns)))
                    return NO_MEMORY;
            }
    }
    return DONE;
}

/* Leave in `nodes` the way from an end to a start, in every step the first state that leads there. */
static int NAME(walk)(NAME(grid) *g, node end, node start)
{
    g->nodes.count = 0;
    if (append(&g->nodes, packed(end, g->columns)))
        return NO_MEMORY;
    while (g->nodes.count) {
        node here = unpacked(g->nodes.values[g->nodes.count - 1], g->columns), from;
        int states = NAME(before)(g, here, &from);
        if (states < 0)
            return NO_MEMORY;
        if (!states && here.i == start.i && here.j == start.j)
            return DONE;
        int chosen = 3;
        if (states) {
            const uint16_t steps = *NAME(cell)(g, from.i, from.j);
            for (chosen = 0; chosen < 3; chosen++)
                if (states >> chosen & 1 && !(steps & DEAD << chosen))
                    break;
        }
        if (chosen < 3) {
            from.state = chosen;
            if (append(&g->nodes, packed(from, g->columns)))
                return NO_MEMORY;
            continue;
        }
        uint16_t *cell = NAME(cell)(g, here.i, here.j); /* leads to other starts only */
        if (!cell)
            return NO_MEMORY;
        *cell |= DEAD << here.state;
        g->nodes.count--;
    }
    return NO_MEMORY; /* never: the start was reached from this end */
}

/* Take an aligned pair out of the matrix. */
static inline int NAME(take)(NAME(grid) *g, int64_t row, int64_t column)
{
    const int words = g->tall / 64;
    const int64_t at = row / g->tall * g->broad + column / g->wide, i = row % g->tall, j = column % g->wide;
    if (!g->taken[at] && !(g->taken[at] = calloc((size_t)g->wide * words, sizeof(uint64_t))))
        return NO_MEMORY;
    g->taken[at][j * words + i / 64] |= (uint64_t)1 << (i % 64);
    g->dirty[at] = 1;
    return DONE;
}

/* Turn the way in `nodes` into runs, and take its aligned pairs out of the matrix. */
static int NAME(use_up)(NAME(grid) *g)
{
    g->runs.count = 0;
    for (int64_t k = g->nodes.count - 1; k >= 0; k--) {
        node here = unpacked(g->nodes.values[k], g->columns);
        if (g->runs.count && g->runs.values[g->runs.count - 2] == here.state)
            g->runs.values[g->runs.count - 1]++;
        else if (append(&g->runs, here.state) || append(&g->runs, 1))
            return NO_MEMORY;
        if (here.state == PAIR && NAME(take)(g, here.i, here.j))
            return NO_MEMORY;
    }
    return DONE;
}

static int NAME(find_end)(NAME(grid) *g, node *end)
{
    int64_t tile = -1;
    for (int64_t at = 0; at < g->high * g->broad; at++)
        if (g->best[at] && (tile < 0 || g->best[at] > g->best[tile] ||
                            (g->best[at] == g->best[tile] && g->best_column[at] < g->best_column[tile])))
            tile = at;
    if (tile < 0)
        return 0;
    const int64_t c = tile % g->broad, first = tile / g->broad * g->tall;
    const int64_t row = NAME(load)(g, tile, g->best_column[tile] - c * g->wide, g->best[tile]);
    if (row < 0)
        return -1;
    *end = (node){first + row, g->best_column[tile], PAIR};
    return g->best[tile];
}

static int NAME(next)(NAME(grid) *g, int64_t least, int64_t *head, check_function check)
{
    node end, start;
    int status = NAME(update)(g, check, 1);
    memset(head, 0, 4 * sizeof *head);
    if (status)
        return status;
    int score = NAME(find_end)(g, &end);
    if (score < 0)
        return NO_MEMORY;
    if (!score || score < least)
        return DONE;
    status = NAME(last_start)(g, end, &start);
    if (!status)
        status = NAME(walk)(g, end, start);
    if (!status)
        status = NAME(use_up)(g);
    for (int64_t k = 0; k < g->loaded.count; k++) {
        uint16_t **steps = g->steps + g->loaded.values[k];
        if (append(&g->spare, (int64_t)(intptr_t)*steps))
            free(*steps);
        *steps = NULL;
    }
    g->loaded.count = 0;
    if (status)
        return status;
    head[0] = score;
    head[1] = start.i;
    head[2] = start.j;
    head[3] = g->runs.count / 2;
    return DONE;
}

static void NAME(close)(NAME(grid) *g)
{
    if (!g)
        return;
    for (int64_t at = 0; at < g->high * g->broad; at++) {
        if (g->taken)
            free(g->taken[at]);
        if (g->steps)
            free(g->steps[at]);
    }
    for (int64_t k = 0; k < g->spare.count; k++)
        free((void *)(intptr_t)g->spare.values[k]);
    free(g->loaded.values), free(g->spare.values), free(g->nodes.values), free(g->runs.values);
    free(g->taken), free(g->steps), free(g->best), free(g->best_column), free(g->dirty), free(g->subject);
    if (!g->borrowed)
        free(g->profile), free(g->lane_costs), sw_free(g->striped), sw_free(g->costs);
    sw_free(g->row_h), sw_free(g->row_i), sw_free(g->column_h), sw_free(g->column_d), sw_free(g->fresh);
    free(g);
}

static CELL *NAME(zeros)(int64_t count)
{
    CELL *made = sw_allocate(count * sizeof(CELL));
    if (made)
        memset(made, 0, count * sizeof(CELL));
    return made;
}

/* The profile as vectors; rows beyond the query can be in no alignment. */
static void NAME(stripe)(NAME(grid) *g)
{
    for (int64_t r = 0; r < g->high; r++)
        for (int letter = 0; letter < g->letters; letter++) {
            CELL *at = g->striped + (r * g->letters + letter) * g->tall; /* in the order of `lane_of` */
            for (int64_t s = 0; s < g->segments; s++)
                for (int64_t row = r * g->tall + s; row < (r + 1) * g->tall; row += g->segments)
                    *at++ = row < g->rows ? g->profile[row * g->letters + letter] : LOWEST;
        }
}

/* The gap costs of each row as vectors, and of whole lanes; rows beyond the query can be in no alignment. */
static void NAME(lay_costs)(NAME(grid) *g, const int16_t *costs)
{
    const int most = (int)(((uint32_t)1 << (sizeof(CELL) * 8 - 1)) - 1);
    for (int64_t row = 0; row < g->high * g->tall; row++) {
        const int64_t r = row / g->tall, i = row % g->tall;
        for (int kind = 0; kind < 4; kind++)
            g->costs[(kind * g->high + r) * g->tall + NAME(lane_of)(g, i)] =
                (CELL)(row < g->rows ? costs[kind * g->rows + row] : most);
        int32_t *lane = g->lane_costs + r * LANES + i / g->segments;
        *lane = row < g->rows && *lane < INT32_MAX / 2 ? *lane + costs[DOWN_EXTEND * g->rows + row] : INT32_MAX;
    }
}

/* Make a grid of which every tile is marked; the profile may be that of another grid. */
static int NAME(create)(NAME(grid) **made, problem p, const NAME(grid) *like)
{
    NAME(grid) *g = calloc(1, sizeof *g);
    *made = g;
    if (!g)
        return NO_MEMORY;
    const int most = (int)(((uint32_t)1 << (sizeof(CELL) * 8 - 1)) - 1);
    int step = 0;
    for (int64_t k = 0; !like && k < p.rows * p.letters; k++)
        step = p.profile[k] > step ? p.profile[k] : step;
    g->width = sizeof(CELL);
    g->limit = like ? like->limit : most - step;
    g->rows = p.rows, g->columns = p.columns, g->letters = p.letters, g->tall = p.tall, g->wide = p.wide;
    g->high = (p.rows + p.tall - 1) / p.tall, g->broad = (p.columns + p.wide - 1) / p.wide;
    g->segments = p.tall / LANES;
    g->first = p.first < most ? p.first : most;
    g->extend = p.extend < most ? p.extend : most;
    const int64_t tiles = g->high * g->broad, lines = (g->high + 1) * (p.columns + 1);
    const int64_t stack = (g->broad + 1) * g->high * p.tall;
    g->borrowed = like != NULL;
    g->profile = like ? like->profile : malloc((size_t)(p.rows * p.letters) * sizeof *g->profile);
    g->subject = malloc((size_t)p.columns * sizeof *g->subject);
    g->striped = like ? like->striped : NAME(zeros)(g->high * p.letters * p.tall);
    if (p.costs) {
        g->costs = like ? like->costs : NAME(zeros)(4 * g->high * p.tall);
        g->lane_costs = like ? like->lane_costs : calloc((size_t)(g->high * LANES), sizeof *g->lane_costs);
        if (!g->costs || !g->lane_costs)
            return NO_MEMORY;
    }
    g->row_h = NAME(zeros)(lines), g->row_i = NAME(zeros)(lines);
    g->column_h = NAME(zeros)(stack), g->column_d = NAME(zeros)(stack);
    g->fresh = NAME(zeros)(3 * p.tall + 2 * p.wide);
    g->best = calloc((size_t)tiles, sizeof *g->best);
    g->best_column = calloc((size_t)tiles, sizeof *g->best_column);
    g->dirty = malloc((size_t)tiles);
    g->taken = calloc((size_t)tiles, sizeof *g->taken);
    g->steps = calloc((size_t)tiles, sizeof *g->steps);
    if (!g->profile || !g->subject || !g->striped || !g->row_h || !g->row_i || !g->column_h || !g->column_d ||
        !g->fresh || !g->best || !g->best_column || !g->dirty || !g->taken || !g->steps)
        return NO_MEMORY;
    memcpy(g->subject, p.subject, (size_t)p.columns * sizeof *g->subject);
    memset(g->dirty, 1, (size_t)tiles);
    if (!like) {
        memcpy(g->profile, p.profile, (size_t)(p.rows * p.letters) * sizeof *g->profile);
        NAME(stripe)(g);
        if (p.costs)
            NAME(lay_costs)(g, p.costs);
    }
    return DONE;
}

static int NAME(open)(NAME(grid) **made, problem p, const NAME(grid) *like, check_function check)
{
    int status = NAME(create)(made, p, like);
    return status ? status : NAME(update)(*made, check, 0);
}

/* The best score of a pair without the aligned pairs of one alignment. */
static int NAME(rest)(NAME(grid) *g, route path, int32_t *best)
{
    int64_t i = path.row, j = path.column;
    for (int64_t k = 0; k < path.runs; k++)
        for (int64_t n = 0; n < path.lengths[k]; n++) {
            if (path.ops[k] == PAIR && NAME(take)(g, i, j))
                return NO_MEMORY;
            i += path.ops[k] != DELETION;
            j += path.ops[k] != INSERTION;
        }
    int status = NAME(update)(g, NULL, 0);
    for (int64_t at = 0; at < g->high * g->broad; at++)
        *best = g->best[at] > *best ? g->best[at] : *best;
    return status;
}

static int NAME(rest_of)(NAME(grid) **first, problem p, route path, int32_t *best)
{
    NAME(grid) *g;
    int status = NAME(create)(&g, p, *first);
    if (!status)
        status = NAME(rest)(g, path, best);
    if (!status && !*first)
        *first = g; /* its profile serves the others */
    else
        NAME(close)(g);
    return status;
}

#undef LANES
#undef LOWEST
