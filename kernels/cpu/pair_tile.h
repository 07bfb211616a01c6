/* Anti-diagonals of a tile of a long pair (swgui/engines/pair/tile.py has the picture); include it with VALUE, the type
   of scores, and NAME(x), what its names become. */

typedef struct {
    VALUE *top, *along, *down, *lines[3], *bottom, *pair;
    const VALUE *table;
    const VALUE *query, *subject;     /* numbers whose exclusive or tells a match, or */
    const int32_t *row, *column;      /* indices into the table, in two parts */
    const int64_t *forbidden;         /* diagonal and row of each, in order */
} NAME(tile);

/* `values + score` of the rows low..high of an anti-diagonal, into `pair`. */
static inline void NAME(add_scores)(const NAME(tile) * tile, const pair_sizes *sizes, const VALUE *restrict values,
                                    int64_t low, int64_t count, int64_t shift, VALUE *restrict pair)
{
    if (sizes->plain) {
        const VALUE *restrict query = tile->query + low - 1, *restrict subject = tile->subject + shift + low;
        const VALUE match = (VALUE)sizes->match, mismatch = (VALUE)(sizes->match - sizes->delta);
        for (int64_t i = 0; i < count; i++)
            pair[i] = values[i] + (query[i] == subject[i] ? match : mismatch);
    } else {
        const int32_t *restrict row = tile->row + low - 1, *restrict column = tile->column + shift + low;
        const VALUE *restrict table = tile->table;
        for (int64_t i = 0; i < count; i++)
            pair[i] = values[i] + table[row[i] + column[i]];
    }
}

static inline int64_t NAME(forbid)(const NAME(tile) * tile, const pair_sizes *sizes, int64_t at, int64_t d, int64_t low,
                                   VALUE *pair)
{
    for (; at < sizes->forbidden && tile->forbidden[2 * at] == d; at++)
        pair[tile->forbidden[2 * at + 1] - low] = (VALUE)sizes->never;
    return at;
}

/* The cells of anti-diagonal d, rows low..low + count - 1, of what `tile->pair` says; returns the highest value. */
static inline VALUE NAME(cells)(const NAME(tile) *tile, const pair_sizes *sizes, int64_t d, int64_t low, int64_t count,
                                VALUE least)
{
    const VALUE opening = (VALUE)sizes->opening;
    VALUE *restrict here = tile->lines[d % 3] + low;
    const VALUE *restrict last = tile->lines[(d - 1) % 3] + low, *restrict pair = tile->pair;
    VALUE *restrict along = tile->along + low, *restrict down = tile->down + sizes->w - d + low;
    VALUE most = (VALUE)(2 * sizes->never);
    for (int64_t i = 0; i < count; i++) {
        const VALUE side = last[i] - opening, above = last[i - 1] - opening;
        const VALUE e = along[i] > side ? along[i] : side, f = down[i] > above ? down[i] : above;
        VALUE value = pair[i] > e ? pair[i] : e;
        value = value > least ? value : least;
        value = value > f ? value : f;
        along[i] = e;
        down[i] = f;
        here[i] = value;
        most = most > value ? most : value;
    }
    return most;
}

/* Fill the anti-diagonals first..end-1; `best` is score, column and row of the best vertex so far. */
static void NAME(fill)(const NAME(tile) *tile, const pair_sizes *sizes, int64_t first, int64_t end, int64_t *best)
{
    const int64_t h = sizes->h, w = sizes->w;
    int64_t at = 0;
    while (at < sizes->forbidden && tile->forbidden[2 * at] < first)
        at++;
    for (int64_t d = first; d < end; d++) {
        const int64_t low = d - w > 1 ? d - w : 1, high = h < d - 1 ? h : d - 1;
        const int64_t count = high - low + 1, shift = w - d;
        const VALUE *here = tile->lines[d % 3] + low;
        NAME(add_scores)(tile, sizes, tile->lines[(d - 2) % 3] + low - 1, low, count, shift, tile->pair);
        at = NAME(forbid)(tile, sizes, at, d, low, tile->pair);
        const VALUE lift = (VALUE)(sizes->extend * d), least = sizes->floor ? lift : (VALUE)(2 * sizes->never);
        const VALUE most = NAME(cells)(tile, sizes, d, low, count, least);
        if (d <= w)
            tile->lines[d % 3][0] = tile->top[d];
        if (high == h)
            tile->bottom[d - h] = here[h - low];
        if (!sizes->asked || (int64_t)most - lift < best[0])
            continue;
        int64_t i = count - 1; /* the last of them has the smallest column */
        while (here[i] != most)
            i--;
        const int64_t score = (int64_t)most - lift, row = sizes->r0 + low + i, column = sizes->c0 + d - low - i;
        if (score > best[0] || column < best[1] || (column == best[1] && row < best[2])) {
            best[0] = score;
            best[1] = column;
            best[2] = row;
        }
    }
}

/* All values of a small problem: `[d, i]` of four arrays of h + 1 columns, whose first rows and columns are set. */
static void NAME(states)(const NAME(tile) *tile, const pair_sizes *sizes, VALUE *bests, VALUE *pairs, VALUE *insertions,
                         VALUE *deletions)
{
    const int64_t h = sizes->h, w = sizes->w, stride = h + 1;
    const VALUE open = (VALUE)(sizes->opening + sizes->extend), extend = (VALUE)sizes->extend;
    int64_t at = 0;
    for (int64_t d = 2; d <= h + w; d++) {
        const int64_t low = d - w > 1 ? d - w : 1, high = h < d - 1 ? h : d - 1, count = high - low + 1;
        const VALUE *restrict last = bests + (d - 1) * stride + low;
        const VALUE *restrict last_deletion = deletions + (d - 1) * stride + low;
        const VALUE *restrict last_insertion = insertions + (d - 1) * stride + low;
        VALUE *restrict pair = pairs + d * stride + low, *restrict insertion = insertions + d * stride + low;
        VALUE *restrict deletion = deletions + d * stride + low, *restrict best = bests + d * stride + low;
        NAME(add_scores)(tile, sizes, bests + (d - 2) * stride + low - 1, low, count, w - d, pair);
        at = NAME(forbid)(tile, sizes, at, d, low, pair);
        for (int64_t i = 0; i < count; i++) {
            const VALUE side = last[i] - open, above = last[i - 1] - open;
            const VALUE longer = last_deletion[i] - extend, deeper = last_insertion[i - 1] - extend;
            const VALUE e = longer > side ? longer : side, f = deeper > above ? deeper : above;
            const VALUE gap = e > f ? e : f;
            deletion[i] = e;
            insertion[i] = f;
            best[i] = pair[i] > gap ? pair[i] : gap;
        }
    }
}
