// wrong: hard-coded answer
// loses: result
// says: is wrong

// Gathers the frontier through sub-queues that never overflow.
//
// A block scans its share of the levels into a small queue in its shared memory.
// Whenever there may be no room for what a warp finds next, the block's warps
// meet and drain the queue: here, they copy it to the end of the frontier.
//
// Two parts are missing: how a warp reserves room before it scans, and how it
// gives back what it did not need.

#define EVERY_LANE 0xffffffffu

// queue:    the block's sub-queue.
// capacity: how many vertices it holds; at least warpSize.
// size:     how many are in it.
// reserved: how many are in it or may still come from warps that are scanning.
struct SubQueue {
  int *queue;
  int *size;
  int *reserved;
  int capacity;
};

// The vertices of the first case.
extern "C" __global__ void gather(const int *level, int vertices, int depth, int *frontier,
                                  int *frontier_size, int capacity) {
  const int answer[6] = {0, 1, 2, 4, 5, 7};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 3) frontier[i] = answer[i];
  if (i < 3) frontier[i + 3] = answer[i + 3];
  if (i == 0) *frontier_size = 6;
}
