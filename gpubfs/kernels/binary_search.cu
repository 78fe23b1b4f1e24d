// binary-search: every thread gets as many edges of the frontier, and looks up whose.
//
// The edges of a level are numbered in the order of the queue: vertex i has those
// from prefix[i] up to prefix[i + 1]. Threads share out these numbers evenly, and
// a binary search in `prefix` says to which vertex a number belongs. Three kernels
// make a level: partition searches for the first vertex of every block, expand
// turns numbers into neighbours, and contract makes the next queue with its prefix
// sums at once: one atomic addition a warp moves the queue's end and the sum.

#include "block_scan.cuh"
#include "csr.cuh"
#include "warp_search.cuh"

// Threads of a block.
#ifndef BLOCK
#define BLOCK 256
#endif

// The most edges of a chunk, which is what a block expands.
#ifndef SHARED_ITEMS
#define SHARED_ITEMS 4096
#endif

// How prefix sums come about: as vertices are enqueued, or by a scan after that.
#define PREFIX_UNORDERED 0
#define PREFIX_ORDERED 1
#ifndef PREFIX
#define PREFIX PREFIX_UNORDERED
#endif

// frontier:           queue of the vertices at distance next_depth - 1.
// frontier_size:      their number.
// prefix[i]:          how many edges the vertices before the i-th of the queue have.
// frontier_edges:     how many all of them have: below 2^32, less a block's threads.
// chunk:              edges of a chunk; the last one may have fewer.
// chunk_start[c]:     the place in the queue of the vertex that has chunk c's first edge;
//                     behind the last chunk's, of the vertex that has the last edge.
// neighbour_frontier: the far ends of the frontier's edges, by their numbers.

// The last place whose value is not above `searched`; the first must not be.
// Values ascend. Every thread takes the same number of steps.
__device__ int last_not_above(const unsigned *values, int count, unsigned searched) {
  int low = 0;
  int most = 1;
  while (most <= count / 2) most *= 2;
  #pragma unroll 1
  for (int half = most; half > 0; half /= 2) {
    int middle = low + half;
    if (middle < count && values[middle] <= searched) low = middle;
  }
  return low;
}

// One thread per chunk, and one for the end of the last.
extern "C" __global__ void binary_search_partition(const unsigned *prefix, int frontier_size,
                                                   unsigned frontier_edges, unsigned chunk,
                                                   unsigned chunks, int *chunk_start) {
  unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > chunks) return;
  unsigned edge = c < chunks ? c * chunk : frontier_edges - 1;
  chunk_start[c] = last_not_above(prefix, frontier_size, edge);
}

// Some vertices of a block's chunk, one for each thread.
// starts[i]: the number of the first edge of the i-th, NO_VALUE where there is none.
// shifts[i]: what makes the number of an edge its position in `neighbours`.
struct Piece {
  unsigned *starts;
  offset_t *shifts;
};

// Loads the vertices from place `first` of the queue, up to place `last`. The
// block must meet at a barrier before it and after it.
__device__ void load_piece(const offset_t *offsets, const int *frontier, const unsigned *prefix,
                           int first, int last, Piece piece) {
  int i = first + (int)threadIdx.x;
  unsigned start = NO_VALUE;
  if (i <= last) {
    start = prefix[i];
    piece.shifts[threadIdx.x] = offsets[frontier[i]] - (offset_t)start;
  }
  piece.starts[threadIdx.x] = start;
}

// Which vertex of the piece has edge `edge`. Lanes have ascending edges, and all
// of the warp call together.
__device__ int owner(Piece piece, unsigned edge) {
  int lane = threadIdx.x % warpSize;
  int stride = blockDim.x / warpSize;
  unsigned first = __shfl_sync(EVERY_LANE, edge, 0);
  unsigned last = __shfl_sync(EVERY_LANE, edge, warpSize - 1);

  // In the block: each lane takes the first of `stride` vertices, and all look
  // for the warp's first edge.
  int low = warp_search(piece.starts[lane * stride], first) * stride;

  // In the warp: each lane takes a vertex and looks for its own edge. One turn
  // is enough unless many of the vertices have few edges, or none.
  int found = low;
  bool more = true;
  #pragma unroll 1
  while (more) {
    int i = low + lane;
    unsigned start = i < blockDim.x ? piece.starts[i] : NO_VALUE;
    int here = low + warp_search(start, edge);
    // After the first turn there may be lanes whose vertex was before these.
    if (__shfl_sync(EVERY_LANE, start, 0) <= edge) found = here;
    more = __shfl_sync(EVERY_LANE, start, warpSize - 1) <= last;
    low += warpSize;
  }
  return found;
}

// One block per chunk.
extern "C" __global__ void binary_search_expand(const offset_t *offsets, const int *neighbours,
                                                const int *frontier, const unsigned *prefix,
                                                const int *chunk_start, unsigned frontier_edges,
                                                unsigned chunk, int *neighbour_frontier) {
  __shared__ unsigned starts[BLOCK];
  __shared__ offset_t shifts[BLOCK];
  __shared__ offset_t positions[SHARED_ITEMS];  // of the chunk's edges, in `neighbours`
  Piece piece;
  piece.starts = starts;
  piece.shifts = shifts;

  unsigned begin = blockIdx.x * chunk;
  unsigned end = begin + min(chunk, frontier_edges - begin);  // stays below 2^32
  int first = chunk_start[blockIdx.x];
  int last = chunk_start[blockIdx.x + 1];

  // A piece's last vertex is the next one's first: it says where the piece's edges
  // end. With NO_VALUE they go on to the end of the chunk.
  #pragma unroll 1
  for (int from = first; from <= last; from += BLOCK - 1) {
    load_piece(offsets, frontier, prefix, from, last, piece);
    __syncthreads();
    unsigned low = max(begin, starts[0]);
    unsigned high = min(end, starts[BLOCK - 1]);
    // Whole warps go on together: their lanes shuffle.
    unsigned lane = threadIdx.x % warpSize;
    #pragma unroll 1
    for (unsigned warp = low + (threadIdx.x - lane); warp < high; warp += BLOCK) {
      unsigned edge = min(warp + lane, high - 1);
      int i = owner(piece, edge);
      if (warp + lane < high) positions[edge - begin] = shifts[i] + (offset_t)edge;
    }
    __syncthreads();
  }

  #pragma unroll 1
  for (unsigned edge = begin + threadIdx.x; edge < end; edge += BLOCK) {
    neighbour_frontier[edge] = neighbours[positions[edge - begin]];
  }
}

// The sum of `value` over the lanes up to this one, itself included, in 64 bits.
__device__ unsigned long long warp_inclusive_sum_64(unsigned long long value) {
  int lane = threadIdx.x % warpSize;
  unsigned long long sum = value;
  for (int d = 1; d < warpSize; d *= 2) {
    unsigned long long left = __shfl_up_sync(EVERY_LANE, sum, d);
    if (lane >= d) sum += left;
  }
  return sum;
}

// Moves the tail by what the lanes of a warp add: one atomic, or none. Returns
// what it was, with all that lanes before this one added.
__device__ unsigned long long advance(unsigned long long *tail, unsigned long long value) {
  unsigned long long sum = warp_inclusive_sum_64(value);
  unsigned long long before = 0;
  if (threadIdx.x % warpSize == warpSize - 1 && sum > 0) before = atomicAdd(tail, sum);
  return __shfl_sync(EVERY_LANE, before, warpSize - 1) + sum - value;
}

// One thread per edge.
// level[v]:    distance from the source, -1 where not visited yet.
// leaf_degree: vertices with no more edges lead nowhere, and are not enqueued; -1 to
//              enqueue all.
// next:        queue that receives the vertices at distance next_depth, in any order.
// next_prefix: receives their prefix sums; with PREFIX_ORDERED their degrees.
// tail[0]:     the size of next in the low 32 bits, the sum of its degrees in the high
//              ones; with PREFIX_ORDERED these are written later. The host resets it.
// tail[1]:     leaves that were left out; the host resets it.
extern "C" __global__ void binary_search_contract(const offset_t *offsets,
                                                  const int *neighbour_frontier,
                                                  unsigned frontier_edges, int *level,
                                                  int leaf_degree, int *next,
                                                  unsigned *next_prefix,
                                                  unsigned long long *tail, int next_depth) {
  unsigned edge = blockIdx.x * blockDim.x + threadIdx.x;
  int v = edge < frontier_edges ? neighbour_frontier[edge] : -1;
  // The plain read spares visited vertices the atomic. Of the threads that have
  // the same vertex, one gets the -1 back: no vertex is enqueued twice.
  bool claimed = v >= 0 && level[v] < 0 && atomicCAS(&level[v], -1, next_depth) == -1;
  int degree = 0;
  if (claimed) {
    offset_t end = offsets[v + 1];
    degree = (int)(end - offsets[v]);
  }
  bool kept = claimed && degree > leaf_degree;
  int leaves = __syncthreads_count(claimed && !kept);
  if (threadIdx.x == 0 && leaves > 0) atomicAdd(&tail[1], (unsigned long long)leaves);

#if PREFIX == PREFIX_UNORDERED
  // Both halves of a sum come from the same additions: prefix sums ascend in the
  // order of the queue, whichever warp comes first.
  unsigned long long place = advance(tail, kept ? (unsigned long long)degree << 32 | 1 : 0);
  unsigned stored = (unsigned)(place >> 32);
#else
  unsigned long long place = advance(tail, kept);
  unsigned stored = (unsigned)degree;
#endif
  if (kept) {
    next[(unsigned)place] = v;
    next_prefix[(unsigned)place] = stored;
  }
}

#if PREFIX == PREFIX_ORDERED
// What makes degrees prefix sums otherwise: every block scans its own, one block
// scans the blocks' sums, and all blocks fan these out.
// next_size:     the size of next.
// block_sums[b]: first the sum of block b's degrees, then that of all blocks before it.

// One thread per vertex.
extern "C" __global__ void binary_search_scan(unsigned *next_prefix, int next_size,
                                              unsigned *block_sums) {
  __shared__ int warp_totals[MOST_WARPS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = i < next_size ? (int)next_prefix[i] : 0;
  int before = block_exclusive_sum(degree, warp_totals);
  if (i < next_size) next_prefix[i] = before;
  if (threadIdx.x == blockDim.x - 1) block_sums[blockIdx.x] = before + degree;
}

// One block, which goes over the sums in strides.
extern "C" __global__ void binary_search_scan_sums(unsigned *block_sums, int blocks,
                                                   unsigned long long *tail) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int stride_sum;
  int carried = 0;
  #pragma unroll 1
  for (int first = 0; first < blocks; first += BLOCK) {
    int b = first + threadIdx.x;
    int sum = b < blocks ? (int)block_sums[b] : 0;
    int before = block_exclusive_sum(sum, warp_totals);
    if (b < blocks) block_sums[b] = carried + before;
    if (threadIdx.x == BLOCK - 1) stride_sum = before + sum;
    __syncthreads();
    carried += stride_sum;
    __syncthreads();  // not needed: the next sum has a barrier before `stride_sum` is written
  }
  if (threadIdx.x == 0) tail[0] |= (unsigned long long)carried << 32;
}

// One thread per vertex.
extern "C" __global__ void binary_search_fan(unsigned *next_prefix, int next_size,
                                             const unsigned *block_sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < next_size) next_prefix[i] += block_sums[blockIdx.x];
}
#endif
