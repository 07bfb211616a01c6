/* The best local alignment of a query with one subject as its corners; included once for each width, as striped.h is. */

/* A query laid out forwards and backwards, with the rooms that a pass needs. */
typedef struct {
    OF(stripes) forwards, backwards;
    OF(rooms) rooms;
    VEC *live;
    void *memory;
} OF(laid_query);

static int OF(prepare)(OF(laid_query) *out, const query_profile *query, const uint8_t *wanted)
{
    const size_t column = OF(column_bytes)(query->rows), table = column * (size_t)query->symbols;
    char *memory = sw_allocate(2 * table + 5 * column);
    if (!memory)
        return QUERY_NO_MEMORY;
    out->memory = memory;
    out->forwards.scores = (VEC *)memory;
    out->backwards.scores = (VEC *)(memory + table);
    memory += 2 * table;
    out->rooms.e = (VEC *)memory;
    for (int i = 0; i < 3; i++)
        out->rooms.columns[i] = (VEC *)(memory + (size_t)(i + 1) * column);
    out->live = (VEC *)(memory + 4 * column);
    OF(lay_out)(&out->forwards, query->scores, query->symbols, 0, 1, query->rows, wanted, query->highest);
    OF(lay_out)(&out->backwards, query->scores, query->symbols, query->rows - 1, -1, query->rows, wanted, query->highest);
    return QUERY_FINE;
}

/* Fill `found` (score, known or -1; start and end in the query; start and end in the subject). The last cell is the first that
   has the best score; from there the reversed prefixes give the first one, which is the last of all possible. */
static int OF(find_region)(OF(laid_query) *laid, const query_profile *query, const sw_code *codes, int64_t length, int32_t *found)
{
    const int32_t enough = found[0] > 0 ? found[0] : INT32_MAX;
    peak last, first;
    stretch whole = {codes, length, 1, NULL};
    if (OF(find_peak)(&laid->forwards, &whole, query->first, query->extend, enough, query->stop, &laid->rooms,
                      &last) == STRIPED_WIDE)
        return REGIONS_WIDE;
    if (*query->stop)
        return QUERY_STOPPED;
    memset(found, 0, 5 * sizeof *found);
    if (last.score == 0)
        return QUERY_FINE;
    const int64_t query_end = 1 + OF(row_of)(&laid->forwards, laid->rooms.columns[laid->rooms.best], last.score);
    stretch prefix = {codes + last.column, last.column + 1, -1, NULL};
    OF(mask_rows)(&laid->backwards, laid->live, query->rows - query_end);
    OF(find_peak)(&laid->backwards, &prefix, query->first, query->extend, last.score, query->stop, &laid->rooms,
                  &first);
    if (*query->stop)
        return QUERY_STOPPED;
    const int64_t row = OF(row_of)(&laid->backwards, laid->rooms.columns[laid->rooms.best], first.score);
    found[0] = last.score;
    found[1] = (int32_t)(query->rows - 1 - row);
    found[2] = (int32_t)query_end;
    found[3] = (int32_t)(last.column - first.column);
    found[4] = (int32_t)last.column + 1;
    return QUERY_FINE;
}

/* Note which columns hold a score of `least`: the first one, and behind the last one (`reached_columns`). */
static int OF(find_reached)(OF(laid_query) *laid, const query_profile *query, const sw_code *codes, int64_t length, int64_t least,
                            int backwards, int64_t *reached, const volatile int32_t *stop)
{
    const OF(stripes) *stripes = backwards ? &laid->backwards : &laid->forwards;
    const VEC below = OF(set)((ELEMENT)(least - 1));
    OF(rooms) *rooms = &laid->rooms;
    if (least > stripes->limit)
        return REGIONS_WIDE;
    memset(rooms->e, 0, OF(column_bytes)(stripes->rows));
    memset(rooms->columns[0], 0, OF(column_bytes)(stripes->rows));
    reached[0] = reached[1] = 0;
    for (int64_t k = 0; k < length; k++) {
        const VEC *scores = stripes->scores + codes[backwards ? length - 1 - k : k] * stripes->segments;
        const VEC largest = OF(column)(stripes, scores, NULL, rooms->columns[k & 1], rooms->columns[1 - (k & 1)], rooms->e, NULL,
                                       (ELEMENT)query->first, (ELEMENT)query->extend);
        if (k % 1024 == 0 && *stop)
            return QUERY_STOPPED;
        if (!OF(any_above)(largest, below))
            continue;
        if (OF(largest_of)(largest) > stripes->limit)
            return REGIONS_WIDE;
        reached[0] = reached[1] ? reached[0] : k;
        reached[1] = k + 1;
    }
    return QUERY_FINE;
}
