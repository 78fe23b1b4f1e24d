// wrong: threads of a warp are neighbours in a column
// loses: limit
// says: the result is right, but load_sectors is

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int first = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
  int own = threadIdx.y * blockDim.x + threadIdx.x;
  int x = first + own / blockDim.y, y = top + own % blockDim.y;
  if (x < columns && y < rows) out[y * columns + columns - 1 - x] = in[y * columns + x];
}
