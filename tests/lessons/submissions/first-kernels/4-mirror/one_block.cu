// wrong: forgets the blocks
// loses: result
// says: is wrong

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < columns && y < rows) out[y * columns + columns - 1 - x] = in[y * columns + x];
}
