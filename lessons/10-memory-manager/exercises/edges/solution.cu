// A graph that changes: each vertex has its edges in blocks that are linked by
// their numbers, in memory that the kernels manage by themselves.
//
//   block b    8 words from blocks[8 * b] on: seven entries, then the link
//   entry      the target of an edge, or NONE where there is no edge: a free entry
//   link       the number of the vertex's next block, NONE behind the last one
//   first[v]   the number of v's first block, NONE as long as v has none
//   edges[v]   how many edges v has
//   *top       blocks from this one on were never taken; there are `limit` of them
//
// A block that was never taken holds anything. Blocks are never given back: what
// is left of a deleted edge is a free entry, and free entries lie anywhere among
// the others.
//
// Insertion and deletion are a launch each, with a thread for each update, and more
// threads than updates. A launch may have many updates of one vertex, and the same
// edge several times. You write five parts. The first cases need parts 1 and 2 only.

#define NONE (-1)
#define ENTRIES 7
#define LINK 7
#define BLOCK_WORDS 8

// What becomes of an update.
#define APPLIED 1    // this update has inserted the edge, or deleted it
#define UNCHANGED 2  // the edge was there already, or there was none to delete
#define NO_ROOM 3    // not inserted: the vertex has no free entry, and no block is left

struct Graph {
  int *first;
  int *edges;
  int *lock;  // 1 while a thread changes the vertex; 0 before and after each launch
  int *blocks;
  int *top;
  int limit;
};

// The words of a block. What other threads write in the same launch is read through
// volatile pointers.
__device__ volatile int *words_of(Graph graph, int block) {
  return graph.blocks + (long long)block * BLOCK_WORDS;
}

__device__ bool try_lock(int *lock) {
  bool locked = atomicExch(lock, 1) == 0;
  __threadfence();
  return locked;
}

__device__ void unlock(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// What a search among the edges of a vertex has found.
struct Place {
  bool there;           // whether the edge is among them
  volatile int *entry;  // where it is; if it is not there, a free entry, or nullptr
  volatile int *link;   // if it is not there: the word for the number of a further block
};

// Part 1. Looks for the edge from v to `target`. A free entry does not end the search.
__device__ Place find(Graph graph, int v, int target) {
  Place place = {false, nullptr, graph.first + v};
  // BEGIN SOLUTION
  //| // Your code here: from block to block, as long as there is one.
  int block = *place.link;
  #pragma unroll 1
  while (block != NONE) {
    volatile int *words = words_of(graph, block);
    #pragma unroll 1
    for (int i = 0; i < ENTRIES; i++) {
      int found = words[i];
      if (found == target) {
        place.there = true;
        place.entry = words + i;
        return place;
      }
      if (found == NONE && place.entry == nullptr) place.entry = words + i;
    }
    place.link = words + LINK;
    block = words[LINK];
  }
  // END SOLUTION
  return place;
}

// Part 2. Update i deletes the edge from sources[i] to targets[i], without any lock.
// Of several updates that delete the same edge one is APPLIED, and edges[v] is one
// less.
extern "C" __global__ void delete_edges(int *first, int *edges, int *lock, int *blocks, int *top,
                                        int limit, const int *sources, const int *targets,
                                        int updates, int *result) {
  Graph graph = {first, edges, lock, blocks, top, limit};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| // Your code here.
  if (i >= updates) return;
  int v = sources[i];
  int target = targets[i];
  Place place = find(graph, v, target);
  bool deleted = place.there && atomicCAS((int *)place.entry, target, NONE) == target;
  if (deleted) atomicSub(edges + v, 1);
  result[i] = deleted ? APPLIED : UNCHANGED;
  // END SOLUTION
}

// Part 3. Takes a block that nobody has taken: returns its number, NONE if there is
// none left. *top must be right after the launch, also if threads were refused.
__device__ int take_block(Graph graph) {
  // BEGIN SOLUTION
  //| // Your code here.
  //| return NONE;
  int block = atomicAdd(graph.top, 1);
  if (block < graph.limit) return block;
  atomicSub(graph.top, 1);
  return NONE;
  // END SOLUTION
}

// Part 4. Inserts the edge from v to `target`, once the caller has locked v. Takes a
// block only if it must. Returns what becomes of the update.
__device__ int insert_locked(Graph graph, int v, int target) {
  // BEGIN SOLUTION
  //| // Your code here.
  //| return NO_ROOM;
  Place place = find(graph, v, target);
  if (place.there) return UNCHANGED;
  if (place.entry != nullptr) {
    *place.entry = target;
  } else {
    int block = take_block(graph);
    if (block == NONE) return NO_ROOM;
    volatile int *words = words_of(graph, block);
    words[0] = target;
    #pragma unroll 1
    for (int i = 1; i < BLOCK_WORDS; i++) words[i] = NONE;
    *place.link = block;
  }
  volatile int *edges = graph.edges + v;
  *edges = *edges + 1;
  return APPLIED;
  // END SOLUTION
}

// Part 5. Update i inserts the edge from sources[i] to targets[i], under the lock of
// its source. Lanes of one warp may want the same lock.
extern "C" __global__ void insert_edges(int *first, int *edges, int *lock, int *blocks, int *top,
                                        int limit, const int *sources, const int *targets,
                                        int updates, int *result) {
  Graph graph = {first, edges, lock, blocks, top, limit};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| // Your code here.
  if (i >= updates) return;
  int v = sources[i];
  bool done = false;
  #pragma unroll 1
  while (!done) {
    if (try_lock(lock + v)) {
      result[i] = insert_locked(graph, v, targets[i]);
      unlock(lock + v);
      done = true;
    }
  }
  // END SOLUTION
}
