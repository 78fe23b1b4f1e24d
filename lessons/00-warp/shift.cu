// Each block moves its elements one place down; its first one comes last. Through
// shared memory, since a register belongs to one thread.

#define BLOCK 64

extern "C" __global__ void shift_too_soon(const int *in, int *out) {
  __shared__ int tile[BLOCK];
  int first = blockIdx.x * BLOCK;
  tile[threadIdx.x] = in[first + threadIdx.x];
  out[first + threadIdx.x] = tile[(threadIdx.x + 1) % BLOCK];
}

extern "C" __global__ void shift(const int *in, int *out) {
  __shared__ int tile[BLOCK];
  int first = blockIdx.x * BLOCK;
  tile[threadIdx.x] = in[first + threadIdx.x];
  // Nobody reads before everybody has written.
  __syncthreads();
  out[first + threadIdx.x] = tile[(threadIdx.x + 1) % BLOCK];
}

// A barrier that half of the threads never reach.
extern "C" __global__ void shift_stuck(const int *in, int *out) {
  __shared__ int tile[BLOCK];
  int first = blockIdx.x * BLOCK;
  tile[threadIdx.x] = in[first + threadIdx.x];
  if (threadIdx.x < BLOCK / 2) __syncthreads();
  out[first + threadIdx.x] = tile[(threadIdx.x + 1) % BLOCK];
}
