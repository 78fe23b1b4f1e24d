// Appends the odd numbers to a queue: two threads may get one place.
extern "C" __global__ void queue_append(const int *in, int *queue, int *tail) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value % 2 == 0) return;
#ifdef BUGGY
  int at = *tail;  // BUG
  *tail = at + 1;  // BUG
#else
  int at = atomicAdd(tail, 1);
#endif
  queue[at] = value;  // BUG
}
