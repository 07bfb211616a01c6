// Entry points to the kernels of the published methods, compiled with the defines of one variant, and to interleave.cu.
#include "cuda_on_cpu.h"
#ifdef SW_FILE
#include SW_FILE

extern "C" void run_method(unsigned grid, size_t shared_bytes, const word* words, const word* group_start,
                           const word* length_of, int base_group, int first, int last, const int* list,
                           const uint2* profile, int row_units, uint2* border, int border_columns, int* counter,
                           int* scores, int* redo, const int* cancel) {
    cpu::launch(grid, SW_THREADS, shared_bytes, [&] {
        SW_KERNEL(words, group_start, length_of, base_group, first, last, list, profile, row_units, border,
                  border_columns, counter, scores, redo, cancel);
    });
}
#else
#include "papers/interleave.cu"

extern "C" void run_interleave(unsigned grid, const unsigned char* codes, const long long* offsets,
                               const word* group_start, int base_group, int first, int last, word* words) {
    cpu::launch(grid, 256, 0, [&] { interleave(codes, offsets, group_start, base_group, first, last, words); });
}
#endif
