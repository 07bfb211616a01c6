// The best local alignment of one pair of very long sequences, phase 1: strips over all multiprocessors, one launch
// (Li, Ranka and Sahni, "Pairwise Sequence Alignment for Very Long Sequences on GPUs").
//
//            strip 0   strip 1   strip 2  A strip has s columns and all rows; a block computes one strip after
//          +---------+---------+-------   another, as strip_flow.cuh says. Its right border column goes through
//   rows   |  batch  |         |          global memory in batches of T rows. Strips are taken by an atomic counter,
//     |    |  of T   |  waits  |          from left to right, and a strip waits only for the one before it, which a
//     v    |  rows --+-> ...   |          running block took earlier: nothing can stand still, however few blocks
//          +---------+---------+-------   the GPU runs at once.
//
//   letters  uint8[rows], 4-byte aligned, in a buffer with 128 letters STRIP_LETTERS before, STRIP_BATCH + 160 behind
//   columns  uint8[count]: codes of the column sequence
//   table    int16[kinds][STRIP_LETTERS]: kind is a column's code, or its position if by_position
//   border   int2[rows], 8-byte aligned: G = H - first and F right of a strip. border_stride 0: one column that every
//            strip reads and then writes, in place; else strip k writes border + k x border_stride
//   border_states uint2[...] as border: start states of H and F (STRIP_STATES)
//   saved    int2[rows / h][count]: G and E in every h-th row (STRIP_CHUNK); saved_states uint2, alike, of H and E
//   next     int[1], 0 before; done_rows int[strips], 0 before: rows of each strip's right border that are there
//   best     int4[strips]: score (0 if none is above 0), row and column from 0, start state
//   cancel   int[1]: not 0 ends the work; done uint64[1]: rows of strips computed so far, roughly
#include "strip_flow.cuh"

extern "C" __global__ void __launch_bounds__(STRIP_THREADS)
strips(const unsigned char* letters, int rows, const unsigned char* columns, int count, const short* table,
       int by_position, int2* border, long long border_stride, uint2* border_states, int2* saved, uint2* saved_states,
       int* next, int* done_rows, int4* best_cells, const int* cancel, unsigned long long* done) {
    DYN_SHARED(char, shared);
    int* taken = (int*)shared;  // where the profile will be
    const int thread = threadIdx.x, total = (count + STRIP - 1) / STRIP;
    for (;;) {
        if (thread == 0) *taken = atomicAdd(next, 1);
        __syncthreads();
        const int strip = *taken;
        __syncthreads();
        if (strip >= total) return;

        Stretch stretch;
        stretch.letters = letters;
        stretch.rows = rows;
        stretch.row0 = 0;
        stretch.first = strip * STRIP;
        stretch.width = min(STRIP, count - stretch.first);
        stretch.left = strip ? border + (strip - 1) * border_stride : nullptr;
        stretch.left_done = strip ? done_rows + strip - 1 : nullptr;
        stretch.right = strip + 1 < total ? border + strip * border_stride : nullptr;
        stretch.right_done = done_rows + strip;
#if STRIP_STATES
        stretch.right_states = border_states + strip * border_stride;
#endif
#if STRIP_CHUNK
        stretch.saved = saved;
        stretch.saved_stride = count;
#if STRIP_STATES == 2
        stretch.saved_states = saved_states;
#endif
#endif
        stretch.cancel = cancel;
        stretch.done = done;
        fill_profile((Score*)shared, columns, table, by_position, stretch.first, stretch.width);

        Columns held;
        held.diagonal = -STRIP_FIRST;
#pragma unroll
        for (int c = 0; c < STRIP_COLS; c++) {
            held.g[c] = -STRIP_FIRST, held.e[c] = STRIP_NEVER;
#if STRIP_STATES
            held.state_h[c] = held.state_e[c] = thread * STRIP_COLS + c + 1;
#endif
        }
#if STRIP_STATES
        held.state_diagonal = thread * STRIP_COLS;
#endif
        Best best = {1, 0x7fffffff, 0x7fffffff, 0};
        __syncthreads();
        if (!flow(stretch, held, best, shared, nullptr, 0)) return;

        // The profile is not needed any more: its place holds the best cell of every thread.
        Best* all = (Best*)shared;
        all[thread] = best;
        __syncthreads();
        if (thread == 0) {
            for (int other = 1; other < STRIP_THREADS; other++) {
                if (all[other].score < best.score) continue;
                if (all[other].score > best.score || before(all[other].row, all[other].column, best)) best = all[other];
            }
            if (best.row == 0x7fffffff) best.score = 0;
            best_cells[strip] = make_int4(best.score, best.row, best.column, (int)best.state);
        }
        __syncthreads();
    }
}
