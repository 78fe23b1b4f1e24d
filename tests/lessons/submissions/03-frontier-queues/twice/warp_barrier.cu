// wrong: missing barrier: only the warp waits, not the block
// loses: sanitizer
// says: race on size

// A block's queue: threads append to shared memory, and the block adds once.
//
// One thread per frontier vertex. What the block finds is collected in shared
// memory; one thread reserves room in the global queue for all of it, and all
// threads copy. Two mistakes are in it: some orders of the warps enqueue a
// vertex twice, and some lose one.

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; 0 at the start.
// Dynamic shared memory: an int for each edge of the block's vertices.

extern "C" __global__ void expand(const int *offsets, const int *neighbours, int *level,
                                  const int *frontier, int frontier_size, int *next,
                                  int *next_size, int next_depth) {
  extern __shared__ int queue[];
  __shared__ int size;   // what the block has found so far
  __shared__ int start;  // where that goes in `next`
  if (threadIdx.x == 0) size = 0;
  __syncthreads();

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < frontier_size) {
    int u = frontier[i];
    int end = offsets[u + 1];
    #pragma unroll 1
    for (int e = offsets[u]; e < end; e++) {
      int v = neighbours[e];
      // To look and to claim must be one step, or two threads both see -1.
      if (level[v] < 0) {
        if (atomicCAS(&level[v], -1, next_depth) == -1) {
          queue[atomicAdd(&size, 1)] = v;
        }
      }
    }
  }

  __syncwarp();  // size counts what the warp has found
  if (threadIdx.x == 0) start = atomicAdd(next_size, size);
  __syncthreads();
  for (int k = threadIdx.x; k < size; k += blockDim.x) next[start + k] = queue[k];
}
