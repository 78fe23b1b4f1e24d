// wrong: doubles distances in shared memory, with all warps
// loses: limit
// says: shared_requests is

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  __shared__ int tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int value = i < count ? in[i] : 0;
  int sum = value;
  tile[t] = sum;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int left = t >= d ? tile[t - d] : 0;
    __syncthreads();
    sum += left;
    tile[t] = sum;
    __syncthreads();
  }
  if (i < count) out[i] = sum - value;
  if (t == blockDim.x - 1) totals[blockIdx.x] = sum;
}
