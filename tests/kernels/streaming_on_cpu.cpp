// Entry points to streaming.cu for the tests; compiled with the defines of one variant.
#include "cuda_on_cpu.h"
#include "streaming.cu"

extern "C" size_t shared_bytes() { return SW_PROFILE_BYTES + SW_GROUPS * (2 * sizeof(uint4) + sizeof(Ring)); }

extern "C" void run_streaming(unsigned grid, size_t shared, const word* stream, const word* block_of, const int* unit_start,
                              int units, const int* redo_list, word first_block, word padding, const short* profile,
                              int length, const short* profile2, int length2, const short* gaps,
                              const short* gaps2, int first_row, int* counter, int* scores,
                              long long stride, int* redo, uint4* border, const int* cancel, const int* several) {
    cpu::launch(grid, SW_THREADS, shared, [&] {
        streaming(stream, block_of, unit_start, units, redo_list, first_block, padding, profile, length, profile2,
                  length2, gaps, gaps2, first_row, counter, scores, stride, redo, border, cancel, several);
    });
}
