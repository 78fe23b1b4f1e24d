// Compaction: the positive elements of an array, close together and in their order.
//
// Three kernels: count in every block, add up the counts, move. Blocks have a multiple of
// 32 threads.

extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int kept = __syncthreads_count(i < n && in[i] > 0);
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

// One warp: counts become the places where each block's elements begin.
extern "C" __global__ void scan_counts(int *counts, int *total, int blocks) {
  int lane = threadIdx.x;
  int before = 0;
  for (int first = 0; first < blocks; first += 32) {
    int count = first + lane < blocks ? counts[first + lane] : 0;
    int sum = count;
    for (int distance = 1; distance < 32; distance *= 2) {
      int other = __shfl_up_sync(0xffffffffu, sum, distance);
      // The first lanes get their own value back.
      if (lane >= distance) sum += other;
    }
    if (first + lane < blocks) counts[first + lane] = before + sum - count;
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
  if (lane == 0) *total = before;
}

extern "C" __global__ void move_kept(const int *in, const int *starts, int *out, int n) {
  __shared__ int warp_counts[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  bool keep = i < n && in[i] > 0;
  // The ballot is a prefix sum in disguise: kept lanes below mine are bits below mine.
  unsigned kept = __ballot_sync(0xffffffffu, keep);
  int at = starts[blockIdx.x] + __popc(kept & ((1u << lane) - 1));
  if (lane == 0) warp_counts[warp] = __popc(kept);
  __syncthreads();
  for (int w = 0; w < warp; w++) at += warp_counts[w];
  if (keep) out[at] = in[i];
}
