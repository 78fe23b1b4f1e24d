// wrong: a guard for x, none for y
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns) out[y * columns + columns - 1 - x] = in[y * columns + x];
}
