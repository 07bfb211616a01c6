// Entry points to profile_pairs.cu for the tests.
#include "cuda_on_cpu.h"
#include "profile_pairs.cu"

extern "C" void run_pair_pack(unsigned grid, const unsigned* words, const short* scales, long long columns, uint4* codes,
                              uint2* rests) {
    cpu::launch(grid, 256, 0, [&] { pair_pack(words, scales, columns, codes, rests); });
}

extern "C" void run_profile_pairs(unsigned grid, const uint4* query_codes, const uint2* query_rests, const long long* begins,
                                  const int* lengths, const int* rows, int queries, const uint4* codes, const uint2* rests,
                                  const long long* offsets, const int* chunks, int chunk_count, long long targets, int first,
                                  int further, int2* border, long long width, int* scores, int* next, const int* cancel) {
    cpu::launch(grid, 32, 0, [&] {
        profile_pairs(query_codes, query_rests, begins, lengths, rows, queries, codes, rests, offsets, chunks, chunk_count, targets,
                      first, further, border, width, scores, next, cancel);
    });
}
