// Work of a group: its subjects, and the places of their scores.
//
// Subjects lie in storage order, longest first, two by two as twins; twin p fills blocks block_of[p] ...
// block_of[p + 1] of the stream. A unit is a run of twins, handed out in order by an atomic counter, so the
// longest come first and the short ones fill the end. All lanes of a group know what it reads next; the last
// lane sees every block again LANES steps later, when its own rows are done, and then notes the score of a
// subject that ends. Between the two, units wait in a ring in shared memory; a unit has at least one block,
// so a ring of 2 x LANES entries never fills.
#pragma once
#include "sw_lanes.cuh"

#define SW_GROUPS (SW_THREADS / SW_LANES)
#define SW_RING (2 * SW_LANES)
#define SW_ASK_BLOCKS 1024u
#define SW_DRAIN (SW_LANES + 2)  // steps until the block fetched last has left the last lane

struct Work {
    const word* stream;        // [blocks + padding][SW_BLOCK_WORDS] four letters of each subject of a twin
    const word* block_of;      // [twins + 1] first block of each twin, of the whole database
    const int* unit_start;     // [units + 1] first twin of each unit
    int units;
    const int* redo;           // if not null: number of entries, then subjects to score instead of units
    word first_block;          // of the database, where `stream` begins
    word padding;              // block of `stream` from which on SW_DRAIN blocks hold no residues
};

struct Results {
    int* scores;               // [subjects] storage order; [2][stride] for two queries
    long long stride;          // subjects between the scores of two queries
    int* redo;                 // number of entries, then subjects that may have overflowed; [2][stride + 1]
};

// A unit between fetch and the last of its scores. Touched by the last lane only.
struct Entry {
    int subject;               // next subject (two subjects: the first of the twin)
    int left;                  // subjects (twins) whose score has not come yet
};

struct Ring {
    Entry entries[SW_RING];
    unsigned pushed, read;
};

// Where a group reads; the same in all its lanes.
struct Source {
    word block;                // of the stream, next to be fetched
    word half;                 // which subject of the twin, where only one is scored
    word left;                 // blocks of this unit not fetched yet
    bool drained;              // no work is left, and the last block has left the last lane
    bool exhausted;            // nothing is left to fetch
};

// Note a 16-bit score, or keep the subject for the 32-bit kernel, once. Several passes over a long query
// each bring the best of their rows; a subject kept for 32 bits is -1 from then on.
SW_INLINE void note_score(const Results& results, int query, int subject, int score) {
    int* place = results.scores + (query ? results.stride : 0) + subject;
    if constexpr (SW_READ_BORDER) {
        const int before = *place;
        if (before < 0) return;
        score = max(score, before);
    }
    if (!SW_WIDE && score >= SW_LIMIT) {
        int* redo = results.redo + (query ? results.stride + 1 : 0);
        redo[1 + atomicAdd(redo, 1)] = subject;
        score = -1;
    }
    *place = score;
}

// The subject (or twin) that ended in this group's last lane has its best in `total`.
SW_INLINE void emit(Ring& ring, const Results& results, word total) {
    Entry& entry = ring.entries[ring.read % SW_RING];
    if constexpr (SW_WIDE) {
        note_score(results, 0, entry.subject, (int)total - SW_FLOOR);
    } else {
        note_score(results, 0, entry.subject, (int)(total & 0xffff) - SW_FLOOR);
        note_score(results, SW_TWO_QUERIES, entry.subject + SW_TWO_SUBJECTS, (int)(total >> 16) - SW_FLOOR);
    }
    entry.subject += 2;
    if (--entry.left == 0) ring.read++;
}

// Make unit number `taken` the group's source; beyond the last unit there is padding, and then nothing.
SW_INLINE void open_unit(const Work& work, int taken, Ring& ring, Source& source, bool last_lane) {
    int first = 0, last = 0, half = 0;
    if constexpr (SW_TWO_SUBJECTS) {
        if (taken < work.units) {
            first = work.unit_start[taken];
            last = work.unit_start[taken + 1];
        }
    } else if (work.redo) {
        if (taken < work.redo[0]) {
            first = work.redo[1 + taken] >> 1;
            last = first + 1;
            half = work.redo[1 + taken] & 1;
        }
    } else if (taken < 2 * work.units) {
        first = work.unit_start[taken >> 1];
        last = work.unit_start[(taken >> 1) + 1];
        half = taken & 1;
    }
    if (first == last) {
        source.drained = source.exhausted;
        source.exhausted = true;
        source.block = work.padding;
        source.left = SW_DRAIN;
        return;
    }
    source.block = work.block_of[first] - work.first_block;
    source.half = half;
    source.left = work.block_of[last] - work.block_of[first];
    if (last_lane) {
        Entry& entry = ring.entries[ring.pushed++ % SW_RING];
        entry.subject = 2 * first + half;
        entry.left = last - first;
    }
}
