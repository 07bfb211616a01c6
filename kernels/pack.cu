// Lay a database out for the streaming kernel: twins of subjects, blocks of four columns.
//
//   codes of subject 2p    a b c d e f .          stream  block 0   block 1
//   codes of subject 2p+1  p q r s t . .                  abcd      ef.$      word 0 of a block
//                                                         pqrs      t..$      word 1
//
// `.` is SW_PAD and `$`, in the last column of a twin's last block, SW_END. A block of threads lays out
// SW_PACK_THREADS * SW_PACK_EACH blocks of columns that follow each other.
// A part of a database is laid out at a time: `twins` twins from `first_twin` on, `subjects` subjects (an odd
// number leaves half of the last twin empty). offsets int64[subjects + 1] are the part's, counted from any origin;
// block_of word[] is the whole database's; stream word[][2] begins with the part's first block.
//
// Of two tracks (SW_BLOCK_WORDS 4) residues are laid out by one launch, letters by another, from `stream` + 2 on.
//
// `pack` is given letters: codes uint8[] are the part's, one behind the other in storage order. `pack_codons` is given
// bases, of which the letters are made: residue k of a subject is the codon whose lowest base is firsts[subject] + 3 k,
// or, where that is below 0, ~firsts[subject] - 3 k, read on the opposite strand. table uint8[2][4096] has the letter
// of the codon a b c at 256 a + 16 b + c, of the strand as it is given and of the opposite one.
//
// `pack_planes` takes residues in the form of packed files: 64 are a group; the lower four bits of its residues j and
// j + 32 share byte j of 32, and behind those of all groups, bit k of byte j of 8 is the highest of residue 8 k + j.
// Residues of a subject begin with offsets[subject] of all, which are less than 2^32. A number above the alphabet becomes
// its last letter. `pack_bases` takes two bits a residue: j, j + 16, j + 32 and j + 48 share byte j of 16.
// `lay_runs` puts other letters over them: stretches of one letter, starts long long[], lengths long long[] and codes
// uint8[] of `count` of them one behind the other, none of which leaves its subject; a warp for each.
#ifndef SW_BLOCK_WORDS
#define SW_BLOCK_WORDS 2
#endif
#ifndef SW_PACK_EACH
#define SW_PACK_EACH 8
#endif
#define SW_PACK_THREADS 256
#define SW_PAD SW_LETTERS
#define SW_END (SW_LETTERS + 1)

typedef unsigned int word;

struct Letters {
    const unsigned char* codes;
    const long long* offsets;
    __device__ __forceinline__ word at(int subject, long long column) const {
        return codes[offsets[subject] - offsets[0] + column];
    }
};

struct Planes {
    const unsigned char *low, *high;
    const long long* offsets;
    __device__ __forceinline__ word at(int subject, long long column) const {
        const word residue = (word)(offsets[subject] + column), group = residue / 64, place = residue % 64;
        const word four = low[32ull * group + place % 32] >> place / 32 * 4 & 15u;
        const word code = four | (high[8ull * group + place % 8] >> place / 8 & 1u) << 4;
        return code < SW_LETTERS ? code : SW_LETTERS - 1;
    }
};

struct Bases {
    const unsigned char* codes;
    const long long* offsets;
    __device__ __forceinline__ word at(int subject, long long column) const {
        const word residue = (word)(offsets[subject] + column), place = residue % 64;
        return codes[16ull * (residue / 64) + place % 16] >> place / 16 * 2 & 3u;
    }
};

struct Codons {
    const unsigned char *bases, *table;
    const long long* firsts;
    __device__ __forceinline__ word at(int subject, long long column) const {
        const long long first = firsts[subject], low = first < 0 ? ~first - 3 * column : first + 3 * column;
        const unsigned codon = 256u * bases[low] + 16u * bases[low + 1] + bases[low + 2];
        return table[(first < 0 ? 4096u : 0u) + (codon & 4095u)];
    }
};

// The last of the places low ... high - 1 whose entry is not above a value.
template <typename Entry>
__device__ __forceinline__ int last_from(const Entry* entries, int low, int high, Entry value) {
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (entries[middle] <= value) low = middle;
        else high = middle;
    }
    return low;
}

template <typename Source>
__device__ __forceinline__ void lay_out(Source source, const long long* offsets, const word* block_of, int first_twin,
                                        int twins, int subjects, word* stream) {
    const word first_block = block_of[first_twin], blocks = block_of[first_twin + twins] - first_block;
    const unsigned long long begin = (unsigned long long)blockIdx.x * SW_PACK_THREADS * SW_PACK_EACH + threadIdx.x;
    int twin = first_twin, beyond = first_twin + twins;
    for (int each = 0; each < SW_PACK_EACH; each++) {
        const unsigned long long block = begin + each * SW_PACK_THREADS;
        if (block >= blocks) return;
        twin = last_from(block_of, twin, beyond, first_block + (word)block);
        beyond = min(first_twin + twins, twin + SW_PACK_THREADS + 1);  // no twin is less than a block
        const long long column = 4ll * (first_block + (word)block - block_of[twin]);
        const word end = first_block + (word)block + 1 == block_of[twin + 1] ? 0x00ffffffu : 0xffffffffu;
        for (int half = 0; half < 2; half++) {
            const int subject = 2 * (twin - first_twin) + half;
            word letters = SW_PAD * 0x01010101u;
            if (subject < subjects) {
                const long long left = offsets[subject + 1] - offsets[subject] - column;
                letters = 0;
                for (int c = 0; c < 4; c++) {
                    letters |= (c < left ? source.at(subject, column + c) : (word)SW_PAD) << 8 * c;
                }
            }
            stream[SW_BLOCK_WORDS * block + half] = (letters & end) | (~end & (word)SW_END << 24);
        }
    }
}

extern "C" __global__ void __launch_bounds__(SW_PACK_THREADS)
pack(const unsigned char* codes, const long long* offsets, const word* block_of, int first_twin, int twins,
     int subjects, word* stream) {
    lay_out(Letters{codes, offsets}, offsets, block_of, first_twin, twins, subjects, stream);
}

extern "C" __global__ void __launch_bounds__(SW_PACK_THREADS)
pack_planes(const unsigned char* planes, long long groups, const long long* offsets, const word* block_of,
            int first_twin, int twins, int subjects, word* stream) {
    lay_out(Planes{planes, planes + 32 * groups, offsets}, offsets, block_of, first_twin, twins, subjects, stream);
}

extern "C" __global__ void __launch_bounds__(SW_PACK_THREADS)
pack_bases(const unsigned char* codes, const long long* offsets, const word* block_of, int first_twin, int twins,
           int subjects, word* stream) {
    lay_out(Bases{codes, offsets}, offsets, block_of, first_twin, twins, subjects, stream);
}

extern "C" __global__ void __launch_bounds__(SW_PACK_THREADS)
lay_runs(const long long* starts, int count, const long long* offsets, const word* block_of, int first_twin,
         int subjects, word* stream) {
    const long long *lengths = starts + count, run = blockIdx.x * (SW_PACK_THREADS / 32ll) + threadIdx.x / 32;
    if (run >= count || starts[run] < offsets[0] || starts[run] >= offsets[subjects]) return;
    const unsigned char code = ((const unsigned char*)(lengths + count))[run];
    const int subject = last_from(offsets, 0, subjects, starts[run]);
    const unsigned long long block = block_of[first_twin + subject / 2] - block_of[first_twin];
    const long long begin = starts[run] - offsets[subject];
    for (long long column = begin + threadIdx.x % 32; column < begin + lengths[run]; column += 32) {
        const unsigned long long at = SW_BLOCK_WORDS * (block + column / 4) + subject % 2;
        ((unsigned char*)(stream + at))[column % 4] = code;
    }
}

extern "C" __global__ void __launch_bounds__(SW_PACK_THREADS)
pack_codons(const unsigned char* bases, const unsigned char* table, const long long* firsts, const long long* offsets,
            const word* block_of, int first_twin, int twins, int subjects, word* stream) {
    lay_out(Codons{bases, table, firsts}, offsets, block_of, first_twin, twins, subjects, stream);
}
