// aimgraph: blocks of edges, linked by numbers, in memory that the GPU manages by itself.
//
// Initialisation without locks, by a prefix sum of the blocks that vertices need.
// Insertion under a lock for each vertex, deletion without one: a launch each, in which a
// thread or a warp does an update.

#include "aimgraph_init.cuh"
#include "aimgraph_triangles.cuh"
#include "aimgraph_update.cuh"

// What becomes of an update.
struct Tally {
  unsigned applied;
  unsigned unchanged;
  unsigned refused;
  unsigned lock_attempts;
};

__device__ __forceinline__ Tally nothing_yet() {
  Tally tally = {0, 0, 0, 0};
  return tally;
}

__device__ __forceinline__ void count(Tally &tally, int result) {
  tally.applied += result == APPLIED;
  tally.unchanged += result == UNCHANGED;
  tally.refused += result == REFUSED;
}

// Adds up what the threads of a block have counted. All of them must call together.
__device__ void report(Manager *manager, Tally tally) {
  block_add(&manager->applied, tally.applied);
  block_add(&manager->unchanged, tally.unchanged);
  block_add(&manager->refused, tally.refused);
  block_add(&manager->lock_attempts, tally.lock_attempts);
}

// The lock of an update's source.
__device__ __forceinline__ unsigned *lock_of(unsigned *memory, Update update) {
  return vertices_of(memory, update.vertices).lock + update.source;
}

// A thread for each update.
extern "C" __global__ void aimgraph_insert(unsigned *memory, const unsigned *words,
                                           unsigned updates) {
  Updates batch = {words, updates};
  Tally tally = nothing_yet();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < updates) {
    Update update = update_of(memory, batch, i);
    unsigned *lock = lock_of(memory, update);
    bool done = false;
    #pragma unroll 1
    while (!done) {
      tally.lock_attempts++;
      if (try_lock(lock)) {
        count(tally, insert_at(memory, update, search_by_thread(memory, update)));
        unlock(lock);
        done = true;
      }
    }
  }
  report(manager_of(memory), tally);
}

// A warp for each update, in blocks of one warp, which go through the batch in strides.
extern "C" __global__ void aimgraph_insert_warp(unsigned *memory, const unsigned *words,
                                                unsigned updates) {
  Updates batch = {words, updates};
  Tally tally = nothing_yet();
  int lane = threadIdx.x;
  #pragma unroll 1
  for (unsigned i = blockIdx.x; i < updates; i += gridDim.x) {
    Update update = update_of(memory, batch, i);
    unsigned *lock = lock_of(memory, update);
    bool done = false;
    #pragma unroll 1
    while (!done) {
      bool locked = false;
      if (lane == 0) {
        tally.lock_attempts++;
        locked = try_lock(lock);
      }
      if (__shfl_sync(EVERY_LANE, (int)locked, 0)) {
        __syncwarp();  // the others read behind the leader's fence
        int result = insert_at_by_warp(memory, update, search_by_warp(memory, update));
        if (lane == 0) count(tally, result);
        __threadfence();
        __syncwarp();  // what all have written is behind them
        if (lane == 0) unlock(lock);
        done = true;
      }
    }
  }
  report(manager_of(memory), tally);
}

// A thread for each update.
extern "C" __global__ void aimgraph_delete(unsigned *memory, const unsigned *words,
                                           unsigned updates) {
  Updates batch = {words, updates};
  Tally tally = nothing_yet();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < updates) count(tally, delete_by_thread(memory, update_of(memory, batch, i)));
  report(manager_of(memory), tally);
}

// A warp for each update, in blocks of one warp, which go through the batch in strides.
extern "C" __global__ void aimgraph_delete_warp(unsigned *memory, const unsigned *words,
                                                unsigned updates) {
  Updates batch = {words, updates};
  Tally tally = nothing_yet();
  #pragma unroll 1
  for (unsigned i = blockIdx.x; i < updates; i += gridDim.x) {
    int result = delete_by_warp(memory, update_of(memory, batch, i));
    if (threadIdx.x == 0) count(tally, result);
  }
  report(manager_of(memory), tally);
}
