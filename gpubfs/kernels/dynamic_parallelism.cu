// dynamic-parallelism: who meets a large adjacency launches a kernel for it.
//
// A thread walks the adjacency of its frontier vertex itself as long as that has
// at most `threshold` edges. For a larger one it launches a child grid, whose
// threads share the edges, and is done. Parent and children append to the same
// next queue, and the level ends when the last of them has.

#include "claim.cuh"

// Claims all neighbours of a vertex by one thread, or by `threads` of which this one is
// number `thread`; `begin` and `end` are what csr.cuh says of the vertex.
#ifdef PAGE_WORDS
#include "dynamic/page_claims.cuh"
#else
#define CLAIM_ALL(neighbours, begin, end, level, next, next_size, next_depth) \
  claim_range(neighbours, begin, end, 1, level, next, next_size, next_depth)
#define CLAIM_SHARE(neighbours, begin, end, thread, threads, level, next, next_size, depth) \
  claim_range(neighbours, begin + thread, end, threads, level, next, next_size, depth)
#endif

// level[v]:   distance from the source, -1 where not visited yet.
// next:       queue that receives the vertices at distance next_depth, in any order.
// next_size:  their number; the host resets it to 0.
// next_depth: the distance of the vertices that are discovered now.

// The child: all its threads go through the edges from `first` to `end` together.
extern "C" __global__ void dynamic_parallelism_child(const int *neighbours, offset_t first,
                                                     offset_t end, int *level, int *next,
                                                     int *next_size, int next_depth) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  CLAIM_SHARE(neighbours, first, end, thread, threads, level, next, next_size, next_depth);
}

// frontier:         queue of the vertices at distance next_depth - 1, a thread for each.
// threshold:        the most edges that a thread goes through by itself.
// edges_per_thread: how many edges each thread of a child gets at most.
// launched:         how many children the level has so far; the host resets it to 0.
// pool:             the most that it may have.
// failures[0]:      how many it would have had besides, and how many launches failed;
//                   their vertices are not expanded.
// failures[1]:      CUDA's error code of one that failed, 0 where there is none.
extern "C" __global__ void dynamic_parallelism(const offset_t *offsets, const int *neighbours,
                                               int *level, const int *frontier,
                                               int frontier_size, int *next, int *next_size,
                                               int next_depth, int threshold,
                                               int edges_per_thread, int *launched, int pool,
                                               int *failures) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size) return;
  int u = frontier[i];
  offset_t end = EDGES_END(offsets, u);
  offset_t first = EDGES_BEGIN(offsets, u);
  offset_t degree = EDGES_DEGREE(first, end);
  if (degree <= threshold) {
    CLAIM_ALL(neighbours, first, end, level, next, next_size, next_depth);
  } else if (atomicAdd(launched, 1) >= pool) {
    // A launch that finds the pool of pending launches full should fail, and say so.
    // Some that were fire-and-forget never came back instead: the pool is not tried.
    atomicAdd(&failures[0], 1);
  } else {
    long long of_a_block = (long long)blockDim.x * edges_per_thread;
    int blocks = (degree + of_a_block - 1) / of_a_block;
    // Children of a block run one after the other on its default stream, but not on
    // this one. The parent's grid ends when they have.
    dynamic_parallelism_child<<<blocks, blockDim.x, 0, cudaStreamFireAndForget>>>(
        neighbours, first, end, level, next, next_size, next_depth);
    // Nobody else is told: of a launch that failed the child never runs, and the search
    // goes on without the vertex.
    int error = cudaGetLastError();
    if (error != cudaSuccess) {
      atomicAdd(&failures[0], 1);
      atomicExch(&failures[1], error);
    }
  }
}
