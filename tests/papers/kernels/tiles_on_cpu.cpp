// Entry points to pair_tiled.cu for the tests.
#include "cuda_on_cpu.h"

inline unsigned long long atomicMax(unsigned long long* place, unsigned long long value) {
    const unsigned long long before = *place;
    *place = std::max(before, value);
    return before;
}

#include "papers/pair_tiled.cu"

extern "C" void run_fill_diagonal(unsigned grid, const void* tile, const unsigned char* query, const unsigned char* subject,
                                  const short* table, int by_position, void* top, void* left, int* corners, wide* best,
                                  word* directions, int blocks, int diagonal) {
    cpu::launch(grid, TILE_BLOCK, 0, [&] {
        fill_diagonal((const Tile*)tile, query, subject, table, by_position, (Border*)top, (Border*)left, corners, best, directions,
                      blocks, diagonal);
    });
}

extern "C" void run_walk_tile(const word* directions, int blocks, int* cursor, unsigned char* ops) {
    cpu::launch(1, 32, 0, [&] { walk_tile(directions, blocks, cursor, ops); });
}
