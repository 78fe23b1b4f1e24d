// right: returns early, and takes rows by pointers

extern "C" __global__ void mirror(const int *in, int rows, int columns, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns) return;
  if (y >= rows) return;
  const int *row = in + y * columns;
  out[(y + 1) * columns - 1 - x] = row[x];
}
