// The best of many scores without sorting them and without bringing all of them to the host.
//
//   count_scores    how many subjects have each score (scores from RANK_BINS - 1 on share the last bin)
//   find_threshold  the highest score that at least `wanted` subjects reach
//   collect_scores  the subjects that reach it, in no particular order
//
// scores int32[subjects], storage order; histogram int32[RANK_BINS], zero before; state int32[2]: threshold,
// then number of subjects collected (zero before; may exceed `capacity`, then the list is incomplete);
// best int32[capacity][2]: subject, score. Blocks of 256 threads; find_threshold is one block.
#ifndef RANK_BINS
#error "RANK_BINS is not given"
#endif
#define THREADS 256
#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
count_scores(const int* scores, int subjects, int* histogram) {
    DYN_SHARED(int, bins);
    for (int bin = threadIdx.x; bin < RANK_BINS; bin += THREADS) bins[bin] = 0;
    __syncthreads();
    for (int at = blockIdx.x * THREADS + threadIdx.x; at < subjects; at += gridDim.x * THREADS) {
        atomicAdd(&bins[min(max(scores[at], 0), RANK_BINS - 1)], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < RANK_BINS; bin += THREADS) {
        if (bins[bin]) atomicAdd(&histogram[bin], bins[bin]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
find_threshold(const int* histogram, int wanted, int* state) {
    DYN_SHARED(int, sums);  // [THREADS] subjects in this thread's part of the bins
    const int per_thread = RANK_BINS / THREADS, first = threadIdx.x * per_thread;
    int sum = 0;
    for (int bin = first; bin < first + per_thread; bin++) sum += histogram[bin];
    sums[threadIdx.x] = sum;
    __syncthreads();
    int above = 0;  // subjects in the bins of later threads
    for (int other = threadIdx.x + 1; other < THREADS; other++) above += sums[other];
    // Exactly one thread holds the bin with which the count reaches `wanted`; none if there are too few subjects.
    if (above < wanted && above + sum >= wanted) {
        int bin = first + per_thread;
        while (above < wanted) above += histogram[--bin];
        state[0] = bin;
    }
    if (threadIdx.x == 0 && above + sum < wanted) state[0] = 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
collect_scores(const int* scores, int subjects, int capacity, int* state, int* best) {
    const int threshold = state[0];
    for (int at = blockIdx.x * THREADS + threadIdx.x; at < subjects; at += gridDim.x * THREADS) {
        if (scores[at] < threshold) continue;
        const int place = atomicAdd(&state[1], 1);
        if (place < capacity) {
            best[2 * place] = at;
            best[2 * place + 1] = scores[at];
        }
    }
}
