// What the instrumented build of a kernel counts, and how.
//
// Every access of the kernel is preceded by a call of one of these functions. The
// lanes that call together are the ones whose access is one request: they find
// out by ballots and matches how many sectors, banks and addresses it touches,
// and one of them adds that to the counters of the place in the source.

// Counters of a place and a space, in this order.
#define GB_REQUESTS 0   // executions by a warp with at least one active lane
#define GB_SECTORS 1    // distinct 32-byte pieces
#define GB_LANES 2      // active lanes
#define GB_CONFLICTS 3  // extra passes over the banks of shared memory
#define GB_SAME 4       // most lanes of one request on one address
#define GB_FAILED 5     // compare-and-swaps that did not swap
#define GB_DIVERGENT 6  // branches whose lanes disagreed
#define GB_PASSED 7     // barriers passed by a block, or by the grid
#define GB_ADDRESS 8    // the largest address, so that the host can name the array
#define GB_WHOLE 9      // requests in which all lanes of a warp took part
#define GB_SLOTS 10

// Where an access goes: known from the source, or only when it runs. What is distributed is the
// shared memory of another block of the cluster.
#define GB_GLOBAL 0
#define GB_SHARED 1
#define GB_DISTRIBUTED 2
#define GB_SPACES 3
#define GB_ANYWHERE 3

// Whose barrier it is.
#define GB_OF_BLOCK 0
#define GB_OF_CLUSTER 1
#define GB_OF_GRID 2

// NVRTC knows it from headers only, of which none is included any more.
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

__device__ unsigned long long gb_counts[GB_SITES * GB_SPACES * GB_SLOTS];

// Memory operations of each thread of the launch; the host says where.
__device__ unsigned *gb_work;

__device__ int gb_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ int gb_block() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

__device__ void gb_worked() {
  unsigned long long threads = blockDim.x * blockDim.y * blockDim.z;
  gb_work[gb_block() * threads + gb_thread()]++;
}

// The largest `value` of the lanes in `mask`, which is from 1 to warpSize.
__device__ int gb_most(unsigned mask, int value) {
  int most = 1;
  #pragma unroll 1
  while (__any_sync(mask, value > most)) most++;
  return most;
}

// Sectors of a load or a store: those that its lanes touch.
__device__ void gb_count_global(unsigned mask, unsigned long long address,
                                unsigned long long *counts) {
  int lane = gb_thread() % warpSize;
  unsigned same = __match_any_sync(mask, address / 32);
  unsigned sectors = __ballot_sync(mask, lane == __ffs(same) - 1);
  if (lane == __ffs(mask) - 1) {
    atomicAdd(&counts[GB_SECTORS], (unsigned long long)__popc(sectors));
    atomicMax(&counts[GB_ADDRESS], address);
  }
}

// Sectors of an atomic: lanes with one address are served one after another, each
// time with the sector.
__device__ void gb_count_atomic(unsigned mask, unsigned long long address,
                                unsigned long long *counts) {
  int lane = gb_thread() % warpSize;
  unsigned same = __match_any_sync(mask, address / 32);
  int passes = gb_most(same, __popc(__match_any_sync(same, address)));
  if (lane == __ffs(same) - 1) {
    atomicAdd(&counts[GB_SECTORS], (unsigned long long)passes);
    atomicMax(&counts[GB_ADDRESS], address);
  }
  if (lane == 0 && __popc(mask) == warpSize) atomicAdd(&counts[GB_WHOLE], 1ull);
  __syncwarp(mask);
}

// An access of 8 bytes goes by half warps, one of 16 bytes by quarters. In one
// pass a bank serves one word, to however many lanes.
__device__ void gb_count_banks(unsigned mask, unsigned long long address, int size,
                               unsigned long long *counts) {
  int lane = gb_thread() % warpSize;
  int unit = size < 4 ? 4 : size;
  int parts = unit / 4;
  unsigned group = __match_any_sync(mask, lane * parts / warpSize);
  unsigned same = __match_any_sync(group, address / unit);
  bool leader = lane == __ffs(same) - 1;
  unsigned leaders = __ballot_sync(group, leader);
  int alike = 1;  // different words in this lane's bank
  if (leader) alike = __popc(__match_any_sync(leaders, address / unit % (32 / parts)));
  __syncwarp(group);
  int passes = gb_most(group, alike);
  if (lane == __ffs(group) - 1 && passes > 1) {
    atomicAdd(&counts[GB_CONFLICTS], (unsigned long long)(passes - 1));
  }
}

// The kind of memory that an address is in, which is not a thread's own.
__device__ int gb_space(const void *place) {
  if (__isShared(place)) return GB_SHARED;
#if __CUDA_ARCH__ >= 900
  if (__isClusterShared(place)) return GB_DISTRIBUTED;
#endif
  return GB_GLOBAL;
}

__device__ void gb_count(unsigned long long address, int size, int site, int space, bool atomic) {
  unsigned together = __activemask();
  // Lanes that go to different kinds of memory are requests of their own.
  unsigned mask = __match_any_sync(together, space);
  int lane = gb_thread() % warpSize;
  unsigned long long *counts = gb_counts + (site * GB_SPACES + space) * GB_SLOTS;
  if (lane == __ffs(mask) - 1) {
    atomicAdd(&counts[GB_REQUESTS], 1ull);
    atomicAdd(&counts[GB_LANES], (unsigned long long)__popc(mask));
  }
  if (space == GB_GLOBAL && atomic) gb_count_atomic(mask, address, counts);
  if (space == GB_GLOBAL && !atomic) gb_count_global(mask, address, counts);
  if (space == GB_SHARED && !atomic) gb_count_banks(mask, address, size, counts);
  if (atomic) {
    int alike = gb_most(mask, __popc(__match_any_sync(mask, address)));
    if (lane == __ffs(mask) - 1) atomicMax(&counts[GB_SAME], (unsigned long long)alike);
  }
  gb_worked();
  __syncwarp(together);
}

__device__ void gb_reach(const void *place, int size, int site, int space, bool atomic) {
  if (space == GB_ANYWHERE) {
    if (__isLocal(place)) return;
    space = gb_space(place);
  }
  gb_count((unsigned long long)place, size, site, space, atomic);
}

template <class T>
__device__ void gb_access(T *place, int site, int space, bool atomic) {
  gb_reach((const void *)place, sizeof(T), site, space, atomic);
}

// A load or a store of *place, which follows. What stands in constexpr functions
// counts nothing while the compiler evaluates these.
template <class T>
__device__ constexpr T *gb_at(T *place, int site, int space) {
  if (!__builtin_is_constant_evaluated()) gb_access(place, site, space, false);
  return place;
}

// A load or a store of a part of the structure *place.
template <class T>
__device__ T *gb_part(T *place, int offset, int size, int site, int space) {
  gb_reach((const void *)((const char *)place + offset), size, site, space, false);
  return place;
}

// Loads or stores of the words of a copy, which follows.
template <class T>
__device__ T *gb_words(T *first, int size, int count, int site, int space) {
  for (int i = 0; i < count; i++)
    gb_reach((const void *)((const char *)first + i * size), size, site, space, false);
  return first;
}

// Loads or stores of a matrix by a warp, which follow: `places` are the line and the place in it
// where each lane begins, access by access.
template <class T>
__device__ T *gb_matrix(T *first, unsigned ldm, const unsigned char *places, int count, int size,
                        int site, int space) {
  const unsigned char *place = places + 2 * (gb_thread() % warpSize);
  for (int i = 0; i < count; i++) {
    gb_reach((const void *)(first + place[0] * ldm + place[1]), size, site, space, false);
    place += 2 * warpSize;
  }
  return first;
}

// A load and then a store of *place, as `+=` makes them.
template <class T>
__device__ constexpr T *gb_both(T *place, int load, int store, int space) {
  if (!__builtin_is_constant_evaluated()) {
    gb_access(place, load, space, false);
    gb_access(place, store, space, false);
  }
  return place;
}

// The same for memory that is volatile.
template <class T>
__device__ volatile T *gb_at_volatile(volatile T *place, int site, int space) {
  gb_access((T *)place, site, space, false);
  return place;
}

template <class T>
__device__ volatile T *gb_both_volatile(volatile T *place, int load, int store, int space) {
  gb_access((T *)place, load, space, false);
  gb_access((T *)place, store, space, false);
  return place;
}

// An atomic operation on *place, which follows.
template <class T>
__device__ T *gb_atomic(T *place, int site, int space) {
  gb_access(place, site, space, true);
  return place;
}

// A compare-and-swap; those of its lanes that failed are counted.
template <class T, class U, class V>
__device__ T gb_cas(int site, int space, T *place, U expected, V value) {
  gb_access(place, site, space, true);
  unsigned together = __activemask();
  T old = atomicCAS(place, (T)expected, (T)value);
  if (old != (T)expected) {
    int row = site * GB_SPACES + gb_space((const void *)place);
    atomicAdd(&gb_counts[row * GB_SLOTS + GB_FAILED], 1ull);
  }
  __syncwarp(together);
  return old;
}

// A branch by `test`.
__device__ void gb_count_branch(bool test, int site) {
  unsigned mask = __activemask();
  unsigned taken = __ballot_sync(mask, test);
  if (gb_thread() % warpSize == __ffs(mask) - 1) {
    unsigned long long *counts = gb_counts + site * GB_SPACES * GB_SLOTS;
    atomicAdd(&counts[GB_REQUESTS], 1ull);
    atomicAdd(&counts[GB_LANES], (unsigned long long)__popc(mask));
    if (taken != 0 && taken != mask) atomicAdd(&counts[GB_DIVERGENT], 1ull);
  }
  __syncwarp(mask);
}

// The same, which is also the value of `test`.
__device__ constexpr bool gb_branch(bool test, int site) {
  if (!__builtin_is_constant_evaluated()) gb_count_branch(test, site);
  return test;
}

// A branch by the value of a variable that is declared as a condition.
template <class T>
__device__ constexpr T gb_declared(T value, int site) {
  gb_branch((bool)value, site);
  return value;
}

// A branch by the selector of a switch. Lanes with different selectors count as
// parted, even if both go to the same label.
template <class T>
__device__ void gb_count_switch(T selector, int site) {
  unsigned mask = __activemask();
  unsigned same = __match_any_sync(mask, (unsigned long long)selector);
  if (gb_thread() % warpSize == __ffs(mask) - 1) {
    unsigned long long *counts = gb_counts + site * GB_SPACES * GB_SLOTS;
    atomicAdd(&counts[GB_REQUESTS], 1ull);
    atomicAdd(&counts[GB_LANES], (unsigned long long)__popc(mask));
    if (same != mask) atomicAdd(&counts[GB_DIVERGENT], 1ull);
  }
  __syncwarp(mask);
}

// The same, which is also the selector's value.
template <class T>
__device__ constexpr T gb_switch(T selector, int site) {
  if (!__builtin_is_constant_evaluated()) gb_count_switch(selector, site);
  return selector;
}

// Whether the block counts a barrier for those whose barrier it is.
__device__ bool gb_first(int whose) {
#if __CUDA_ARCH__ >= 900
  if (whose == GB_OF_CLUSTER) return __clusterRelativeBlockRank() == 0;
#endif
  return whose == GB_OF_BLOCK || gb_block() == 0;
}

// A barrier of the block, of its cluster or of the whole grid, which follows.
__device__ void gb_barrier(int site, int whose) {
  unsigned mask = __activemask();
  unsigned long long *counts = gb_counts + site * GB_SPACES * GB_SLOTS;
  if (gb_thread() % warpSize == __ffs(mask) - 1) {
    atomicAdd(&counts[GB_REQUESTS], 1ull);
    atomicAdd(&counts[GB_LANES], (unsigned long long)__popc(mask));
  }
  if (gb_thread() == 0 && gb_first(whose)) atomicAdd(&counts[GB_PASSED], 1ull);
  __syncwarp(mask);
}
