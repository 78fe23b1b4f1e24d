// Places of a queue, and who takes them: by the grid's stride, each thread by an atomic, or
// a warp by one atomic for all its lanes.

// looks[i]: how many neighbours the vertex at place i looks at.
// done[i]:  becomes 1.
__device__ void look(const int *looks, int *done, int i) {
  #pragma unroll 1
  for (int k = 0; k < *(const volatile int *)&looks[i]; k++) {
  }
  done[i] = 1;
}

extern "C" __global__ void by_stride(const int *looks, int n, int *done, int *taken) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) look(looks, done, i);
}

// taken: how many places are taken, at first one for each thread of the grid.
extern "C" __global__ void by_warp(const int *looks, int n, int *done, int *taken) {
  int lane = threadIdx.x % warpSize;
  int first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  #pragma unroll 1
  while (first < n) {
    if (first + lane < n) look(looks, done, first + lane);
    __syncwarp();
    int next = 0;
    if (lane == 0) next = atomicAdd(taken, warpSize);
    first = __shfl_sync(0xffffffffu, next, 0);
  }
}
