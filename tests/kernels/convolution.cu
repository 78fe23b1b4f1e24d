// Sums of neighbours with weights from a filter; what is outside counts as zero.
#define RADIUS 3

__constant__ float weights[2 * RADIUS + 1];

// One dimension, from constant memory.
extern "C" __global__ void convolve_line(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) {
    if (i + k >= 0 && i + k < n) sum += weights[k + RADIUS] * x[i + k];
  }
  y[i] = sum;
}

// The same by tiles with a halo on both sides.
extern "C" __global__ void convolve_tiles(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int k = t; k < blockDim.x + 2 * RADIUS; k += blockDim.x) {
    int from = (int)(blockIdx.x * blockDim.x) + k - RADIUS;
    tile[k] = from >= 0 && from < n ? x[from] : 0.0f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * RADIUS; k++) sum = fmaf(weights[k], tile[t + k], sum);
  y[i] = sum;
}

// Images as neural networks have them: batch x channels x rows x columns with filters of
// outputs x channels x side x side; a thread for a point of an output.
extern "C" __global__ void convolve_channels(
    const float *x, const float *filters, float *y, int channels, int rows, int columns,
    int outputs, int side) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  int image = blockIdx.z / outputs, output = blockIdx.z % outputs, half = side / 2;
  if (r >= rows || c >= columns) return;
  float sum = 0;
  for (int channel = 0; channel < channels; channel++) {
    const float *plane = x + (image * channels + channel) * rows * columns;
    const float *filter = filters + (output * channels + channel) * side * side;
    for (int i = 0; i < side; i++) {
      for (int j = 0; j < side; j++) {
        int row = r + i - half, column = c + j - half;
        if (row < 0 || column < 0 || row >= rows || column >= columns) continue;
        sum += filter[i * side + j] * plane[row * columns + column];
      }
    }
  }
  y[(blockIdx.z * rows + r) * columns + c] = sum;
}
