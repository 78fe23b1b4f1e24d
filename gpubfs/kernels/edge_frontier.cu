// edge-frontier: expand vertices into a queue of edges, contract it to vertices.
//
// Expansion copies the frontier's adjacencies behind each other, so that in the
// contraction every thread has one edge, however uneven the degrees. Most edges
// lead to vertices that are known already: three filters drop them, the cheap
// ones first. While a level has few edges, one launch contracts them and expands
// what is left into the next level's edges, with no queue of vertices between.

#include "adjacency.cuh"
#include "block_scan.cuh"
#include "enqueue.cuh"

// Entries of a warp's culling table, four for each lane: 128 where a warp has 32.
#define CULLING_SLOTS (4 * 1024 / MOST_WARPS)

// Appends the neighbours of u, which is -1 in threads without a vertex, to the queue
// of edges. Each thread reserves room for its own, and the lanes of a warp copy the
// adjacencies of its vertices one after another, side by side. All threads of the
// block call together.
__device__ void gather(const offset_t *offsets, const int *neighbours, int u, int *edges,
                       int *edges_size) {
  int lane = threadIdx.x % warpSize;
  Adjacency own = adjacency_of(offsets, u);
  int degree = (int)(own.end - own.begin);
  int place = reserve(edges_size, degree);

  // Only lanes with edges have a turn: where most are filtered, few have.
  unsigned left = __ballot_sync(EVERY_LANE, degree > 0);
  #pragma unroll 1
  while (left != 0) {
    int owner = __ffs(left) - 1;
    left &= left - 1;
    offset_t from = __shfl_sync(EVERY_LANE, own.begin, owner);
    int count = __shfl_sync(EVERY_LANE, degree, owner);
    int to = __shfl_sync(EVERY_LANE, place, owner);
    #pragma unroll 1
    for (int k = lane; k < count; k += warpSize) edges[to + k] = neighbours[from + k];
    // Lanes that copied less wait, and the warp takes the next turn together.
    __syncwarp();
  }
}

// One thread per vertex.
// frontier:   queue of the vertices at distance next_depth - 1.
// edges:      queue of the far ends of their edges.
// edges_size: how many; the host resets it to 0.
extern "C" __global__ void edge_frontier_expand(const offset_t *offsets, const int *neighbours,
                                                const int *frontier, int frontier_size,
                                                int *edges, int *edges_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int u = entry(frontier, frontier_size, i);
  gather(offsets, neighbours, u, edges, edges_size);
}

// Whether another lane of the warp has the same vertex and keeps it. The
// lanes write their vertices into a hash table; those that find their own vertex
// there write who they are; one of these wins. Vertices that collide in the
// table push each other out: some duplicates stay, no vertex is lost.
__device__ bool culled(int v, bool candidate, volatile int *table) {
  int hash = v % CULLING_SLOTS;
  int lane = threadIdx.x % warpSize;
  if (candidate) table[hash] = v;
  __syncwarp();
  bool there = candidate && table[hash] == v;
  __syncwarp();
  if (there) table[hash] = lane;
  __syncwarp();
  return there && table[hash] != lane;
}

// The far end of one of the edges at [first, last), a thread each, if the thread
// discovers it: it has the level `next_depth` now, and no other thread gets it.
// -1 if there is none. All lanes of the warp call together.
// level[v]: distance from the source, -1 where not visited yet.
// visited:  a bit for each vertex: 32 of them in the 4 bytes that a level takes.
// Dynamic shared memory: CULLING_SLOTS ints for each warp.
__device__ int discover(const int *edges, int first, int last, unsigned *visited, int *level,
                        int next_depth) {
  extern __shared__ int tables[];
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0;
  bool candidate = false;
  unsigned bit = 0;
  if (i < last) {
    v = edges[i];
    bit = 1u << (v % 32);
    // Filter 1: a bit that is set is right; one that is not may be late.
    candidate = (visited[v / 32] & bit) == 0;
  }
  // Filter 2: of the lanes with the same vertex one goes on.
  if (culled(v, candidate, &tables[threadIdx.x / warpSize * CULLING_SLOTS])) candidate = false;
  // Filter 3: one thread of the grid gets the bit, and with it the vertex.
  bool claimed = candidate && (atomicOr(&visited[v / 32], bit) & bit) == 0;
  if (claimed) level[v] = next_depth;
  return claimed ? v : -1;
}

// A level's edges, at [first, edges_size), become the next level's vertices.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
extern "C" __global__ void edge_frontier_contract(const int *edges, int first, int edges_size,
                                                  unsigned *visited, int *level, int *next,
                                                  int *next_size, int next_depth) {
  int v = discover(edges, first, edges_size, visited, level, next_depth);
  enqueue(next, next_size, v, v >= 0);
}

// A level's edges, at [first, last), become the next level's edges, which stand
// behind them in the queue. *edges_size is `last` before.
extern "C" __global__ void edge_frontier_contract_expand(const offset_t *offsets,
                                                         const int *neighbours, int *edges,
                                                         int first, int last, int *edges_size,
                                                         unsigned *visited, int *level,
                                                         int next_depth) {
  int v = discover(edges, first, last, visited, level, next_depth);
  gather(offsets, neighbours, v, edges, edges_size);
}
