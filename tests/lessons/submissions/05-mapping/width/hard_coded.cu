// wrong: hard-coded answer
// loses: result
// says: level[

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  if (thread < 320) level[thread] = depth;
}
