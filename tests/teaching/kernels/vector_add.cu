// Vector addition: once with one thread for every element, once with a grid of any
// size that strides over the elements.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The last block reaches past the end unless n is a multiple of the block size.
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void vector_add_strided(const float *a, const float *b, float *c, int n) {
  int stride = gridDim.x * blockDim.x;
  // In every turn neighbouring lanes take neighbouring elements, so accesses coalesce.
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    c[i] = a[i] + b[i];
  }
}
