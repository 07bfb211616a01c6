/* The path of a best local alignment inside its region; included once for each width, as striped.h is.

   Only H is kept, column by column. That is enough: a cell's pair value is H of the cell before it on the diagonal plus
   the score; a gap in the subject is looked for up the column; what is neither is a gap in the query. Every best path
   inside a region begins in its corner (of all possible it starts last), so values counted from anywhere serve as well
   as from there. */

/* Rooms for one region; they grow and are used again. */
typedef struct {
    OF(stripes) stripes;
    VEC *e, *block, *kept; /* kept: H and E of the column before each block */
    int32_t *place;        /* where a row is in a column */
    sw_code *tracks[2];    /* residues and letters of the region's columns, in two tracks */
    void *memory;
    size_t bytes;
} OF(trace_rooms);

static int OF(make_room)(OF(trace_rooms) * rooms, const query_profile *query, int64_t rows, int64_t columns,
                         int64_t width, int64_t blocks)
{
    const int64_t symbols = query->symbols + (query->more ? query->letters : 0);
    const size_t column = OF(column_bytes)(rows);
    const size_t places = ((size_t)rows * sizeof(int32_t) + 63) / 64 * 64;
    const size_t codes = query->more ? (size_t)columns * sizeof(sw_code) : 0;
    const size_t bytes = column * (size_t)(symbols + 1 + width + 1 + 2 * blocks) + places + 2 * codes;
    if (bytes > rooms->bytes) {
        sw_free(rooms->memory);
        rooms->bytes = bytes;
        rooms->memory = sw_allocate(bytes);
        if (!rooms->memory) {
            rooms->bytes = 0;
            return QUERY_NO_MEMORY;
        }
    }
    char *at = rooms->memory;
    rooms->stripes.scores = (VEC *)at;
    rooms->stripes.more = (VEC *)(at + column * (size_t)query->symbols);
    rooms->e = (VEC *)(at += column * (size_t)symbols);
    rooms->block = (VEC *)(at += column);
    rooms->kept = (VEC *)(at += column * (size_t)(width + 1));
    rooms->place = (int32_t *)(at += column * (size_t)(2 * blocks));
    rooms->tracks[0] = (sw_code *)(at + places);
    rooms->tracks[1] = (sw_code *)(at + places + codes);
    return QUERY_FINE;
}

/* Lay out the rows of a region for the symbols in it, those of two tracks apart. */
static void OF(lay_region)(OF(trace_rooms) * rooms, const query_profile *query, const region *box)
{
    uint8_t wanted[SW_SYMBOLS] = {0}, others[SW_SYMBOLS] = {0};
    for (int64_t j = 0; j < box->columns && !query->more; j++)
        wanted[box->codes[j]] = 1;
    for (int64_t j = 0; j < box->columns && query->more; j++) {
        wanted[rooms->tracks[0][j] = (sw_code)(box->codes[j] / query->letters)] = 1;
        others[rooms->tracks[1][j] = (sw_code)(box->codes[j] % query->letters)] = 1;
    }
    OF(lay_out)(&rooms->stripes, query->scores, query->symbols, box->row, 1, box->rows, wanted, query->highest);
    const int64_t segments = rooms->stripes.segments;
    for (int64_t lane = 0, row = 0; row < box->rows; lane++)
        for (int64_t t = 0; t < segments && row < box->rows; t++, row++)
            rooms->place[row] = (int32_t)(t * LANES + lane);
    if (!query->more)
        return;
    OF(stripes) second = {.scores = rooms->stripes.more};
    OF(lay_out)(&second, query->more, query->letters, box->row, 1, box->rows, others, 0);
    for (int64_t a = 0; a < query->letters; a++) /* rows behind the query lose enough by the first track alone */
        for (int64_t row = others[a] ? box->rows : segments * LANES; row < segments * LANES; row++)
            ((ELEMENT *)(second.scores + a * segments))[row % segments * LANES + row / segments] = 0;
}

/* Compute the columns `from` + 1 ... `to` of H, from column `from` in the first place of `block`; `step` columns
   further for each, or in turns of two where `keep` is 0. Returns where the last one is. */
static inline __attribute__((always_inline)) VEC *OF(advance_with)(OF(trace_rooms) * rooms, const query_profile *query,
                                                                   const sw_code *codes, int64_t from, int64_t to,
                                                                   int keep, const int tracks)
{
    const int64_t segments = rooms->stripes.segments;
    VEC *before = rooms->block;
    for (int64_t j = from; j < to; j++) {
        VEC *after = keep || before == rooms->block ? before + segments : rooms->block;
        if (tracks)
            OF(column)(&rooms->stripes, rooms->stripes.scores + rooms->tracks[0][j] * segments,
                       rooms->stripes.more + rooms->tracks[1][j] * segments, before, after, rooms->e, NULL,
                       query->first, query->extend);
        else
            OF(column)(&rooms->stripes, rooms->stripes.scores + codes[j] * segments, NULL, before, after, rooms->e,
                       NULL, query->first, query->extend);
        before = after;
    }
    return before;
}

static VEC *OF(advance)(OF(trace_rooms) * rooms, const query_profile *query, const sw_code *codes, int64_t from,
                        int64_t to, int keep)
{
    if (query->more)
        return OF(advance_with)(rooms, query, codes, from, to, keep, 1);
    return OF(advance_with)(rooms, query, codes, from, to, keep, 0);
}

/* Let block number `b` be in memory, with the column before it. */
static void OF(load_block)(OF(trace_rooms) * rooms, const query_profile *query, const region *box, int64_t b,
                           int64_t width)
{
    const int64_t segments = rooms->stripes.segments, from = b * width;
    const int64_t to = from + width < box->columns ? from + width : box->columns;
    memcpy(rooms->block, rooms->kept + 2 * b * segments, (size_t)segments * sizeof(VEC));
    memcpy(rooms->e, rooms->kept + (2 * b + 1) * segments, (size_t)segments * sizeof(VEC));
    OF(advance)(rooms, query, box->codes, from, to, 1);
}

/* Keep H and E before each block. */
static void OF(keep_columns)(OF(trace_rooms) * rooms, const query_profile *query, const region *box, int64_t blocks,
                             int64_t width)
{
    const int64_t segments = rooms->stripes.segments;
    const size_t column = (size_t)segments * sizeof(VEC);
    memset(rooms->kept, 0, 2 * column);
    memset(rooms->e, 0, column);
    memset(rooms->block, 0, column);
    for (int64_t b = 1; b < blocks; b++) {
        const VEC *last = OF(advance)(rooms, query, box->codes, (b - 1) * width, b * width, 0);
        memmove(rooms->block, last, column);
        memcpy(rooms->kept + 2 * b * segments, rooms->block, column);
        memcpy(rooms->kept + (2 * b + 1) * segments, rooms->e, column);
    }
}

/* Whether the cell in row i (from 1) of a column has `value` at the end of a gap of so many residues of the query; 0 if
 * not. */
static int64_t OF(gap_above)(const OF(trace_rooms) * rooms, const query_profile *query, const VEC *column, int64_t i,
                             int64_t value, int64_t highest)
{
    const ELEMENT *at = (const ELEMENT *)column;
    int64_t wanted = value + query->first;
    for (int64_t k = 1; k < i && wanted <= highest; k++, wanted += query->extend)
        if (at[rooms->place[i - k - 1]] == wanted)
            return k;
    return 0;
}

/* Write the runs of the path from its end to its start. Returns their number, or TRACE_LOST if the region is
   not one. */
static int64_t OF(walk)(OF(trace_rooms) * rooms, const query_profile *query, const region *box, int64_t blocks,
                        int64_t width, run_writer *runs)
{
    const int64_t segments = rooms->stripes.segments;
    int64_t i = box->rows, j = box->columns, b = blocks - 1, sure = 0;
    int64_t value = box->score;
    int state = PAIR;
    OF(load_block)(rooms, query, box, b, width);
    for (;;) {
        int64_t for_pair, for_insertion, for_deletion; /* what the cell must have, by how it ends */
        write_column(runs, state);
        if (state == PAIR) {
            i--, j--;
            value -= score_of(query, box->row + i, box->codes[j]);
            for_pair = for_insertion = for_deletion = value;
        } else if (state == INSERTION) {
            i--;
            for_pair = for_deletion = value + query->first;
            for_insertion = value + query->extend;
        } else {
            j--;
            for_pair = for_insertion = value + query->first;
            for_deletion = value + query->extend;
        }
        if (i == 0 && j == 0)
            return runs->count;
        if (i == 0 || j == 0)
            return TRACE_LOST;
        if (j <= b * width)
            OF(load_block)(rooms, query, box, --b, width);
        const VEC *column = rooms->block + (j - b * width) * segments;
        const int64_t diagonal = i == 1 ? 0 : ((const ELEMENT *)(column - segments))[rooms->place[i - 2]];
        if (diagonal + score_of(query, box->row + i - 1, box->codes[j - 1]) == for_pair) {
            state = PAIR;
            value = for_pair;
            sure = 0;
        } else if ((state == INSERTION && sure) ||
                   (sure = OF(gap_above)(rooms, query, column, i, for_insertion, box->score)) != 0) {
            state = INSERTION;
            value = for_insertion;
            sure--;
        } else {
            state = DELETION;
            value = for_deletion;
        }
    }
}

/* Find the path of one region: the number of its runs, TRACE_LOST, TRACE_LARGE, or QUERY_NO_MEMORY. */
static int64_t OF(trace_region)(OF(trace_rooms) *rooms, const query_profile *query, const region *box, run_writer *runs)
{
    const size_t column = OF(column_bytes)(box->rows);
    int64_t width = box->columns, blocks = 1;
    if (column * (size_t)(width + 1) > BLOCK_BYTES) {
        /* width + 2 columns / width is least where they are equal. */
        for (width = 64; width * width < 2 * box->columns;)
            width *= 2;
        blocks = (box->columns + width - 1) / width;
        if (column * (size_t)(width + 2 * blocks) > MOST_BYTES)
            return TRACE_LARGE;
    }
    if (OF(make_room)(rooms, query, box->rows, box->columns, width, blocks) < 0)
        return QUERY_NO_MEMORY;
    OF(lay_region)(rooms, query, box);
    OF(keep_columns)(rooms, query, box, blocks, width);
    return OF(walk)(rooms, query, box, blocks, width, runs);
}
