// wrong: a guard for y, none for x
// loses: fault
// says: elements

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows) out[y * columns + columns - 1 - x] = in[y * columns + x];
}
