/* One query against one subject, the query along the lanes (Farrar 2007): the scores of a column of cells at a time.

   Included once for each width, with WIDTH 16 or 32. A query of m rows lies in `segments` vectors: row i is in lane
   i / segments of vector i % segments. Costs are those of the first and of each other residue of a gap, extend <=
   first. Values below zero never matter in a local alignment, so zero stands for "none" everywhere, and no value is
   below -first.

   In 16 bits no value may exceed 32767: a pass ends with STRIPED_WIDE once a column has a value from which one more
   pair could lead beyond; the caller starts again in 32 bits. */

#define STRIPED_JOIN_(name, width) name##width
#define STRIPED_JOIN(name, width) STRIPED_JOIN_(name, width)
#define OF(name) STRIPED_JOIN(name, WIDTH)
#define VEC OF(vec)
#define ELEMENT STRIPED_JOIN(STRIPED_JOIN(int, WIDTH), _t)
#define LANES ((int64_t)(SW_BYTES * 8 / WIDTH))

#ifndef SW_STRIPED_H
#define SW_STRIPED_H
enum { STRIPED_FINE = 0, STRIPED_WIDE = 1 };

/* The subject's residues in the order in which a pass takes them: `codes[k * step]` for k = 0 ... count - 1. */
typedef struct {
    const sw_code *codes;
    int64_t count;
    int64_t step;
    const uint8_t *letters; /* of a second track, parallel to `codes`; NULL without one */
} stretch;

/* Place of a pass's best score: the first column that has it. */
typedef struct {
    int32_t score;
    int64_t column; /* from 0 */
} peak;
#endif

/* Scores of a query in stripes, for the symbols wanted. */
typedef struct {
    int64_t rows, segments;
    VEC *scores;       /* of symbol a: from a * segments */
    VEC *more;         /* of letter a of a second track likewise, added to those; unused without one */
    VEC *live;         /* all ones where a row takes part; NULL if all do */
    int32_t limit;     /* the largest value that stays in range after one more pair */
} OF(stripes);

/* Rooms of a pass: E and three columns, of which `best` is the one with the best score so far. */
typedef struct {
    VEC *e, *columns[3];
    int best;
} OF(rooms);

/* Bytes of a column. */
static inline size_t OF(column_bytes)(int64_t rows)
{
    return (size_t)((rows + LANES - 1) / LANES) * sizeof(VEC);
}

/* Lay out the rows `from`, `from` + `step`, ... of a profile [row][symbol] for the symbols that are `wanted`.
   `out->scores` has room for symbols x column. */
static void OF(lay_out)(OF(stripes) * out, const int16_t *profile, int64_t symbols, int64_t from, int64_t step,
                        int64_t rows, const uint8_t *wanted, int32_t highest)
{
    int64_t segments = (rows + LANES - 1) / LANES;
    out->rows = rows;
    out->segments = segments;
    out->live = NULL;
    out->limit = (WIDTH == 16 ? INT16_MAX : INT32_MAX - (1 << 24)) - highest;
    for (int64_t a = 0; a < symbols; a++) {
        if (!wanted[a])
            continue;
        ELEMENT *at = (ELEMENT *)(out->scores + a * segments);
        const int16_t *source = profile + from * symbols + a;
        for (int64_t lane = 0; lane < LANES; lane++) {
            int64_t first = lane * segments, last = first + segments < rows ? first + segments : rows;
            for (int64_t row = first; row < last; row++)
                at[(row - first) * LANES + lane] = source[row * step * symbols];
            for (int64_t row = last > first ? last : first; row < first + segments; row++)
                at[(row - first) * LANES + lane] = WIDTH == 16 ? INT16_MIN : -(1 << 30);
        }
    }
}

/* Let only the rows from `start` on take part: the others score 0 in every column. `live` has room for a column. */
static void OF(mask_rows)(OF(stripes) *stripes, VEC *live, int64_t start)
{
    ELEMENT *at = (ELEMENT *)live;
    for (int64_t lane = 0; lane < LANES; lane++)
        for (int64_t t = 0; t < stripes->segments; t++)
            at[t * LANES + lane] = lane * stripes->segments + t < start ? 0 : -1;
    stripes->live = live;
}

/* Compute a column from the one before it. Returns the largest of its values in each lane. */
static inline __attribute__((always_inline)) VEC OF(column)(const OF(stripes) * stripes, const VEC *scores,
                                                            const VEC *more, const VEC *restrict before,
                                                            VEC *restrict after, VEC *restrict e_values,
                                                            const VEC *live, ELEMENT first, ELEMENT extend)
{
    const int64_t segments = stripes->segments;
    const VEC zero = OF(set)(0), firsts = OF(set)(first), extends = OF(set)(extend);
    VEC largest = zero, f = zero, diagonal = OF(up)(before[segments - 1]);
    for (int64_t t = 0; t < segments; t++) {
        VEC e = e_values[t];
        VEC h = OF(max)(OF(max)(more ? diagonal + scores[t] + more[t] : diagonal + scores[t], e), zero);
        VEC open = h - firsts;
        h = OF(max)(h, f);
        if (live) {
            h &= live[t];
            open = h - firsts;
        }
        after[t] = h;
        largest = OF(max)(largest, h);
        e_values[t] = OF(max)(e - extends, h - firsts);
        f = OF(max)(f - extends, open);
        diagonal = before[t];
    }
    /* Gaps that run on from one lane into the next, and through lanes, as long as one changes a cell. */
    f = OF(up)(f);
    if (!OF(any_above)(f, zero))
        return largest;
    f = OF(carried)(f, segments * extend);
    for (int64_t t = 0; t < segments; t++) {
        VEC old = after[t];
        if (t % 4 == 0 && !OF(any_above)(f, OF(max)(old - firsts + extends, zero)))
            break;
        VEC h = OF(max)(old, live ? f & live[t] : f);
        after[t] = h;
        largest = OF(max)(largest, h);
        e_values[t] = OF(max)(e_values[t], h - firsts);
        f = OF(max)(f - extends, zero);
    }
    return largest;
}

static inline int32_t OF(largest_of)(VEC values)
{
    ELEMENT found = values[0];
    for (int64_t lane = 1; lane < LANES; lane++)
        found = values[lane] > found ? values[lane] : found;
    return found;
}

/* Find the best score and the first column that has it, which stays in `rooms`. Ends early at a score of `enough`. */
static int OF(find_peak)(const OF(stripes) * stripes, const stretch *subject, int32_t first, int32_t extend,
                         int32_t enough, const volatile int32_t *stop, OF(rooms) * rooms, peak *found)
{
    VEC best = OF(set)(0);
    int before = 0;
    rooms->best = 0;
    found->score = 0;
    found->column = -1;
    memset(rooms->e, 0, OF(column_bytes)(stripes->rows));
    memset(rooms->columns[0], 0, OF(column_bytes)(stripes->rows));
    for (int64_t k = 0; k < subject->count && !*stop; k++) {
        const VEC *scores = stripes->scores + subject->codes[k * subject->step] * stripes->segments;
        const int after = before == rooms->best ? (before + 1) % 3 : 3 - before - rooms->best;
        VEC largest;
        if (stripes->live)
            largest = OF(column)(stripes, scores, NULL, rooms->columns[before], rooms->columns[after], rooms->e,
                                 stripes->live, first, extend);
        else if (subject->letters)
            largest = OF(column)(stripes, scores, stripes->more + subject->letters[k] * stripes->segments,
                                 rooms->columns[before], rooms->columns[after], rooms->e, NULL, first, extend);
        else
            largest = OF(column)(stripes, scores, NULL, rooms->columns[before], rooms->columns[after], rooms->e, NULL,
                                 first, extend);
        before = after;
        if (!OF(any_above)(largest, best))
            continue;
        found->score = OF(largest_of)(largest);
        found->column = k;
        best = OF(set)((ELEMENT)found->score);
        rooms->best = after;
        if (found->score > stripes->limit)
            return STRIPED_WIDE;
        if (found->score >= enough)
            break;
    }
    return STRIPED_FINE;
}

/* The first row of a column with a value; -1 if there is none. */
static int64_t OF(row_of)(const OF(stripes) *stripes, const VEC *column, int32_t value)
{
    const ELEMENT *at = (const ELEMENT *)column;
    for (int64_t lane = 0; lane < LANES; lane++)
        for (int64_t t = 0; t < stripes->segments && lane * stripes->segments + t < stripes->rows; t++)
            if (at[t * LANES + lane] == value)
                return lane * stripes->segments + t;
    return -1;
}
