// Phases 2 and 3 of the alignment of one pair of very long sequences (pair_striped.cu): which strips or chunks the
// optimal path runs through, and the path itself inside each of them, all at once.
//
//          strip 0    strip 1    strip 2
//        +----------+----------+----------+   StripedAlignment    a piece is the path's part in a strip; computed again
//        | o        |          |          |                       from the first row of the strip
//   h    |   \      |          |          |   ChunkedAlignment1   the same, from the saved row above the part
//        +----\-----+----------+----------+   ChunkedAlignment2   a piece is the path's part in a chunk
//        |     \    |          |          |
//        |       ---*\         |          |   *  the start state of the piece to the right, which is where the next
//        +----------+-\--------+----------+      piece ends
//        |          |  ---x    |          |   x  the best cell
//
// A piece is eight words: strip, rows above the computed ones, row and column (in the strip, from 1) of its end, the
// matrix it ends in (0 H, 1 E, 2 F), and row, column (0: left border) and matrix of its start; rows from 0 above all.
#include "strip_flow.cuh"

struct alignas(32) Piece {
    int strip, top, last_row, last_column, last_matrix, first_row, first_column, first_matrix;
};

#ifndef STRIP_DIRECTIONS
// Phase 2, one thread. end_row and end_column from 0, end_state of the best cell; count int[1]: pieces found, last
// first.
extern "C" __global__ void __launch_bounds__(32)
walk(int end_row, int end_column, word end_state, const uint2* border_states, long long border_stride,
     const uint2* saved_states, int saved_stride, Piece* pieces, int capacity, int* count) {
    if (threadIdx.x) return;
    int strip = end_column / STRIP, row = end_row + 1, column = end_column % STRIP + 1, matrix = 0, found = 0;
    word state = end_state;
    while (found < capacity) {
        // Row 0 of a chunk is the saved row above it.
        const int top = STRIP_STATES == 2 ? (row - 1) / STRIP_HEIGHT * STRIP_HEIGHT : 0;
        Piece piece;
        piece.strip = strip, piece.last_row = row, piece.last_column = column, piece.last_matrix = matrix;
        int code = (int)(state % STRIP_CODES), above = (int)(state / STRIP_CODES);
        const bool enters_e = STRIP_STATES == 2 && above == STRIP_CHUNK + 1;
        if (enters_e) above = 0;
        const bool enters_f = code == STRIP + 1;
        piece.first_row = top + above;
        piece.first_column = enters_f ? 0 : code;
        piece.first_matrix = enters_e ? 1 : enters_f ? 2 : 0;
        piece.top = STRIP_STATES == 1 && STRIP_CHUNK ? max(piece.first_row - 1, 0) / STRIP_HEIGHT * STRIP_HEIGHT : top;
        if (piece.first_row == row && piece.first_column == column && piece.first_matrix == matrix) break;
        pieces[found++] = piece;

        row = piece.first_row, column = piece.first_column, matrix = piece.first_matrix;
        if (row == 0) break;
        if (column == 0) {
            if (strip-- == 0) break;
            column = STRIP;
            const uint2 states = border_states[strip * border_stride + row - 1];
            state = matrix == 2 ? states.y : states.x;
            continue;
        }
        if (STRIP_STATES != 2 || row != top) break;
        const uint2 states = saved_states[(size_t)(row / STRIP_HEIGHT - 1) * saved_stride + strip * STRIP + column - 1];
        state = matrix == 1 ? states.y : states.x;
    }
    *count = found;
}

#else
// Phase 3. Blocks take pieces one after the other.
//
//   letters, columns, count, table, by_position, border, border_stride, saved, cancel, done as in pair_striped.cu
//   all      Piece[pieces_count]
//   direction_at int64[pieces_count]: where the directions of each piece begin, in packs
//   directions Pack[...]: STRIP_PACKS packs a row, from the row of a piece's start on
//   ops_at   int64[pieces_count + 1]: where the columns of each piece's alignment begin in `ops`, as many as it has
//            rows and columns together; they are written from the end backwards: 0 pair, 1 row letter, 2 column letter
//   written  int[pieces_count]: how many, or -1 if the path does not reach the start of the piece
//   next     int[1]: the number of the piece that the next free block takes
extern "C" __global__ void __launch_bounds__(STRIP_THREADS)
pieces(const unsigned char* letters, const unsigned char* columns, int count, const short* table, int by_position,
       const int2* border, long long border_stride, const int2* saved, const Piece* all, int pieces_count,
       const long long* direction_at, Pack* directions, const long long* ops_at, unsigned char* ops, int* written,
       int* next, const int* cancel, unsigned long long* done) {
    DYN_SHARED(char, shared);
    int* taken = (int*)shared;  // where the profile will be
    const int thread = threadIdx.x;
    for (;;) {
        if (thread == 0) *taken = atomicAdd(next, 1);
        __syncthreads();
        const int number = *taken;
        __syncthreads();
        if (number >= pieces_count) return;
        const Piece piece = all[number];

        Stretch stretch = {};
        stretch.letters = letters + piece.top;
        stretch.row0 = piece.top;
        stretch.rows = piece.last_row - piece.top;
        stretch.first = piece.strip * STRIP;
        stretch.width = min(STRIP, count - stretch.first);
        const int2* left = piece.strip ? border + (piece.strip - 1) * border_stride : nullptr;
        stretch.left = left ? left + piece.top : nullptr;
        stretch.cancel = cancel;
        stretch.done = done;
        fill_profile((Score*)shared, columns, table, by_position, stretch.first, stretch.width);

        Columns held;
        const int2* top = nullptr;
        if (STRIP_CHUNK && piece.top) top = saved + (size_t)(piece.top / STRIP_HEIGHT - 1) * count + stretch.first;
        const int column = thread * STRIP_COLS;
        held.diagonal = -STRIP_FIRST;
        if (top && column <= stretch.width) {
            if (column) held.diagonal = top[column - 1].x;
            else if (left) held.diagonal = left[piece.top - 1].x;
        }
#pragma unroll
        for (int c = 0; c < STRIP_COLS; c++) {
            const bool known = top && column + c < stretch.width;
            held.g[c] = known ? top[column + c].x : -STRIP_FIRST;
            held.e[c] = known ? top[column + c].y : STRIP_NEVER;
        }
        Best best = {0x7fffffff, 0, 0, 0};
        Pack* own = directions + direction_at[number];
        // Row, from 0 below the top, of the first directions.
        const int wanted = max(piece.first_row - piece.top - 1, 0);
        __syncthreads();
        if (!flow(stretch, held, best, shared, own, wanted)) return;

        if (thread == 0) {
            int row = piece.last_row, at = piece.last_column, matrix = piece.last_matrix;
            long long place = ops_at[number + 1];
            const long long least = ops_at[number];
            while (at > 0 && row > piece.top && row >= piece.first_row) {
                const int held_by = (at - 1) / STRIP_COLS, shift = 4 * ((at - 1) % STRIP_COLS);
                const word cell = own[(size_t)(row - 1 - piece.top - wanted) * STRIP_PACKS + held_by] >> shift;
                if (matrix == 0) {
                    const int from = cell & 3;
                    if (from == 0) break;
                    if (from > 1) {
                        matrix = from - 1;
                        continue;
                    }
                }
                if (place == least) break;
                ops[--place] = (unsigned char)matrix;
                if (matrix == 0) {
                    row--, at--;
                } else if (matrix == 1) {
                    row--;
                    if (!(cell & 4)) matrix = 0;
                } else {
                    at--;
                    if (!(cell & 8)) matrix = 0;
                }
            }
            const bool reached = row == piece.first_row && at == piece.first_column && matrix == piece.first_matrix;
            written[number] = reached ? (int)(ops_at[number + 1] - place) : -1;
        }
        __syncthreads();
    }
}
#endif
