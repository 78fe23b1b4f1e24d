// Running sums of x. Those of Hillis and Steele, of Blelloch and of a warp are of one block; the
// look-back is of any number of blocks, in one launch.

// Inclusive: log2(n) steps, in each of which every thread adds. Two arrays in turn.
extern "C" __global__ void scan_hillis_steele(const int *x, int *y, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, from = 0;
  shared[t] = t < n ? x[t] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    const int *old = shared + from * blockDim.x;
    from ^= 1;
    shared[from * blockDim.x + t] = old[t] + (t >= step ? old[t - step] : 0);
    __syncthreads();
  }
  if (t < n) y[t] = shared[from * blockDim.x + t];
}

// Exclusive: sums up a tree, then down; a thread has two numbers.
extern "C" __global__ void scan_blelloch(const int *x, int *y, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, size = 2 * blockDim.x, step = 1;
  for (int i = t; i < size; i += blockDim.x) shared[i] = i < n ? x[i] : 0;
  for (int pairs = blockDim.x; pairs > 0; pairs /= 2, step *= 2) {
    __syncthreads();
    if (t < pairs) shared[step * (2 * t + 2) - 1] += shared[step * (2 * t + 1) - 1];
  }
  if (t == 0) shared[size - 1] = 0;
  for (int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
    step /= 2;
    __syncthreads();
    if (t < pairs) {
      int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, kept = shared[left];
      shared[left] = shared[right];
      shared[right] += kept;
    }
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) y[i] = shared[i];
}

__device__ int scanned_in_warp(int value) {
  int lane = threadIdx.x % warpSize;
  for (int step = 1; step < warpSize; step *= 2) {
    int other = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

// The inclusive sum within a block: of warps, then of the warps' sums.
__device__ int scanned_in_block(int value) {
  __shared__ int sums[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  int found = scanned_in_warp(value);
  if (lane == warpSize - 1) sums[warp] = found;
  __syncthreads();
  if (warp == 0) sums[lane] = scanned_in_warp(lane < blockDim.x / warpSize ? sums[lane] : 0);
  __syncthreads();
  return found + (warp > 0 ? sums[warp - 1] : 0);
}

extern "C" __global__ void scan_shuffles(const int *x, int *y, int n) {
  int t = threadIdx.x, found = scanned_in_block(t < n ? x[t] : 0);
  if (t < n) y[t] = found;
}

#define OWN 1u  // only the block's own sum is known
#define ALL 2u  // and that of all before it

// Decoupled look-back: a block publishes its sum, then adds those before it until it meets one
// that knows all. State and sum are one word of 64 bits, so that no fence is needed between them.
extern "C" __global__ void scan_look_back(
    const int *x, int *y, int n, unsigned *ticket, unsigned long long *states) {
  __shared__ unsigned block;
  __shared__ int before;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);  // blocks in the order in which they began
  __syncthreads();
  int i = block * blockDim.x + threadIdx.x, found = scanned_in_block(i < n ? x[i] : 0);
  if (threadIdx.x == blockDim.x - 1) {
    int sum = 0;
    auto word = [](unsigned state, int value) {
      return (unsigned long long)state << 32 | (unsigned)value;
    };
    if (block > 0) atomicExch(&states[block], word(OWN, found));
    for (int at = (int)block - 1; at >= 0; at--) {
      unsigned long long seen;
      do seen = atomicAdd(&states[at], 0ull);
      while (seen == 0);
      sum += (int)(unsigned)seen;
      if (seen >> 32 == ALL) break;
    }
    atomicExch(&states[block], word(ALL, sum + found));
    before = sum;
  }
  __syncthreads();
  if (i < n) y[i] = before + found;
}
