// wrong: rows are as long as there are rows
// loses: result
// says: out[2] is wrong

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[y * rows + columns - 1 - x] = in[y * rows + x];
}
