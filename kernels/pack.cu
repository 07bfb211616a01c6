// Lay a database out for the streaming kernel: pairs of subjects, blocks of four columns.
//
//   codes of subject 2p    a b c d e f .          stream  block 0   block 1
//   codes of subject 2p+1  p q r s t . .                  abcd      ef.$      word 0 of a block
//                                                         pqrs      t..$      word 1
//
// `.` is SW_PAD and `$`, in the last column of a pair's last block, SW_END. One thread per block.
// A part of a database is laid out at a time: `pairs` pairs from `first_pair` on, `subjects` subjects (an odd
// number leaves half of the last pair empty). offsets int64[subjects + 1] are the part's, counted from any origin;
// block_of word[] is the whole database's; stream word[][2] begins with the part's first block.
//
// Of two tracks (SW_BLOCK_WORDS 4) residues are laid out by one launch, letters by another, from `stream` + 2 on.
//
// `pack` is given letters: codes uint8[] are the part's, one behind the other in storage order. `pack_codons` is given
// bases, of which the letters are made: residue k of a subject is the codon whose lowest base is firsts[subject] + 3 k,
// or, where that is below 0, ~firsts[subject] - 3 k, read on the opposite strand. table uint8[2][4096] has the letter
// of the codon a b c at 256 a + 16 b + c, of the strand as it is given and of the opposite one.
//
// `pack_planes` is given residues as packed files have them: 64 are a group; the lower four bits of residues j and j + 32
// of it share byte j of 32, and behind those of all groups, bit k of byte j of 8 is the highest of residue 8 k + j.
// Residues of a subject begin with offsets[subject] of all. A number above the alphabet becomes its last letter.
#ifndef SW_BLOCK_WORDS
#define SW_BLOCK_WORDS 2
#endif
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
        const unsigned long long residue = offsets[subject] + column, group = residue / 64;
        const word place = residue % 64, four = low[32 * group + place % 32] >> place / 32 * 4 & 15u;
        const word code = four | (high[8 * group + place % 8] >> place / 8 & 1u) << 4;
        return code < SW_LETTERS ? code : SW_LETTERS - 1;
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

template <typename Source>
__device__ __forceinline__ void lay_out(Source source, const long long* offsets, const word* block_of, int first_pair,
                                        int pairs, int subjects, word* stream) {
    const word first_block = block_of[first_pair], blocks = block_of[first_pair + pairs] - first_block;
    const word block = blockIdx.x * 256u + threadIdx.x;
    if (block >= blocks) return;
    int low = first_pair, high = first_pair + pairs;  // the pair lies in [low, high)
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (block_of[middle] <= first_block + block) low = middle;
        else high = middle;
    }
    const long long column = 4ll * (first_block + block - block_of[low]);
    const word end = first_block + block + 1 == block_of[low + 1] ? 0x00ffffffu : 0xffffffffu;
    for (int half = 0; half < 2; half++) {
        const int subject = 2 * (low - first_pair) + half;
        word letters = SW_PAD * 0x01010101u;
        if (subject < subjects) {
            const long long left = offsets[subject + 1] - offsets[subject] - column;
            letters = 0;
            for (int c = 0; c < 4; c++) letters |= (c < left ? source.at(subject, column + c) : (word)SW_PAD) << 8 * c;
        }
        stream[(unsigned long long)SW_BLOCK_WORDS * block + half] = (letters & end) | (~end & (word)SW_END << 24);
    }
}

extern "C" __global__ void __launch_bounds__(256)
pack(const unsigned char* codes, const long long* offsets, const word* block_of, int first_pair, int pairs,
     int subjects, word* stream) {
    lay_out(Letters{codes, offsets}, offsets, block_of, first_pair, pairs, subjects, stream);
}

extern "C" __global__ void __launch_bounds__(256)
pack_planes(const unsigned char* planes, long long groups, const long long* offsets, const word* block_of,
            int first_pair, int pairs, int subjects, word* stream) {
    lay_out(Planes{planes, planes + 32 * groups, offsets}, offsets, block_of, first_pair, pairs, subjects, stream);
}

extern "C" __global__ void __launch_bounds__(256)
pack_codons(const unsigned char* bases, const unsigned char* table, const long long* firsts, const long long* offsets,
            const word* block_of, int first_pair, int pairs, int subjects, word* stream) {
    lay_out(Codons{bases, table, firsts}, offsets, block_of, first_pair, pairs, subjects, stream);
}
