// wrong: hard-coded levels of the first case
// loses: result
// says: vertex

extern "C" __global__ void two_levels(const int *offsets, const int *neighbours,
                                      volatile int *level, const int *queue, int queue_size,
                                      int next_depth) {
  int threads = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    level[3] = 3;
    level[4] = 4;
  }
}
