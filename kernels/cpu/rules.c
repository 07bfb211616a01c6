/* Scanners of the rules (swgui/core/rules): every window within a number of mismatches, every end position that may be
   within a number of differences, the best score of a whole query for each subject; then exact fits, one at a time.

   A text is the residues of subjects one behind the other, as codes below 32. Bit masks define matches: bit s of
   masks[q] is set where symbol q of a query matches symbol s of a subject. The first two scanners see no borders between
   subjects: the caller drops windows that cross one, and fits what ends behind one. When hits are full they return
   RULE_FULL, and continue from the cursor at the next call. They read `stop` every few thousand residues. */
#include "level.h"

enum { RULE_FINE = 0, RULE_FULL = 1, RULE_NO_MEMORY = 2, RULE_STOPPED = 3 };
enum { SYMBOLS = 32, BLOCK = 4096, VECTORS = 4, STRIP = VECTORS * SW_BYTES, UNCHECKED = 4, MOST = 251 };

typedef struct {
    const uint8_t *codes;   /* of all queries */
    const int64_t *begins;  /* [count + 1] */
    int64_t count;
    const uint32_t *masks;  /* [SYMBOLS] */
} rule_queries;

typedef struct {
    int64_t room, found;
    int32_t *query;       /* [room] each */
    int64_t *position;
    uint8_t *differences;
} rule_hits;

static inline void add_hit(rule_hits *hits, int64_t query, int64_t position, uint8_t differences)
{
    hits->query[hits->found] = (int32_t)query;
    hits->position[hits->found] = position;
    hits->differences[hits->found++] = differences;
}

static inline int64_t query_length(const rule_queries *q, int64_t query)
{
    return q->begins[query + 1] - q->begins[query];
}

static int64_t longest_query(const rule_queries *q)
{
    int64_t longest = 1;
    for (int64_t query = 0; query < q->count; query++)
        longest = query_length(q, query) > longest ? query_length(q, query) : longest;
    return longest;
}

/* ---- Mismatches. A plane says of each position of a block whether its residue misses a symbol of queries; the counts of
   STRIP windows grow by one plane for each residue of a query, and are given up once all of them are too many. */

static void make_planes(const uint8_t *text, int64_t size, const uint32_t *masks, const uint8_t *used, uint8_t *planes, int64_t pitch)
{
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        uint8_t *plane = planes + symbol * pitch;
        const uint32_t mask = masks[symbol];
        if (!used[symbol])
            continue;
        for (int64_t at = 0; at < size; at++)
            plane[at] = (uint8_t)(~(mask >> text[at]) & 1);
        memset(plane + size, 1, (size_t)(pitch - size));
    }
}

typedef uint8_t bytes __attribute__((vector_size(SW_BYTES)));
typedef uint8_t loose_bytes __attribute__((vector_size(SW_BYTES), aligned(1), may_alias));

/* Count the mismatches of STRIP windows from `first` on; returns whether any of them has at most `most`. */
static int count_strip(const uint8_t *planes, int64_t pitch, int64_t first, const uint8_t *query, int64_t length, int most,
                       uint8_t *counts)
{
    const bytes limit = (bytes){0} + (uint8_t)most, top = (bytes){0} + (uint8_t)MOST;
    bytes sums[VECTORS] = {0};
    for (int64_t row = 0; row < length;) {
        const int64_t pause = row + UNCHECKED < length ? row + UNCHECKED : length;
        bytes within = {0};
        for (; row < pause; row++) {
            const loose_bytes *plane = (const loose_bytes *)(planes + query[row] * pitch + first + row);
            for (int at = 0; at < VECTORS; at++)
                sums[at] += plane[at];
        }
        for (int at = 0; at < VECTORS; at++) {
            const bytes over = (bytes)(sums[at] > top);
            sums[at] = (sums[at] & ~over) | (top & over);
            within |= (bytes)(sums[at] <= limit);
        }
        uint64_t words[SW_BYTES / 8], any = 0;
        memcpy(words, &within, SW_BYTES);
        for (int at = 0; at < SW_BYTES / 8; at++)
            any |= words[at];
        if (!any)
            return 0;
    }
    memcpy(counts, sums, STRIP);
    return 1;
}

static int scan_block(const rule_queries *q, const uint8_t *planes, int64_t pitch, int64_t left, int32_t most, rule_hits *hits,
                      int64_t *cursor)
{
    const int64_t windows = left < BLOCK ? left : BLOCK;
    uint8_t counts[STRIP];
    for (; cursor[1] < q->count; cursor[1]++, cursor[2] = 0) {
        const uint8_t *query = q->codes + q->begins[cursor[1]];
        const int64_t length = query_length(q, cursor[1]);
        for (; cursor[2] < windows && cursor[2] + length <= left; cursor[2] += STRIP) {
            if (!count_strip(planes, pitch, cursor[2], query, length, most, counts))
                continue;
            if (hits->found + STRIP > hits->room)
                return RULE_FULL;
            for (int64_t at = 0; at < STRIP && cursor[2] + at < windows && cursor[2] + at + length <= left; at++)
                if (counts[at] <= most)
                    add_hit(hits, cursor[1], cursor[0] + cursor[2] + at, counts[at]);
        }
    }
    return RULE_FINE;
}

/* Many queries: of the most + 1 pieces of a query within `most` mismatches one matches whole. So the first `width` residues of
   each piece are seeds: a table tells for each word of the text whose seeds it matches, and only those windows are counted. */

enum { BITS_EACH = 5, WIDEST_SEED = 4, SEEDS = 1 << 22, CANDIDATE = 64, POSITION = 16 };

typedef struct {
    int32_t query, offset;
} rule_seed;

typedef struct {
    int width;
    int32_t most;
    int32_t *heads;    /* [words + 1]: where the seeds of each word begin */
    rule_seed *seeds;
    uint64_t *known;   /* bits of words with seeds */
} rule_seeds;

static void free_seeds(rule_seeds *s)
{
    sw_free(s->heads);
    sw_free(s->seeds);
    sw_free(s->known);
}

/* Visit the words that match a seed from residue `at` on; with `fill` put it there, else count. Returns how many there are. */
static int64_t visit_words(const rule_queries *q, rule_seeds *s, rule_seed seed, int at, int64_t word, int fill)
{
    if (at == s->width) {
        if (fill)
            s->seeds[--s->heads[word]] = seed;
        else
            s->heads[word]++;
        return 1;
    }
    int64_t visited = 0;
    for (uint32_t left = q->masks[q->codes[q->begins[seed.query] + seed.offset + at]]; left && visited <= SEEDS; left &= left - 1)
        visited += visit_words(q, s, seed, at + 1, word << BITS_EACH | __builtin_ctz(left), fill);
    return visited;
}

/* Visit the words of all seeds; returns how many there are, or more than SEEDS where they are too many. */
static int64_t visit_seeds(const rule_queries *q, rule_seeds *s, int fill)
{
    int64_t visited = 0;
    for (int64_t query = 0; query < q->count && visited <= SEEDS; query++) {
        const int32_t piece = (int32_t)(query_length(q, query) / (s->most + 1));
        for (int32_t number = 0; number <= s->most; number++)
            visited += visit_words(q, s, (rule_seed){(int32_t)query, number * piece}, 0, 0, fill);
    }
    return visited;
}

/* Make the table of seeds; returns 0 where there are none that spare work, -1 without memory. */
static int make_seeds(const rule_queries *q, int64_t size, int32_t most, rule_seeds *s)
{
    int64_t shortest = WIDEST_SEED * (int64_t)(most + 1);
    for (int64_t query = 0; query < q->count; query++)
        shortest = query_length(q, query) < shortest ? query_length(q, query) : shortest;
    *s = (rule_seeds){(int)(shortest / (most + 1)), most, NULL, NULL, NULL};
    while (s->width > 2 && (1LL << (BITS_EACH * s->width)) > 8 * (size + q->count))
        s->width--;
    if (s->width < 2)
        return 0;
    const int64_t words = 1LL << (BITS_EACH * s->width);
    double kinds = 0, likely = 1;
    uint32_t used = 0;
    for (int64_t at = 0; at < q->begins[q->count]; at++)
        used |= q->masks[q->codes[at]];
    for (; used; used &= used - 1)
        kinds++;
    for (int at = 0; at < s->width; at++)
        likely /= kinds > 1 ? kinds : 1;
    s->heads = sw_allocate((size_t)(words + 1) * sizeof *s->heads);
    s->known = sw_allocate((size_t)(words / 64) * sizeof *s->known);
    if (!s->heads || !s->known)
        return -1;
    memset(s->heads, 0, (size_t)(words + 1) * sizeof *s->heads);
    memset(s->known, 0, (size_t)(words / 64) * sizeof *s->known);
    const int64_t visited = visit_seeds(q, s, 0);
    if (visited > SEEDS || POSITION + CANDIDATE * (double)visited * likely > (double)q->count)
        return 0;
    s->seeds = sw_allocate((size_t)(visited + 1) * sizeof *s->seeds);
    if (!s->seeds)
        return -1;
    int32_t before = 0;
    for (int64_t word = 0; word <= words; word++) {
        if (word < words && s->heads[word])
            s->known[word / 64] |= 1ULL << (word % 64);
        before += word < words ? s->heads[word] : 0;
        s->heads[word] = before;
    }
    visit_seeds(q, s, 1);
    return 1;
}

/* Return how many residues of a window differ, or more than `most`, or -1 if an earlier seed of the query matches, too. */
static int32_t count_window(const rule_queries *q, const rule_seeds *s, const uint8_t *window, rule_seed seed)
{
    const uint8_t *query = q->codes + q->begins[seed.query];
    const int32_t length = (int32_t)query_length(q, seed.query), piece = length / (s->most + 1);
    int32_t wrong = 0;
    for (int32_t at = 0; at < length && wrong <= s->most; at++)
        wrong += !(q->masks[query[at]] >> window[at] & 1);
    for (int32_t before = 0; before < seed.offset && wrong <= s->most; before += piece) {
        int same = 1;
        for (int32_t at = before; at < before + s->width; at++)
            same &= (int)(q->masks[query[at]] >> window[at] & 1);
        if (same)
            return -1;
    }
    return wrong;
}

/* Count the windows that seeds propose; cursor: {position, seed of its word}. */
static int scan_seeds(const rule_queries *q, const rule_seeds *s, const uint8_t *text, int64_t size, rule_hits *hits, int64_t *cursor,
                      const volatile int32_t *stop)
{
    const int64_t words = 1LL << (BITS_EACH * s->width);
    int64_t word = 0;
    for (int64_t at = cursor[0] - s->width + 1 > 0 ? cursor[0] - s->width + 1 : 0; at < cursor[0]; at++)
        word = word << BITS_EACH | text[at];
    for (; cursor[0] < size; cursor[0]++, cursor[1] = 0) {
        word = (word << BITS_EACH | text[cursor[0]]) & (words - 1);
        if (!(cursor[0] % BLOCK) && *stop)
            return RULE_STOPPED;
        if (cursor[0] + 1 < s->width || !(s->known[word / 64] >> (word % 64) & 1))
            continue;
        for (; cursor[1] < s->heads[word + 1] - s->heads[word]; cursor[1]++) {
            const rule_seed seed = s->seeds[s->heads[word] + cursor[1]];
            const int64_t start = cursor[0] + 1 - s->width - seed.offset;
            if (start < 0 || start + query_length(q, seed.query) > size)
                continue;
            const int32_t wrong = count_window(q, s, text + start, seed);
            if (wrong < 0 || wrong > s->most)
                continue;
            if (hits->found == hits->room)
                return RULE_FULL;
            add_hit(hits, seed.query, start, (uint8_t)wrong);
        }
    }
    return RULE_FINE;
}

/* Every window of text[0..size) within `most` <= 250 mismatches of a query, by its first position; room >= STRIP.
   cursor: {block, query, strip} or that of `scan_seeds`, zeros at first. */
SW_EXPORT int SW(rule_mismatches)(const uint8_t *text, int64_t size, const rule_queries *q, int32_t most, rule_hits *hits,
                                  int64_t *cursor, const volatile int32_t *stop)
{
    uint8_t used[SYMBOLS] = {0};
    rule_seeds seeds;
    const int seeded = make_seeds(q, size, most, &seeds);
    if (seeded) {
        hits->found = 0;
        const int scanned = seeded > 0 ? scan_seeds(q, &seeds, text, size, hits, cursor, stop) : RULE_NO_MEMORY;
        free_seeds(&seeds);
        return scanned;
    }
    free_seeds(&seeds);
    const int64_t pitch = BLOCK + longest_query(q) + STRIP;
    uint8_t *planes = sw_allocate((size_t)(SYMBOLS * pitch));
    int state = planes ? RULE_FINE : RULE_NO_MEMORY;
    hits->found = 0;
    for (int64_t at = 0; at < q->begins[q->count]; at++)
        used[q->codes[at]] = 1;
    for (; state == RULE_FINE && cursor[0] < size; cursor[0] += BLOCK, cursor[1] = 0) {
        const int64_t left = size - cursor[0];
        make_planes(text + cursor[0], left < pitch ? left : pitch, q->masks, used, planes, pitch);
        state = scan_block(q, planes, pitch, left, most, hits, cursor);
        if (state == RULE_FINE && *stop)
            state = RULE_STOPPED;
        if (state != RULE_FINE)
            break;
    }
    sw_free(planes);
    return state;
}

/* ---- Differences. */

#define WORD uint16_t
#define BITS 16
#define NAMED(name) edits16_##name
#include "rule_ends.h"
#define WORD uint32_t
#define BITS 32
#define NAMED(name) edits32_##name
#include "rule_ends.h"
#define WORD uint64_t
#define BITS 64
#define NAMED(name) edits64_##name
#include "rule_ends.h"

/* Every end position in text[from..size) at which a query of at most 64 residues may fit with `most` differences. Ends are
   exclusive; differences are a lower bound, since residues may stand behind the last one of the query and borders of subjects
   are not seen. allowed: [size] or NULL; other ends than those whose last residue is marked are not given. room >= 128.
   cursor: {query, position}, zeros at first. */
SW_EXPORT int SW(rule_ends)(const uint8_t *text, int64_t size, int64_t from, const rule_queries *q, int32_t most,
                            const uint8_t *allowed, rule_hits *hits, int64_t *cursor, const volatile int32_t *stop)
{
    const int64_t longest = longest_query(q);
    hits->found = 0;
    if (longest <= 16)
        return edits16_scan(text, size, from, q, most, allowed, hits, cursor, stop);
    if (longest <= 32)
        return edits32_scan(text, size, from, q, most, allowed, hits, cursor, stop);
    return edits64_scan(text, size, from, q, most, allowed, hits, cursor, stop);
}

/* ---- Identity. */

#define WORD uint16_t
#define NAMED(name) scores16_##name
#include "rule_scores.h"
#define WORD uint32_t
#define NAMED(name) scores32_##name
#include "rule_scores.h"

/* Best score of a whole query for each subject, [count], which is text[starts[k]..ends[k]): up[k] for a match, -down[k] for every
   other column, ends of the subject free. Subjects of similar length should be neighbours. */
SW_EXPORT int SW(rule_scores)(const uint8_t *text, const int64_t *starts, const int64_t *ends, int64_t count, const uint8_t *query,
                              int64_t length, const uint32_t *masks, const int32_t *up, const int32_t *down, int32_t *scores,
                              const volatile int32_t *stop)
{
    int64_t largest = 0;
    uint8_t used[SYMBOLS] = {0};
    for (int64_t k = 0; k < count; k++)
        largest = up[k] + down[k] > largest ? up[k] + down[k] : largest;
    for (int64_t row = 0; row < length; row++)
        used[query[row]] = 1;
    const int narrow = largest * length <= UINT16_MAX;
    const int64_t lanes = narrow ? scores16_LANES : scores32_LANES;
    void *column = sw_allocate((size_t)length * 2 * SW_BYTES);
    if (!column)
        return RULE_NO_MEMORY;
    int running = 1;
    for (int64_t first = 0; running && first < count; first += lanes) {
        const int64_t some = count - first < lanes ? count - first : lanes;
        running = narrow ? scores16_lanes(text, starts + first, ends + first, some, query, length, masks, used, up + first, down + first,
                                          column, scores + first, stop)
                         : scores32_lanes(text, starts + first, ends + first, some, query, length, masks, used, up + first, down + first,
                                          column, scores + first, stop);
    }
    sw_free(column);
    return running ? RULE_FINE : RULE_STOPPED;
}

/* ---- Exact fits. */

typedef struct {
    int32_t differences, mismatches, insertions, deletions, gaps, matching_ends; /* gaps: insertions and deletions together */
} rule_limits;

typedef struct {
    int64_t start, end;
    int32_t mismatches, insertions, deletions;
} rule_fit;

typedef struct {
    int32_t mismatches; /* or MOST if there is no fit */
    int64_t start;
} fit_cell;

static inline void offer(fit_cell *cell, int32_t mismatches, int64_t start)
{
    if (mismatches < cell->mismatches || (mismatches == cell->mismatches && start < cell->start))
        *cell = (fit_cell){mismatches, start};
}

/* Fill the cells of one residue of a query after another. A cell stands for a number of insertions and of deletions; it has the
   fewest mismatches, and of these the leftmost start. Returns the last row. */
static fit_cell *fill_cells(const uint8_t *text, int64_t width, int64_t from, const uint8_t *query, int64_t length,
                            const uint32_t *masks, const rule_limits *limits, fit_cell *above, fit_cell *row)
{
    const int32_t missing = limits->deletions, kinds = (limits->insertions + 1) * (missing + 1);
    const fit_cell none = {MOST, 0};
    for (int64_t at = 0; at < width * kinds; at++)
        above[at] = at % kinds ? none : (fit_cell){0, from + at / kinds};
    for (int64_t i = 0; i < length; i++) {
        const int last = i == length - 1, fixed = limits->matching_ends && (i == 0 || last);
        for (int64_t at = 0; at < width * kinds; at++) {
            const int32_t a = (int32_t)(at % kinds) / (missing + 1), d = (int32_t)(at % kinds) % (missing + 1);
            fit_cell cell = none;
            if (at >= kinds) {
                const int wrong = !(masks[query[i]] >> text[from + at / kinds - 1] & 1);
                if (!(wrong && fixed) && above[at - kinds].mismatches + wrong <= limits->mismatches)
                    offer(&cell, above[at - kinds].mismatches + wrong, above[at - kinds].start);
                if (a && !last)
                    offer(&cell, row[at - kinds - (missing + 1)].mismatches, row[at - kinds - (missing + 1)].start);
            }
            if (d && !fixed)
                offer(&cell, above[at - 1].mismatches, above[at - 1].start);
            row[at] = cell.mismatches + a + d <= limits->differences && a + d <= limits->gaps ? cell : none;
        }
        fit_cell *other = above;
        above = row;
        row = other;
    }
    return above;
}

/* Of the cells of one end the one with the fewest differences, then gap positions, then the leftmost start; start is -1 where
   there is none. */
static rule_fit best_cell(const fit_cell *cells, const rule_limits *limits, int64_t end)
{
    rule_fit best = {-1, end, MOST, MOST, MOST};
    for (int32_t a = 0; a <= limits->insertions; a++)
        for (int32_t d = 0; d <= limits->deletions; d++) {
            const fit_cell cell = cells[a * (limits->deletions + 1) + d];
            const int32_t now = cell.mismatches + a + d, gaps = a + d;
            const int32_t before = best.mismatches + best.insertions + best.deletions, with = best.insertions + best.deletions;
            if (cell.mismatches > limits->mismatches || cell.start >= end)
                continue;
            if (now < before || (now == before && (gaps < with || (gaps == with && cell.start < best.start))))
                best = (rule_fit){cell.start, end, cell.mismatches, a, d};
        }
    return best;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The best fit of each of `count` candidates: of query which[k] before ends[k] in the subject whose residues in the text begin at
   origins[k]. fits: [count]; start is -1 where no fit keeps the limits. */
SW_EXPORT int SW(rule_fits)(const uint8_t *text, const rule_queries *q, const rule_limits *given, int64_t count, const int32_t *which,
                            const int64_t *ends, const int64_t *origins, rule_fit *fits)
{
    rule_limits limits = *given;
    limits.mismatches = smaller(limits.mismatches, limits.differences);
    limits.insertions = smaller(limits.insertions, limits.differences);
    limits.deletions = smaller(limits.deletions, limits.differences);
    const int64_t kinds = (int64_t)(limits.insertions + 1) * (limits.deletions + 1);
    const int64_t widest = longest_query(q) + limits.insertions + 1;
    fit_cell *cells = sw_allocate((size_t)(2 * widest * kinds) * sizeof *cells);
    if (!cells)
        return RULE_NO_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = query_length(q, which[k]), reach = ends[k] - length - limits.insertions;
        const int64_t from = reach > origins[k] ? reach : origins[k], width = ends[k] - from + 1;
        const fit_cell *last = fill_cells(text, width, from, q->codes + q->begins[which[k]], length, q->masks, &limits, cells,
                                          cells + widest * kinds);
        fits[k] = best_cell(last + (width - 1) * kinds, &limits, ends[k]);
    }
    sw_free(cells);
    return RULE_FINE;
}

/* ---- The largest identity. */

/* An alignment in one number, so that the larger one is better: its score, then how few gap positions it has, then how far left it
   starts. What matches follows from where it ends. */
typedef __int128 rank;
enum { START_BITS = 40, GAP_BITS = 40 };
#define RANK(score, gaps, start) (((rank)(score) << (START_BITS + GAP_BITS)) - ((rank)(gaps) << START_BITS) - (start))

/* The best alignment of a whole query, ends of the subject free: the highest score, then the fewest gap positions, then the
   leftmost start, then the leftmost end. cells: room for length + 1. */
static rule_fit best_alignment(const uint8_t *text, int64_t size, const uint8_t *query, int64_t length, const uint32_t *masks,
                               int64_t up, int64_t down, rank *cells, int64_t *score, const volatile int32_t *stop)
{
    const rank match = RANK(up, 0, 0), mismatch = RANK(-down, 0, 0), gap = RANK(-down, 1, 0);
    rank best = 0;
    int64_t end = 0, start = 0;
    for (int64_t row = 0; row <= length; row++)
        cells[row] = row * gap;
    for (int64_t at = 0; at < size; at++) {
        if (!(at & 0xfff) && *stop)
            break;
        rank corner = cells[0], above = -(rank)(at + 1);
        cells[0] = above;
        for (int64_t row = 1; row <= length; row++) {
            const rank left = cells[row], aligned = corner + (masks[query[row - 1]] >> text[at] & 1 ? match : mismatch);
            const rank inserted = row < length ? left + gap : aligned, larger = inserted > aligned ? inserted : aligned;
            corner = left;
            above = above + gap > larger ? above + gap : larger;
            cells[row] = above;
        }
        const int64_t from = (int64_t)(-above & (((rank)1 << START_BITS) - 1));
        if (from <= at && (!end || above > best)) {
            best = above;
            start = from;
            end = at + 1;
        }
    }
    const int64_t gaps = (int64_t)((-best - start) >> START_BITS & (((rank)1 << GAP_BITS) - 1)), more = end - start - length;
    const int64_t insertions = (gaps + more) / 2, columns = length + insertions;
    *score = (int64_t)((best + ((rank)gaps << START_BITS) + start) >> (START_BITS + GAP_BITS));
    const int64_t matches = up + down ? (*score + columns * down) / (up + down) : 0;
    return (rule_fit){start, end, (int32_t)(columns - matches - gaps), (int32_t)insertions, (int32_t)(gaps - insertions)};
}

/* The fit of each of `count` pairs with the largest identity; of equal ones the one with the fewest gap positions, then the
   leftmost. Query which[k]; the subject is text[begins[k]..begins[k + count]). An identity is matches over columns: what is
   gained by a match and lost by every other column is set by the identity of the last alignment, until none is better
   (Dinkelbach 1967); the first ones are `up` and `down`. With `once` these are kept. */
SW_EXPORT int SW(rule_identities)(const uint8_t *text, const rule_queries *q, int64_t count, const int32_t *which,
                                  const int64_t *begins, int64_t up, int64_t down, int32_t once, rule_fit *fits,
                                  const volatile int32_t *stop)
{
    rank *cells = sw_allocate((size_t)(longest_query(q) + 1) * sizeof *cells);
    if (!cells)
        return RULE_NO_MEMORY;
    for (int64_t k = 0; k < count && !*stop; k++) {
        const int64_t begin = begins[k], size = begins[k + count] - begin, length = query_length(q, which[k]);
        const uint8_t *query = q->codes + q->begins[which[k]];
        int64_t gain = up, cost = down, score = 1;
        for (int again = 1; again && size && !*stop;) {
            fits[k] = best_alignment(text + begin, size, query, length, q->masks, gain, cost, cells, &score, stop);
            const int64_t matches = length - fits[k].mismatches - fits[k].deletions, columns = length + fits[k].insertions;
            again = !once && matches * gain - (columns - matches) * cost > 0 && matches < columns;
            gain = columns - matches;
            cost = matches;
        }
    }
    sw_free(cells);
    return *stop ? RULE_STOPPED : RULE_FINE;
}

/* ---- The columns of a fit: '=' match, 'X' mismatch, 'I' insertion, 'D' deletion, written backwards. A cell is the fewest mismatches
   with which the first residues of a query fit with so many insertions and deletions. columns: room for length + insertions. */
SW_EXPORT int SW(rule_columns)(const uint8_t *part, int64_t size, const uint8_t *query, int64_t length, const uint32_t *masks,
                               int32_t insertions, int32_t deletions, char *columns)
{
    const int64_t kinds = (int64_t)(insertions + 1) * (deletions + 1);
    uint16_t *cells = sw_allocate((size_t)((length + 1) * kinds) * (sizeof *cells + 1));
    char *steps = (char *)(cells + (length + 1) * kinds);
    if (!cells)
        return RULE_NO_MEMORY;
    for (int64_t i = 0, at = 0; i <= length; i++)
        for (int64_t a = 0; a <= insertions; a++)
            for (int64_t d = 0; d <= deletions; d++, at++) {
                const int64_t j = i - d + a;
                uint16_t least = at ? UINT16_MAX : 0;
                char step = 0;
                if (i && j > 0 && j <= size && cells[at - kinds] != UINT16_MAX) {
                    const int match = masks[query[i - 1]] >> part[j - 1] & 1;
                    least = (uint16_t)(cells[at - kinds] + !match);
                    step = match ? '=' : 'X';
                }
                if (a && i && i < length && j <= size && cells[at - (deletions + 1)] < least) {
                    least = cells[at - (deletions + 1)];
                    step = 'I';
                }
                if (d && i && cells[at - kinds - 1] < least) {
                    least = cells[at - kinds - 1];
                    step = 'D';
                }
                cells[at] = least;
                steps[at] = step;
            }
    int64_t i = length, a = insertions, d = deletions;
    for (int64_t written = 0; i || a || d; written++) {
        const char step = steps[i * kinds + a * (deletions + 1) + d];
        if (!step) {
            sw_free(cells);
            return RULE_FULL;
        }
        columns[written] = step;
        i -= step != 'I';
        a -= step == 'I';
        d -= step == 'D';
    }
    sw_free(cells);
    return RULE_FINE;
}

/* The columns of a fit that is the best alignment of a whole query with a whole part by what a match gains and every other column
   costs, then by how few gap positions it has; as rule_columns, and in less memory where there are many gaps. No cell has more
   insertions or deletions than the fit. */
SW_EXPORT int SW(rule_best_columns)(const uint8_t *part, int64_t size, const uint8_t *query, int64_t length, const uint32_t *masks,
                                    int32_t insertions, int32_t deletions, int64_t up, int64_t down, char *columns)
{
    const int64_t width = (int64_t)insertions + deletions + 1; /* cell b of row i: j = i + b - deletions residues of the part */
    const rank match = RANK(up, 0, 0), mismatch = RANK(-down, 0, 0), gap = RANK(-down, 1, 0), none = -((rank)1 << 120);
    rank *cells = sw_allocate((size_t)(width + 1) * sizeof *cells + (size_t)((length + 1) * width));
    char *steps = (char *)(cells + width + 1);
    if (!cells)
        return RULE_NO_MEMORY;
    for (int64_t b = 0; b <= width; b++)
        cells[b] = b == deletions ? 0 : none;
    memset(steps, 0, (size_t)width);
    for (int64_t i = 1; i <= length; i++)
        for (int64_t b = 0; b < width; b++) {
            const int64_t j = i + b - deletions;
            rank best = none;
            char step = 0;
            if (j > 0 && j <= size && cells[b] > none) {
                const int same = masks[query[i - 1]] >> part[j - 1] & 1;
                best = cells[b] + (same ? match : mismatch);
                step = same ? '=' : 'X';
            }
            if (b && i < length && j > 0 && j <= size && cells[b - 1] > none && cells[b - 1] + gap > best) {
                best = cells[b - 1] + gap;
                step = 'I';
            }
            if (j >= 0 && j <= size && cells[b + 1] > none && cells[b + 1] + gap > best) {
                best = cells[b + 1] + gap;
                step = 'D';
            }
            cells[b] = best;
            steps[i * width + b] = step;
        }
    int64_t i = length, b = insertions;
    for (int64_t written = 0; i || b != deletions; written++) {
        const char step = b >= 0 && b < width ? steps[i * width + b] : 0;
        if (!step) {
            sw_free(cells);
            return RULE_FULL;
        }
        columns[written] = step;
        i -= step != 'I';
        b += step == 'I' ? -1 : step == 'D';
    }
    sw_free(cells);
    return RULE_FINE;
}

/* ---- The largest identity of a query that is shorter than a window. */

typedef struct {
    int32_t matches; /* or -1 if there is no alignment */
    int32_t deletions;
    int64_t start;
} window_cell;

static inline void prefer(window_cell *cell, window_cell other)
{
    if (other.matches != cell->matches ? other.matches > cell->matches
        : other.deletions != cell->deletions ? other.deletions < cell->deletions : other.start < cell->start)
        *cell = other;
}

/* Take a residue of the subject, the one before position `end`: cells of a number of residues of the query and of insertions. */
static void extend_windows(const window_cell *old, window_cell *now, int symbol, int64_t end, const uint8_t *query, int64_t length,
                           const uint32_t *masks, int64_t kinds)
{
    const window_cell none = {-1, 0, 0};
    for (int64_t a = 0; a < kinds; a++)
        now[a] = a ? none : (window_cell){0, 0, end};
    for (int64_t row = 1; row <= length; row++) {
        const int match = masks[query[row - 1]] >> symbol & 1;
        const window_cell *above = old + (row - 1) * kinds, *left = now + (row - 1) * kinds, *same = old + row * kinds;
        for (int64_t a = 0; a < kinds; a++) {
            window_cell cell = above[a], deleted = left[a];
            cell.matches += cell.matches < 0 ? 0 : match;
            deleted.deletions++;
            prefer(&cell, deleted);
            if (a && row < length)
                prefer(&cell, same[a - 1]);
            now[row * kinds + a] = cell;
        }
    }
}

/* The fit of each of `count` pairs with the largest identity over `columns` or its own columns if they are more; pairs and ties as
   of rule_identities. Only identities above down / (up + down) are of interest: so many insertions are tried as those may have. */
SW_EXPORT int SW(rule_short_windows)(const uint8_t *text, const rule_queries *q, int64_t count, const int32_t *which,
                                     const int64_t *begins, int64_t up, int64_t down, int64_t columns, rule_fit *fits,
                                     const volatile int32_t *stop)
{
    for (int64_t k = 0; k < count && !*stop; k++) {
        const int64_t begin = begins[k], size = begins[k + count] - begin, length = query_length(q, which[k]);
        const int64_t most = (length * (up + down) - 1) / down - length;
        const int64_t kinds = (most < size ? most : size) + 1, cells = (length + 1) * kinds;
        const uint8_t *query = q->codes + q->begins[which[k]];
        window_cell *old = sw_allocate((size_t)(2 * cells) * sizeof *old), *now = old + cells, *room = old;
        if (!room)
            return RULE_NO_MEMORY;
        int64_t matches = -1, over = 1, gaps = 0;
        for (int64_t at = 0; at < cells; at++)
            old[at] = (window_cell){at % kinds ? -1 : 0, (int32_t)(at / kinds), 0};
        for (int64_t at = 0; at < size && !*stop; at++) {
            extend_windows(old, now, text[begin + at], at + 1, query, length, q->masks, kinds);
            for (int64_t a = 0; a < kinds; a++) {
                const window_cell cell = now[length * kinds + a];
                const int64_t own = length + a > columns ? length + a : columns, with = a + cell.deletions;
                const int64_t gain = cell.matches * over - matches * own;
                if (cell.matches < 0 || cell.start > at || gain < 0)
                    continue;
                if (gain || with < gaps || (with == gaps && cell.start < fits[k].start)) {
                    matches = cell.matches;
                    over = own;
                    gaps = with;
                    fits[k] = (rule_fit){cell.start, at + 1, (int32_t)(length - matches - cell.deletions), (int32_t)a, cell.deletions};
                }
            }
            window_cell *other = old;
            old = now;
            now = other;
        }
        sw_free(room);
    }
    return *stop ? RULE_STOPPED : RULE_FINE;
}
