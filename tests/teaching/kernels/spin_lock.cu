// Locks between blocks: one thread of each block enters a critical section, in which it
// changes plain variables.
//
// Only one thread of a warp may try: lanes that spin can keep the one with the lock from
// going on (always so before Volta).

__device__ void acquire(int *mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  // What the last holder wrote is to be seen, not something older.
  __threadfence();
}

__device__ void release(int *mutex) {
  // What was written in the section is to be seen by the next holder.
  __threadfence();
  atomicExch(mutex, 0);
}

// mutex and the three results start at 0.
extern "C" __global__ void locked_statistics(const int *in, int *mutex, int *visits, int *sum,
                                             int *largest) {
  if (threadIdx.x != 0) return;
  int value = in[blockIdx.x];
  acquire(mutex);
  *visits += 1;
  *sum += value;
  if (value > *largest) *largest = value;
  release(mutex);
}

// A fair lock: who draws a number first is served first, as at a counter in a shop.
// drawn, serving and visits start at 0; order[k]: the block that came k-th.
extern "C" __global__ void ticket_lock(int *drawn, volatile int *serving, int *visits,
                                       int *order) {
  if (threadIdx.x != 0) return;
  int mine = atomicAdd(drawn, 1);
  while (*serving != mine) {
    // Waiting gets cheaper for the memory, and a little slower for us.
    __nanosleep(20);
  }
  __threadfence();
  order[*visits] = blockIdx.x;
  *visits += 1;
  __threadfence();
  // Nobody else writes it: the lock is ours.
  *serving = mine + 1;
}
