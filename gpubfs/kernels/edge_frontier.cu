// edge-frontier: expand vertices into a queue of edges, contract it to vertices.
//
// Expansion copies the frontier's adjacencies behind each other, so that in the
// contraction every thread has one edge, however uneven the degrees. Most edges
// lead to vertices that are known already: three filters drop them, the cheap
// ones first.

#include "block_scan.cuh"
#include "csr.cuh"
#include "enqueue.cuh"

// Entries of a warp's culling table, four for each lane: 128 where a warp has 32.
#define CULLING_SLOTS (4 * 1024 / MOST_WARPS)

// frontier:   queue of the vertices at distance next_depth - 1.
// edges:      queue of the far ends of their edges.
// edges_size: how many; the host resets it to 0.

// One thread per vertex reserves room, and the lanes of a warp copy the
// adjacencies of its vertices one after another, side by side.
extern "C" __global__ void edge_frontier_expand(const offset_t *offsets, const int *neighbours,
                                                const int *frontier, int frontier_size,
                                                int *edges, int *edges_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  offset_t begin = 0;
  int degree = 0;
  if (i < frontier_size) {
    int u = frontier[i];
    offset_t end = offsets[u + 1];
    begin = offsets[u];
    degree = (int)(end - begin);
  }
  int place = reserve(edges_size, degree);

  #pragma unroll 1
  for (int owner = 0; owner < warpSize; owner++) {
    offset_t from = __shfl_sync(EVERY_LANE, begin, owner);
    int count = __shfl_sync(EVERY_LANE, degree, owner);
    int to = __shfl_sync(EVERY_LANE, place, owner);
    #pragma unroll 1
    for (int k = lane; k < count; k += warpSize) edges[to + k] = neighbours[from + k];
  }
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

// One thread per edge.
// level[v]:  distance from the source, -1 where not visited yet.
// visited:   a bit for each vertex: 32 of them in the 4 bytes that a level takes.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// Dynamic shared memory: CULLING_SLOTS ints for each warp.
extern "C" __global__ void edge_frontier_contract(const int *edges, int edges_size,
                                                  unsigned *visited, int *level, int *next,
                                                  int *next_size, int next_depth) {
  extern __shared__ int tables[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0;
  bool candidate = false;
  unsigned bit = 0;
  if (i < edges_size) {
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
  enqueue(next, next_size, v, claimed);
}
