// classified-immediate: who discovers a vertex puts it into the queue of its class.
//
// Each class has two queues, of the level that is expanded and of the next. No pass
// over the discovered vertices is needed; in return the thread that discovers one
// reads where its neighbours begin and end, and a block may have up to four queues to
// append to. Most have fewer: flags say which.

#include "explore.cuh"

// To the queues of their classes; `next` holds four.
__device__ __forceinline__ void push(const offset_t *offsets, const int *queue,
                                     unsigned discovered, int *next, int *tails, int vertices) {
  __shared__ int wanted[CLASSES];  // whether the block has discovered vertices of a class
  if (threadIdx.x == 0) {
    for (int c = 0; c < CLASSES; c++) wanted[c] = 0;
  }
  __syncthreads();

  Found found = {0, 0, 0};
  if (discovered != 0) {
    found = classify(offsets, queue, discovered);
    #pragma unroll
    for (int c = 0; c < CLASSES; c++) {
      if (entries_of(found, c) != 0) wanted[c] = 1;
    }
  }
  __syncthreads();

  // The flags are the same for all threads, and so is who meets at the barriers.
  #pragma unroll
  for (int c = 0; c < CLASSES; c++) {
    if (wanted[c]) {
      append(queue, entries_of(found, c), &next[(size_t)c * vertices], &tails[c]);
    }
  }
  __syncthreads();  // the next call resets the flags
}
