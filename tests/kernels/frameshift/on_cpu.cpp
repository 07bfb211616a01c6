// Entry point to shifts.cu, compiled with the defines of one variant.
#include "cuda_on_cpu.h"
#include "shifts.cu"

extern "C" void run_shifts(unsigned grid, size_t shared_bytes, const unsigned char* residues, const unsigned char* codons,
                           const short* table, const long long* units, int unit_count, word* borders, int border_groups,
                           int* counter, int* scores, const int* cancel) {
    cpu::launch(grid, LANES, shared_bytes, [&] {
        shifts(residues, codons, table, units, unit_count, borders, border_groups, counter, scores, cancel);
    });
}
