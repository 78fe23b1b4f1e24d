// right: looks first, and reserves exactly what was found, by one addition for a warp

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

// Places for `wanted` vertices, the first of which is returned, or -1.
__device__ int reserve(SubQueue own, int wanted) {
  int place = 0;
  if (threadIdx.x % warpSize == 0) {
    place = atomicAdd(own.reserved, wanted);
    if (place + wanted > own.capacity) place = -1;
    else atomicAdd(own.size, wanted);
  }
  return __shfl_sync(EVERY_LANE, place, 0);
}

__device__ int scan_while_room(const int *level, int vertices, int v, int depth, SubQueue own) {
  int lane = threadIdx.x % warpSize;
  int threads = gridDim.x * blockDim.x;
  for (; v - lane < vertices; v += threads) {
    bool found = v < vertices && level[v] == depth;
    unsigned finders = __ballot_sync(EVERY_LANE, found);
    if (!finders) continue;
    int place = reserve(own, __popc(finders));
    if (place < 0) break;
    if (found) own.queue[place + __popc(finders & ((1u << lane) - 1))] = v;
  }
  return v;
}

// Moves what is in the sub-queue to the frontier. All threads of the block come
// here together.
__device__ void drain(int *frontier, int *frontier_size, SubQueue own) {
  __shared__ int start;  // where this block's vertices begin in the frontier
  if (threadIdx.x == 0) start = atomicAdd(frontier_size, *own.size);
  __syncthreads();
  #pragma unroll 1
  for (int i = threadIdx.x; i < *own.size; i += blockDim.x) frontier[start + i] = own.queue[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    *own.size = 0;
    *own.reserved = 0;
  }
  __syncthreads();
}

// level[v]:      distance of vertex v, -1 where not visited yet.
// frontier:      receives the vertices at distance `depth`, in any order.
// frontier_size: how many they are; 0 at the start.
// Dynamic shared memory: `capacity` ints for the block's sub-queue.
extern "C" __global__ void gather(const int *level, int vertices, int depth, int *frontier,
                                  int *frontier_size, int capacity) {
  extern __shared__ int sub_queue[];
  __shared__ int size;
  __shared__ int reserved;
  if (threadIdx.x == 0) {
    size = 0;
    reserved = 0;
  }
  __syncthreads();
  SubQueue own = {sub_queue, &size, &reserved, capacity};
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool more = true;
  #pragma unroll 1
  while (more) {
    v = scan_while_room(level, vertices, v, depth, own);
    more = __syncthreads_or(v - (int)(threadIdx.x % warpSize) < vertices);
    drain(frontier, frontier_size, own);
  }
}
