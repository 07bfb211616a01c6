// How rows flow through a strip.
//
//                 columns of the strip: STRIP_COLS per thread, 32 threads per warp
//               --------------------------------------------------------------->
//   group q + 2 [t0]                                        A group is STRIP_ROWS rows. Thread t of a warp is t groups
//   group q + 1     [t1]                                    behind the first, so each step is an anti-diagonal of the
//   group q             [t2]                                strip; warp w is STRIP_DELAY batches behind warp w - 1.
//
//   border column of       batches of T rows        right border column
//   the strip to the  ---> fetched by a warp of     collected by the last warp, ---> global memory
//   left                   its own, one ahead       written by that warp of its own
//
// Between threads of a warp values go by shuffle, between warps through rings in shared memory, with one barrier of
// the block per batch. Shared memory: the profile (scores of every row letter in every column), then Edges[2][steps]
// for fetched values, Edges[2][steps] for the border, Edges[STRIP_RING] for each computing warp but the last.
#pragma once
#include "strip_cells.cuh"
#include "strip_sync.cuh"

#define STRIP_PROFILE_BYTES ((STRIP_LETTERS + 1) * STRIP_HELD * STRIP_BYTES)

typedef Integer<STRIP_BYTES>::of Score;
#define STRIP_WORST (STRIP_BYTES == 1 ? -128 : STRIP_BYTES == 2 ? -32768 : STRIP_NEVER)

// Fill the profile of a strip. table[kind][letter] is a score, kind the code of the column or its position.
// Columns beyond the sequence, and the row letter STRIP_LETTERS that stands before and after the rows, lower every sum.
STRIP_INLINE void fill_profile(Score* profile, const unsigned char* columns, const short* table, int by_position,
                               int first, int width) {
    for (int column = threadIdx.x; column < STRIP_HELD; column += STRIP_THREADS) {
        const bool real = column < width;
        const short* scores =
            table + (real ? (size_t)(by_position ? first + column : columns[first + column]) * STRIP_LETTERS : 0);
        for (int letter = 0; letter <= STRIP_LETTERS; letter++) {
            const int score = real && letter < STRIP_LETTERS ? scores[letter] + STRIP_FIRST : STRIP_WORST;
            profile[letter * STRIP_HELD + column] = (Score)score;
        }
    }
}

// Work of one block.
struct Stretch {
    const unsigned char* letters;  // of its rows, 4-byte aligned; 128 more may be read before, STRIP_BATCH + 160 after
    int rows;                      // of the stretch
    int row0;                      // rows above it
    int first, width;              // first column (from 0) and number of columns
    const int2* left;              // G and F left of each of its rows; null on the left border of the matrix
    const int* left_done;          // rows of `left` that are there; null if all are
    int2* right;                   // output of G and F of its last column; null if not wanted
    int* right_done;
#if STRIP_STATES
    uint2* right_states;
#endif
#if STRIP_CHUNK
    int2* saved;                   // [rows / h][columns of the matrix] G and E
    int saved_stride;
#if STRIP_STATES == 2
    uint2* saved_states;
#endif
#endif
    const int* cancel;
    unsigned long long* done;      // rows computed so far, by all blocks
};

// The best cell a thread has met. Rows and columns from 0, in the whole matrix.
struct Best {
    int score, row, column;
    word state;
};

STRIP_INLINE bool before(int row, int column, const Best& best) {
    if constexpr (STRIP_COLUMN_FIRST) return column < best.column || (column == best.column && row < best.row);
    else return row < best.row || (row == best.row && column < best.column);
}

// Fetch the batch of the left border column that begins with `row`; false if the work was cancelled. By one warp.
STRIP_INLINE bool fetch(const Stretch& stretch, int row, Edges* target) {
    const int lane = threadIdx.x % 32;
    if (stretch.left_done) {
        const int needed = min(row + STRIP_BATCH, stretch.rows);
        while (!__all_sync(STRIP_ALL, load_acquire(stretch.left_done) >= needed)) {
            if (__any_sync(STRIP_ALL, load_flag(stretch.cancel) != 0)) return false;
            rest();
        }
    }
    for (int i = lane; i < STRIP_BATCH; i += 32) {
        const bool known = stretch.left && row + i < stretch.rows;
        const int2 values = known ? load_far(stretch.left + row + i) : make_int2(-STRIP_FIRST, STRIP_NEVER);
        target[i / STRIP_ROWS].g[i % STRIP_ROWS] = values.x;
        target[i / STRIP_ROWS].f[i % STRIP_ROWS] = values.y;
    }
    return true;
}

// Hand on a batch of the right border column; `row` is its first row, which may lie above the stretch. By one warp.
STRIP_INLINE void publish(const Stretch& stretch, int row, const Edges* edges) {
    const int lane = threadIdx.x % 32;
    for (int i = lane; i < STRIP_BATCH; i += 32) {
        if (row + i < 0 || row + i >= stretch.rows) continue;
        const Edges& group = edges[i / STRIP_ROWS];
        store_far(stretch.right + row + i, make_int2(group.g[i % STRIP_ROWS], group.f[i % STRIP_ROWS]));
#if STRIP_STATES
        const uint2 states = make_uint2(group.state_h[i % STRIP_ROWS], group.state_f[i % STRIP_ROWS]);
        store_far(stretch.right_states + row + i, states);
#endif
    }
    __syncwarp();
    const int finished = min(row + STRIP_BATCH, stretch.rows);
    if (lane == 0 && finished > 0) store_release(stretch.right_done, finished);
}

// Remember the best cell of a group that has one as good as the best so far. Cells beyond the matrix need no care:
// their values came from a cell of the matrix that scores as much or more, and is before them.
STRIP_INLINE void remember(const Stretch& stretch, const Cells& cells, int highest, int row, int column, Best& best) {
    int at_row = 0, at_column = 0;
#if STRIP_STATES
    word state = 0;
#define STRIP_TAKE(r, c) at_row = r, at_column = c, state = cells.state[r][c]
#else
#define STRIP_TAKE(r, c) at_row = r, at_column = c
#endif
    // Backwards, so that the first of equals stays.
#pragma unroll
    for (int i = STRIP_ROWS * STRIP_COLS - 1; i >= 0; i--) {
        const int r = STRIP_COLUMN_FIRST ? i % STRIP_ROWS : i / STRIP_COLS;
        const int c = STRIP_COLUMN_FIRST ? i / STRIP_ROWS : i % STRIP_COLS;
        if (cells.h[r][c] == highest) STRIP_TAKE(r, c);
    }
#undef STRIP_TAKE
    at_row += stretch.row0 + row, at_column += stretch.first + column;
    if (highest > best.score || before(at_row, at_column, best)) {
        best.score = highest, best.row = at_row, best.column = at_column;
#if STRIP_STATES
        best.state = state;
#endif
    }
}

#if STRIP_CHUNK && !defined(STRIP_DIRECTIONS)
// Save the row that was just computed.
STRIP_INLINE void save_row(const Stretch& stretch, const Columns& columns, int row, int column) {
    const size_t place = (size_t)(row / STRIP_CHUNK) * stretch.saved_stride + stretch.first + column;
#pragma unroll
    for (int c = 0; c < STRIP_COLS; c++) {
        if (column + c >= stretch.width) continue;
        stretch.saved[place + c] = make_int2(columns.g[c], columns.e[c]);
#if STRIP_STATES == 2
        stretch.saved_states[place + c] = make_uint2(columns.state_h[c], columns.state_e[c]);
#endif
    }
}
#endif

// Compute all rows of a stretch; false if the work was cancelled. `columns` holds the values above its first row.
// Directions go to `directions`, one row of STRIP_PACKS packs after the other, from row `wanted` of the stretch on.
typedef Integer<STRIP_COLS / 2>::plain Pack;

// The letters of a group of rows.
typedef Integer<STRIP_ROWS>::plain Letters;
#define STRIP_LETTER(letters, r) ((int)((letters) >> 8 * (r) & 0xff))

// State of a computing thread from batch to batch.
struct Thread {
    Edges edges, border;
    Scores scores[STRIP_ROWS];  // of the next group
    Letters letters;            // of the group after it
    int group, put, got;
#if STRIP_STATES
    int local;  // row of the strip or chunk that the group begins with, from 1
#endif
};

// Compute a batch: one step per group of rows.
STRIP_INLINE void compute_batch(const Stretch& stretch, Columns& columns, Thread& held, Best& best, const char* shared,
                                const Edges* source, int source_size, Edges* target, Edges* border, Pack* directions,
                                int wanted) {
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const Letters* letters = (const Letters*)stretch.letters;
    Edges entering = source[held.got];
    for (int step = 0; step < STRIP_STEPS; step++) {
        Scores now[STRIP_ROWS];
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++) {
            now[r] = held.scores[r];
            held.scores[r] = load_scores(shared, STRIP_LETTER(held.letters, r));
        }
        held.letters = letters[held.group + 2];
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++) {
            held.edges.g[r] = __shfl_sync(STRIP_ALL, held.edges.g[r], lane - 1, 32);
            held.edges.f[r] = __shfl_sync(STRIP_ALL, held.edges.f[r], lane - 1, 32);
#if STRIP_STATES
            held.edges.state_h[r] = __shfl_sync(STRIP_ALL, held.edges.state_h[r], lane - 1, 32);
            held.edges.state_f[r] = __shfl_sync(STRIP_ALL, held.edges.state_f[r], lane - 1, 32);
#endif
        }
        if (lane == 0) {
            held.edges = entering;
#if STRIP_STATES
            if (warp == 0) {
#pragma unroll
                for (int r = 0; r < STRIP_ROWS; r++) {
                    held.edges.state_h[r] = (word)(held.local + r) * STRIP_CODES;
                    held.edges.state_f[r] = held.edges.state_h[r] + STRIP + 1;
                }
            }
#endif
        }
        if (++held.got == source_size) held.got = 0;
        if (step + 1 < STRIP_STEPS) entering = source[held.got];

        const int row = held.group * STRIP_ROWS;
        Cells cells;
#ifdef STRIP_DIRECTIONS
        if (row >= 0 && row < stretch.rows) {
            compute_rows(columns, held.edges, held.border, now, 0, cells);
#pragma unroll
            for (int r = 0; r < STRIP_ROWS; r++) {
                if (row + r >= wanted && row + r < stretch.rows && thread < STRIP_PACKS) {
                    directions[(size_t)(row + r - wanted) * STRIP_PACKS + thread] = (Pack)cells.directions[r];
                }
            }
        }
#else
#if STRIP_STATES
        const word fresh = (word)held.local * STRIP_CODES + thread * STRIP_COLS + 1;
#else
        const word fresh = 0;
#endif
        compute_rows(columns, held.edges, held.border, now, fresh, cells);
        const int highest = highest_of(cells);
        if (highest >= best.score) remember(stretch, cells, highest, row, thread * STRIP_COLS, best);
#endif
        if (warp < STRIP_WARPS - 1) {
            if (lane == 31 && held.group >= 0) {
                target[held.put] = held.edges;
                if (++held.put == STRIP_RING) held.put = 0;
            }
        } else if (thread == STRIP_EDGE_THREAD) {
            border[step] = held.border;
        }
#if STRIP_CHUNK && !defined(STRIP_DIRECTIONS)
        if ((row + STRIP_ROWS) % STRIP_CHUNK == 0 && row >= 0 && row + STRIP_ROWS <= stretch.rows) {
            save_row(stretch, columns, row, thread * STRIP_COLS);
#if STRIP_STATES == 2
            // A chunk begins again below a saved row.
            held.local = 1 - STRIP_ROWS;
            columns.state_diagonal = thread * STRIP_COLS;
#pragma unroll
            for (int c = 0; c < STRIP_COLS; c++) {
                columns.state_h[c] = thread * STRIP_COLS + c + 1;
                columns.state_e[c] = (STRIP_CHUNK + 1) * STRIP_CODES + columns.state_h[c];
            }
#endif
        }
#endif
#if STRIP_STATES
        held.local += STRIP_ROWS;
#endif
        held.group++;
    }
}

STRIP_INLINE bool flow(const Stretch& stretch, Columns& columns, Best& best, char* shared, Pack* directions,
                       int wanted) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Edges* fetched = (Edges*)(shared + STRIP_PROFILE_BYTES);
    Edges* border = fetched + 2 * STRIP_STEPS;
    Edges* rings = border + 2 * STRIP_STEPS;
    const int groups = (stretch.rows + STRIP_ROWS - 1) / STRIP_ROWS;
    const int batches = (groups + 31 + STRIP_STEPS - 1) / STRIP_STEPS;
    const int phases = batches + (STRIP_WARPS - 1) * STRIP_DELAY;

    Thread held;
    held.group = -lane;
    held.put = held.got = 0;
#if STRIP_STATES
    held.local = 1 - STRIP_ROWS * lane;
#endif
#pragma unroll
    for (int r = 0; r < STRIP_ROWS; r++) {
        held.edges.g[r] = -STRIP_FIRST, held.edges.f[r] = STRIP_NEVER;
#if STRIP_STATES
        held.edges.state_h[r] = held.edges.state_f[r] = 0;
#endif
    }
    if (warp < STRIP_WARPS) {
        const Letters* letters = (const Letters*)stretch.letters;
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++) {
            held.scores[r] = load_scores(shared, lane ? STRIP_LETTERS : STRIP_LETTER(letters[0], r));
        }
        held.letters = letters[held.group + 1];
    }
    for (int phase = -1; phase <= phases; phase++) {
        const int batch = phase - warp * STRIP_DELAY;
        bool cancelled = false;
        if (warp == STRIP_WARPS) {
            // The last warp's output of a phase ago goes out; the first warp's input of the next phase comes in.
            const int out = phase - 1 - (STRIP_WARPS - 1) * STRIP_DELAY;
            if (stretch.right && out >= 0) {
                const int row = (out * STRIP_STEPS - STRIP_EDGE_THREAD % 32) * STRIP_ROWS;
                publish(stretch, row, border + (out & 1) * STRIP_STEPS);
            }
            if (phase + 1 < batches) {
                cancelled = !fetch(stretch, (phase + 1) * STRIP_BATCH, fetched + (phase + 1 & 1) * STRIP_STEPS);
            }
            if (phase % 16 == 0) {
                cancelled |= __any_sync(STRIP_ALL, load_flag(stretch.cancel) != 0) != 0;
                if (lane == 0) atomicAdd(stretch.done, 16ull * STRIP_BATCH);
            }
        } else if (batch >= 0 && batch < batches) {
            if (warp == 0) held.got = 0;
            const Edges* source = warp ? rings + (warp - 1) * STRIP_RING : fetched + (batch & 1) * STRIP_STEPS;
            compute_batch(stretch, columns, held, best, shared, source, warp ? STRIP_RING : STRIP_STEPS,
                          rings + warp * STRIP_RING, border + (batch & 1) * STRIP_STEPS, directions, wanted);
        }
        if (__syncthreads_or(cancelled)) return false;
    }
    return true;
}
