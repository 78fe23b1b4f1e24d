// Templates: the host names the instances it wants, "saxpy<float>" for example.

template <typename T>
__global__ void saxpy(T a, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

template <typename T>
__device__ T larger(T a, T b) {
  return a > b ? a : b;
}

// The largest element of each block's part. As a template argument the block size is a
// constant, so the shared array needs no size from the host.
template <typename T, int BLOCK>
__global__ void block_maxima(const T *in, T *out, int n) {
  __shared__ T s[BLOCK];
  int tid = threadIdx.x;
  int i = blockIdx.x * BLOCK + tid;
  // Past the end the block's first element stands in, which changes no maximum.
  s[tid] = in[i < n ? i : blockIdx.x * BLOCK];
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] = larger<T>(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}
