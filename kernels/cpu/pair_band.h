/* Anti-diagonals of a long pair in a window along its diagonal (swgui/engines/pair/band.py says how it moves); include
   it with VALUE and NAME(x) as pair_tile.h. */

typedef struct {
    VALUE *pair, *insertion, *deletion; /* [d - start - 1][row - left]; NULL where nothing is kept */
    int64_t *first, *end;               /* rows of each anti-diagonal that have values */
    int64_t start, left, stride;
} NAME(stretch);

/* Whether a vertex can still reach the bound. */
static inline int NAME(reaches)(const pair_sizes *sizes, const band_rules *rules, const VALUE *line, int64_t d,
                                int64_t row, int64_t bound)
{
    const int64_t value = (int64_t)line[row] - sizes->extend * d, rows = sizes->h - row, columns = sizes->w - d + row;
    int64_t reached = value + rules->step * (rows < columns ? rows : columns);
    if (rules->end == BAND_CORNER)
        reached -= sizes->extend * (rows < columns ? columns - rows : rows - columns);
    return reached >= bound && (!rules->positive || value >= 0);
}

/* Cut the window back to what can still reach the bound. */
static void NAME(cut)(const NAME(tile) *tile, const pair_sizes *sizes, const band_rules *rules, band_state *state)
{
    const int64_t w = sizes->w;
    const int64_t bound = rules->start == BAND_ANYWHERE && state->score > rules->bound ? state->score : rules->bound;
    int64_t lowest = INT64_MAX, highest = -1;
    for (int64_t back = 0; back < 2; back++) { /* from the line before, a pair leads past this one to the next */
        const int64_t d = state->at - back, end = state->high < d ? state->high : d;
        const VALUE *line = tile->lines[(d + 3) % 3];
        int64_t first = state->low - back > d - w ? state->low - back : d - w, last = end;
        first = first > 0 ? first : 0;
        while (first <= end && !NAME(reaches)(sizes, rules, line, d, first, bound))
            first++;
        if (first > end)
            continue;
        while (!NAME(reaches)(sizes, rules, line, d, last, bound))
            last--;
        lowest = first + back < lowest ? first + back : lowest;
        highest = last > highest ? last : highest;
    }
    if (highest < 0) {
        state->ended = 1;
        return;
    }
    state->low = state->low > lowest ? state->low : lowest;
    state->high = state->high < highest ? state->high : highest;
    VALUE *here = tile->lines[state->at % 3];
    if (state->low > 0)
        here[state->low - 1] = (VALUE)sizes->never;
    here[state->high + 1] = (VALUE)sizes->never;
}

static void NAME(offer)(band_state *state, int64_t score, int64_t column, int64_t row)
{
    if (score < state->score)
        return;
    if (score > state->score || column < state->column || (column == state->column && row < state->row)) {
        state->score = score;
        state->column = column;
        state->row = row;
    }
}

/* The cells of the window on anti-diagonal d, rows first..first + count - 1. */
static void NAME(window)(const NAME(tile) *tile, const pair_sizes *sizes, const band_rules *rules, band_state *state,
                         int64_t *forbidden, const NAME(stretch) *kept, int64_t first, int64_t count)
{
    const int64_t d = state->at, shift = sizes->w - d;
    const VALUE lift = (VALUE)(sizes->extend * d);
    const VALUE least = rules->start == BAND_ANYWHERE ? lift : (VALUE)(2 * sizes->never);
    const VALUE *here = tile->lines[d % 3] + first, *along = tile->along + first, *down = tile->down + shift + first;
    VALUE *pair = tile->pair;
    NAME(add_scores)(tile, sizes, tile->lines[(d - 2) % 3] + first - 1, first, count, shift, tile->pair);
    for (; *forbidden < sizes->forbidden && tile->forbidden[2 * *forbidden] <= d; ++*forbidden) {
        const int64_t row = tile->forbidden[2 * *forbidden + 1] - first;
        if (tile->forbidden[2 * *forbidden] == d && row >= 0 && row < count)
            pair[row] = (VALUE)sizes->never;
    }
    const VALUE most = NAME(cells)(tile, sizes, d, first, count, least);
    state->cells += count;
    if (kept->pair) {
        const int64_t line = d - kept->start - 1, at = line * kept->stride + first - kept->left;
        memcpy(kept->pair + at, pair, (size_t)count * sizeof(VALUE));
        memcpy(kept->insertion + at, down, (size_t)count * sizeof(VALUE));
        memcpy(kept->deletion + at, along, (size_t)count * sizeof(VALUE));
        kept->first[line] = first;
        kept->end[line] = first + count - 1;
    }
    if (rules->end == BAND_ANYWHERE && (int64_t)most - lift >= state->score) {
        int64_t i = count - 1; /* the last of them has the smallest column */
        while (here[i] != most)
            i--;
        NAME(offer)(state, (int64_t)most - lift, d - first - i, first + i);
    }
}

/* Advance to anti-diagonal `end`, or until so many more cells are computed. */
static void NAME(band)(const NAME(tile) * tile, const pair_sizes *sizes, const band_rules *rules, band_state *state,
                       int64_t end, int64_t most_cells, const NAME(stretch) * kept)
{
    const int64_t h = sizes->h, w = sizes->w, enough = state->cells + most_cells;
    int64_t forbidden = 0, behind = sizes->forbidden;
    while (forbidden < behind) { /* the first on a diagonal to come */
        const int64_t middle = (forbidden + behind) / 2;
        if (tile->forbidden[2 * middle] <= state->at)
            forbidden = middle + 1;
        else
            behind = middle;
    }
    while (state->at < end && !state->ended && state->cells < enough) {
        const int64_t d = ++state->at;
        state->low = state->low > d - w ? state->low : d - w;
        state->high = state->high + 1 < h ? state->high + 1 : h;
        state->high = state->high < d ? state->high : d;
        const int64_t low = state->low, high = state->high;
        if (low > high) {
            state->ended = 1;
            return;
        }
        const int64_t first = low > 1 ? low : 1, stop = high < d - 1 ? high : d - 1;
        if (first <= stop)
            NAME(window)(tile, sizes, rules, state, &forbidden, kept, first, stop - first + 1);
        /* A gap along a border costs the same whatever its length, once it is lifted. */
        const VALUE border = (VALUE)(rules->start == BAND_CORNER ? -sizes->opening : sizes->extend * d);
        VALUE *here = tile->lines[d % 3];
        if (low == 0)
            here[0] = border;
        if (high == d)
            here[d] = border;
        if (low > 0)
            here[low - 1] = (VALUE)sizes->never;
        here[high + 1] = (VALUE)sizes->never;
        if (rules->end == BAND_BORDER && high == h)
            NAME(offer)(state, (int64_t)here[h] - sizes->extend * d, d - h, h);
        if (rules->end == BAND_BORDER && low == d - w)
            NAME(offer)(state, (int64_t)here[low] - sizes->extend * d, w, low);
        if (d % rules->cut_every == 0)
            NAME(cut)(tile, sizes, rules, state);
    }
}
