// Entry points to rules.cu for the tests.
#include "cuda_on_cpu.h"
#include "rules.cu"

extern "C" void run_rule_mismatches(unsigned grid, const unsigned char* text, long long size, const word* masks,
                                    const long long* begins, int queries, int most, int* query, long long* position,
                                    unsigned char* differences, wide room, wide* found) {
    cpu::launch(grid, 256, 0, [&] {
        rule_mismatches(text, size, masks, begins, queries, most, query, position, differences, room, found);
    });
}

extern "C" void run_rule_ends(unsigned grid, const unsigned char* text, long long size, const word* masks,
                              const long long* begins, int most, const unsigned char* allowed, int tiles, int chunk, int* query,
                              long long* position, unsigned char* differences, wide room, wide* found) {
    cpu::launch(grid, 256, 0, [&] {
        rule_ends(text, size, masks, begins, most, allowed, tiles, chunk, query, position, differences, room, found);
    });
}

extern "C" void run_rule_scores(unsigned grid, const unsigned char* text, const long long* starts, const long long* ends,
                                const long long* borders, int subjects, const word* masks, const long long* begins, const int* up,
                                const int* down, int tiles, long long total, int* border, int* scores) {
    cpu::launch(grid, 128, 0, [&] {
        rule_scores(text, starts, ends, borders, subjects, masks, begins, up, down, tiles, total, border, scores);
    });
}
