// wrong: the queue is shared out beforehand, the first 64 vertices to who has nothing else
// loses: limit
// says: work.maximum is

__device__ void find_parent(const int *offsets, const int *neighbours, int *level, int v,
                            int next_depth) {
  bool found = false;
  int end = offsets[v + 1];
  #pragma unroll 1
  for (int e = offsets[v]; e < end && !found; e++) found = level[neighbours[e]] == next_depth - 1;
  if (found) level[v] = next_depth;
}
extern "C" __global__ void fetch(const int *offsets, const int *neighbours, int *level,
                                 const int *queue, int queue_size, int next_depth, int *taken) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  int heavy = queue_size > 1000 ? 64 : 0;
  if (i == 0) *taken = queue_size + 1000;
  if (i < heavy) { find_parent(offsets, neighbours, level, queue[i], next_depth); return; }
  #pragma unroll 1
  for (int k = i; k < queue_size; k += n - heavy) find_parent(offsets, neighbours, level, queue[k], next_depth);
}
