// All threads of a block on one subject (or two), along anti-diagonals.
//
// Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0: enhanced Smith-Waterman protein database search on CUDA-enabled
// GPUs based on SIMT and virtualized SIMD abstractions. BMC Research Notes 3:93 (2010): the second stage, for
// subjects longer than a threshold (from CUDASW++ 1.0, BMC Research Notes 2:73, 2009).
//
//                   subject columns, four to a block ---->
//   thread 0       [ block k   ]                         at step k thread t works on block k - t: the blocks of
//   SW_ROWS rows        [ block k-1 ]                    one step lie on an anti-diagonal and do not need each
//   thread 1                 [ block k-2 ]               other; one barrier of the block ends a step
//   thread 2
//      ...         a thread hands to the next one, by shared memory: H and F below its last row for four
//                  columns, and the letters. Two sets of places, for even and odd steps.
//
// THREADS x SW_ROWS query rows make a strip; H and F below a strip go through global memory to the next one. The
// strip's part of the profile lies in shared memory, a thread's units side by side: no bank conflicts whatever
// the letters.
//
// Besides long subjects, the kernel scores those again that overflowed 16 bits: with `list`, its first entry says
// how many, the others are their positions, and `first`, `last` only say where scores end.
//
// Pointers: as in simt.cu; profile uint2[SW_CODES][row_units], rows from row_units x 4 on score 0; border
// uint2[blocks of the launch][border_columns], not used if one strip holds the query.
#include "include/method_data.cuh"

#ifndef SW_ROWS
#error "SW_ROWS is not given"
#endif
static_assert(SW_ROWS % 4 == 0, "rows come in units of 4");
#define UNITS (SW_ROWS / 4)
#define STRIP_UNITS (SW_THREADS * UNITS)

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
intra(const word* words, const word* group_start, const word* length_of, int base_group, int first, int last,
      const int* list, const uint2* profile, int row_units, uint2* border, int border_columns,
      int* counter, int* scores, int* redo, const volatile int* cancel) {
    DYN_SHARED(uint4, memory);
    uint4* passed_h = memory;                                  // [2][SW_THREADS] H of four columns
    uint4* passed_f = passed_h + 2 * SW_THREADS;               // [2][SW_THREADS] F
    Codes* passed_codes = (Codes*)(passed_f + 2 * SW_THREADS); // [2][SW_THREADS]
    uint2* table = (uint2*)(passed_codes + 2 * SW_THREADS);    // [SW_CODES][UNITS][SW_THREADS]
    int* state = (int*)(table + SW_CODES * STRIP_UNITS);       // state for all threads
    const int thread = threadIdx.x;
    uint2* row_above = border + (size_t)blockIdx.x * border_columns;
    const int end = list ? list[0] : (last - first + SW_SUBJECTS - 1) / SW_SUBJECTS;

    while (true) {
        if (thread == 0) state[0] = *cancel ? -1 : atomicAdd(counter, 1);
        __syncthreads();
        const int taken = state[0];
        if (taken < 0 || taken >= end) return;
        const int position = list ? list[1 + taken] : first + taken * SW_SUBJECTS;
        Letters letters;
#pragma unroll
        for (int s = 0; s < SW_SUBJECTS; s++) {
            open_subject(letters, s, words, group_start, length_of, base_group, position + s, last);
        }
        const int blocks = letters.count[0];
        word best = 0;

        for (int unit = 0; unit < row_units; unit += STRIP_UNITS) {
            const bool reads = unit > 0, writes = unit + STRIP_UNITS < row_units;
            const int used = min((row_units - unit + UNITS - 1) / UNITS, SW_THREADS);  // threads with rows
            for (int at = thread; at < SW_CODES * STRIP_UNITS; at += SW_THREADS) {
                const int code = at / STRIP_UNITS, holder = at % SW_THREADS, u = at % STRIP_UNITS / SW_THREADS;
                const int row = unit + holder * UNITS + u;
                table[at] = row < row_units ? profile[(size_t)code * row_units + row] : make_uint2(0, 0);
            }
            word h[SW_ROWS], e[SW_ROWS];
#pragma unroll
            for (int i = 0; i < SW_ROWS; i++) h[i] = e[i] = 0;
            word corner = 0;
            // The first thread fetches its input a step ahead.
            Codes fetched = four_letters(letters, 0);
            uint2 above[4];
#pragma unroll
            for (int c = 0; c < 4; c++) above[c] = reads && thread == 0 && blocks ? row_above[c] : make_uint2(0, 0);
            __syncthreads();

            for (int step = 0; step < blocks + used - 1; step++) {
                const int block = step - thread, side = step % 2 * SW_THREADS + thread;
                const bool works = block >= 0 && block < blocks && thread < used;
                if (works) {
                    Codes codes = fetched;
                    word top_h[4], top_f[4];
                    if (thread == 0) {
#pragma unroll
                        for (int c = 0; c < 4; c++) top_h[c] = above[c].x, top_f[c] = above[c].y;
                        fetched = four_letters(letters, block + 1);
                        if (reads && block + 1 < blocks) {
#pragma unroll
                            for (int c = 0; c < 4; c++) above[c] = row_above[4 * block + 4 + c];
                        }
                    } else {
                        const int other = (step + 1) % 2 * SW_THREADS + thread - 1;
                        codes = passed_codes[other];
                        const uint4 ph = passed_h[other], pf = passed_f[other];
                        top_h[0] = ph.x, top_h[1] = ph.y, top_h[2] = ph.z, top_h[3] = ph.w;
                        top_f[0] = pf.x, top_f[1] = pf.y, top_f[2] = pf.z, top_f[3] = pf.w;
                    }
                    passed_codes[side] = codes;
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        word diagonal = corner, f = top_f[c];
                        corner = top_h[c];
#pragma unroll
                        for (int u = 0; u < UNITS; u++) {
                            Scores four;
#pragma unroll
                            for (int s = 0; s < SW_SUBJECTS; s++) {
                                four.of[s] = table[letter(codes, s, c) * STRIP_UNITS + u * SW_THREADS + thread];
                            }
#pragma unroll
                            for (int i = 0; i < 4; i++) {
                                const word sum = add(diagonal, score(four, i));
                                diagonal = h[4 * u + i];
                                h[4 * u + i] = advance_cell(sum, e[4 * u + i], f, best);
                            }
                        }
                        top_h[c] = h[SW_ROWS - 1];
                        top_f[c] = f;
                    }
                    passed_h[side] = make_uint4(top_h[0], top_h[1], top_h[2], top_h[3]);
                    passed_f[side] = make_uint4(top_f[0], top_f[1], top_f[2], top_f[3]);
                    if (writes && thread == SW_THREADS - 1) {
#pragma unroll
                        for (int c = 0; c < 4; c++) row_above[4 * block + c] = make_uint2(top_h[c], top_f[c]);
                    }
                }
                if (step % 512 == 0 && thread == 0) state[1] = *cancel;
                __syncthreads();
                if (step % 512 == 0 && state[1]) return;
            }
            __syncthreads();  // before the table is replaced
        }
        // The best of all threads, in the places that are free now.
        word* bests = (word*)memory;
        __syncthreads();
        bests[thread] = best;
        __syncthreads();
        for (int left = SW_THREADS; left > 1;) {
            const int half = (left + 1) / 2;
            if (thread < left - half) bests[thread] = max2(bests[thread], bests[thread + half]);
            left = half;
            __syncthreads();
        }
        if (thread == 0) note_scores(scores, redo, position, position + 1, last, bests[0]);
        __syncthreads();
    }
}
