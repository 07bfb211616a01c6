// Entry points to regions.cu for the tests.
#include "cuda_on_cpu.h"
#include "regions.cu"

#ifdef SW_PACKED
#define SHARED(symbols) (((symbols) + 1) * TALL)
#else
#define SHARED(symbols) ((symbols) * STRIP)
#endif

#ifdef SW_COUNTS
extern "C" void run_count_pairs(unsigned grid, const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
                                const Code* codes, const int* pairs, int4* border, int4* found, const unsigned char* query_codes,
                                const unsigned char* alike) {
    cpu::launch(grid, LANES, SHARED(symbols), [&] {
        count_pairs(profile, costs, stride, symbols, first, extend, codes, pairs, border, found, query_codes, alike);
    });
}
#else
extern "C" void run_find_regions(unsigned grid, const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
                                 const Code* codes, const int* pairs, int2* border, int4* found) {
    cpu::launch(grid, LANES, SHARED(symbols), [&] {
        find_regions(profile, costs, stride, symbols, first, extend, codes, pairs, border, found);
    });
}

extern "C" void run_score_copies(unsigned grid, const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
                                 const Code* codes, const long long* jobs, Word seed, int highest, Code* copies, int2* border, int* scores) {
    cpu::launch(grid, COPY_THREADS, SHARED(symbols), [&] {
        score_copies(profile, costs, stride, symbols, first, extend, codes, jobs, seed, highest, copies, border, scores);
    });
}
#endif
