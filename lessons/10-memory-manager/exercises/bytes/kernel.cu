// Three ways to keep the edges of vertices. One thread goes through a list of steps:
// step i inserts count[i] edges at vertex[i] if count[i] is positive, one after the
// other, or deletes the last -count[i] of those it has.
//
// The only atomic operation of `markers` and `returned` takes a block that was never
// used; the only stores of `arrays` write edges.

#define NONE (-1)
#define ENTRIES 15  // and a link: a block has 64 bytes
#define LINK 15
#define BLOCK_WORDS 16

struct Blocks {
  int *first;  // of each vertex; NONE at first
  int *edges;  // how many each vertex has
  int *words;
  int *top;    // blocks from this one on were never used
  int *free_blocks;
  int free;    // how many are in free_blocks
};

__device__ int take(Blocks &all) {
  int block = all.free > 0 ? all.free_blocks[--all.free] : atomicAdd(all.top, 1);
  #pragma unroll 1
  for (int i = 0; i < BLOCK_WORDS; i++) all.words[block * BLOCK_WORDS + i] = NONE;
  return block;
}

// The word of entry `place` of a vertex; a block is taken where the chain ends before.
__device__ int *entry(Blocks &all, int v, int place) {
  int *link = all.first + v;
  #pragma unroll 1
  for (int behind = place / ENTRIES;; behind--) {
    if (*link == NONE) *link = take(all);
    int *words = all.words + *link * BLOCK_WORDS;
    if (behind == 0) return words + place % ENTRIES;
    link = words + LINK;
  }
}

__device__ void insert(Blocks &all, int v) {
  int place = all.edges[v];
  *entry(all, v, place) = place;
  all.edges[v] = place + 1;
}

// A deleted edge leaves a free entry. Blocks stay with their vertex.
extern "C" __global__ void markers(const int *vertex, const int *count, int steps, int *first,
                                   int *edges, int *words, int *top, int *free_blocks) {
  Blocks all = {first, edges, words, top, free_blocks, 0};
  #pragma unroll 1
  for (int step = 0; step < steps; step++) {
    int v = vertex[step];
    #pragma unroll 1
    for (int i = 0; i < count[step]; i++) insert(all, v);
    #pragma unroll 1
    for (int i = 0; i < -count[step]; i++) *entry(all, v, --edges[v]) = NONE;
  }
}

// The same, but a block that becomes empty is given back, and used again before any
// that was never used. The first block of a vertex stays.
extern "C" __global__ void returned(const int *vertex, const int *count, int steps, int *first,
                                    int *edges, int *words, int *top, int *free_blocks) {
  Blocks all = {first, edges, words, top, free_blocks, 0};
  #pragma unroll 1
  for (int step = 0; step < steps; step++) {
    int v = vertex[step];
    #pragma unroll 1
    for (int i = 0; i < count[step]; i++) insert(all, v);
    #pragma unroll 1
    for (int i = 0; i < -count[step]; i++) {
      int place = --edges[v];
      *entry(all, v, place) = NONE;
      if (place % ENTRIES == 0 && place > 0) {
        int *link = entry(all, v, place - 1) - (ENTRIES - 1) + LINK;
        free_blocks[all.free++] = *link;
        *link = NONE;
      }
    }
  }
}

// An array for each vertex, with room for 10 edges at first. If it is too small, all
// edges are copied to a new one, with room for one and a half times what it must
// hold, rounded down. Arrays never become smaller. All steps are of one vertex.
extern "C" __global__ void arrays(const int *count, int steps, int *memory, int *top) {
  int room = 10;
  int edges = 0;
  int *own = memory + atomicAdd(top, room);
  #pragma unroll 1
  for (int step = 0; step < steps; step++) {
    #pragma unroll 1
    for (int i = 0; i < count[step]; i++) {
      if (edges == room) {
        room = 3 * (edges + 1) / 2;
        int *larger = memory + atomicAdd(top, room);
        #pragma unroll 1
        for (int k = 0; k < edges; k++) larger[k] = own[k];
        own = larger;
      }
      own[edges] = edges;
      edges++;
    }
    if (count[step] < 0) edges += count[step];
  }
}
