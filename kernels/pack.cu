// Lay a database out for the streaming kernel: pairs of subjects, blocks of four columns.
//
//   codes of subject 2p    a b c d e f .          stream  block 0   block 1
//   codes of subject 2p+1  p q r s t . .                  abcd      ef.$      word 0 of a block
//                                                         pqrs      t..$      word 1
//
// `.` is SW_PAD and `$`, in the last column of a pair's last block, SW_END. One thread per block.
// A part of a database is laid out at a time: `pairs` pairs from `first_pair` on, `subjects` subjects (an odd
// number leaves half of the last pair empty). codes uint8[] and offsets int64[subjects + 1] are the part's, in
// storage order, offsets counted from any origin; block_of word[] is the whole database's; stream word[][2]
// begins with the part's first block.
//
// Of two tracks (SW_BLOCK_WORDS 4) residues are laid out by one launch, letters by another, from `stream` + 2 on.
#ifndef SW_BLOCK_WORDS
#define SW_BLOCK_WORDS 2
#endif
#define SW_PAD SW_LETTERS
#define SW_END (SW_LETTERS + 1)

typedef unsigned int word;

__device__ __forceinline__ word four_letters(const unsigned char* codes, long long left) {
    word letters = 0;
    for (int c = 0; c < 4; c++) letters |= (c < left ? (word)codes[c] : (word)SW_PAD) << 8 * c;
    return letters;
}

extern "C" __global__ void __launch_bounds__(256)
pack(const unsigned char* codes, const long long* offsets, const word* block_of, int first_pair, int pairs,
     int subjects, word* stream) {
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
            const long long start = offsets[subject] + column;
            letters = four_letters(codes + (start - offsets[0]), offsets[subject + 1] - start);
        }
        stream[(unsigned long long)SW_BLOCK_WORDS * block + half] = (letters & end) | (~end & (word)SW_END << 24);
    }
}
