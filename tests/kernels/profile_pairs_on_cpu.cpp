// Entry points to profile_pairs.cu for the tests.
#include "cuda_on_cpu.h"
#include "profile_pairs.cu"

extern "C" void run_pair_pack(unsigned grid, const unsigned* words, const short* scales, long long columns, uint4* codes,
                              uint2* rests) {
    cpu::launch(grid, 256, 0, [&] { pair_pack(words, scales, columns, codes, rests); });
}

#define RUN(name)                                                                                                                 \
    extern "C" void run_##name(unsigned grid, const uint4* query_codes, const uint2* query_rests, const long long* begins,        \
                               const int* lengths, const int* rows, int queries, const uint4* codes, const uint2* rests,          \
                               const long long* offsets, const int* chunks, int chunk_count, long long targets, int first,        \
                               int extend, int2* border, long long width, int* scores, int* next, const int* cancel) {            \
        cpu::launch(grid, 32, 0, [&] {                                                                                            \
            name(query_codes, query_rests, begins, lengths, rows, queries, codes, rests, offsets, chunks, chunk_count, targets,   \
                 first, extend, border, width, scores, next, cancel);                                                             \
        });                                                                                                                       \
    }

RUN(profile_pairs)
RUN(profile_pairs_in_strips)
