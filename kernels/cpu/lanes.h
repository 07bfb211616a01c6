/* Where one query reaches a known score in each of many subjects, a subject in each lane; a lane that is free takes the next one.
   Included once for each width, with WIDTH 8 (after bytes.h) or 16 (after beside.h).

   The score is known, so no cell keeps its number: of each row of a few columns the largest value is compared with it, and only
   where it is reached is looked which column has it. A lane ends there. */

#define LANES_JOIN_(name, width) name##width
#define LANES_JOIN(name, width) LANES_JOIN_(name, width)
#define IN(name) LANES_JOIN(name, WIDTH)

#ifndef SW_LANES_H
#define SW_LANES_H

enum { WINDOW = 64 }; /* columns that are laid at a time; a multiple of those taken together */

/* A subject to search: residues `codes[k * step]`, k = 0 ... count - 1, against the rows from `begin` on. */
typedef struct {
    const sw_code *codes;
    int64_t count, step, begin, number;
    int32_t score; /* at least 1, and the best there is */
} lane_task;

/* The first column with the score, and its first row, from 0; -1 if there is none. `clear` unless another row of that column has
   the score as well, or more than the score was seen. */
typedef struct {
    int64_t column, row;
    int clear;
} lane_place;

/* State of a lane. */
typedef struct {
    const lane_task *task; /* NULL: nothing */
    lane_place *place;
    int64_t begun, over; /* columns taken in all before its subject and at the end of it */
} lane_state;

/* Sort tasks by the row they begin with. */
static void sort_tasks(lane_task *tasks, int64_t count)
{
    for (int64_t gap = count / 2; gap > 0; gap /= 2)
        for (int64_t k = gap; k < count; k++) {
            const lane_task task = tasks[k];
            int64_t at = k;
            for (; at >= gap && tasks[at - gap].begin > task.begin; at -= gap)
                tasks[at] = tasks[at - gap];
            tasks[at] = task;
        }
}

#endif

#if WIDTH == 8
#define CELL uint8_t
#define MANY BYTE_SIDE
#define GROUP BYTE_COLUMNS
#define LANES_DO(name) BYTE_##name
#define LANES_SYMBOLS byte_symbols
#define LANES_SYMBOLS_OF byte_symbols_of
#define LANES_ADD add_byte_scores
#define LANES_ROWS byte_scores
#define LANES_VECTOR bytes
#define LANES_QUERY byte_query
#define LANES_LAY lay_bytes
#define LANES_FREE free_bytes
#define LANES_FITS fits_bytes
enum { LANES_NEVER8 = 255, LANES_ALONE8 = 8 /* a subject alone in stripes takes as long as so many lanes */ };
#else
#define CELL int16_t
#define MANY SIDE
#define GROUP COLUMNS
#define LANES_DO(name) name
#define LANES_SYMBOLS symbols
#define LANES_SYMBOLS_OF symbols_of
#define LANES_ADD add_scores
#define LANES_ROWS row_scores
#define LANES_VECTOR lanes
#define LANES_QUERY beside_query
#define LANES_LAY lay_beside
#define LANES_FREE free_beside
#define LANES_FITS fits_beside
enum { LANES_NEVER16 = INT16_MAX, LANES_ALONE16 = 5 };
#endif

typedef struct {
    _Alignas(64) CELL columns[WINDOW][MANY];
    _Alignas(64) CELL enough[MANY]; /* the score to find; never reached without a subject */
    _Alignas(64) CELL kept[MANY];   /* 0 where a subject begins, else all ones */
    lane_state lane[MANY];
} IN(lane_room);

/* Lay the residues of a lane from a column of the window on; behind the last the symbol behind the last symbol. */
static void IN(lay_window)(IN(lane_room) *room, int64_t lane, int64_t taken, int64_t symbols)
{
    const lane_state *state = room->lane + lane;
    const int64_t from = taken % WINDOW, first = taken - state->begun;
    int64_t some = state->task && state->task->count > first ? state->task->count - first : 0;
    some = some < WINDOW - from ? some : WINDOW - from;
    for (int64_t k = 0; k < some; k++)
        room->columns[from + k][lane] = state->task->codes[(first + k) * state->task->step];
    for (int64_t k = from + some; k < WINDOW; k++)
        room->columns[k][lane] = (CELL)symbols;
}

/* Give the lanes that are free the next of the tasks, and return how many there are left. `due`: columns taken when a lane is free
   again, -1 if none is at work; `begin`: the first row that any lane needs. */
static int64_t IN(take_tasks)(IN(lane_room) *room, const lane_task *tasks, lane_place *places, int64_t next, int64_t count,
                              int64_t taken, int64_t symbols, int64_t *due, int64_t *begin)
{
    *due = -1;
    for (int64_t lane = 0; lane < MANY; lane++) {
        lane_state *state = room->lane + lane;
        if (state->over <= taken) {
            const lane_task *task = next < count ? tasks + next : NULL;
            state->task = task;
            state->place = task ? places + next++ : NULL;
            state->begun = taken;
            state->over = task ? taken + (task->count + GROUP - 1) / GROUP * GROUP : INT64_MAX;
            room->enough[lane] = task ? (CELL)task->score : (CELL)IN(LANES_NEVER);
            room->kept[lane] = 0;
            IN(lay_window)(room, lane, taken, symbols);
        }
        if (!state->task)
            continue;
        if (*due < 0 || state->task->begin < *begin)
            *begin = state->task->begin;
        *due = *due < 0 || state->over < *due ? state->over : *due;
    }
    return next;
}

/* Note the lanes that have the score in a row of the columns from `taken` on; they are free after these columns. `h`: the values
   of the row. */
static __attribute__((noinline)) void IN(note_places)(IN(lane_room) *room, const LANES_VECTOR *h, int64_t taken, int64_t row)
{
    _Alignas(64) CELL values[MANY];
    for (int64_t c = 0; c < GROUP; c++) {
        LANES_DO(STORE)(values, h[c]);
        for (int64_t lane = 0; lane < MANY; lane++) {
            if (values[lane] < room->enough[lane])
                continue;
            const lane_state *state = room->lane + lane;
            const int64_t column = taken + c - state->begun;
            if (!state->task || column >= state->task->count)
                continue;
            lane_place *place = state->place;
            const int beyond = values[lane] > room->enough[lane];
            if (place->column < 0 || column < place->column)
                *place = (lane_place){column, row, !beyond};
            else if (beyond || column == place->column)
                place->clear = 0;
            room->lane[lane].over = taken + GROUP;
        }
    }
}

/* Look for the scores of `count` tasks, in their order, whose rows begin later and later. Rows are taken from `first_row` by
   `step`. */
static void IN(look_for)(const LANES_QUERY *laid, const query_profile *query, int64_t first_row, int64_t step,
                         IN(lane_room) *room, const lane_task *tasks, int64_t count, lane_place *places)
{
    const LANES_VECTOR zero = LANES_DO(BROADCAST)(0), firsts = LANES_DO(BROADCAST)((CELL)query->first),
                       extends = LANES_DO(BROADCAST)((CELL)query->extend), biases = LANES_DO(BROADCAST)((CELL)laid->bias);
    int64_t next = 0, due = 0, begin = 0;
    memset(room, 0, sizeof *room);
    memset(laid->state, 0, (size_t)query->rows * 2 * sizeof *laid->state);
    for (int64_t k = 0; k < count; k++)
        places[k] = (lane_place){-1, -1, 0};
    for (int64_t taken = 0; !*query->stop; taken += GROUP) {
        if (taken % WINDOW == 0)
            for (int64_t lane = 0; lane < MANY; lane++)
                IN(lay_window)(room, lane, taken, query->symbols);
        if (taken >= due) {
            memset(room->kept, 255, sizeof room->kept);
            next = IN(take_tasks)(room, tasks, places, next, count, taken, query->symbols, &due, &begin);
            if (due < 0)
                return;
            const LANES_VECTOR kept = LANES_DO(LOAD)(room->kept);
            for (int64_t i = 2 * begin; i < 2 * query->rows; i++)
                LANES_DO(STORE)(laid->state + i, LANES_DO(AND)(LANES_DO(LOAD)(laid->state + i), kept));
        }
        const LANES_VECTOR enough = LANES_DO(LOAD)(room->enough);
        LANES_SYMBOLS wanted[GROUP];
        LANES_VECTOR f[GROUP], above[GROUP]; /* H of the row above, from the column before these on */
        int found = 0;
        for (int c = 0; c < GROUP; c++) {
            wanted[c] = LANES_SYMBOLS_OF(room->columns[taken % WINDOW + c]);
            f[c] = above[c] = zero;
        }
        for (int64_t row = begin; row < query->rows; row++) {
            const LANES_ROWS *scores = laid->rows + first_row + row * step;
            LANES_VECTOR left = LANES_DO(LOAD)(laid->state + 2 * row), e = LANES_DO(LOAD)(laid->state + 2 * row + 1);
            LANES_VECTOR top = zero;
#pragma GCC unroll 4
            for (int c = 0; c < GROUP; c++) {
                LANES_VECTOR h = LANES_ADD(above[c], scores, wanted[c], biases);
                h = LANES_DO(MAXIMUM)(h, LANES_DO(MAXIMUM)(e, f[c]));
                top = LANES_DO(MAXIMUM)(top, h);
                above[c] = left;
                left = h;
                const LANES_VECTOR open = LANES_DO(SUBTRACT)(h, firsts);
                e = LANES_DO(MAXIMUM)(LANES_DO(SUBTRACT)(e, extends), open);
                f[c] = LANES_DO(MAXIMUM)(LANES_DO(SUBTRACT)(f[c], extends), open);
            }
            LANES_DO(STORE)(laid->state + 2 * row, left);
            LANES_DO(STORE)(laid->state + 2 * row + 1, e);
            if (__builtin_expect(LANES_DO(REACHED)(top, enough), 0)) {
                LANES_VECTOR h[GROUP];
                for (int c = 0; c < GROUP; c++)
                    h[c] = c + 1 < GROUP ? above[c + 1] : left;
                IN(note_places)(room, h, taken, row);
                found = 1;
            }
        }
        if (found)
            due = taken + GROUP;
    }
}

/* Number of the longest subjects that the others would wait for, so that they are better searched alone. */
static int64_t IN(left_out)(const lane_task *tasks, int64_t count, int64_t residues)
{
    int64_t best = count, least = residues * IN(LANES_ALONE), alone = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t longest = tasks[k].count * MANY, beside = residues - alone;
        const int64_t cost = alone * IN(LANES_ALONE) + (longest > beside ? longest : beside);
        if (cost < least) {
            least = cost;
            best = k;
        }
        alone += tasks[k].count;
    }
    return best;
}

/* Find regions as corners, found[...][5], of what has a known score within this width, found[...][0], and no start yet,
   found[...][1] < 0; what is not settled here keeps that. `order`: the subjects, longest first. There is room for `count` tasks
   and places.

   In the first column with the score one row has it alone, or the subject is not settled here. So an alignment with the score
   that lies before the end of that column ends in that row, and the way back needs no other. */
static int IN(find_in_lanes)(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                             const int64_t *order, int64_t count, lane_task *tasks, lane_place *places, int32_t *found)
{
    LANES_QUERY laid;
    int64_t some = 0, residues = 0, waited_for, clear = 0;
    if (!LANES_FITS(query))
        return QUERY_FINE;
    if (LANES_LAY(&laid, query, 0) < 0)
        return QUERY_NO_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const int64_t number = order[k];
        const int32_t *known = found + 5 * number;
        if (known[1] >= 0 || known[0] < 1 || known[0] > laid.most)
            continue;
        tasks[some++] = (lane_task){codes + starts[number], lengths[number], 1, 0, number, known[0]};
        residues += lengths[number];
    }
    waited_for = IN(left_out)(tasks, some, residues);
    IN(lane_room) *room = waited_for < some ? sw_allocate(sizeof *room) : NULL;
    if (!room) {
        LANES_FREE(&laid);
        return waited_for < some ? QUERY_NO_MEMORY : QUERY_FINE;
    }
    IN(look_for)(&laid, query, 0, 1, room, tasks + waited_for, some - waited_for, places + waited_for);
    for (int64_t k = waited_for; k < some; k++) {
        const lane_place end = places[k];
        const lane_task task = tasks[k];
        if (!end.clear)
            continue;
        found[5 * task.number + 2] = (int32_t)end.row + 1;
        found[5 * task.number + 4] = (int32_t)end.column + 1;
        tasks[clear++] = (lane_task){task.codes + end.column, end.column + 1,           -1,
                                     query->rows - 1 - end.row, task.number, task.score};
    }
    sort_tasks(tasks, clear);
    IN(look_for)(&laid, query, query->rows - 1, -1, room, tasks, clear, places);
    for (int64_t k = 0; k < clear; k++) {
        if (places[k].column < 0)
            continue;
        found[5 * tasks[k].number + 1] = (int32_t)(query->rows - 1 - places[k].row);
        found[5 * tasks[k].number + 3] = (int32_t)(tasks[k].count - 1 - places[k].column);
    }
    sw_free(room);
    LANES_FREE(&laid);
    return QUERY_FINE;
}

/* Note which columns of `some` subjects, longest first, hold the score of their task: the first one, and behind the last one, in
   `reached`; -1 twice where this width may not hold what was seen. Rows are taken from `first_row` by `step`. */
static int IN(note_reached)(const LANES_QUERY *laid, const query_profile *query, int64_t first_row, int64_t step,
                            IN(lane_room) *room, const lane_task *tasks, int64_t some, int64_t *reached,
                            const volatile int32_t *stop)
{
    const LANES_VECTOR zero = LANES_DO(BROADCAST)(0), firsts = LANES_DO(BROADCAST)((CELL)query->first),
                       extends = LANES_DO(BROADCAST)((CELL)query->extend), biases = LANES_DO(BROADCAST)((CELL)laid->bias);
    _Alignas(64) CELL values[MANY];
    uint8_t beyond[MANY] = {0};
    memset(room, 0, sizeof *room);
    memset(laid->state, 0, (size_t)query->rows * 2 * sizeof *laid->state);
    for (int64_t lane = 0; lane < MANY; lane++) {
        room->lane[lane].task = lane < some ? tasks + lane : NULL;
        room->enough[lane] = lane < some ? (CELL)tasks[lane].score : (CELL)IN(LANES_NEVER);
    }
    const LANES_VECTOR enough = LANES_DO(LOAD)(room->enough);
    for (int64_t taken = 0; taken < tasks[0].count; taken += GROUP) {
        if (taken % WINDOW == 0) {
            if (*stop)
                return QUERY_STOPPED;
            for (int64_t lane = 0; lane < MANY; lane++)
                IN(lay_window)(room, lane, taken, query->symbols);
        }
        LANES_SYMBOLS wanted[GROUP];
        LANES_VECTOR f[GROUP], above[GROUP], top = zero;
        for (int c = 0; c < GROUP; c++) {
            wanted[c] = LANES_SYMBOLS_OF(room->columns[taken % WINDOW + c]);
            f[c] = above[c] = zero;
        }
        for (int64_t row = 0; row < query->rows; row++) {
            const LANES_ROWS *scores = laid->rows + first_row + row * step;
            LANES_VECTOR left = LANES_DO(LOAD)(laid->state + 2 * row), e = LANES_DO(LOAD)(laid->state + 2 * row + 1);
#pragma GCC unroll 4
            for (int c = 0; c < GROUP; c++) {
                LANES_VECTOR h = LANES_ADD(above[c], scores, wanted[c], biases);
                h = LANES_DO(MAXIMUM)(h, LANES_DO(MAXIMUM)(e, f[c]));
                top = LANES_DO(MAXIMUM)(top, h);
                above[c] = left;
                left = h;
                const LANES_VECTOR open = LANES_DO(SUBTRACT)(h, firsts);
                e = LANES_DO(MAXIMUM)(LANES_DO(SUBTRACT)(e, extends), open);
                f[c] = LANES_DO(MAXIMUM)(LANES_DO(SUBTRACT)(f[c], extends), open);
            }
            LANES_DO(STORE)(laid->state + 2 * row, left);
            LANES_DO(STORE)(laid->state + 2 * row + 1, e);
        }
        if (!LANES_DO(REACHED)(top, enough))
            continue;
        LANES_DO(STORE)(values, top);
        for (int64_t lane = 0; lane < some; lane++) {
            if (values[lane] < room->enough[lane] || taken >= tasks[lane].count)
                continue;
            const int64_t end = taken + GROUP < tasks[lane].count ? taken + GROUP : tasks[lane].count;
            reached[2 * lane] = reached[2 * lane + 1] ? reached[2 * lane] : taken;
            reached[2 * lane + 1] = end;
            beyond[lane] |= values[lane] > laid->most;
        }
    }
    for (int64_t lane = 0; lane < some; lane++)
        if (beyond[lane])
            reached[2 * lane] = reached[2 * lane + 1] = -1;
    return QUERY_FINE;
}

/* Find the columns that hold a score (`reached_columns`) of the subjects of which they are not known, reached[...][0] < 0, within
   this width; what is beyond it keeps that. There is room for `count` tasks, and twice as many numbers. */
static int IN(reach_in_lanes)(const query_profile *query, const sw_code *codes, const int64_t *starts, const int64_t *lengths,
                              const int64_t *order, int64_t count, const int64_t *least, int backwards, lane_task *tasks,
                              int64_t *found, int64_t *reached, const volatile int32_t *stop)
{
    LANES_QUERY laid;
    int64_t some = 0;
    int status = QUERY_FINE;
    if (!LANES_FITS(query))
        return QUERY_FINE;
    if (LANES_LAY(&laid, query, 0) < 0)
        return QUERY_NO_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        const int64_t number = order[k], length = lengths[number];
        const sw_code *first = codes + starts[number];
        if (reached[2 * number] < 0 && least[number] <= laid.most && length)
            tasks[some++] = (lane_task){backwards ? first + length - 1 : first, length,       backwards ? -1 : 1, 0, number,
                                        (int32_t)least[number]};
    }
    IN(lane_room) *room = sw_allocate(sizeof *room);
    if (!room)
        status = QUERY_NO_MEMORY;
    for (int64_t k = 0; k < some; k++) /* the rest is searched in stripes */
        found[2 * k] = found[2 * k + 1] = some - k / MANY * MANY < MANY / IN(LANES_ALONE) ? -1 : 0;
    for (int64_t at = 0; at < some && found[2 * at] == 0 && status == QUERY_FINE; at += MANY)
        status = IN(note_reached)(&laid, query, backwards ? query->rows - 1 : 0, backwards ? -1 : 1, room, tasks + at,
                                  some - at < MANY ? some - at : MANY, found + 2 * at, stop);
    for (int64_t k = 0; k < some && status == QUERY_FINE; k++)
        memcpy(reached + 2 * tasks[k].number, found + 2 * k, 2 * sizeof *found);
    sw_free(room);
    LANES_FREE(&laid);
    return status;
}

#undef CELL
#undef MANY
#undef GROUP
#undef LANES_DO
#undef LANES_SYMBOLS
#undef LANES_SYMBOLS_OF
#undef LANES_ADD
#undef LANES_VECTOR
#undef LANES_QUERY
#undef LANES_LAY
#undef LANES_FREE
#undef LANES_FITS
#undef LANES_ROWS
#undef IN
