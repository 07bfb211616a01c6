// Blocks of cuda_on_cpu.h and the turns of their threads: what no kernel changes, compiled once for all of them.
#include "cuda_on_cpu.h"

namespace cpu {

Block* running = nullptr;

#ifdef __SANITIZE_ADDRESS__
static void give_turn(Block& state, Coroutine& thread) { swapcontext(&state.scheduler, &thread.place); }
#else
[[gnu::noinline]] static void give_turn(Block& state, Coroutine& thread) {
    if (_setjmp(state.back)) return;
    if (thread.begun) _longjmp(thread.turn, 1);
    thread.begun = true;
    setcontext(&thread.place);
}
#endif

static void begin_thread() {
    (*running->kernel)();
    running->threads[running->current].finished = true;
    give_way();
}

static void begin_block(Block& state, const std::function<void()>& kernel, unsigned block, unsigned grid, unsigned threads, size_t shared_bytes) {
    constexpr size_t STACK = 256 * 1024;
    state.kernel = &kernel;
    state.block = {block};
    state.grid = {grid};
    state.warps.resize((threads + 31) / 32);
    state.shared.resize(shared_bytes / sizeof(Line) + 1);
    std::memset(static_cast<void*>(state.shared.data()), 0xEE, state.shared.size() * sizeof(Line));  // shared memory begins with anything
    state.threads.resize(threads);
    for (Coroutine& thread : state.threads) {
        thread.stack.reset(new char[STACK]);
        getcontext(&thread.place);
        thread.place.uc_stack.ss_sp = thread.stack.get();
        thread.place.uc_stack.ss_size = STACK;
        thread.place.uc_link = nullptr;
        makecontext(&thread.place, begin_thread, 0);
    }
}

// Every thread of a block gets one turn, beginning with some thread and going up or down: what depends on an order
// that no barrier asks for gives another result. False if all had finished.
static bool give_turns(Block& state, unsigned first = 0, bool down = false) {
    bool any = false;
    const unsigned count = state.threads.size();
    running = &state;
    for (unsigned k = 0; k < count; k++) {
        const unsigned i = (first + (down ? count - k : k)) % count;
        if (state.threads[i].finished) continue;
        any = true;
        state.current = i;
        give_turn(state, state.threads[i]);
    }
    running = nullptr;
    return any;
}

static void run_block(const std::function<void()>& kernel, unsigned block, unsigned grid, unsigned threads, size_t shared_bytes) {
    Block state;
    begin_block(state, kernel, block, grid, threads, shared_bytes);
    while (give_turns(state)) {}
}

void launch(unsigned grid, unsigned threads, size_t shared_bytes, const std::function<void()>& kernel) {
    for (unsigned block = 0; block < grid; block++) run_block(kernel, block, grid, threads, shared_bytes);
}

void launch_together(unsigned grid, unsigned threads, size_t shared_bytes, const std::function<void()>& kernel) {
    std::vector<Block> blocks(grid);
    for (unsigned i = 0; i < grid; i++) begin_block(blocks[i], kernel, i, grid, threads, shared_bytes);
    unsigned chance = 12345;
    for (bool any = true; any;) {
        any = false;
        for (Block& block : blocks) {
            chance = chance * 1103515245u + 12345u;
            for (unsigned turns = 1 + (chance >> 16) % 8; turns; turns--) {
                if (!give_turns(block, chance >> 8, chance >> 30 & 1)) break;
                chance = chance * 1103515245u + 12345u;
                any = true;
            }
        }
    }
}

}  // namespace cpu
