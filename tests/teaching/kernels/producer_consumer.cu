// Blocks that wait for other blocks: data first, a fence, then the flag; and on the other
// side the flag, a fence, then the data.
//
// All blocks must be resident at the same time, or wait only for blocks that began earlier.

// Even blocks fill a buffer, the odd block after each reads it backwards.
// ready: one flag for each pair, 0 at the start. It is volatile, or the waiting loop
// would be free to read it once.
extern "C" __global__ void produce_and_consume(const int *in, int *buffer, volatile int *ready,
                                               int *out) {
  int pair = blockIdx.x / 2;
  int first = pair * blockDim.x;
  if (blockIdx.x % 2 == 0) {
    buffer[first + threadIdx.x] = 3 * in[first + threadIdx.x] + 1;
    // All of the block have written before thread 0 says so.
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      ready[pair] = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (ready[pair] == 0) {
      }
      __threadfence();
    }
    // The others wait here, so only one thread of the block reads the flag.
    __syncthreads();
    out[first + threadIdx.x] = buffer[first + blockDim.x - 1 - threadIdx.x];
  }
}

// A prefix sum in one launch: block b waits for the sum before it and hands it on.
// tickets: 0 at the start; sums: unset; ready: zeros.
extern "C" __global__ void chained_scan(const int *in, int *out, int *tickets, int *sums,
                                        int *ready, int n) {
  extern __shared__ int s[];
  __shared__ int ticket;
  __shared__ int before;
  int tid = threadIdx.x;
  // Blocks may start in any order; the order of the tickets is the order of starting, so
  // nobody waits for a block that has not begun.
  if (tid == 0) ticket = atomicAdd(tickets, 1);
  __syncthreads();
  int part = ticket;
  int i = part * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    int other = tid >= distance ? s[tid - distance] : 0;
    __syncthreads();
    s[tid] += other;
    __syncthreads();
  }
  if (tid == 0) {
    int sum = 0;
    if (part > 0) {
      // Adding nothing is a read that is certainly not from a cache or a register.
      while (atomicAdd(&ready[part - 1], 0) == 0) {
      }
      __threadfence();
      sum = sums[part - 1];
    }
    before = sum;
    sums[part] = sum + s[blockDim.x - 1];
    __threadfence();
    atomicExch(&ready[part], 1);
  }
  __syncthreads();
  if (i < n) out[i] = before + s[tid];
}
