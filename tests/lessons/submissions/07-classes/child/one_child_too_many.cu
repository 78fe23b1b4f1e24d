// wrong: off by one: the pool
// loses: result
// says: are what it takes

// A thread that meets a large adjacency launches a kernel for it.
//
// `expand` has a thread for each vertex of the frontier. With at most `threshold`
// neighbours the thread claims them by itself. With more it launches `child`, in blocks
// of BLOCK threads, and in as few of them as it takes for no thread of the child to have
// more than EDGES edges. But no more than `pool` children may be launched: who comes later
// claims all neighbours by itself, however many they are.

// offsets, neighbours: the graph.
// level[v]:   distance from the source, -1 where not visited yet.
// frontier:   queue of the vertices at distance next_depth - 1.
// next:       queue that receives the vertices at distance next_depth, in any order.
// next_size:  their number; 0 at the start.
// launched:   0 at the start, to count children with.
// threads:    what the first line of `child` counts: all threads of children together.

#define BLOCK 64
#define EDGES 8

// Gives v its level and appends it to the queue, unless it has a level already.
__device__ void claim(int v, int *level, int *next, int *next_size, int next_depth) {
  if (level[v] < 0 && atomicCAS(&level[v], -1, next_depth) == -1) {
    next[atomicAdd(next_size, 1)] = v;
  }
}

// Claims neighbours[first] up to, not including, neighbours[end]: all threads of the
// grid together, each edge by one of them, neighbouring threads neighbouring edges.
extern "C" __global__ void child(const int *neighbours, int first, int end, int *level,
                                 int *next, int *next_size, int next_depth, int *threads) {
  if (threadIdx.x == 0) atomicAdd(threads, blockDim.x);
  int stride = gridDim.x * blockDim.x;
  int e = first + blockIdx.x * blockDim.x + threadIdx.x;
  #pragma unroll 1
  for (; e < end; e += stride) claim(neighbours[e], level, next, next_size, next_depth);
}

extern "C" __global__ void expand(const int *offsets, const int *neighbours, int *level,
                                  const int *frontier, int frontier_size, int *next,
                                  int *next_size, int next_depth, int threshold, int pool,
                                  int *launched, int *threads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size) return;
  int u = frontier[i];
  int first = offsets[u];
  int end = offsets[u + 1];
  int degree = end - first;
  if (degree > threshold && atomicAdd(launched, 1) <= pool) {
    int blocks = (degree + BLOCK * EDGES - 1) / (BLOCK * EDGES);
    child<<<blocks, BLOCK, 0, cudaStreamFireAndForget>>>(neighbours, first, end, level, next,
                                                         next_size, next_depth, threads);
  } else {
    #pragma unroll 1
    for (int e = first; e < end; e++) claim(neighbours[e], level, next, next_size, next_depth);
  }
}
