// Radix sort of one block's keys, one thread a key: bit by bit, keys with a 0 move before
// those with a 1 and otherwise keep their order.
//
// Dynamic shared memory holds one unsigned for each thread.

// Where this thread's key goes when the block's keys are split by one bit.
__device__ unsigned place_by_bit(unsigned key, int bit, unsigned *s) {
  unsigned tid = threadIdx.x;
  unsigned zero = ((key >> bit) & 1u) ^ 1u;
  s[tid] = zero;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    unsigned before = tid >= distance ? s[tid - distance] : 0;
    __syncthreads();
    s[tid] += before;
    __syncthreads();
  }
  unsigned zeros_before = s[tid] - zero;
  unsigned zeros = s[blockDim.x - 1];
  // The caller will use s again; all must have read it.
  __syncthreads();
  // Before a key with a 1 stand all zeros and the ones among the tid keys before it.
  return zero ? zeros_before : zeros + tid - zeros_before;
}

// One step: the block's keys split by `bit`.
extern "C" __global__ void radix_split(const unsigned *keys, unsigned *out, int bit) {
  extern __shared__ unsigned s[];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned key = keys[i];
  out[blockIdx.x * blockDim.x + place_by_bit(key, bit, s)] = key;
}

// The whole sort, from the lowest bit to the highest, in place.
extern "C" __global__ void radix_sort(unsigned *keys, int n, int bits) {
  extern __shared__ unsigned s[];
  unsigned tid = threadIdx.x;
  // Threads without a key take the largest one, which stays behind all others.
  unsigned key = tid < n ? keys[tid] : 0xffffffffu;
  for (int bit = 0; bit < bits; bit++) {
    unsigned place = place_by_bit(key, bit, s);
    s[place] = key;
    __syncthreads();
    key = s[tid];
    __syncthreads();
  }
  if (tid < n) keys[tid] = key;
}
