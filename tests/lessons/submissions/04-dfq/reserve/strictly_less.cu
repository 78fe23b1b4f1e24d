// wrong: infinite loop: a full sub-queue is refused, so one of a warp's size never has room
// loses: fault
// says: no end: all is as it was

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

// Room for one vertex from each of the warp's lanes, if there is. All lanes call,
// and all get the same answer.
__device__ bool reserve_stride(SubQueue own) {
  int before = 0;
  if (threadIdx.x % warpSize == 0) before = atomicAdd(own.reserved, warpSize);
  before = __shfl_sync(EVERY_LANE, before, 0);
  return before + warpSize < own.capacity;
}

// Scans on from vertex v until there may be no room or no vertex is left. Returns
// the vertex to go on with.
__device__ int scan_while_room(const int *level, int vertices, int v, int depth, SubQueue own) {
  int lane = threadIdx.x % warpSize;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  while (v - lane < vertices && reserve_stride(own)) {
    bool found = v < vertices && level[v] == depth;
    if (found) own.queue[atomicAdd(own.size, 1)] = v;
    int appended = __popc(__ballot_sync(EVERY_LANE, found));
    if (lane == 0) atomicSub(own.reserved, warpSize - appended);
    v += threads;
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
