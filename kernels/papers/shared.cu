// One thread per subject (or per two), tiles of K x P cells in column order, the column between tiles in shared memory.
//
// L.-T. Huang, C.-C. Wu, L.-F. Lai, Y.-J. Li: Improving the mapping of Smith-Waterman sequence database searches onto
// CUDA-enabled GPUs. BioMed Research International 2015:185179 (2015).
//
//   each thread:     K subject columns   the next K columns
//                  +-------------------+-------------------+
//   P query rows   | tile 1            | tile n+1          |     inside a tile row by row, from left to right;
//                  +-------------------+-------------------+     H and F of the K columns stay in registers
//   P query rows   | tile 2     |      | tile n+2          |     all the way down
//                  +------------v------+-------------------+
//        ...            ...           ^
//                                     H and E of the last column of a tile wait in shared memory, 8 bytes per
//                                     query row and thread, until the tile to the right reads (and replaces) them
//
// No score ever goes to global memory. So a block of T threads needs 8 x T x (query rows) bytes: the kernel is for
// queries with X >= T x Q, X being the shared memory in units of 8 bytes. The host asks that first.
//
// Profile uint2[row_units][SW_CODES], as in simt.cu; the other pointers too. Without border.
#include "../include/method_data.cuh"

#if !defined(SW_K) || !defined(SW_P)
#error "the tile is not given: SW_K, SW_P"
#endif
static_assert(SW_K % 4 == 0 && SW_P % 4 == 0, "tiles have multiples of 4 rows and columns");

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
shared(const word* words, const word* group_start, const word* length_of, int base_group, int first, int last,
       const int* list, const uint2* profile, int row_units, uint2* border, int border_columns,
       int* counter, int* scores, int* redo, const volatile int* cancel) {
    DYN_SHARED(uint2, columns);                     // [rows of the query][SW_THREADS] H and E
    uint2* column = columns + threadIdx.x;
    const int lane = threadIdx.x % 32;

    while (true) {
        const int taken = take_unit(counter, cancel);
        const int position = first + taken * 32 * SW_SUBJECTS + lane;
        if (taken < 0 || position - lane >= last) return;
        Letters letters;
#pragma unroll
        for (int s = 0; s < SW_SUBJECTS; s++) {
            open_subject(letters, s, words, group_start, length_of, base_group, position + 32 * s, last);
        }
        const int blocks = (int)length_of[position - lane];
        word best = 0;
        for (int row = 0; row < 4 * row_units; row++) column[row * SW_THREADS] = make_uint2(0, 0);

        for (int block = 0; block < blocks; block += SW_K / 4) {
            if (block % 256 == 0 && cancelled(cancel)) return;
            Codes codes[SW_K / 4];
#pragma unroll
            for (int b = 0; b < SW_K / 4; b++) codes[b] = four_letters(letters, block + b);
            word h[SW_K], f[SW_K];                  // of the row above, and of the row to come
#pragma unroll
            for (int j = 0; j < SW_K; j++) h[j] = f[j] = 0;
            word corner = 0;                        // H of the row above, left of the tile
            uint2* cells = column;

            for (int tile = 0; tile < row_units; tile += SW_P / 4) {
#pragma unroll
                for (int u = 0; u < SW_P / 4; u++) {
                    Scores four[SW_K];
#pragma unroll
                    for (int j = 0; j < SW_K; j++) {
#pragma unroll
                        for (int s = 0; s < SW_SUBJECTS; s++) {
                            four[j].of[s] = __ldg(profile + (tile + u) * SW_CODES + letter(codes[j / 4], s, j % 4));
                        }
                    }
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const uint2 left = *cells;
                        word diagonal = corner, e = left.y;
                        corner = left.x;
#pragma unroll
                        for (int j = 0; j < SW_K; j++) {
                            const word sum = add(diagonal, score(four[j], i));
                            diagonal = h[j];
                            h[j] = advance_cell(sum, e, f[j], best);
                        }
                        *cells = make_uint2(h[SW_K - 1], e);
                        cells += SW_THREADS;
                    }
                }
            }
        }
        note_scores(scores, redo, position, position + 32, last, best);
    }
}
