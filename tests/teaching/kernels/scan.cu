// Prefix sums of ints: two ways to do it in a block, and three kernels for more than a block.

// Inclusive, Hillis and Steele: few steps, but n log n additions. One block of n threads;
// dynamic shared memory for 2 n ints, read from one half and written to the other in turns.
extern "C" __global__ void scan_hillis_steele(const int *in, int *out, int n) {
  extern __shared__ int buffers[];
  int *from = buffers;
  int *to = buffers + blockDim.x;
  int tid = threadIdx.x;
  from[tid] = tid < n ? in[tid] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    to[tid] = from[tid] + (tid >= distance ? from[tid - distance] : 0);
    int *swapped = from;
    from = to;
    to = swapped;
    // One barrier a step is enough: the half written next was last read a barrier ago.
    __syncthreads();
  }
  if (tid < n) out[tid] = from[tid];
}

// Exclusive, Blelloch: sums go up a tree, prefixes down; 2 n additions. One block, two
// elements a thread, the number of threads a power of two; shared memory for all elements.
extern "C" __global__ void scan_blelloch(const int *in, int *out, int n) {
  extern __shared__ int s[];
  int tid = threadIdx.x;
  int width = 2 * blockDim.x;
  s[tid] = tid < n ? in[tid] : 0;
  s[tid + blockDim.x] = tid + blockDim.x < n ? in[tid + blockDim.x] : 0;
  int step = 1;
  for (int active = width / 2; active > 0; active /= 2) {
    __syncthreads();
    if (tid < active) s[step * (2 * tid + 2) - 1] += s[step * (2 * tid + 1) - 1];
    step *= 2;
  }
  // The root holds the sum of all; before the first element there is nothing.
  if (tid == 0) s[width - 1] = 0;
  for (int active = 1; active < width; active *= 2) {
    step /= 2;
    __syncthreads();
    if (tid < active) {
      int left = step * (2 * tid + 1) - 1;
      int right = step * (2 * tid + 2) - 1;
      int before = s[right];
      s[right] += s[left];
      s[left] = before;
    }
  }
  __syncthreads();
  if (tid < n) out[tid] = s[tid];
  if (tid + blockDim.x < n) out[tid + blockDim.x] = s[tid + blockDim.x];
}

// The inclusive prefix sum of the block's values; s has one int for each thread.
__device__ int block_scan(int value, int *s) {
  int tid = threadIdx.x;
  s[tid] = value;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    int before = tid >= distance ? s[tid - distance] : 0;
    // With one buffer all must have read before anybody writes.
    __syncthreads();
    s[tid] += before;
    __syncthreads();
  }
  return s[tid];
}

// First kernel: every block scans its own part and leaves its sum in totals.
extern "C" __global__ void scan_parts(const int *in, int *out, int *totals, int n) {
  extern __shared__ int s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = block_scan(i < n ? in[i] : 0, s);
  if (i < n) out[i] = sum;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = sum;
}

// Second kernel, one block: totals become the sums before each part.
extern "C" __global__ void scan_totals(int *totals, int parts) {
  extern __shared__ int s[];
  int total = threadIdx.x < parts ? totals[threadIdx.x] : 0;
  int sum = block_scan(total, s);
  if (threadIdx.x < parts) totals[threadIdx.x] = sum - total;
}

// Third kernel: every part is raised by what stands before it.
extern "C" __global__ void add_totals(int *out, const int *totals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += totals[blockIdx.x];
}
