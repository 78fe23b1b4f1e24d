// Bitonic sort of each block's part in shared memory, one thread a key. The comparisons do
// not depend on the keys, so warps hardly diverge.
//
// The block size is a power of two; dynamic shared memory holds one int for each thread.

extern "C" __global__ void bitonic_sort(int *data) {
  extern __shared__ int s[];
  int tid = threadIdx.x;
  int *part = data + blockIdx.x * blockDim.x;
  s[tid] = part[tid];
  // Runs of `size` become sorted, every other one downwards; two such runs in a row rise
  // and fall, which is what the next size needs.
  for (int size = 2; size <= blockDim.x; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      int partner = tid ^ distance;
      // One thread of each pair does the work.
      if (partner > tid) {
        bool rising = (tid & size) == 0;
        int low = min(s[tid], s[partner]);
        int high = max(s[tid], s[partner]);
        s[tid] = rising ? low : high;
        s[partner] = rising ? high : low;
      }
    }
  }
  __syncthreads();
  part[tid] = s[tid];
}
