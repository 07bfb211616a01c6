// How rows flow through a strip.
//
//                 columns of the strip: STRIP_COLS per thread, 32 threads per warp
//               --------------------------------------------------------------->
//   row r + 2   [t0]                                        thread t is t - 32 w rows behind the first of its warp,
//   row r + 1       [t1]                                    so each step is an anti-diagonal of the strip;
//   row r               [t2]                                warp w is STRIP_DELAY batches behind warp w - 1
//
//   border column of       batches of T rows        right border column
//   the strip to the  ---> fetched by warp 0  ...   collected by the last warp, ---> global memory
//   left                                            written T rows at once
//
// Between threads of a warp values go by shuffle, between warps through a ring in shared memory, with one barrier of
// the block per batch. Shared memory: the profile (scores of every row letter in every column), then Edge[T] for what
// warp 0 has fetched, Edge[T] for the border, Edge[STRIP_RING] for each warp but the last.
#pragma once
#include "strip_cells.cuh"
#include "strip_sync.cuh"

#define STRIP_PROFILE_BYTES ((STRIP_LETTERS + 1) * STRIP_HELD * STRIP_BYTES)

#if STRIP_BYTES == 1
typedef signed char Score;
#define STRIP_WORST (-128)
#elif STRIP_BYTES == 2
typedef short Score;
#define STRIP_WORST (-32768)
#else
typedef int Score;
#define STRIP_WORST STRIP_NEVER
#endif

// Fill the profile of a strip. table[kind][letter] is a score, kind the code of the column or its position.
// Columns beyond the sequence, and the row letter STRIP_LETTERS that stands before and after the rows, lower every sum.
STRIP_INLINE void fill_profile(Score* profile, const unsigned char* columns, const short* table, int by_position, int first, int width) {
    for (int column = threadIdx.x; column < STRIP_HELD; column += STRIP_THREADS) {
        const bool real = column < width;
        const short* scores = table + (real ? (size_t)(by_position ? first + column : columns[first + column]) * STRIP_LETTERS : 0);
        for (int letter = 0; letter <= STRIP_LETTERS; letter++) {
            const int score = real && letter < STRIP_LETTERS ? scores[letter] + STRIP_FIRST : STRIP_WORST;
            profile[letter * STRIP_HELD + column] = (Score)score;
        }
    }
}

// What one block computes.
struct Stretch {
    const unsigned char* letters;  // of its rows; at least 32 more may be read before, STRIP_BATCH + 64 after
    int rows;                      // of the stretch
    int row0;                      // rows above it
    int first, width;              // first column (from 0) and number of columns
    const int2* left;              // G and F left of each of its rows; null on the left border of the matrix
    const int* left_done;          // rows of `left` that are there; null if all are
    int2* right;                   // where G and F of its last column go; null if nobody wants them
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
#if STRIP_COLUMN_FIRST
    return column < best.column || (column == best.column && row < best.row);
#else
    return row < best.row || (row == best.row && column < best.column);
#endif
}

// Batches of the border column to the left, fetched one ahead where they are there already.
struct Fetched {
    int2 ahead[(STRIP_BATCH + 31) / 32];
    bool have = false;

    STRIP_INLINE void load(const Stretch& stretch, int row) {
#pragma unroll
        for (int i = 0; i < (STRIP_BATCH + 31) / 32; i++) {
            const int at = row + 32 * i + (int)threadIdx.x % 32;
            ahead[i] = at < stretch.rows ? load_far(stretch.left + at) : make_int2(-STRIP_FIRST, STRIP_NEVER);
        }
    }

    // Put the batch that begins with `row` into shared memory; false if the work was cancelled.
    STRIP_INLINE bool take(const Stretch& stretch, int row, Edge* edges) {
        const int lane = threadIdx.x % 32;
        if (__any_sync(STRIP_ALL, load_flag(stretch.cancel) != 0)) return false;
        if (!stretch.left) {
            for (int i = lane; i < STRIP_BATCH; i += 32) edges[i].g = -STRIP_FIRST, edges[i].f = STRIP_NEVER;
            __syncwarp();
            return true;
        }
        if (!have) {
            const int needed = min(row + STRIP_BATCH, stretch.rows);
            while (stretch.left_done && !__all_sync(STRIP_ALL, load_acquire(stretch.left_done) >= needed)) {
                if (__any_sync(STRIP_ALL, load_flag(stretch.cancel) != 0)) return false;
                rest();
            }
            load(stretch, row);
        }
#pragma unroll
        for (int i = 0; i < (STRIP_BATCH + 31) / 32; i++) {
            const int at = 32 * i + lane;
            if (at < STRIP_BATCH) edges[at].g = ahead[i].x, edges[at].f = ahead[i].y;
        }
        __syncwarp();
        const int next = row + STRIP_BATCH, needed = min(next + STRIP_BATCH, stretch.rows);
        have = next < stretch.rows &&
               (!stretch.left_done || __all_sync(STRIP_ALL, load_acquire(stretch.left_done) >= needed));
        if (have) load(stretch, next);
        return true;
    }
};

// Write a batch of the right border column and say so; `row` is its first row, which may lie above the stretch.
STRIP_INLINE void publish(const Stretch& stretch, int row, const Edge* edges) {
    __syncwarp();
    const int lane = threadIdx.x % 32;
    for (int i = lane; i < STRIP_BATCH; i += 32) {
        if (row + i < 0 || row + i >= stretch.rows) continue;
        store_far(stretch.right + row + i, make_int2(edges[i].g, edges[i].f));
#if STRIP_STATES
        store_far(stretch.right_states + row + i, make_uint2(edges[i].state_h, edges[i].state_f));
#endif
    }
    __syncwarp();
    const int finished = min(row + STRIP_BATCH, stretch.rows);
    if (lane == 0 && finished > 0) store_release(stretch.right_done, finished);
}

// Compute all rows of a stretch; false if the work was cancelled. `columns` holds what is above its first row.
// Directions go to `directions`, one row of STRIP_PACKS packs after the other, from row `wanted` of the stretch on.
#if STRIP_COLS == 8
typedef unsigned int Pack;
#elif STRIP_COLS == 4
typedef unsigned short Pack;
#else
typedef unsigned char Pack;
#endif

STRIP_INLINE bool flow(const Stretch& stretch, Columns& columns, Best& best, char* shared, Pack* directions, int wanted) {
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    Edge* fetched_edges = (Edge*)(shared + STRIP_PROFILE_BYTES);
    Edge* border_edges = fetched_edges + STRIP_BATCH;
    Edge* rings = border_edges + STRIP_BATCH;
    const Edge* source = warp ? rings + (warp - 1) * STRIP_RING : fetched_edges;
    Edge* target = rings + warp * STRIP_RING;
    const int batches = (stretch.rows + 31 + STRIP_BATCH - 1) / STRIP_BATCH;
    const int phases = batches + (STRIP_WARPS - 1) * STRIP_DELAY;

    Fetched fetched;
    Edge edge, border;  // right of this thread's columns
    edge.g = -STRIP_FIRST, edge.f = STRIP_NEVER;
#if STRIP_STATES
    edge.state_h = edge.state_f = 0;
    // Row of the strip or chunk that is being computed, from 1; a chunk begins anew below each saved row.
    int local = 1 - lane;
#endif
    int row = -lane, put = 0, got = 0;
    Scores scores = load_scores(shared, row >= 0 ? stretch.letters[row] : STRIP_LETTERS);
    int letter = stretch.letters[row + 1];
    for (int phase = 0; phase < phases; phase++) {
        const int batch = phase - warp * STRIP_DELAY;
        bool cancelled = false;
        if (batch >= 0 && batch < batches) {
            if (warp == 0) {
                cancelled = !fetched.take(stretch, batch * STRIP_BATCH, fetched_edges);
                got = 0;
                if (lane == 0 && batch % 32 == 31) atomicAdd(stretch.done, 32ull * STRIP_BATCH);
            }
            Edge entering = source[got];
            for (int i = 0; i < STRIP_BATCH; i++) {
                const Scores now = scores;
                scores = load_scores(shared, letter);
                letter = stretch.letters[row + 2];
                edge.g = __shfl_sync(STRIP_ALL, edge.g, lane - 1, 32);
                edge.f = __shfl_sync(STRIP_ALL, edge.f, lane - 1, 32);
#if STRIP_STATES
                edge.state_h = __shfl_sync(STRIP_ALL, edge.state_h, lane - 1, 32);
                edge.state_f = __shfl_sync(STRIP_ALL, edge.state_f, lane - 1, 32);
#endif
                if (lane == 0) {
                    edge = entering;
#if STRIP_STATES
                    if (warp == 0) edge.state_h = (word)local * STRIP_CODES, edge.state_f = edge.state_h + STRIP + 1;
#endif
                }
                if (++got == STRIP_RING) got = 0;
                if (i + 1 < STRIP_BATCH) entering = source[got];
                word fresh = 0, pack;
#ifdef STRIP_DIRECTIONS
                if (row >= 0 && row < stretch.rows) {
                    compute_row(columns, edge, border, now, fresh, pack);
                    if (row >= wanted && thread < STRIP_PACKS) {
                        directions[(size_t)(row - wanted) * STRIP_PACKS + thread] = (Pack)pack;
                    }
                }
#else
#if STRIP_STATES
                fresh = (word)local * STRIP_CODES + thread * STRIP_COLS + 1;
#endif
                const int highest = compute_row(columns, edge, border, now, fresh, pack);
                if (highest >= best.score && row < stretch.rows) {
#pragma unroll
                    for (int c = 0; c < STRIP_COLS; c++) {
                        const int h = columns.g[c] + STRIP_FIRST, column = thread * STRIP_COLS + c;
                        if (column >= stretch.width || h < best.score) continue;
                        if (h > best.score || before(stretch.row0 + row, stretch.first + column, best)) {
                            best.score = h, best.row = stretch.row0 + row, best.column = stretch.first + column;
#if STRIP_STATES
                            best.state = columns.state_h[c];
#endif
                        }
                    }
                }
#endif
                if (warp < STRIP_WARPS - 1) {
                    if (lane == 31 && row >= 0) {
                        target[put] = edge;
                        if (++put == STRIP_RING) put = 0;
                    }
                } else if (thread == STRIP_EDGE_THREAD) {
                    border_edges[i] = border;
                }
#if STRIP_CHUNK && !defined(STRIP_DIRECTIONS)
                if ((row + 1) % STRIP_CHUNK == 0 && row >= 0 && row < stretch.rows) {
                    const size_t place = (size_t)(row / STRIP_CHUNK) * stretch.saved_stride + stretch.first + thread * STRIP_COLS;
#pragma unroll
                    for (int c = 0; c < STRIP_COLS; c++) {
                        if (thread * STRIP_COLS + c >= stretch.width) continue;
                        stretch.saved[place + c] = make_int2(columns.g[c], columns.e[c]);
#if STRIP_STATES == 2
                        stretch.saved_states[place + c] = make_uint2(columns.state_h[c], columns.state_e[c]);
#endif
                    }
#if STRIP_STATES == 2
                    local = 0;
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
                local++;
#endif
                row++;
            }
            if (warp == STRIP_WARPS - 1 && stretch.right) {
                publish(stretch, batch * STRIP_BATCH - STRIP_EDGE_THREAD % 32, border_edges);
            }
        }
        if (__syncthreads_or(cancelled)) return false;
    }
    return true;
}
