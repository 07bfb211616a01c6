// A vector of threads per subject (or per two): the query in striped partitions, a column at a time, F set right
// afterwards.
//
// Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0: enhanced Smith-Waterman protein database search on CUDA-enabled
// GPUs based on SIMT and virtualized SIMD abstractions. BMC Research Notes 3:93 (2010): the partitioned vectorized
// method; its inner loops are M. Farrar's striped ones (Bioinformatics 23:156, 2007).
//
//                     subject columns, one at a time, all threads of the vector in the same one
//                   +---+---+---+----
//   thread 0        | ^ |   |   |         SW_ROWS = PL / VL successive rows per thread, H and E of one column in
//   SW_ROWS rows    | | |   |   |         registers; step t of the inner loop works on row t of every thread at
//                   +-|-+---+---+----     once: vector segment t of the striped profile
//   thread 1        | v |   |   |
//                   +---+---+---+----     partition: PL = VL x SW_ROWS rows
//        ...
//                   +---+---+---+----
//   thread VL - 1   |   |   |   |
//                   +---+---+---+----
//                    v v  H of the last row and F of the first row below go through global memory to the
//   next partition        next partition, VL columns at a time
//
// Lazy F. The inner loop takes F to be 0 where a thread's rows begin. Then the F that really arrives there is handed
// from each thread to the next, and carried down its rows as long as any thread of the warp votes that it matters,
// VL - 1 times at most. It matters while F > max(H - (first - further), 0): otherwise H is not raised by it, and F
// of the next row, made from H, is at least as good.
//
// F below the partition. The vote may end before F of the last row is right. The paper's first theorem is that F of
// the next partition's first row is right all the same: either F went all the way down (then it is part of the
// maximum below), or from the row of the vote on F - further <= H - first, and what the inner loop made from H is
// the larger one. `below` collects both.
//
// Profile uint2[partitions][SW_CODES][SW_ROWS / 4][VL]; row_units counts partitions x PL / 4. Border
// uint2[vectors of the launch][border_columns]; the other pointers as in simt.cu. A warp takes as many (twice as
// many) subjects as it has vectors.
#include "../include/method_data.cuh"

#if !defined(SW_VECTOR) || !defined(SW_ROWS)
#error "the vector is not given: SW_VECTOR, SW_ROWS"
#endif
static_assert(SW_VECTOR == 4 || SW_VECTOR == 8 || SW_VECTOR == 16 || SW_VECTOR == 32,
              "a vector has 4, 8, 16 or 32 threads");
static_assert(SW_ROWS % 4 == 0, "rows come in units of 4");
#define VECTORS (32 / SW_VECTOR)  // of a warp

// A value of the thread before; 0 for the first of the vector.
SW_INLINE word from_before(word value, int at) {
    const word moved = __shfl_sync(FULL_WARP, value, (at + SW_VECTOR - 1) % SW_VECTOR, SW_VECTOR);
    return at ? moved : 0;
}

SW_INLINE word from_thread(word value, int at) { return __shfl_sync(FULL_WARP, value, at, SW_VECTOR); }

extern "C" __global__ void __launch_bounds__(SW_THREADS, SW_MIN_BLOCKS)
vsimd(const word* words, const word* group_start, const word* length_of, int base_group, int first, int last,
      const int* list, const uint2* profile, int row_units, uint2* border, int border_columns,
      int* counter, int* scores, int* redo, const volatile int* cancel) {
    const int at = threadIdx.x % SW_VECTOR, in_warp = threadIdx.x % 32 / SW_VECTOR;
    const bool last_thread = at == SW_VECTOR - 1;
    const int vector = blockIdx.x * (SW_THREADS / SW_VECTOR) + threadIdx.x / SW_VECTOR;
    uint2* row_above = border + (size_t)vector * border_columns;
    const int partitions = row_units / (SW_VECTOR * SW_ROWS / 4);

    while (true) {
        const int taken = take_unit(counter, cancel), start = first + taken * VECTORS * SW_SUBJECTS;
        if (taken < 0 || start >= last) return;
        const int position = start + in_warp * SW_SUBJECTS;
        Letters letters;
#pragma unroll
        for (int s = 0; s < SW_SUBJECTS; s++) {
            open_subject(letters, s, words, group_start, length_of, base_group, position + s, last);
        }
        const int columns = 4 * (int)length_of[start];  // of the longest subject of the warp
        word best = 0;

        for (int partition = 0; partition < partitions; partition++) {
            const bool reads = partition > 0, writes = partition + 1 < partitions;
            const uint2* rows = profile + (size_t)partition * SW_CODES * (SW_ROWS / 4) * SW_VECTOR + at;
            word h[SW_ROWS], e[SW_ROWS];
#pragma unroll
            for (int i = 0; i < SW_ROWS; i++) h[i] = e[i] = 0;
            word corner = 0;  // H above the first row, one column back

            for (int column = 0; column < columns; column += SW_VECTOR) {
                if (column % 512 == 0 && cancelled(cancel)) return;
                // Of this thread's own column: letters (of four, in the first threads) and the row above.
                const Codes codes = four_letters(letters, at < SW_VECTOR / 4 ? column / 4 + at : columns);
                const uint2 above = reads && column + at < columns ? row_above[column + at] : make_uint2(0, 0);
                uint2 foot = make_uint2(0, 0);

                for (int c = 0; c < SW_VECTOR && column + c < columns; c++) {
                    const uint2* cells[SW_SUBJECTS];
#pragma unroll
                    for (int s = 0; s < SW_SUBJECTS; s++) {
                        const word four = from_thread(codes.of[s], c / 4);
                        cells[s] = rows + (four >> 8 * (c % 4) & 0xff) * ((SW_ROWS / 4) * SW_VECTOR);
                    }
                    const word top_h = from_thread(above.x, c), top_f = from_thread(above.y, c);
                    word diagonal = from_before(h[SW_ROWS - 1], at), f = at ? 0 : top_f;
                    if (at == 0) diagonal = corner;
                    corner = top_h;
#pragma unroll
                    for (int u = 0; u < SW_ROWS / 4; u++) {
                        Scores four;
#pragma unroll
                        for (int s = 0; s < SW_SUBJECTS; s++) four.of[s] = __ldg(cells[s] + u * SW_VECTOR);
#pragma unroll
                        for (int i = 0; i < 4; i++) {
                            const word sum = add(diagonal, score(four, i));
                            diagonal = h[4 * u + i];
                            h[4 * u + i] = advance_cell(sum, e[4 * u + i], f, best);
                        }
                    }
                    word below = f;
                    bool matters = true;
                    for (int round = 1; round < SW_VECTOR && matters; round++) {
                        f = from_before(f, at);
#pragma unroll
                        for (int i = 0; i < SW_ROWS; i++) {
                            if (matters) {
                                const word enough = add_max_and_0(h[i], SW_BOTH(SW_FURTHER - SW_FIRST), 0);
                                matters = __any_sync(FULL_WARP, any_above(f, enough));
                            }
                            if (matters) {
                                h[i] = max2(h[i], f);
                                e[i] = max2(e[i], opened(h[i]));
                                f = add_max_and_0(f, SW_BOTH(-SW_FURTHER), 0);
                            }
                        }
                        if (matters) below = max2(below, f);
                    }
                    if (writes) {
                        const word foot_h = from_thread(h[SW_ROWS - 1], SW_VECTOR - 1);
                        const word foot_f = from_thread(below, SW_VECTOR - 1);
                        if (at == c) foot = make_uint2(foot_h, foot_f);
                    }
                }
                if (writes && column + at < columns) row_above[column + at] = foot;
            }
        }
#pragma unroll
        for (int step = 1; step < SW_VECTOR; step *= 2) {
            best = max2(best, __shfl_sync(FULL_WARP, best, (at + step) % SW_VECTOR, SW_VECTOR));
        }
        if (last_thread) note_scores(scores, redo, position, position + 1, last, best);
    }
}
