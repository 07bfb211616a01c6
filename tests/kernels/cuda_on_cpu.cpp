// Blocks of cuda_on_cpu.h and the turns of their threads: what no kernel changes, compiled once for all of them.
#include "cuda_on_cpu.h"

namespace cpu {

Block* running = nullptr;

// Contexts are changed by jumps: `swapcontext` asks the system for the signal mask every time, which takes longer than
// most turns. AddressSanitizer knows `swapcontext`, but no jumps from stack to stack.
#ifdef __SANITIZE_ADDRESS__
static void give_way() { swapcontext(&running->threads[running->current].place, &running->scheduler); }
#else
[[gnu::noinline]] static void give_way() {
    if (!_setjmp(running->threads[running->current].turn)) _longjmp(running->back, 1);
}
#endif

// Wait for other threads of the block: no turn is given before the counter has changed.
static void wait_while(const unsigned& counter, unsigned number) {
    running->waits[running->current] = {&counter, number};
    give_way();
}

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
    running->waits[running->current].finished = true;
    give_way();
}

constexpr size_t STACK = 256 * 1024;

// Stacks of blocks that have ended serve the next ones: memory from the system costs more than most kernels. Under
// AddressSanitizer each is new, since it marks what lies on one.
static std::vector<std::unique_ptr<char[]>> stacks;

static std::unique_ptr<char[]> new_stack() {
    if (stacks.empty()) return std::unique_ptr<char[]>(new char[STACK]);
    std::unique_ptr<char[]> stack = std::move(stacks.back());
    stacks.pop_back();
    return stack;
}

static void end_block(Block& state) {
#ifndef __SANITIZE_ADDRESS__
    for (Coroutine& thread : state.threads) stacks.push_back(std::move(thread.stack));
#endif
    state.threads.clear();
}

static void begin_block(Block& state, const std::function<void()>& kernel, unsigned block, unsigned grid, unsigned threads, size_t shared_bytes) {
    state.kernel = &kernel;
    state.block = {block};
    state.grid = {grid};
    state.warps.resize((threads + 31) / 32);
    state.shared.resize(shared_bytes / sizeof(Line) + 1);
    std::memset(static_cast<void*>(state.shared.data()), 0xEE, state.shared.size() * sizeof(Line));  // shared memory begins with anything
    state.threads.resize(threads);
    state.waits.resize(threads);
    for (Coroutine& thread : state.threads) {
        thread.stack = new_stack();
        getcontext(&thread.place);
        thread.place.uc_stack.ss_sp = thread.stack.get();
        thread.place.uc_stack.ss_size = STACK;
        thread.place.uc_link = nullptr;
        makecontext(&thread.place, begin_thread, 0);
    }
}

// Every thread of a block that waits for nothing gets one turn, beginning with some thread and going up or down: what
// depends on an order that no barrier asks for gives another result. False if all had finished.
static bool give_turns(Block& state, unsigned first = 0, bool down = false) {
    bool any = false, given = false;
    const unsigned count = state.threads.size();
    running = &state;
    for (unsigned k = 0; k < count; k++) {
        unsigned i = first % count + (down ? count - k : k);
        if (i >= count) i -= count;
        const Wait& wait = state.waits[i];
        if (wait.finished) continue;
        any = true;
        state.current = i;
        if (wait.counter && *wait.counter == wait.number) continue;
        given = true;
        give_turn(state, state.threads[i]);
    }
    if (any && !given) fail("waits for threads that never come");
    running = nullptr;
    return any;
}

static void run_block(const std::function<void()>& kernel, unsigned block, unsigned grid, unsigned threads, size_t shared_bytes) {
    Block state;
    begin_block(state, kernel, block, grid, threads, shared_bytes);
    while (give_turns(state)) {}
    end_block(state);
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
    for (Block& block : blocks) end_block(block);
}

const uint64_t* exchange(unsigned mask, uint64_t value) {
    if (mask != 0xffffffffu) fail("an exchange without all lanes");
    Exchange& warp = running->warps[running->current / 32];
    const unsigned round = warp.round;
    uint64_t* brought = warp.brought[round % 2];
    brought[running->current % 32] = value;
    if (++warp.present == 32) {
        warp.present = 0;
        warp.round++;
    } else {
        wait_while(warp.round, round);
    }
    return brought;
}

}  // namespace cpu

void __syncthreads() {
    cpu::Block& block = *cpu::running;
    const unsigned barrier = block.barriers;
    if (++block.at_barrier == block.threads.size()) {
        block.at_barrier = 0;
        block.barriers++;
    } else {
        cpu::wait_while(block.barriers, barrier);
    }
}
int __syncthreads_or(int predicate) {
    cpu::Block& block = *cpu::running;
    int& votes = block.votes[block.barriers % 2];
    if (block.at_barrier == 0) votes = 0;
    votes |= predicate;
    __syncthreads();
    return votes;
}
int __any_sync(unsigned mask, int predicate) {
    const uint64_t* brought = cpu::exchange(mask, predicate != 0);
    return std::any_of(brought, brought + 32, [](uint64_t one) { return one != 0; });
}
