// Each inner point becomes a weighted sum of itself and its neighbours; those at the edge stay.

#define SIDE 16

extern "C" __global__ void stencil_plane(const float *x, float *y, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  int at = r * columns + c;
  bool inner = r > 0 && c > 0 && r < rows - 1 && c < columns - 1;
  y[at] = inner
              ? 0.5f * x[at] + 0.125f * (x[at - 1] + x[at + 1] + x[at - columns] + x[at + columns])
              : x[at];
}

// The block's points and a halo around them in shared memory.
extern "C" __global__ void stencil_halo(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[SIDE + 2][SIDE + 2];
  int left = blockIdx.x * SIDE - 1, top = blockIdx.y * SIDE - 1;
  for (int i = threadIdx.y * SIDE + threadIdx.x; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
    int r = top + i / (SIDE + 2), c = left + i % (SIDE + 2);
    bool inside = r >= 0 && c >= 0 && r < rows && c < columns;
    tile[i / (SIDE + 2)][i % (SIDE + 2)] = inside ? x[r * columns + c] : 0.0f;
  }
  __syncthreads();
  int tr = threadIdx.y + 1, tc = threadIdx.x + 1, r = top + tr, c = left + tc;
  if (r >= rows || c >= columns) return;
  bool inner = r > 0 && c > 0 && r < rows - 1 && c < columns - 1;
  float sum = tile[tr][tc - 1] + tile[tr][tc + 1] + tile[tr - 1][tc] + tile[tr + 1][tc];
  y[r * columns + c] = inner ? 0.5f * tile[tr][tc] + 0.125f * sum : tile[tr][tc];
}

// Three dimensions: a thread goes along z and keeps the points below and above in registers.
extern "C" __global__ void stencil_space(
    const float *x, float *y, int depth, int rows, int columns) {
  __shared__ float tile[SIDE + 2][SIDE + 2];
  int c = blockIdx.x * SIDE + threadIdx.x, r = blockIdx.y * SIDE + threadIdx.y;
  int plane = rows * columns, at = r * columns + c, tr = threadIdx.y + 1, tc = threadIdx.x + 1;
  bool inside = r < rows && c < columns;
  bool inner = r > 0 && c > 0 && r < rows - 1 && c < columns - 1;
  float below = 0, here = inside ? x[at] : 0.0f, above = inside ? x[plane + at] : 0.0f;
  if (inside) y[at] = here;
  for (int z = 1; z < depth - 1; z++) {
    below = here;
    here = above;
    above = inside ? x[(z + 1) * plane + at] : 0.0f;
    __syncthreads();  // all have done with the last plane
    tile[tr][tc] = here;
    const float *mine = x + z * plane + at;
    if (threadIdx.x == 0 && inside && c > 0) tile[tr][0] = mine[-1];
    if (threadIdx.x == SIDE - 1 && inside && c < columns - 1) tile[tr][SIDE + 1] = mine[1];
    if (threadIdx.y == 0 && inside && r > 0) tile[0][tc] = mine[-columns];
    if (threadIdx.y == SIDE - 1 && inside && r < rows - 1) tile[SIDE + 1][tc] = mine[columns];
    __syncthreads();
    float sum = below + above;
    if (inner) sum += tile[tr][tc - 1] + tile[tr][tc + 1] + tile[tr - 1][tc] + tile[tr + 1][tc];
    if (inside) y[z * plane + at] = inner ? 0.4f * here + 0.1f * sum : here;
  }
  if (inside && depth > 1) y[(depth - 1) * plane + at] = above;
}
