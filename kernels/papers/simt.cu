// One thread per subject (or per two), blocks of rows by four columns, the row between blocks in global memory.
//
// Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0: enhanced Smith-Waterman protein database search on CUDA-enabled
// GPUs based on SIMT and virtualized SIMD abstractions. BMC Research Notes 3:93 (2010): the optimized SIMT method.
//
//   each thread:      subject columns, four letters at a time ------>
//                   +---------+---------+---------+----
//   query rows      | cells   |   -->   |         |            SW_ROWS rows by 4 columns at a time; H and E of the
//   SW_ROWS at      | 8 x 4   |         |         |            rows stay in registers along the whole subject
//   a time          +---------+---------+---------+----
//                      v   v     H and F below the last row, one 8-byte word per column and thread, go through
//                   +---------+  global memory; the 32 threads of a warp write and read 256 bytes side by side
//                   | next    |
//                   | rows    |
//
// The query profile is packed, four rows to a read, and read through the read-only cache as the paper reads it
// through textures: profile uint2[row_units][SW_CODES], ordered so that a warp's 32 different letters lie in
// 224 bytes. A warp takes 32 (64) subjects of like length from an atomic counter.
//
// Pointers: words, group_start, length_of: method_data.cuh; subjects [first, last), `first` a multiple of 32;
// border uint2[warps of the launch][border_columns][32], border_columns at least the columns of the longest
// subject; counter zero before the launch; scores[position]; redo[0] zero before. `list` is not used here.
#include "../include/method_data.cuh"

#ifndef SW_ROWS
#error "SW_ROWS is not given"
#endif
static_assert(SW_ROWS % 4 == 0, "rows come in units of 4");

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
simt(const word* words, const word* group_start, const word* length_of, int base_group, int first, int last,
     const int* list, const uint2* profile, int row_units, uint2* border, int border_columns, int* counter, int* scores,
     int* redo, const volatile int* cancel) {
    const int lane = threadIdx.x % 32, warp = blockIdx.x * (SW_THREADS / 32) + threadIdx.x / 32;
    uint2* row_above = border + (size_t)warp * border_columns * 32 + lane;

    while (true) {
        const int taken = take_unit(counter, cancel);
        const int position = first + taken * 32 * SW_SUBJECTS + lane;
        if (taken < 0 || position - lane >= last) return;
        Letters letters;
#pragma unroll
        for (int s = 0; s < SW_SUBJECTS; s++) {
            open_subject(letters, s, words, group_start, length_of, base_group, position + 32 * s, last);
        }
        const int blocks = (int)length_of[position - lane];  // of four columns, for the longest of the warp
        word best = 0;

        for (int unit = 0; unit < row_units; unit += SW_ROWS / 4) {
            if (cancelled(cancel)) return;
            const bool reads = unit > 0, writes = unit + SW_ROWS / 4 < row_units;
            const uint2* rows = profile + (size_t)unit * SW_CODES;
            word h[SW_ROWS], e[SW_ROWS];
#pragma unroll
            for (int i = 0; i < SW_ROWS; i++) h[i] = e[i] = 0;
            word corner = 0;  // H above and left of the first row
            Codes codes = four_letters(letters, 0);

            for (int block = 0; block < blocks; block++) {
                uint2* cells = row_above + block * 128;
                uint2 above[4];
#pragma unroll
                for (int c = 0; c < 4; c++) above[c] = reads ? cells[32 * c] : make_uint2(0, 0);
                const Codes next = four_letters(letters, block + 1);
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    word diagonal = corner, f = above[c].y;
                    corner = above[c].x;
#pragma unroll
                    for (int u = 0; u < SW_ROWS / 4; u++) {
                        Scores four;
#pragma unroll
                        for (int s = 0; s < SW_SUBJECTS; s++) {
                            four.of[s] = __ldg(rows + u * SW_CODES + letter(codes, s, c));
                        }
#pragma unroll
                        for (int i = 0; i < 4; i++) {
                            const word sum = add(diagonal, score(four, i));
                            diagonal = h[4 * u + i];
                            h[4 * u + i] = advance_cell(sum, e[4 * u + i], f, best);
                        }
                    }
                    if (writes) cells[32 * c] = make_uint2(h[SW_ROWS - 1], f);
                }
                codes = next;
            }
        }
        note_scores(scores, redo, position, position + 32, last, best);
    }
}
