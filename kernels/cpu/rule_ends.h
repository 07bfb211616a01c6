/* End positions that may be within a number of differences: the bit-vector recurrence of Myers (1999) for whole queries, both
   ends of the text free, LANES queries side by side. Included once for each word: WORD, its BITS, and NAMED(name). */

enum { NAMED(LANES) = 2 * SW_BYTES / (BITS / 8) };

typedef struct {
    WORD equal[SYMBOLS][NAMED(LANES)];
    WORD up[NAMED(LANES)], down[NAMED(LANES)], last[NAMED(LANES)], score[NAMED(LANES)], most[NAMED(LANES)];
} NAMED(state);

/* Take one residue of the text; returns whether a query has a score within its limit. */
static int NAMED(step)(NAMED(state) *s, int symbol)
{
    const WORD *equal = s->equal[symbol];
    WORD any = 0;
    for (int lane = 0; lane < NAMED(LANES); lane++) {
        const WORD up = s->up[lane], down = s->down[lane], eq = equal[lane], vertical = eq | down;
        const WORD sum = (WORD)((eq & up) + up), diagonal = (WORD)((sum ^ up) | eq);
        WORD right = (WORD)(down | ~(diagonal | up)), left = (WORD)(up & diagonal);
        const WORD grew = (WORD)((right & s->last[lane]) != 0), fell = (WORD)((left & s->last[lane]) != 0);
        s->score[lane] = (WORD)(s->score[lane] + grew - fell);
        right = (WORD)(right << 1);
        left = (WORD)(left << 1);
        s->up[lane] = (WORD)(left | ~(vertical | right));
        s->down[lane] = (WORD)(right & vertical);
        any |= (WORD)(s->score[lane] <= s->most[lane]);
    }
    return any != 0;
}

static void NAMED(begin)(NAMED(state) *s, const rule_queries *q, int64_t first, int32_t most)
{
    memset(s, 0, sizeof *s);
    for (int lane = 0; lane < NAMED(LANES); lane++) {
        const int64_t query = first + lane;
        const int64_t length = query < q->count ? q->begins[query + 1] - q->begins[query] : 1;
        s->up[lane] = (WORD)~(WORD)0;
        s->last[lane] = (WORD)((WORD)1 << (length - 1));
        s->score[lane] = (WORD)length;
        s->most[lane] = query < q->count ? (WORD)most : 0;
        for (int64_t row = 0; query < q->count && row < length; row++)
            for (int symbol = 0; symbol < SYMBOLS; symbol++)
                if (q->masks[q->codes[q->begins[query] + row]] >> symbol & 1)
                    s->equal[symbol][lane] |= (WORD)((WORD)1 << row);
    }
}

static int NAMED(scan)(const uint8_t *text, int64_t size, int64_t from, const rule_queries *q, int32_t most, const uint8_t *allowed,
                       rule_hits *hits, int64_t *cursor, const volatile int32_t *stop)
{
    NAMED(state) s;
    for (; cursor[0] < q->count; cursor[0] += NAMED(LANES), cursor[1] = 0) {
        int64_t at = cursor[1] ? cursor[1] : from;
        const int64_t back = BITS + most; /* residues further back change no score within the limit */
        NAMED(begin)(&s, q, cursor[0], most);
        for (int64_t warm = at > back ? at - back : 0; warm < at; warm++)
            NAMED(step)(&s, text[warm]);
        for (; at < size; at++) {
            if (!(at & 0xffff) && stop && *stop)
                return RULE_STOPPED;
            if (hits->found + NAMED(LANES) > hits->room) {
                cursor[1] = at;
                return RULE_FULL;
            }
            if (!NAMED(step)(&s, text[at]) || (allowed && !allowed[at]))
                continue;
            for (int lane = 0; lane < NAMED(LANES) && cursor[0] + lane < q->count; lane++)
                if (s.score[lane] <= s.most[lane])
                    add_hit(hits, cursor[0] + lane, at + 1, (uint8_t)s.score[lane]);
        }
    }
    return RULE_FINE;
}

#undef WORD
#undef BITS
#undef NAMED
