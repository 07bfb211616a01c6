// Entry points to pack.cu and ranking.cu for the tests.
#include "cuda_on_cpu.h"
#include "pack.cu"
#undef THREADS
#include "ranking.cu"

extern "C" void run_pack(unsigned grid, const unsigned char* codes, const long long* offsets, const word* block_of,
                         int first_twin, int twins, int subjects, word* stream) {
    cpu::launch(grid, 256, 0, [&] { pack(codes, offsets, block_of, first_twin, twins, subjects, stream); });
}

extern "C" void run_pack_planes(unsigned grid, const unsigned char* planes, long long groups, const long long* offsets,
                                const word* block_of, int first_twin, int twins, int subjects, word* stream) {
    cpu::launch(grid, 256, 0, [&] {
        pack_planes(planes, groups, offsets, block_of, first_twin, twins, subjects, stream);
    });
}

extern "C" void run_pack_bases(unsigned grid, const unsigned char* codes, const long long* offsets,
                               const word* block_of, int first_twin, int twins, int subjects, word* stream) {
    cpu::launch(grid, 256, 0, [&] { pack_bases(codes, offsets, block_of, first_twin, twins, subjects, stream); });
}

extern "C" void run_lay_runs(unsigned grid, const long long* starts, int count, const long long* offsets,
                             const word* block_of, int first_twin, int subjects, word* stream) {
    cpu::launch(grid, 256, 0, [&] { lay_runs(starts, count, offsets, block_of, first_twin, subjects, stream); });
}

extern "C" void run_pack_codons(unsigned grid, const unsigned char* bases, const unsigned char* table,
                                const long long* firsts, const long long* offsets, const word* block_of,
                                int first_twin, int twins, int subjects, word* stream) {
    cpu::launch(grid, 256, 0, [&] {
        pack_codons(bases, table, firsts, offsets, block_of, first_twin, twins, subjects, stream);
    });
}

extern "C" void run_ranking(unsigned grid, const int* scores, int subjects, int wanted, int capacity, int* histogram,
                            int* state, int* best) {
    cpu::launch(grid, 256, 4 * RANK_BINS, [&] { count_scores(scores, subjects, histogram); });
    cpu::launch(1, 256, 4 * 256, [&] { find_threshold(histogram, wanted, state); });
    cpu::launch(grid, 256, 0, [&] { collect_scores(scores, subjects, capacity, state, best); });
}
