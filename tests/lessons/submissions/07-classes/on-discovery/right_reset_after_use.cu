// right: whoever has reserved resets at once, for the next round

// Who discovers a vertex puts it into the queue of its class, for the next level.
//
// The frontier's vertices have at most EDGES neighbours, and a thread expands one in
// each round. A block counts in shared memory what it discovers of each class. Its last
// thread reserves room for that, by one addition for each class of which there is any,
// and all copy. Two mistakes are in it: one puts vertices into wrong queues, the other
// loses some where warps are not in step.

// offsets, neighbours: the graph.
// level[v]:   distance from the source, -1 where not visited yet.
// frontier:   queue of the vertices at distance next_depth - 1.
// next:       four queues of `vertices` places each, one behind the other: those at
//             distance next_depth, by their own degrees, in any order.
// tails[c]:   how many queue c has; 0 at the start.

#define EDGES 4
#define CLASSES 4

// The class of a vertex with so many neighbours.
__device__ int class_of(int degree) {
  if (degree <= EDGES) return 0;
  if (degree <= EDGES * warpSize) return 1;
  return degree <= EDGES * (int)blockDim.x ? 2 : 3;
}

extern "C" __global__ void expand_small(const int *offsets, const int *neighbours, int *level,
                                        const int *frontier, int frontier_size, int *next,
                                        int *tails, int vertices, int next_depth) {
  __shared__ int found[CLASSES];  // how many the block has discovered in this round
  __shared__ int start[CLASSES];  // where they go in each queue
  bool last = threadIdx.x == blockDim.x - 1;  // who reserves for the block
  if (last) {
    for (int c = 0; c < CLASSES; c++) found[c] = 0;
  }
  __syncthreads();
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < frontier_size; first += threads) {

    // What the thread has discovered: vertices, their classes, their places among them.
    int own[EDGES], kinds[EDGES], places[EDGES];
    int count = 0;
    int i = first + threadIdx.x;
    if (i < frontier_size) {
      int u = frontier[i];
      int end = offsets[u + 1];
      #pragma unroll 1
      for (int e = offsets[u]; e < end; e++) {
        int v = neighbours[e];
        if (level[v] < 0 && atomicCAS(&level[v], -1, next_depth) == -1) {
          int kind = class_of(offsets[v + 1] - offsets[v]);
          own[count] = v;
          kinds[count] = kind;
          places[count] = atomicAdd(&found[kind], 1);
          count++;
        }
      }
    }
    __syncthreads();

    if (last) {
      for (int c = 0; c < CLASSES; c++) {
        if (found[c] > 0) start[c] = atomicAdd(&tails[c], found[c]);
        found[c] = 0;
      }
    }
    __syncthreads();

    for (int k = 0; k < count; k++) {
      next[kinds[k] * vertices + start[kinds[k]] + places[k]] = own[k];
    }
  }
}
