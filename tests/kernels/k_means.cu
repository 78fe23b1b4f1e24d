// One step of k-means with points of two coordinates: the nearest centre of each, then the sums.
#define INFINITE __int_as_float(0x7f800000)

extern "C" __global__ void k_means_assign(
    const float2 *points, int n, const float2 *centres, int k, int *nearest) {
  extern __shared__ float2 shared[];
  for (int c = threadIdx.x; c < k; c += blockDim.x) shared[c] = centres[c];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 mine = points[i];
  float least = INFINITE;
  int found = -1;
  for (int c = 0; c < k; c++) {
    float x = mine.x - shared[c].x, y = mine.y - shared[c].y, distance = x * x + y * y;
    if (distance < least) least = distance, found = c;
  }
  nearest[i] = found;
}

// Sums and counts of a block in shared memory, then one addition a block and centre.
extern "C" __global__ void k_means_sum(
    const float2 *points, int n, const int *nearest, int k, float *sums, int *counts) {
  extern __shared__ float mine[];  // k times x, k times y, k counts
  int *numbers = reinterpret_cast<int *>(mine + 2 * k);
  for (int c = threadIdx.x; c < k; c += blockDim.x) mine[c] = mine[k + c] = 0, numbers[c] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[nearest[i]], points[i].x);
    atomicAdd(&mine[k + nearest[i]], points[i].y);
    atomicAdd(&numbers[nearest[i]], 1);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < k; c += blockDim.x) {
    atomicAdd(&sums[2 * c], mine[c]);
    atomicAdd(&sums[2 * c + 1], mine[k + c]);
    atomicAdd(&counts[c], numbers[c]);
  }
}
