// classified-deferred: sort each level's vertices into four classes, then expand them.
//
// Expansion pushes all that it discovers onto one raw queue. A pass of its own reads
// that queue and distributes its vertices to four others by their degrees; each of
// these is expanded by a kernel of its own, with a thread, a warp, a block or the
// whole grid for a vertex.

#include "explore.cuh"

// To the raw queue, whatever their degrees.
__device__ __forceinline__ void push(const offset_t *offsets, const int *queue,
                                     unsigned discovered, int *next, int *tails, int vertices) {
  append(queue, discovered, next, tails);
}

// Each thread classifies EDGES_PER_THREAD vertices of the raw queue. It holds four
// queues, so to speak: the entries of one, and for each the class.
// raw:      queue of the vertices of a level; raw_size: their number.
// classes:  four queues of `vertices` places each, one for each class.
// sizes[c]: vertices in the queue of class c; the host resets them to 0.
extern "C" __global__ void classify_raw(const offset_t *offsets, const int *raw, int raw_size,
                                        int *classes, int *sizes, int vertices) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int queue[EDGES_PER_THREAD];
  unsigned entries = 0;
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    queue[k] = entry(raw, raw_size, thread + k * threads);
    if (queue[k] >= 0) entries |= 1u << k;
  }
  Found found = classify(offsets, queue, entries);
  #pragma unroll
  for (int c = 0; c < CLASSES; c++) {
    append(queue, entries_of(found, c), &classes[(size_t)c * vertices], &sizes[c]);
  }
}
