// Lay subjects out for the published methods: groups of 32, their words of four letters interleaved.
//
//   codes   subject 0  a b c d e f        words   [ abcd of 0 | pqr. of 1 | ... of 31 | ef.. of 0 | .... of 1 | ... ]
//           subject 1  p q r                        group 0, word 0                     group 0, word 1
//
// `.` is the letter SW_LETTERS. One thread per word. A part of a database is laid out at a time: the subjects
// [first, last) in storage order, `first` a multiple of 32; codes uint8[] are theirs, one behind the other;
// offsets int64[last - first + 1] say where each begins, counted from any origin; group_start word[] (per group of
// the database, in units of 32 words) and base_group, the group with which `words` begins.
#ifndef SW_LETTERS
#error "SW_LETTERS is not given"
#endif

typedef unsigned int word;

extern "C" __global__ void __launch_bounds__(256)
interleave(const unsigned char* codes, const long long* offsets, const word* group_start, int base_group, int first,
           int last, word* words) {
    const int first_group = first / 32, groups = (last - first + 31) / 32;
    const word begin = group_start[first_group];
    const unsigned long long at = blockIdx.x * 256ull + threadIdx.x;
    if (at >= 32ull * (group_start[first_group + groups] - begin)) return;
    const word row = begin + (word)(at / 32);
    int low = first_group, high = first_group + groups;  // the group lies in [low, high)
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (group_start[middle] <= row) low = middle;
        else high = middle;
    }
    word letters = SW_LETTERS * 0x01010101u;
    const int subject = 32 * low + (int)(at % 32) - first;
    if (subject < last - first) {
        const long long column = 4ll * (row - group_start[low]);
        const long long left = offsets[subject + 1] - offsets[subject] - column;
        const unsigned char* source = codes + (offsets[subject] - offsets[0] + column);
        letters = 0;
        for (int c = 0; c < 4; c++) letters |= (c < left ? (word)source[c] : (word)SW_LETTERS) << 8 * c;
    }
    words[32ull * (begin - group_start[base_group]) + at] = letters;
}
