// wrong: x and y exchanged: x says the row
// loses: result
// says: is wrong

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < columns && x < rows) out[x * columns + columns - 1 - y] = in[x * columns + y];
}
