// Regions of the best local alignments of queries with many subjects, the sums of these alignments, and the scores of
// shuffled copies of stretches: the device's work for the correction for composition and comparisons of all pairs. A
// warp takes one pair; results equal those of `regions.c`, `trace.c` and `shuffles.c` in kernels/cpu.
//
//                   columns of the subject ---->
//   lane 0    8 rows [ ][ ][ ]             at step t lane l works on column t - l; H and F below its last row go to the
//   lane 1    8 rows    [ ][ ][ ]          next lane by a shuffle. 256 rows make a strip; below one, H and F of all
//     ...                                  columns lie in global memory for the next strip. Arithmetic in 32 bits.
//
// find_regions   grid: a block of one warp for each pair. pairs int[][PAIR_FIELDS]: rows of the query, where the
//                subject begins (low and high word), its length, the score that is known, where its border begins
//                (low, high; used above 256 rows), where its rows begin in the profile; found int4[pairs]: start and
//                end in the query, start and end in the subject; all -1 where the score is not reached.
// count_pairs    (with SW_COUNTS, in place of the others) the same, and behind the corners int2[pairs]: aligned residues
//                and identical ones of the alignment, from `query_codes` of all rows, where two codes are the same
//                if `alike` has one number for both. No sequence is longer than 65,535.
// score_copies   grid: a block of four warps for each job. jobs long long[][JOB_FIELDS] as
//                `swgui.core.judging.correction_work.JOB` names them, then where scores, copies and borders of the
//                job begin; scores int[].
//
// profile signed char[symbols][rows of all queries]; codes Code[], below `symbols`; border int2[]; copies Code[].
// Dynamic shared memory: 256 bytes for each symbol, with SW_PACKED 512 for each and one more.
//
// With SW_PACKED a lane has 16 rows, and halves of its registers rows 0 to 7 at column t - 2l and rows 8 to 15 at the
// column before, in fused instructions of 16 bits (compute capability 9.0): a strip has 512 rows. Scores that are known
// to be above PACKED_SCORE, and all others without SW_PACKED, are found in 32 bits.
// With SW_TRACKS a code has two bytes, a residue and above it a letter, both below `symbols`: letters have their lines
// of the profile behind those of residues, and a cell scores the sum of both.
// With SW_GAPS every row has gap costs of its own: `costs` short[rows of all queries][4] as the columns of
// `PositionGaps`, and `first` and `extend` are unused. A deletion may get back what it has paid, so E and F are not
// cut off at 0.
#define LANES 32
#define ROWS 8
#define STRIP (LANES * ROWS)
#define TALL (2 * STRIP)
#define PACKED_SCORE 20000  // 94 columns may follow the one that reaches it, of at most 127 each
#define PACKED_COPIES 32000  // that a copy cannot exceed
#define BOTH(x) ((unsigned)((x) & 0xffff) * 0x10001u)
#define FULL 0xffffffffu
#define NOWHERE 0x7fffffff
#define PAIR_FIELDS 8
#define JOB_FIELDS 11
#define COPY_THREADS 128
#define GOLDEN 0x9e3779b97f4a7c15ull
#define WINDOWS 1
#define PERIODS 2
#ifndef DYN_SHARED
#define DYN_SHARED(type, name) extern __shared__ type name[]
#endif

#ifdef SW_TRACKS
typedef unsigned short Code;
#else
typedef unsigned char Code;
#endif
typedef unsigned long long Word;

// Rows of a profile and columns of a subject, either in order (1) or from behind (-1).
struct Matrix {
    const signed char* profile;  // at its first row, for symbol 0
    int stride, symbols, rows;
    const Code* codes;  // at the first column
    int columns, direction, first, extend;
    const short* costs;  // of the first row
};

#ifdef SW_GAPS
#define NO_GAP (-(1 << 24))
#define DEAR (1 << 20)  // of rows behind the query: no deletion continues there to get a refund

// Costs of the gaps of a lane's rows: insertions behind a row, deletions that begin or continue with it.
struct Costs {
    int inserted[ROWS], further[ROWS], left_out[ROWS], more[ROWS];

    // Read from behind, insertions of a row are those behind the row that then follows, and deletions open at their
    // other end; `PositionGaps.reversed` explains why these are their costs.
    __device__ void lay(const Matrix& matrix, int above) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int row = min(above + i, matrix.rows - 1);
            const bool back = matrix.direction < 0;
            const short* own = matrix.costs + 4ll * matrix.direction * row;
            const short* behind = back && row + 1 < matrix.rows ? own - 4 : own;
            inserted[i] = behind[0];
            further[i] = behind[1];
            const bool behind_all = above + i >= matrix.rows;
            left_out[i] = behind_all ? DEAR : own[2];
            more[i] = behind_all ? DEAR : !back ? own[3] : row > 0 ? own[2] - own[6] + own[7] : own[2];
        }
    }
};
#else
#define NO_GAP 0

struct Same {
    int cost;
    __device__ __forceinline__ int operator[](int) const { return cost; }
};

struct Costs {
    Same inserted, further, left_out, more;

    __device__ __forceinline__ void lay(const Matrix& matrix, int) {
        inserted.cost = left_out.cost = matrix.first;
        further.cost = more.cost = matrix.extend;
    }
};
#endif

// Scores of a lane's rows with a code.
struct Scores {
    uint2 own;
#ifdef SW_TRACKS
    uint2 letter;
#endif

    __device__ __forceinline__ void look_up(const signed char* table, int code, int lane) {
#ifdef SW_TRACKS
        letter = *(const uint2*)(table + (code >> 8) * STRIP + lane * ROWS);
        code &= 255;
#endif
        own = *(const uint2*)(table + code * STRIP + lane * ROWS);
    }

    __device__ __forceinline__ int operator[](int i) const {
        const int score = (signed char)((i < 4 ? own.x : own.y) >> 8 * (i % 4));
#ifdef SW_TRACKS
        return score + (signed char)((i < 4 ? letter.x : letter.y) >> 8 * (i % 4));
#else
        return score;
#endif
    }
};

// Result of a pass: the best score, and the first place with `target`.
struct Found {
    int best, column, row;
};

// Lays `lines` lines of rows into shared memory: scores of a symbol each, of a symbol that there is none of nothing
// that scores. In a strip of TALL rows the upper halves of all lanes come first.
template <int HEIGHT>
static __device__ void lay_rows(const Matrix& matrix, int above, signed char* table, int lines, int thread,
                                int threads) {
    for (int at = 4 * thread; at < lines * HEIGHT; at += 4 * threads) {
        const int symbol = at / HEIGHT, place = at % HEIGHT;
        const int inside = HEIGHT == STRIP ? place : (place % STRIP & -ROWS) * 2 + place / STRIP * ROWS + place % ROWS;
        const signed char* line = matrix.profile + (long long)symbol * matrix.stride;
        unsigned word = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int row = above + inside + k;
            const int score = symbol < matrix.symbols && row < matrix.rows ? line[matrix.direction * row] : -128;
            word |= (score & 255u) << 8 * k;
        }
        *(unsigned*)(table + at) = word;
    }
}

template <class T>
static __device__ __forceinline__ T from_lane_before(T value, int lane) {
    return __shfl_sync(FULL, value, (lane + 31) & 31, LANES);
}

static __device__ int least_of_warp(int value, int lane) {
    for (int apart = 16; apart; apart /= 2) value = min(value, __shfl_sync(FULL, value, lane ^ apart, LANES));
    return value;
}

static __device__ int most_of_warp(int value, int lane) { return -least_of_warp(-value, lane); }

// One strip; all lanes of a warp. `found` is the same in all lanes before and after.
static __device__ void pass(const Matrix& matrix, int above, const signed char* table, int2* border, int target,
                            Found& found) {
    const int lane = threadIdx.x % LANES, left = matrix.rows - above;
    const int used = min((left + ROWS - 1) / ROWS, LANES);
    const bool reads = above > 0, writes = left > STRIP;
    int columns = min(matrix.columns, found.column);  // of equal columns the first row counts
    int h[ROWS], e[ROWS], corner = 0, last_h = 0, last_f = NO_GAP, best = 0, column = NOWHERE, row = 0;
    Costs costs;
    costs.lay(matrix, above + lane * ROWS);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        h[i] = 0;
        e[i] = NO_GAP;
    }
    int code = lane == 0 && columns > 0 ? matrix.codes[0] : 0;
    for (int step = 0; step < columns + used - 1; step++) {
        int above_h = from_lane_before(last_h, lane), above_f = from_lane_before(last_f, lane);
        const int at = step - lane, next = at + 1;
        const int fetched = next >= 0 && next < columns ? matrix.codes[matrix.direction * next] : 0;
        if (lane == 0) {
            const int2 passed = reads && at < columns ? border[at] : make_int2(0, NO_GAP);
            above_h = passed.x;
            above_f = passed.y;
        }
        if (at >= 0 && at < columns && lane < used) {
            Scores scores;
            scores.look_up(table, code, lane);
            int diagonal = corner, up = above_h, f = above_f, most = 0;
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                f = max(f - costs.more[i], up - costs.left_out[i]);
                const int now = max(max(diagonal + scores[i], 0), max(e[i], f));
                diagonal = h[i];
                h[i] = up = now;
                most = max(most, now);
                e[i] = max(e[i] - costs.further[i], now - costs.inserted[i]);
            }
            corner = above_h;
            last_h = h[ROWS - 1];
            last_f = f;
            best = max(best, most);
            if (most >= target && column == NOWHERE) {
                column = at;
#pragma unroll
                for (int i = ROWS - 1; i >= 0; i--) row = h[i] >= target ? above + lane * ROWS + i : row;
            }
            if (writes && lane == LANES - 1) border[at] = make_int2(last_h, last_f);
        }
        code = fetched;
        if (step % LANES == LANES - 1 && target != NOWHERE) {
            columns = min((long long)columns, least_of_warp(column, lane) + 1ll);
        }
    }
    const int nearest = least_of_warp(column, lane);
    if (nearest < found.column) {
        found.row = least_of_warp(column == nearest ? row : NOWHERE, lane);
        found.column = nearest;
    }
    found.best = max(found.best, most_of_warp(best, lane));
    __syncwarp();  // what is in the border is read by the next strip's first lane
}

#ifdef SW_PACKED
// One byte of each of two words as numbers of 16 bits.
static __device__ __forceinline__ unsigned both_scores(unsigned low, unsigned high, int byte) {
#ifdef __CUDA_ARCH__
    unsigned scores;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(scores) : "r"(low), "r"(high), "r"(0xc480 + 0x1111 * byte));
    return scores;
#else
    return ((signed char)(low >> 8 * byte) & 0xffffu) | (unsigned)(signed char)(high >> 8 * byte) << 16;
#endif
}

// `pass` over a strip of TALL rows in 16 bits. Columns that there are none of have the symbol that scores nothing, so
// that no lane ever waits. `f` is that of the row below; neither gap is ever below 0.
static __device__ void pass_packed(const Matrix& matrix, int above, const signed char* table, unsigned* border,
                                   int target, Found& found) {
    const int lane = threadIdx.x % LANES, left = matrix.rows - above;
    const int used = min((left + 2 * ROWS - 1) / (2 * ROWS), LANES);
    const bool reads = above > 0, writes = left > TALL, seeks = target != NOWHERE;
    const unsigned first = BOTH(-matrix.first), further = BOTH(-matrix.extend), short_of = BOTH(0x8000 - target);
    const signed char* own = table + lane * ROWS;
    int columns = min(matrix.columns, found.column), column = NOWHERE, row = 0;
    unsigned h[ROWS], e[ROWS], corner = 0, last_h = 0, last_f = 0, best = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) h[i] = e[i] = 0;
    int code = lane == 0 && columns > 0 ? matrix.codes[0] : matrix.symbols, before = matrix.symbols;
    for (int step = 0; step < columns + 2 * used - 1; step++) {
        const int at = step - 2 * lane, next = at + 1;
        const int fetched = next >= 0 && next < columns ? matrix.codes[matrix.direction * next] : matrix.symbols;
        unsigned above_h = from_lane_before(last_h, lane), above_f = from_lane_before(last_f, lane);
        if (lane == 0) {
            above_f = reads && step < columns ? border[step] : 0;
            above_h = above_f << 16;
        }
        above_h = __byte_perm(above_h, last_h, 0x5432);
        unsigned f = __byte_perm(above_f, last_f, 0x5432), diagonal = corner, most = 0;
        const uint2 low = *(const uint2*)(own + code * TALL), high = *(const uint2*)(own + before * TALL + STRIP);
        corner = above_h;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const unsigned scores = both_scores(i < 4 ? low.x : low.y, i < 4 ? high.x : high.y, i % 4);
            const unsigned now = __viaddmax_s16x2_relu(diagonal, scores, __vmaxs2(e[i], f));
            const unsigned open = __viaddmax_s16x2_relu(now, first, 0);
            e[i] = __viaddmax_s16x2(e[i], further, open);
            f = __viaddmax_s16x2(f, further, open);
            diagonal = h[i];
            h[i] = now;
            if (i % 2) most = __vimax3_s16x2(most, h[i - 1], now);
        }
        last_h = h[ROWS - 1];
        last_f = f;
        best = __vmaxs2(best, most);
        if (seeks && ((most + short_of) & 0x80008000u)) {
#pragma unroll
            for (int i = 2 * ROWS - 1; i >= 0; i--) {
                const int score = h[i % ROWS] >> i / ROWS * 16 & 0xffff, reached = at - i / ROWS;
                const int its_row = above + 2 * ROWS * lane + i;
                if (score >= target && (reached < column || (reached == column && its_row < row))) {
                    column = reached;
                    row = its_row;
                }
            }
        }
        if (writes && lane == LANES - 1 && at > 0 && at <= columns) border[at - 1] = __byte_perm(last_h, f, 0x7632);
        before = code;
        code = fetched;
        if (step % LANES == LANES - 1 && seeks) columns = min((long long)columns, least_of_warp(column, lane) + 1ll);
    }
    const int nearest = least_of_warp(column, lane);
    if (nearest < found.column) {
        found.row = least_of_warp(column == nearest ? row : NOWHERE, lane);
        found.column = nearest;
    }
    found.best = max(found.best, most_of_warp(max(best & 0xffff, best >> 16), lane));
    __syncwarp();  // as in `pass`
}
#endif

static __device__ Found first_reached(const Matrix& matrix, signed char* table, int2* border, int target) {
    Found found = {0, NOWHERE, 0};
#ifdef SW_PACKED
    if (target <= PACKED_SCORE) {
        for (int above = 0; above < matrix.rows; above += TALL) {
            __syncwarp();
            lay_rows<TALL>(matrix, above, table, matrix.symbols + 1, threadIdx.x, LANES);
            __syncwarp();
            pass_packed(matrix, above, table, (unsigned*)border, target, found);
        }
        return found;
    }
#endif
    for (int above = 0; above < matrix.rows; above += STRIP) {
        __syncwarp();
        lay_rows<STRIP>(matrix, above, table, matrix.symbols, threadIdx.x, LANES);
        __syncwarp();
        pass(matrix, above, table, border, target, found);
    }
    return found;
}

static __device__ __forceinline__ long long together(int low, int high) {
    return (long long)high << 32 | (unsigned)low;
}

// The pair of a block of threads: the whole matrix, and where its alignment lies in it.
static __device__ int4 corners_of(const Matrix& whole, signed char* table, int2* room, int target) {
    const Found end = first_reached(whole, table, room, target);
    if (end.column == NOWHERE) return make_int4(-1, -1, -1, -1);
    Matrix back = whole;
    back.profile += end.row;
    back.costs += 4ll * end.row;
    back.codes += end.column;
    back.rows = end.row + 1;
    back.columns = end.column + 1;
    back.direction = -1;
    const Found start = first_reached(back, table, room, target);
    if (start.column == NOWHERE) return make_int4(-1, -1, -1, -1);
    return make_int4(end.row - start.row, end.row + 1, end.column - start.column, end.column + 1);
}

#ifdef SW_COUNTS
// Score of a path to a cell, and its counts: aligned residues above 16 bits, identical ones below.
struct Way {
    int score, counts;
    __device__ __forceinline__ void or_better(int other, int its_counts) {
        counts = other > score ? its_counts : counts;
        score = max(score, other);
    }
};

// One strip of a region, forwards; all lanes of a warp. Each cell keeps the counts of the path that
// `swgui.engines.traceback` walks back from there: a tie prefers the end with a pair, then with a query residue
// against a gap. Scores count from anywhere, as in kernels/cpu/trace.h. Below a strip lie H and F of all columns, each
// with its counts. Returns the last cell's way, in the lane that has its row.
static __device__ Way count_strip(const Matrix& matrix, int above, const signed char* table, int4* border,
                                  const unsigned char* query, const unsigned char* alike) {
    const int lane = threadIdx.x % LANES, left = matrix.rows - above;
    const int used = min((left + ROWS - 1) / ROWS, LANES), last_row = (left - 1) % ROWS;
    const bool writes = left > STRIP;
    Way h[ROWS], e[ROWS], corner = {0, 0}, last_h = {0, 0}, last_f = {NO_GAP, 0};
    int own[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        h[i] = {0, 0};
        e[i] = {NO_GAP, 0};
        own[i] = alike[query[min(above + lane * ROWS + i, matrix.rows - 1)]];
    }
    int code = lane == 0 ? matrix.codes[0] : 0;
    for (int step = 0; step < matrix.columns + used - 1; step++) {
        Way up = {from_lane_before(last_h.score, lane), from_lane_before(last_h.counts, lane)};
        Way f = {from_lane_before(last_f.score, lane), from_lane_before(last_f.counts, lane)};
        const int at = step - lane, next = at + 1;
        const int fetched = next >= 0 && next < matrix.columns ? matrix.codes[next] : 0;
        if (lane == 0) {
            const int4 passed = above > 0 && at < matrix.columns ? border[at] : make_int4(0, 0, NO_GAP, 0);
            up = {passed.x, passed.y};
            f = {passed.z, passed.w};
        }
        if (at >= 0 && at < matrix.columns && lane < used) {
            Scores scores;
            scores.look_up(table, code, lane);
            const int letter = alike[code];
            Way diagonal = corner;
            corner = up;
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const Way paired = {diagonal.score + scores[i], diagonal.counts + 65536 + (own[i] == letter)};
                diagonal = h[i];
                Way either = paired, down = {paired.score - matrix.first, paired.counts};
                either.or_better(f.score, f.counts);
                Way best = either, along = {either.score - matrix.first, either.counts};
                best.or_better(e[i].score, e[i].counts);
                along.or_better(e[i].score - matrix.extend, e[i].counts);
                down.or_better(f.score - matrix.extend, f.counts);
                down.or_better(e[i].score - matrix.first, e[i].counts);
                best.score = max(best.score, 0);
                h[i] = best;
                e[i] = along;
                f = down;
            }
            last_h = h[ROWS - 1];
            last_f = f;
            if (writes && lane == LANES - 1) border[at] = make_int4(last_h.score, last_h.counts, f.score, f.counts);
        }
        code = fetched;
    }
    __syncwarp();  // what is in the border is read by the next strip's first lane
    Way end = h[0];
#pragma unroll
    for (int i = 1; i < ROWS; i++) end = i == last_row ? h[i] : end;
    return end;
}

extern "C" __global__ void __launch_bounds__(LANES)
count_pairs(const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
            const Code* codes, const int* pairs, int4* border, int4* found, const unsigned char* query_codes,
            const unsigned char* alike) {
    DYN_SHARED(signed char, table);
    const int* pair = pairs + (long long)blockIdx.x * PAIR_FIELDS;
    int4* room = border + together(pair[5], pair[6]);
    Matrix matrix = {profile + pair[7], stride, symbols, pair[0], codes + together(pair[1], pair[2]), pair[3], 1,
                     first, extend, costs};
    int4 corners = corners_of(matrix, table, (int2*)room, pair[4]);
    if (corners.x >= 0) {
        matrix.profile += corners.x;
        matrix.codes += corners.z;
        matrix.rows = corners.y - corners.x;
        matrix.columns = corners.w - corners.z;
        const unsigned char* query = query_codes + pair[7] + corners.x;
        Way end = {0, 0};
        for (int above = 0; above < matrix.rows; above += STRIP) {
            __syncwarp();
            lay_rows<STRIP>(matrix, above, table, matrix.symbols, threadIdx.x, LANES);
            __syncwarp();
            end = count_strip(matrix, above, table, room, query, alike);
        }
        if (threadIdx.x == (matrix.rows - 1) % STRIP / ROWS) {
            if (end.score != pair[4]) corners.x = -1;
            found[blockIdx.x] = corners;
            ((int2*)(found + gridDim.x))[blockIdx.x] = make_int2((unsigned)end.counts >> 16, end.counts & 65535);
        }
    } else if (threadIdx.x == 0) {
        found[blockIdx.x] = corners;
    }
}
#else
extern "C" __global__ void __launch_bounds__(LANES)
find_regions(const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
             const Code* codes, const int* pairs, int2* border, int4* found) {
    DYN_SHARED(signed char, table);
    const int* pair = pairs + (long long)blockIdx.x * PAIR_FIELDS;
    const Matrix whole = {profile + pair[7], stride, symbols, pair[0], codes + together(pair[1], pair[2]), pair[3], 1,
                          first, extend, costs + 4ll * pair[7]};
    const int4 corners = corners_of(whole, table, border + together(pair[5], pair[6]), pair[4]);
    if (threadIdx.x == 0) found[blockIdx.x] = corners;
}

static __device__ __forceinline__ Word mixed(Word z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static __device__ __forceinline__ long long drawn(Word key, int number, int things) {
    const Word both = mixed(key + (Word)(number / 2 + 1) * GOLDEN);
    return (long long)(((number % 2 ? both >> 32 : both & 0xffffffffull) * (Word)things) >> 32);
}

// Thing k of `length` is exchanged with one of those up to it; the draws are those from `number` on.
static __device__ void shuffle(Code* things, int length, Word key, int number) {
    for (int k = 1; k < length; k++) {
        const long long other = drawn(key, number + k, k + 1);
        const Code code = things[k];
        things[k] = things[other];
        things[other] = code;
    }
}

// One copy, as `make_copy` in kernels/cpu/copies.h makes it.
static __device__ void make_copy(Code* copy, const Code* codes, int length, int kind, int width, Word key,
                                 long long number) {
    if (number < 0) {
        for (int k = 0; k < length; k++) copy[k] = codes[length - 1 - k];
        return;
    }
    key = mixed(key + (Word)number);
    if (kind == PERIODS) {
        Code order[256];
        for (int k = 0; k < width; k++) order[k] = (Code)k;
        shuffle(order, width, key, 0);
        for (int start = 0; start < length; start += width) {
            for (int k = 0; k < width; k++) {
                if (start + order[k] < length) *copy++ = codes[start + order[k]];
            }
        }
        return;
    }
    for (int k = 0; k < length; k++) copy[k] = codes[k];
    for (int start = 0; start < length; start += width) shuffle(copy + start, min(width, length - start), key, start);
}

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
score_copies(const signed char* profile, const short* costs, int stride, int symbols, int first, int extend,
             const Code* codes, const long long* jobs, Word seed, int highest, Code* copies, int2* border, int* scores) {
    DYN_SHARED(signed char, table);
    __shared__ Word sum;
    const int thread = threadIdx.x, warp = thread / LANES;
    const long long* job = jobs + (long long)blockIdx.x * JOB_FIELDS;
    const int rows = (int)job[1], length = (int)job[3], kind = (int)job[4], width = (int)job[5], count = (int)job[7];
    const Code* stretch = codes + job[2];
    Code* made = copies + job[9];
    if (thread == 0) sum = seed * GOLDEN;
    __syncthreads();
    Word part = 0;
    for (int k = thread; k < length; k += COPY_THREADS) part += mixed((Word)(32 * k + (stretch[k] & 255)));
    atomicAdd(&sum, part);
    __syncthreads();
    const Word key = mixed(sum + (Word)kind);
    for (int copy = thread; copy < count; copy += COPY_THREADS) {
        make_copy(made + (long long)copy * length, stretch, length, kind, width, key, job[6] + copy);
    }
#ifdef SW_PACKED
    const bool packed = (long long)highest * min(rows, length) <= PACKED_COPIES;
#endif
    for (int above = 0; above < rows;) {
        Matrix matrix = {profile + job[0], stride, symbols, rows, made, length, 1, first, extend, costs + 4 * job[0]};
        int height = STRIP;
        __syncthreads();
#ifdef SW_PACKED
        height = packed ? TALL : STRIP;
        if (packed) lay_rows<TALL>(matrix, above, table, symbols + 1, thread, COPY_THREADS);
        else
#endif
            lay_rows<STRIP>(matrix, above, table, symbols, thread, COPY_THREADS);
        __syncthreads();
        for (int copy = warp; copy < count; copy += COPY_THREADS / LANES) {
            Found found = {0, NOWHERE, 0};
            matrix.codes = made + (long long)copy * length;
            int2* room = border + job[10] + (long long)copy * length;
#ifdef SW_PACKED
            if (packed) pass_packed(matrix, above, table, (unsigned*)room, NOWHERE, found);
            else
#endif
                pass(matrix, above, table, room, NOWHERE, found);
            int* score = scores + job[8] + copy;
            if (thread % LANES == 0) *score = above ? max(*score, found.best) : found.best;
        }
        above += height;
    }
}
#endif
