// wrong: off by one: column `columns - x`
// loses: result
// says: out[0] is wrong

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[(y * columns + columns - x) % (rows * columns)] = in[y * columns + x];
}
