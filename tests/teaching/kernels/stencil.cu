// Stencils whose neighbours come from shared memory: a tile, and a halo around it that
// belongs to the neighbouring blocks. Outside the array everything is zero.

#define RADIUS 3
#define SIDE 16

__device__ float inside_or_zero(const float *in, int i, int n) {
  return i >= 0 && i < n ? in[i] : 0.0f;
}

// out[i]: mean of the 2 * RADIUS + 1 elements around in[i]. Dynamic shared memory for
// blockDim.x + 2 * RADIUS floats.
extern "C" __global__ void stencil_1d(const float *in, float *out, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = threadIdx.x + RADIUS;
  tile[at] = inside_or_zero(in, i, n);
  // The first threads fetch both halos: each one element before and one behind the tile.
  if (threadIdx.x < RADIUS) {
    tile[at - RADIUS] = inside_or_zero(in, i - RADIUS, n);
    tile[at + blockDim.x] = inside_or_zero(in, i + blockDim.x, n);
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -RADIUS; d <= RADIUS; d++) sum += tile[at + d];
  out[i] = sum / (2 * RADIUS + 1);
}

// One step of heat flow in a plate: blocks of SIDE x SIDE threads, five points.
extern "C" __global__ void stencil_2d(const float *in, float *out, int height, int width,
                                      float rate) {
  __shared__ float tile[SIDE + 2][SIDE + 2];
  int x = blockIdx.x * SIDE + threadIdx.x;
  int y = blockIdx.y * SIDE + threadIdx.y;
  // (SIDE + 2)^2 cells for SIDE^2 threads: as many rounds as it takes.
  int cells = (SIDE + 2) * (SIDE + 2);
  for (int cell = threadIdx.y * SIDE + threadIdx.x; cell < cells; cell += SIDE * SIDE) {
    int row = cell / (SIDE + 2);
    int column = cell % (SIDE + 2);
    int from_y = (int)(blockIdx.y * SIDE) + row - 1;
    int from_x = (int)(blockIdx.x * SIDE) + column - 1;
    bool there = from_y >= 0 && from_y < height && from_x >= 0 && from_x < width;
    tile[row][column] = there ? in[from_y * width + from_x] : 0.0f;
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  int row = threadIdx.y + 1;
  int column = threadIdx.x + 1;
  float around = tile[row - 1][column] + tile[row + 1][column] + tile[row][column - 1] +
                 tile[row][column + 1];
  out[y * width + x] = tile[row][column] + rate * (around - 4.0f * tile[row][column]);
}
