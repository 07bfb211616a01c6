// One thread per subject (or per two), horizontal bands of the matrix, scores and the band's left column in shared
// memory.
//
// L. Ligowski, W. Rudnicki: An efficient implementation of Smith Waterman algorithm on GPU using CUDA, for massively
// parallel scanning of sequence databases. IEEE International Symposium on Parallel & Distributed Processing,
// Workshops (2009).
//
//   each thread:           subject columns, one at a time ------>
//                  +--+--+--+--+----
//   SW_BAND        |  |  |**|  |          ** a column of the band: down its 12 rows H above, H above left and F are
//   query rows     |  |  |**|  |             registers, H and E of the column before come from shared memory and
//                  +--+--+--+--+----         go back there
//                   |  |  |                  one global read (H and F of the row above) at the top of a column,
//   next band      +--+--+--+--+----         one global write at its foot: two transactions for 12 cells
//
// The database is sorted by length and taken in blocks of as many subjects as the block has threads, 256 in the
// paper: all threads of a block are in the same band, and wait for the longest of their subjects at its end.
//
// The paper looks scores up in a matrix in shared memory; here it is the band's part of the query profile, so that
// position-specific profiles work too: table uint2[SW_BAND / 4][SW_CODES], read again for every band.
// Profile uint2[row_units][SW_CODES]; border and the other pointers as in simt.cu.
#include "../include/method_data.cuh"

#ifndef SW_BAND
#error "SW_BAND is not given"
#endif
static_assert(SW_BAND % 4 == 0, "a band has a multiple of 4 rows");
#define UNITS (SW_BAND / 4)

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
band(const word* words, const word* group_start, const word* length_of, int base_group, int first, int last,
     const int* list, const uint2* profile, int row_units, uint2* border, int border_columns, int* counter, int* scores,
     int* redo, const volatile int* cancel) {
    DYN_SHARED(uint2, memory);
    uint2* table = memory;                                            // [UNITS][SW_CODES] scores of the band
    uint2* column = memory + UNITS * SW_CODES + threadIdx.x;          // [SW_BAND][SW_THREADS] H and E
    int* state = (int*)(memory + UNITS * SW_CODES + SW_BAND * SW_THREADS);  // state for all threads
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint2* row_above = border + (size_t)(blockIdx.x * (SW_THREADS / 32) + warp) * border_columns * 32 + lane;

    while (true) {
        if (threadIdx.x == 0) state[0] = *cancel ? -1 : atomicAdd(counter, 1);
        __syncthreads();
        const int taken = state[0], start = first + taken * SW_THREADS * SW_SUBJECTS;
        if (taken < 0 || start >= last) return;
        const int position = start + warp * 32 * SW_SUBJECTS + lane;
        Letters letters;
#pragma unroll
        for (int s = 0; s < SW_SUBJECTS; s++) {
            open_subject(letters, s, words, group_start, length_of, base_group, position + 32 * s, last);
        }
        const int blocks = position - lane < last ? (int)length_of[position - lane] : 0;
        word best = 0;

        for (int unit = 0; unit < row_units; unit += UNITS) {
            const bool reads = unit > 0, writes = unit + UNITS < row_units;
            for (int at = threadIdx.x; at < UNITS * SW_CODES; at += SW_THREADS) {
                table[at] = profile[unit * SW_CODES + at];
            }
            for (int i = 0; i < SW_BAND; i++) column[i * SW_THREADS] = make_uint2(0, 0);
            if (threadIdx.x == 0) state[1] = *cancel;
            __syncthreads();
            if (state[1]) return;
            word corner = 0;
            for (int block = 0; block < blocks; block++) {
                const Codes codes = four_letters(letters, block);
                uint2* cells = row_above + block * 128;
                uint2 above[4];
#pragma unroll
                for (int c = 0; c < 4; c++) above[c] = reads ? cells[32 * c] : make_uint2(0, 0);
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    word diagonal = corner, f = above[c].y, h = 0;
                    corner = above[c].x;
#pragma unroll
                    for (int i = 0; i < SW_BAND; i++) {
                        Scores four;
#pragma unroll
                        for (int s = 0; s < SW_SUBJECTS; s++) {
                            four.of[s] = table[i / 4 * SW_CODES + letter(codes, s, c)];
                        }
                        const uint2 left = column[i * SW_THREADS];
                        word e = left.y;
                        h = advance_cell(add(diagonal, score(four, i % 4)), e, f, best);
                        diagonal = left.x;
                        column[i * SW_THREADS] = make_uint2(h, e);
                    }
                    if (writes) cells[32 * c] = make_uint2(h, f);
                }
            }
            __syncthreads();  // before the table is replaced
        }
        note_scores(scores, redo, position, position + 32, last, best);
    }
}
