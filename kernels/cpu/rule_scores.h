/* The best score of a whole query for each subject, ends of the subject free, LANES subjects side by side: a match scores up, every
   other column -down. Included once for each word: WORD and NAMED(name).

   A column scores down more for each residue of the query here, so that only insertions cost: matches gain up + down, mismatches and
   deletions nothing. No cell is below 0, and the last one is at most (up + down) * length, which a WORD must hold. */

enum { NAMED(LANES) = 2 * SW_BYTES / sizeof(WORD) };

/* Score of a residue of each used symbol of a query with one residue of each lane's subject. */
static inline void NAMED(profile)(const WORD *symbols, const WORD *gain, const uint32_t *masks, const uint8_t *used,
                                  WORD profile[SYMBOLS][NAMED(LANES)])
{
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        WORD *gains = profile[symbol];
        if (!used[symbol])
            continue;
        memset(gains, 0, sizeof profile[symbol]);
        for (uint32_t left = masks[symbol]; left; left &= left - 1) {
            const WORD matching = (WORD)__builtin_ctz(left);
            for (int lane = 0; lane < NAMED(LANES); lane++)
                gains[lane] = symbols[lane] == matching ? gain[lane] : gains[lane];
        }
    }
}

/* Score LANES subjects or fewer; column: room for length * LANES. Returns whether it was not stopped. */
static int NAMED(lanes)(const uint8_t *text, const int64_t *starts, const int64_t *ends, int64_t count, const uint8_t *query,
                        int64_t length, const uint32_t *masks, const uint8_t *used, const int32_t *up, const int32_t *down,
                        WORD *column, int32_t *scores, const volatile int32_t *stop)
{
    int64_t longest = 0;
    WORD best[NAMED(LANES)] = {0}, cost[NAMED(LANES)] = {0}, gain[NAMED(LANES)] = {0}, profile[SYMBOLS][NAMED(LANES)];
    for (int64_t lane = 0; lane < count; lane++) {
        cost[lane] = (WORD)down[lane];
        gain[lane] = (WORD)(up[lane] + down[lane]);
        longest = ends[lane] - starts[lane] > longest ? ends[lane] - starts[lane] : longest;
    }
    memset(column, 0, (size_t)length * NAMED(LANES) * sizeof *column);
    for (int64_t at = 0; at < longest; at++) {
        WORD symbols[NAMED(LANES)], above[NAMED(LANES)] = {0}, corner[NAMED(LANES)] = {0};
        for (int64_t lane = 0; lane < NAMED(LANES); lane++) /* behind its end a subject has residues that match nothing */
            symbols[lane] = lane < count && at < ends[lane] - starts[lane] ? text[starts[lane] + at] : SYMBOLS - 1;
        NAMED(profile)(symbols, gain, masks, used, profile);
        for (int64_t row = 0; row < length; row++) {
            const WORD *gains = profile[query[row]];
            WORD *cells = column + row * NAMED(LANES);
            for (int lane = 0; lane < NAMED(LANES); lane++) {
                const WORD left = cells[lane], aligned = (WORD)(corner[lane] + gains[lane]);
                const WORD inserted = (WORD)((left > cost[lane] ? left : cost[lane]) - cost[lane]);
                const WORD larger = aligned > inserted ? aligned : inserted;
                corner[lane] = left;
                above[lane] = above[lane] > larger ? above[lane] : larger;
                cells[lane] = above[lane];
            }
        }
        for (int lane = 0; lane < NAMED(LANES); lane++)
            best[lane] = above[lane] > best[lane] ? above[lane] : best[lane];
        if (at & 0xff)
            continue;
        if (*stop)
            return 0;
        int64_t done = 0; /* lanes in which all residues match, so that no score is better */
        while (done < count && best[done] == gain[done] * length)
            done++;
        if (done == count)
            break;
    }
    for (int64_t lane = 0; lane < count; lane++)
        scores[lane] = (int32_t)best[lane] - (int32_t)length * down[lane];
    return 1;
}

#undef WORD
#undef NAMED
