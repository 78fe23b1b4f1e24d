// A ring of indices that are free, for threads that take some or for threads that give
// some back: never both in one launch.

#pragma once

#define EMPTY (-1)  // a slot without an index

// What the state of a queue is made of.
#define QUEUE_COUNT 0  // indices in it
#define QUEUE_FRONT 1  // how many were ever taken out
#define QUEUE_BACK 2   // how many were ever put in

// state: three words; slots: `size` of them, a power of two, so that front and back may
// run over.
struct IndexQueue {
  int *state;
  int *slots;
  int size;
};

// Puts an index into the queue, and says whether there was room for it.
__device__ __forceinline__ bool enqueue_index(IndexQueue queue, int index) {
  if (atomicAdd(&queue.state[QUEUE_COUNT], 1) >= queue.size) {
    atomicSub(&queue.state[QUEUE_COUNT], 1);
    return false;
  }
  int slot = atomicAdd(&queue.state[QUEUE_BACK], 1) & (queue.size - 1);
  // The slot is empty at once, as long as nobody takes indices in the same launch.
  #pragma unroll 1
  while (atomicCAS(&queue.slots[slot], EMPTY, index) != EMPTY) {
  }
  return true;
}

// Takes an index out of the queue, EMPTY if there is none.
__device__ __forceinline__ int dequeue_index(IndexQueue queue) {
  if (atomicSub(&queue.state[QUEUE_COUNT], 1) <= 0) {
    atomicAdd(&queue.state[QUEUE_COUNT], 1);
    return EMPTY;
  }
  int slot = atomicAdd(&queue.state[QUEUE_FRONT], 1) & (queue.size - 1);
  int index = EMPTY;
  #pragma unroll 1
  while (index == EMPTY) index = atomicExch(&queue.slots[slot], EMPTY);
  return index;
}
