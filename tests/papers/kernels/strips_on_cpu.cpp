// Entry points to pair_striped.cu (or, with STRIP_DIRECTIONS, to the phases after it) for the tests.
#include "cuda_on_cpu.h"

#ifdef STRIP_PIECES
#include "papers/pair_striped_pieces.cu"
#else
#include "papers/pair_striped.cu"
#endif

extern "C" size_t shared_bytes() {
    const size_t edges = sizeof(Edges) * (4 * STRIP_STEPS + (STRIP_WARPS - 1) * STRIP_RING);
    return std::max(STRIP_PROFILE_BYTES + edges, sizeof(Best) * STRIP_THREADS);
}

#ifndef STRIP_PIECES
extern "C" void run_strips(unsigned grid, size_t shared, const unsigned char* letters, int rows, const unsigned char* columns, int count,
                           const short* table, int by_position, int2* border, long long stride, uint2* border_states, int2* saved,
                           uint2* saved_states, int* next, int* done_rows, int4* best, const int* cancel, unsigned long long* done) {
    cpu::launch_together(grid, STRIP_THREADS, shared, [&] {
        strips(letters, rows, columns, count, table, by_position, border, stride, border_states, saved, saved_states, next, done_rows,
               best, cancel, done);
    });
}
#elif defined(STRIP_DIRECTIONS)
extern "C" void run_pieces(unsigned grid, size_t shared, const unsigned char* letters, const unsigned char* columns, int count,
                           const short* table, int by_position, const int2* border, long long stride, const int2* saved,
                           const void* all, int pieces_count, const long long* direction_at, void* directions, const long long* ops_at,
                           unsigned char* ops, int* written, int* next, const int* cancel, unsigned long long* done) {
    cpu::launch(grid, STRIP_THREADS, shared, [&] {
        pieces(letters, columns, count, table, by_position, border, stride, saved, (const Piece*)all, pieces_count, direction_at,
               (Pack*)directions, ops_at, ops, written, next, cancel, done);
    });
}
#else
extern "C" void run_walk(int end_row, int end_column, unsigned state, const uint2* border_states, long long stride,
                         const uint2* saved_states, int saved_stride, void* pieces, int capacity, int* count) {
    cpu::launch(1, 32, 0, [&] {
        walk(end_row, end_column, state, border_states, stride, saved_states, saved_stride, (Piece*)pieces, capacity, count);
    });
}
#endif
