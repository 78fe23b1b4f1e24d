// Keys in ascending order; bitonic networks want a power of two of them.

__device__ void ordered(unsigned &a, unsigned &b, bool up) {
  if ((a > b) == up) {
    unsigned kept = a;
    a = b;
    b = kept;
  }
}

// The whole network in shared memory, for two keys a thread.
extern "C" __global__ void sort_bitonic_block(unsigned *keys) {
  extern __shared__ unsigned shared[];
  int t = threadIdx.x, n = 2 * blockDim.x;
  shared[t] = keys[t];
  shared[t + blockDim.x] = keys[t + blockDim.x];
  for (int size = 2; size <= n; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int at = 2 * t - (t & (step - 1));
      ordered(shared[at], shared[at + step], (at & size) == 0);
    }
  }
  __syncthreads();
  keys[t] = shared[t];
  keys[t + blockDim.x] = shared[t + blockDim.x];
}

// One stage of the network in global memory: a launch is a barrier of the grid.
extern "C" __global__ void sort_bitonic_stage(unsigned *keys, int size, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ step;
  if (other > i) ordered(keys[i], keys[other], (i & size) == 0);
}

// Radix sort of a block: bit by bit, zeros before ones and in their order. `warps` holds for each
// warp the zeros before it.
extern "C" __global__ void sort_radix_block(unsigned *keys, int bits) {
  extern __shared__ unsigned shared[];
  __shared__ int warps[33];
  int t = threadIdx.x, lane = t % warpSize, warp = t / warpSize;
  unsigned key = keys[t];
  for (int bit = 0; bit < bits; bit++) {
    bool one = key >> bit & 1;
    unsigned zeros = __ballot_sync(0xffffffffu, !one);
    if (lane == 0) warps[warp + 1] = __popc(zeros);
    if (t == 0) warps[0] = 0;
    __syncthreads();
    if (t == 0) {
      for (int i = 0; i < blockDim.x / warpSize; i++) warps[i + 1] += warps[i];
    }
    __syncthreads();
    int before = warps[warp] + __popc(zeros & ((1u << lane) - 1));
    shared[one ? warps[blockDim.x / warpSize] + t - before : before] = key;
    __syncthreads();
    key = shared[t];
  }
  keys[t] = key;
}

// Radix sort of a grid, four bits a pass: how many keys of each digit every block has ...
extern "C" __global__ void sort_radix_count(const unsigned *keys, int n, int shift, int *counts) {
  __shared__ int mine[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&mine[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// ... their running sums, in one block ...
extern "C" __global__ void sort_radix_offsets(int *counts, int n) {
  if (threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int kept = counts[i];
    counts[i] = sum;
    sum += kept;
  }
}

// ... and each key behind those of smaller digits, of blocks before, and of threads before.
extern "C" __global__ void sort_radix_scatter(
    const unsigned *keys, int n, int shift, const int *offsets, unsigned *sorted) {
  extern __shared__ int digits[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int digit = i < n ? (int)(keys[i] >> shift & 15) : -1;
  digits[threadIdx.x] = digit;
  __syncthreads();
  if (i >= n) return;
  int before = 0;
  for (int t = 0; t < threadIdx.x; t++) before += digits[t] == digit;
  sorted[offsets[digit * gridDim.x + blockIdx.x] + before] = keys[i];
}
