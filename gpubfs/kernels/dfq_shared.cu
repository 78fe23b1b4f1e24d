// dfq-shared: a decentralized frontier queue whose sub-queues are in shared memory.
//
// They fit there because their size does not grow with the graph.

#include "dfq.cuh"

// Dynamic shared memory: `capacity` ints for the block's sub-queue.
extern "C" __global__ void dfq_shared(const offset_t *offsets, const int *neighbours,
                                      int *level, int vertices, int *found, int capacity) {
  extern __shared__ int sub_queue[];
  __shared__ int size;
  __shared__ int reserved;
  if (threadIdx.x == 0) {
    size = 0;
    reserved = 0;
  }
  __syncthreads();
  SubQueue own = {sub_queue, &size, &reserved, capacity};
  dfq_search(offsets, neighbours, level, vertices, found, own);
}
