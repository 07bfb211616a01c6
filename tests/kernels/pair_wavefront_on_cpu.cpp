// Entry points to the kernels of the wavefront method for the tests; compiled with the defines of one variant.
#include "cuda_on_cpu.h"

#ifdef PAIR_TOOL_THREADS

#include "pair_wavefront_tools.cu"

extern "C" void run_pair_open(unsigned grid, size_t shared, uint2* even, uint2* odd, int count, int lead, int slope, int first,
                              int* reached, int bands, int last) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_open(even, odd, count, lead, slope, first, reached, bands, last); });
}
extern "C" void run_pair_resume(unsigned grid, size_t shared, uint2* above, uint2* below, int count, const int2* saved, int number) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_resume(above, below, count, saved, number); });
}
extern "C" void run_pair_keep(unsigned grid, size_t shared, const uint2* border, int count, int2* saved) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_keep(border, count, saved); });
}
extern "C" void run_pair_hear(unsigned grid, size_t shared, int* best, const unsigned long long* heard) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_hear(best, heard); });
}
extern "C" void run_pair_gather(unsigned grid, size_t shared, const unsigned char* codes, int first, int step, int count,
                                int padded, const word* table, word* target) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_gather(codes, first, step, count, padded, table, target); });
}
extern "C" void run_pair_join(unsigned grid, size_t shared, const uint2* backward, int width, int h_backward, int f_backward,
                              const int2* forward, int end, int h_forward, int f_forward, int lead, int slope, int first,
                              int further, int target, unsigned long long* found) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] {
        pair_join(backward, width, h_backward, f_backward, forward, end, h_forward, f_forward, lead, slope, first,
                  further, target, found);
    });
}
extern "C" void run_pair_highest(unsigned grid, size_t shared, const int2* border, int count, unsigned long long* found) {
    cpu::launch(grid, PAIR_TOOL_THREADS, shared, [&] { pair_highest(border, count, found); });
}

#elif defined(PAIR_BITS)

#include "pair_wavefront.cu"

extern "C" size_t shared_bytes() { return sizeof(Shared) + PAIR_TIERS * (PAIR_PROFILE_BYTES + PAIR_CAPTURED); }

// Launches of later bands that go on beside the next one, as in other streams; their blocks even begin first.
static struct { int last_band; int* counter; } beside[8];
static unsigned launches_beside = 0;
extern "C" void add_pair_wavefront(int last_band, int* counter) { beside[launches_beside++] = {last_band, counter}; }

extern "C" void run_pair_wavefront(unsigned grid, size_t shared, const word* columns, int column_count, const int* rows,
                                   int row_count, const short* matrix, int left_lead, int left_slope, const int2* left,
                                   int beyond, int first_band, int last_band, int first_row, uint2* even, uint2* odd,
                                   int* reached, int2* saved, long long saved_stride, int save_every, int2* right,
                                   int4* records, int* counter, int* best, unsigned long long* progress,
                                   unsigned long long* found, int target, const int2* known_way,
                                   const long long* outlook, const int* heard, int outlook_rows, int outlook_columns,
                                   long long* said, int* told, const int2* said_left,
                                   const int* barred_start, const int* barred, int barred_row, int barred_column, int barred_step, const int* cancel) {
    const unsigned launches = 1 + launches_beside;
    cpu::launch_together(grid * launches, 32 * (PAIR_TIERS + 2), shared, [&] {
        const unsigned later = launches - 1 - blockIdx.x % launches;
        int* const own_counter = later ? beside[later - 1].counter : counter;
        pair_wavefront(columns, column_count, rows, row_count, matrix, left_lead, left_slope, left, beyond, first_band,
                       later ? beside[later - 1].last_band : last_band, first_row, even, odd, reached, saved, saved_stride,
                       save_every, right, records, own_counter, best, progress, found, target, known_way, outlook, heard,
                       outlook_rows, outlook_columns, said, told, said_left, barred_start, barred, barred_row, barred_column, barred_step, cancel);
    });
    launches_beside = 0;
}

#else

#include "pair_wavefront_direct.cu"

extern "C" void run_pair_direct(unsigned grid, size_t shared, const long long* pieces, int count, const int* rows,
                                const unsigned char* columns, const short* matrix, word* directions, int2* scratch,
                                unsigned char* steps, int* values, int* lengths, int* counter, const int* barred_start,
                                const int* barred, const int* cancel) {
    cpu::launch(grid, 32, shared, [&] {
        pair_direct(pieces, count, rows, columns, matrix, directions, scratch, steps, values, lengths, counter,
                    barred_start, barred, cancel);
    });
}

#endif
