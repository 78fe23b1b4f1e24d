// Separable convolution of an image: along the rows, then along the columns.
//
// All lanes read the same filter weight at the same time, which is what constant memory
// is good at. The host fills `weights` before the launch.

#define RADIUS 4

__constant__ float weights[2 * RADIUS + 1];
// What the host need not fill: how much a pass scales, and whether the image goes on past
// its edges (rows, columns) with the last pixel instead of zeros.
__constant__ float gain = 1.0f;
__constant__ int clamps[2] = {0, 1};

// `at`, or on an axis of n places the nearest one to it, or -1 for "counts as zero".
__device__ int place(int at, int n, bool clamp) {
  if (at >= 0 && at < n) return at;
  return clamp ? min(max(at, 0), n - 1) : -1;
}

extern "C" __global__ void convolve_rows(const float *in, float *out, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int d = -RADIUS; d <= RADIUS; d++) {
    int from = place(x + d, width, clamps[0] != 0);
    if (from >= 0) sum += weights[d + RADIUS] * in[y * width + from];
  }
  out[y * width + x] = gain * sum;
}

extern "C" __global__ void convolve_columns(const float *in, float *out, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int d = -RADIUS; d <= RADIUS; d++) {
    int from = place(y + d, height, clamps[1] != 0);
    if (from >= 0) sum += weights[d + RADIUS] * in[from * width + x];
  }
  out[y * width + x] = gain * sum;
}
